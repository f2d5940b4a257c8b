"""What guessers would get of the facts of a run: columns `chance`, `guess` and `modal`, from tables about somewhere else.

The facts of a part are looked at when they are all found, so it does not matter which loop found them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from foregone.batch.plan import Ints
from foregone.batch.source import PartContent
from foregone.formats.claims import GUESSES
from foregone.formats.rows import read_shares
from foregone.model.claims_table import codes_of
from foregone.model.domain import Domain
from foregone.model.errors import InputError
from foregone.model.predicate import Predicate
from foregone.model.shown import listed, shown
from foregone.questions.baseline import Guesser, Guesses

NONMODAL = "nonmodal"  # the column of the summary with the facts about one record that the modal guesser misses
PRIOR_TABLE = "prior_table"  # the option in run.json: from which table
NOT_GUESSED = (None, None, None)


@dataclass(frozen=True, slots=True, eq=False)
class GuessTables:
    """Tables to guess from, by the beginning of a release's id, so many letters: the place that it lies in. By the whole id, where
    `letters` is None."""

    letters: int | None
    tables: Mapping[str, Guesser]

    def of(self, release: str) -> Guesser | None:
        return self.tables.get(release[: self.letters])


GuessPlaces = Mapping[str, Callable[[PartContent], GuessTables]]
"""For each level of places whose records are known, the tables of the places that the releases of a part lie in."""


def tables_for(guess: str, places: GuessPlaces | None, names: Sequence[str]) -> Callable[[PartContent], GuessTables] | None:
    """Where the tables come from that a run is to guess from: the path of a file, or a level of places; nothing, if not asked."""
    if not guess:
        return None
    taken = [name for name in GUESSES if name in names]
    if taken:
        raise InputError(f"a column is called {shown(taken[0])}, a name that guesses use; rename it, or do without a table")
    if places and guess in places and not Path(guess).is_file():
        return places[guess]
    if not Path(guess).is_file():
        levels = f", and no level of places ({listed(list(places))})" if places else ""
        raise InputError(
            f"the table to guess from, {shown(guess)}, is no file{levels}; give a CSV with some of the columns and `weight`"
        )
    return tables_of_file(Path(guess))


def tables_of_file(path: Path) -> Callable[[PartContent], GuessTables]:
    """One table for all releases; it is read for each different domain, of which most runs have one."""
    read = list[tuple[Domain, Guesser]]()

    def guesser(domain: Domain) -> Guesser:
        for known, made in read:
            if known == domain:
                return made
        made = Guesser.of(domain, *read_shares(path, domain))
        read.append((domain, made))
        return made

    return lambda content: GuessTables(None, {release: guesser(domain) for release, domain in content.domains()})


def with_guesses(content: PartContent, guessing: GuessTables | None, made: Mapping[str, Any]) -> Mapping[str, Any]:
    """The tables of a part with what guessers would get beside each fact; and in the summary how many facts about one record the
    modal guesser misses, and how many true records these are about."""
    if guessing is None:
        return made
    import pyarrow as pa

    facts, summary = made["facts"], made["summary"]
    sizes = dict(zip(summary["release"].to_pylist(), summary["records"].to_pylist(), strict=True))
    found, missed = list[Guesses | tuple[None, None, None]](), dict[str, list[Predicate]]()
    for release, predicate, count in _claims(content, facts):
        guesser = guessing.of(release)
        told = NOT_GUESSED if guesser is None else guesser.guesses(predicate, count, sizes[release])
        found.append(told)
        if count == 1 and told[2] is False:
            missed.setdefault(release, []).append(predicate)
    kinds = dict(zip(GUESSES, (pa.float64(), pa.float64(), pa.bool_()), strict=True))
    for at, (name, kind) in enumerate(kinds.items()):
        facts = facts.append_column(name, pa.array([told[at] for told in found], kind))
    numbers = [len(missed.get(release, ())) for release in sizes]
    summary = summary.append_column(NONMODAL, pa.array(numbers, pa.int64()))
    if content.counted:
        about = _described(content, missed)
        summary = summary.append_column(f"{content.counted}_{NONMODAL}", pa.array([about.get(r, 0) for r in sizes], pa.int64()))
    return {**made, "facts": facts, "summary": summary}


def _claims(content: PartContent, facts: Any) -> Iterator[tuple[str, Predicate, int]]:
    """Every row of a file of facts as the release, the predicate and the count of a claim."""
    columns = [facts[name].to_pylist() for name in content.names]
    for at, (release, count) in enumerate(zip(facts["release"].to_pylist(), facts["count"].to_pylist(), strict=True)):
        named = {name: codes_of(column[at]) for name, column in zip(content.names, columns, strict=True) if column[at] is not None}
        yield release, Predicate.of(named), count


def _described(content: PartContent, missed: Mapping[str, list[Predicate]]) -> dict[str, int]:
    """How many true records of each release one of these claims is about."""
    domains, found = dict(content.domains()), dict[str, int]()
    if not missed:
        return found
    for release, _, truth in content.releases():
        if truth is not None and release in missed:
            found[release] = _matched(domains[release], truth, missed[release])
    return found


def _matched(domain: Domain, truth: Ints, predicates: list[Predicate]) -> int:
    about = np.zeros(len(truth), dtype=bool)
    for predicate in predicates:
        match = np.ones(len(truth), dtype=bool)
        for name, codes in predicate.allowed:
            match &= np.isin(truth[:, domain.index[name]], [domain.column(name).index[code] for code in codes])
        about |= match
    return int(about.sum())
