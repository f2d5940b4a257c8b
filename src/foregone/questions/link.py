"""What an outside register makes of a release: who is matched with a record, and what is learnt about them.

A register lists people by name or number with some values that the tables use, too. What follows depends on who is in which, so
that has to be assumed, and is said with the result:

- `tables-in-register`: everybody in the tables is in the register. A person is matched when in every dataset that fits exactly one
  record has these values, and nobody else in the register has them;
- `register-in-tables`: everybody in the register is in the tables. A person is matched when exactly one record has these values;
  what all possible records with these values share is learnt about everybody who has them, matched or not;
- `both`: the two are the same people.

Being matched is a matter of values: whether the record is about this person rests on the assumption, not on the tables.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import product
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from foregone import engine
from foregone.engine import MAX_RECORDS, AtMost, Case, Exceeds, need_witness
from foregone.formats.text import read_rows
from foregone.model.claim import Claim, Verdict
from foregone.model.domain import unknown_columns
from foregone.model.errors import ContradictionError, InputError, TooLargeError, UndecidedError, refuse, what_to_do
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.sentences import plural
from foregone.model.shown import listed, shown
from foregone.model.statement import Statistic
from foregone.questions.asked import Source, as_case
from foregone.solvers.deadline import Deadline

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

ADDED = ("matched", "learnt", "count", "ground")
MOST_COMBINATIONS = 5_000  # of values to link on, that may be compared with the tables all at once


class Assumption(StrEnum):
    """Who is in which: has to be assumed, since neither the tables nor the register say it."""

    TABLES = "tables-in-register"
    REGISTER = "register-in-tables"
    BOTH = "both"

    @property
    def words(self) -> str:
        return {
            Assumption.TABLES: "everybody in the tables is in the register",
            Assumption.REGISTER: "everybody in the register is in the tables",
            Assumption.BOTH: "the tables and the register are about the same people",
        }[self]


@dataclass(frozen=True, slots=True)
class Match:
    """What follows about everybody in the register who has certain values.

    `least` and `most` records have them, whatever the truth is; `learnt` are values that all possible records with them share.
    """

    values: tuple[str, ...]
    persons: int
    least: int
    most: int | None
    matched: bool
    learnt: tuple[tuple[str, str], ...]
    ground: str | None
    contradiction: str = ""

    @property
    def count(self) -> int | None:
        """How many records have the values, where that is certain."""
        return self.least if self.least == self.most else None


@dataclass(frozen=True)
class Linked:
    """A register with what a release tells about the people in it: iterate over its rows, or take `table`, a data frame."""

    release: Release
    on: tuple[str, ...]
    assumption: Assumption
    columns: tuple[str, ...]
    persons: tuple[tuple[str, ...], ...]
    found: tuple[Match, ...]  # one for each different combination of values
    of_person: tuple[int, ...]  # which of them is about each person
    together: str = ""  # where everybody in the register at once contradicts the tables, though no combination of values does alone

    def __len__(self) -> int:
        return len(self.persons)

    def __repr__(self) -> str:
        return f"<Linked: {self.summary()}>"

    @property
    def header(self) -> list[str]:
        return [*self.columns, *ADDED]

    def rows(self) -> list[tuple[object, ...]]:
        """One for each person: the register's own columns, then matched, learnt, count and ground."""
        made: list[tuple[object, ...]] = []
        for person, at in zip(self.persons, self.of_person, strict=True):
            match = self.found[at]
            learnt = ", ".join(f"{name}={code}" for name, code in match.learnt)
            made.append((*person, match.matched, learnt, match.count, match.ground))
        return made

    @cached_property
    def table(self) -> pd.DataFrame:
        """The rows as a data frame."""
        import pandas as pd

        return pd.DataFrame(self.rows(), columns=self.header).astype({"count": "Int64", "matched": "bool"})

    def to_arrow(self) -> pa.Table:
        """The rows as an Arrow table."""
        import pyarrow as pa

        return pa.Table.from_pandas(self.table, preserve_index=False)

    @property
    def matched(self) -> int:
        """How many people are matched with a record."""
        return sum(self.found[at].matched for at in self.of_person)

    @property
    def learning(self) -> int:
        """About how many people something is learnt that the register does not have."""
        return sum(bool(self.found[at].learnt) for at in self.of_person)

    @property
    def contradictions(self) -> tuple[str, ...]:
        """Where the register and the tables cannot both be right under the assumption, a sentence each."""
        alone = tuple(match.contradiction for match in self.found if match.contradiction)
        return (*alone, self.together) if self.together else alone

    def summary(self) -> str:
        """One sentence for people, with the assumption."""
        number = len(self)
        are = "is" if self.matched == 1 else "are"
        told = f"{self.matched:,} of {number:,} {plural('person', number)} in the register {are} matched"
        return (
            f"{told}, and about {self.learning:,} something is learnt that it does not have, assuming that {self.assumption.words}."
        )


def link(
    release: Source,
    register: str | Path | Mapping[str, Sequence[str]] | Any,
    on: str | Sequence[str],
    assume: str,
    *,
    time_limit: float | None = None,
    max_records: int = MAX_RECORDS,
) -> Linked:
    """Who in a register is matched with certainty, and what is learnt about them.

    `register` is the path of a CSV file, a data frame or a dict of columns; `on` names the columns that both have; `assume` is
    "tables-in-register", "register-in-tables" or "both".

    Parameters
    ----------
    release : Release, Case, str or Path
        A release, a case made of one, or the path of one.
    register : str, Path, dict or data frame
        People by name: a CSV file, or columns of equal length.
    on : str or sequence of str
        The columns that both have.
    assume : {"tables-in-register", "register-in-tables", "both"}
        Who is in which.
    time_limit : float, optional
        Seconds; without one it takes as long as it takes.
    max_records : int
        Refuse a release that leaves more kinds of record possible.

    Returns
    -------
    Linked
        A row for each person: matched or not, and what is learnt.

    Raises
    ------
    InputError
        A release, a claim or an argument that cannot be understood; it is a ValueError.
    ContradictionError
        The published numbers contradict each other; an InputError, too.
    TooLargeError
        More kinds of record stay possible than `max_records`.
    UndecidedError
        It was not decided, for example within `time_limit`.

    >>> from foregone import tabulate
    >>> release = tabulate({"SEX": ["F", "F", "M"], "DX": ["flu", "flu", "none"]}, margins=["SEX,DX"])
    >>> found = link(release, {"name": ["Ann", "Bob"], "SEX": ["F", "M"]}, on="SEX", assume="register-in-tables")
    >>> [row[2:] for row in found.rows()]
    [(False, 'DX=flu', 2, 'linear'), (True, 'DX=none', 1, 'linear')]
    """
    deadline = Deadline.after(time_limit)
    case = as_case(release, deadline, max_records)
    try:
        assumption = Assumption(assume)
    except ValueError:
        known = ", ".join(Assumption)
        raise InputError(f"the assumption {shown(assume)} is none of {known}; say who is in which") from None
    names = tuple(name.strip() for name in on.split(",")) if isinstance(on, str) else tuple(on)
    columns, persons = _register(register)
    values = _values(case.release, columns, persons, names)
    need_witness(case)
    numbers = Counter(values)
    place = {key: at for at, key in enumerate(numbers)}
    new = [c.name for c in case.release.domain.columns if c.name not in names and c.name not in columns]
    found = tuple(_match(case, dict(zip(names, key, strict=True)), number, assumption, new) for key, number in numbers.items())
    alone = any(match.contradiction for match in found)
    together = "" if alone else _together(case, names, numbers, assumption, deadline)
    return Linked(case.release, names, assumption, columns, persons, found, tuple(place[key] for key in values), together)


def _register(register: str | Path | Mapping[str, Sequence[str]] | Any) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """The columns and rows of a register, as text."""
    if isinstance(register, str | Path):
        header, rows = read_rows(Path(register))
        return tuple(header), tuple(tuple(values) for _, values in rows)
    columns = {str(name): [str(value) for value in register[name]] for name in register}
    if len({len(values) for values in columns.values()}) > 1:
        raise InputError("the columns of the register have different lengths; give each a value for every person")
    return tuple(columns), tuple(zip(*columns.values(), strict=True))


def _values(
    release: Release, columns: Sequence[str], persons: Sequence[tuple[str, ...]], names: tuple[str, ...]
) -> list[tuple[str, ...]]:
    """What every person has in the columns that both know."""
    domain = release.domain
    problems = unknown_columns([name for name in names if name not in domain.index], domain.names)
    problems += [
        f"the register has no column {shown(name)} ({listed(columns)}); add it, or link on others"
        for name in names
        if name not in columns
    ]
    problems += [f"the register has a column {shown(name)}, which the result adds; rename it" for name in ADDED if name in columns]
    if not names or len(set(names)) < len(names):
        problems.append("name each column to link on once, and at least one")
    if not persons:
        problems.append("the register has no rows; list at least one person")
    refuse(problems)
    at = [columns.index(name) for name in names]
    problems = [
        f"register, row {row}, column {name}: {domain.column(name).unknown(person[i])}"
        for row, person in enumerate(persons, start=2)
        for i, name in zip(at, names, strict=True)
        if person[i] not in domain.column(name).index
    ]
    refuse(problems)
    return [tuple(person[i] for i in at) for person in persons]


def _match(case: Case, values: dict[str, str], persons: int, assumption: Assumption, new: Sequence[str]) -> Match:
    """What follows about people with these values, of whom the register has so many."""
    predicate = Predicate.of(values)
    least, most = engine.limits_of(case, predicate)
    inside = assumption is not Assumption.TABLES  # everybody in the register is in the tables
    one = least == most == 1
    contradiction = _contradiction(predicate.text(case.release.domain), persons, least, most, assumption)
    matched = one and persons == 1
    learnt = tuple(_shared(case, values, new)) if most != 0 and not contradiction and (inside or matched) else ()
    ground = None
    if least == most:
        finding = engine.verify(case, Claim(predicate, least))
        ground = finding.ground.value if finding.verdict == Verdict.VERIFIED and finding.ground is not None else None
    return Match(tuple(values.values()), persons, least, most, matched and not contradiction, learnt, ground, contradiction)


def _contradiction(text: str, persons: int, least: int, most: int | None, assumption: Assumption) -> str:
    people = f"{persons:,} {plural('person', persons)} in the register {'has' if persons == 1 else 'have'} {text}"
    if assumption is not Assumption.TABLES and most is not None and persons > most:
        return f"{people}, but at most {most:,} {plural('record', most)}, which contradicts that {assumption.words}"
    if assumption is not Assumption.REGISTER and persons < least:
        return f"{people}, but at least {least:,} records, which contradicts that {assumption.words}"
    return ""


def _together(
    case: Case, names: tuple[str, ...], numbers: Mapping[tuple[str, ...], int], assumption: Assumption, deadline: Deadline
) -> str:
    """Does a dataset fit the tables and have as many records of each combination as the assumption says, all at once? If none does,
    a sentence; what cannot be decided is no contradiction."""
    release, inside, covered = case.release, assumption is not Assumption.TABLES, assumption is not Assumption.REGISTER
    told = [
        Statistic(Predicate.of(dict(zip(names, key, strict=True))), n if inside else 0, n if covered else None)
        for key, n in numbers.items()
    ]
    nobody = list[Predicate]()  # combinations that nobody in the register has, and so no record
    if covered:
        codes = [release.domain.column(name).codes for name in names]
        if prod(map(len, codes)) > MOST_COMBINATIONS:
            return ""
        nobody = [Predicate.of(dict(zip(names, key, strict=True))) for key in product(*codes) if key not in numbers]
    joined = release.changed(statistics=(*release.statistics, *told), rules=(*release.rules, *nobody))
    try:
        need_witness(Case(joined, deadline))
    except ContradictionError:
        return f"no dataset that fits the tables goes with the whole register, which contradicts that {assumption.words}"
    except (UndecidedError, TooLargeError):
        pass
    return ""


def _shared(case: Case, values: dict[str, str], new: Sequence[str]) -> list[tuple[str, str]]:
    """The values that all possible records with these have in common. Some record with them is possible."""
    found = []
    domain = case.release.domain
    for name in new:
        codes = domain.column(name).codes
        seen = [code for code in codes if max(case.counts(Predicate.of({**values, name: code})))]
        if not seen:  # no dataset that is known has anybody with these values, though one is possible
            some = case.at_most(Predicate.of(values), 0)
            seen = [code for code in codes if isinstance(some, Exceeds) and max(case.counts(Predicate.of({**values, name: code})))]
        if len(seen) != 1:
            continue
        others = [code for code in codes if code != seen[0]]
        answer = case.at_most(Predicate.of({**values, name: others}), 0) if others else None
        if answer is None or isinstance(answer, AtMost):
            found.append((name, seen[0]))
        elif not isinstance(answer, Exceeds):
            raise UndecidedError(
                f"whether all records with {values} share a value of {name} was not decided: {answer.reason};"
                f" {what_to_do(answer.reason)}"
            )
    return found
