"""Why the facts on a page are certain: derivations of the most telling ones."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from foregone.engine import Case
from foregone.formats.text import regular_file
from foregone.model.errors import InputError, UndecidedError
from foregone.model.progress import Progress
from foregone.model.release import Release
from foregone.pages.collection import Collection, LocatedFact
from foregone.pages.derivation import Derivation, derive
from foregone.pages.ranking import RankedFact, rank_facts
from foregone.questions.ask import audit
from foregone.solvers.deadline import Deadline

Explanations = Mapping[tuple[str, int], Derivation]
"""Of facts of one release, by claim and count; what is explained is the claim without groups that tell nothing."""


def explained_facts(
    case: Case,
    facts: Sequence[RankedFact],
    known: Explanations | None = None,
    progress: Progress | None = None,
    deadline: Deadline | None = None,
) -> Iterator[tuple[tuple[str, int], Derivation]]:
    """Why facts are certain, one after another, until the deadline; those too large to be explained are left out. What is `known`
    already takes no time and is there in any case. All are asked of one case, so that the release is compiled once for all of them.
    """
    tell = _telling(progress, len(facts), deadline)
    for i, fact in enumerate(facts):
        key = (fact.predicate.text(case.release.domain), fact.count)
        if known is not None and key in known:
            yield key, known[key]
            continue
        tell(i)
        if deadline is not None and deadline.passed():
            continue
        with suppress(UndecidedError):
            yield key, derive(case, fact.telling, fact.count, deadline=deadline)


def _telling(progress: Progress | None, total: int, deadline: Deadline | None) -> Callable[[int], None]:
    """Says how many explanations there are: all are there when they are all made, or when time is over."""
    seconds = None if deadline is None else deadline.seconds

    def tell(done: int) -> None:
        if progress is None:
            return
        share = done / total
        if deadline is not None and seconds:
            share = max(share, 1 - deadline.left() / seconds)
        progress("explaining", done, total, share)

    return tell


@dataclass(frozen=True, slots=True)
class ExplainedFact:
    """A release among many, made again, and the fact with the shortest ways to say it."""

    release: Release
    fact: RankedFact
    derivation: Derivation


LocatedExplanations = Mapping[tuple[str, str, int], ExplainedFact]
"""Of facts of many releases, by release, claim and count."""


def explained_located(
    collection: Collection,
    source: Path,
    chosen: Iterable[LocatedFact],
    progress: Progress | None = None,
    seconds: float | None = None,
) -> Iterator[tuple[tuple[str, str, int], ExplainedFact]]:
    """Why the chosen facts of a collection are certain, one after another, from releases made again out of the file that it came
    from (`check_source` says whether it did): for so many seconds from when the releases are there.
    """
    assert collection.subject.republish is not None
    wanted = list(chosen)
    releases = collection.subject.republish(source, [located.release for located in wanted])
    deadline = Deadline.after(seconds)
    tell = _telling(progress, len(wanted), deadline)
    cases: dict[str, Case] = {}
    ranked: dict[str, list[RankedFact]] = {}
    for i, located in enumerate(wanted):
        tell(i)
        if deadline.passed():
            return
        name, fact = located.release, located.fact
        with suppress(UndecidedError):
            if name not in cases:
                cases[name] = Case(releases[name], deadline)
            derivation = derive(cases[name], fact.predicate, fact.count, deadline=deadline)
            with suppress(UndecidedError):
                if name not in ranked:
                    ranked[name] = rank_facts(audit(cases[name], time_limit=deadline.seconds))
            key = (name, fact.predicate.text(collection.domain), fact.count)
            yield key, ExplainedFact(cases[name].release, _with_keys(fact, ranked.get(name, ())), derivation)


def _with_keys(fact: RankedFact, ranked: Iterable[RankedFact]) -> RankedFact:
    """The fact with the shortest claims that say the same, which runs do not store, from all `ranked` facts of its release."""
    for other in ranked:
        if other.count == fact.count and other.predicate.within(fact.predicate):
            keys, names = tuple(key for key in other.keys if fact.predicate.within(key)), set(fact.names)
            return replace(fact, keys=keys, idle=other.idle & names, brought=other.brought & names, counted=None)
    return fact


def check_source(collection: Collection, source: Path) -> None:
    """Refuse a file that the collection was not made from, and a collection that cannot be made again from any."""
    if collection.subject.republish is None:
        raise InputError(f"{source}: the releases of {collection.path} cannot be made again from a file of records")
    regular_file(source, "give the unit file that the run was made from")
    try:
        with source.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(
            f"{source}: cannot be read ({error.strerror}); give the unit file that the run was made from"
        ) from None
    if found != collection.fingerprint:
        name = collection.about.get("input", {}).get("name", "unknown")
        raise InputError(f"{source}: is not the file that {collection.path} was made from ({name}); its fingerprint is another one")
