"""Several releases about overlapping people as one: who is in which of them becomes a column."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import combinations

from foregone.model.domain import Column, Domain
from foregone.model.errors import InputError
from foregone.model.figure import Figure, Measure
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.sentences import plural
from foregone.model.shown import listed, shown
from foregone.model.statement import Either, Statement, Statistic
from foregone.tables.merged_columns import Crosswalk, Merged, merged_columns

IN = "IN"
MOST_RELEASES = 6  # who is in which of them has 2^n - 1 answers


class People(StrEnum):
    """What may have happened to the people between one release and the next."""

    SAME = "same"
    JOINED = "joined"
    LEFT = "left"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class Joined:
    """Releases as one, and what was assumed, a sentence each."""

    release: Release
    assumptions: tuple[str, ...]


def join(releases: Mapping[str, Release], people: str = "changed", crosswalk: Crosswalk | None = None) -> Joined:
    """Releases by name, in order of time, as one release.

    `people` says what may have happened from one to the next: `same` nothing, `joined` arrivals only, `left` departures only,
    `changed` either. A record's other values do not change.
    """
    names = list(releases)
    happened = _checked(names, people)
    columns = merged_columns(releases, crosswalk or {}, IN)
    patterns = {} if happened == People.SAME else _patterns(names)
    told = _marks(releases)
    domain = Domain(
        (*(merged.column for merged in columns), *([_in(names, patterns)] if patterns else ())),
        next(iter(releases.values())).domain.record,
        tuple({told[r][mark]: ranges for r, one in enumerate(releases.values()) for mark, ranges in one.domain.marks}.items()),
    )
    moved = [
        _Moved(name, release, frozenset(code for code, some in patterns.items() if name in some), _covered(columns, r), told[r])
        for r, (name, release) in enumerate(releases.items())
    ]
    rules = [rule for r, part in enumerate(moved) for rule in (*part.rules(), *_absent(columns, r, part.inside))]
    rules += [Predicate.of({IN: code}) for code, some in patterns.items() if not _may_be(some, names, happened)]
    made = Release(
        domain,
        [statistic for part in moved for statistic in part.statistics()],
        dict.fromkeys(rules),
        [part.stated(s) for part in moved for s in part.release.own],
        figures=[figure for part in moved for figure in part.figures()],
    )
    return Joined(made, (*_assumptions(names, happened, domain.record, crosswalk or {}), *_unlisted(columns, names)))


@dataclass(frozen=True, slots=True)
class _Moved:
    """A release over the common columns, about those `inside` it, with its name in front of every other."""

    name: str
    release: Release
    inside: frozenset[str]
    covered: Mapping[str, Mapping[str, frozenset[str]]]
    marks: Mapping[str, str]

    def predicate(self, predicate: Predicate) -> Predicate:
        conditions = {
            column: frozenset(code for old in codes for code in self.covered[column][old]) for column, codes in predicate.allowed
        }
        return Predicate.of({**conditions, **({IN: self.inside} if self.inside else {})})

    def rules(self) -> list[Predicate]:
        return [self.predicate(rule) for rule in self.release.rules]

    def table(self, table: str) -> str:
        return f"{self.name}/{table}" if table else self.name

    @property
    def everybody(self) -> str:
        """The name of the number of records of this release; of a release that does not give it, of a cell that is not shown."""
        whole = next((s for s in self.release.statistics if not s.predicate.allowed), None)
        return f"{self.name}/{whole.label if whole else 'everybody'}"

    def statistics(self) -> list[Statistic]:
        made = [
            replace(
                s,
                predicate=self.predicate(s.predicate),
                name=f"{self.name}/{s.label}",
                table=self.table(s.table),
                mark=self.marks.get(s.mark, s.mark),
            )
            for s in self.release.statistics
        ]
        whole = any(not figure.of for figure in self.release.figures) and bool(self.inside)
        if whole and all(s.predicate.allowed for s in self.release.statistics):
            made.append(Statistic(self.predicate(Predicate()), 0, None, self.everybody, self.name, withheld=True))
        return made

    def stated(self, stated: Statement | Either) -> Statement | Either:
        if isinstance(stated, Either):
            left, right = map(self._about, stated.sides)
            return Either(left, right, f"{self.name}/{stated.label}", self.table(stated.table))
        return self._about(stated)

    def _about(self, stated: Statement) -> Statement:
        terms = tuple((weight, self.predicate(predicate)) for weight, predicate in stated.terms)
        return replace(stated, terms=terms, name=f"{self.name}/{stated.label}", table=self.table(stated.table))

    def figures(self) -> list[Figure]:
        made = []
        for figure in self.release.figures:
            of = figure.of
            if figure.measure is Measure.PERCENT:
                of = f"{self.name}/{of}" if of else self.everybody if self.inside else ""
            made.append(
                replace(
                    figure,
                    of=of,
                    predicate=self.predicate(figure.predicate),
                    name=f"{self.name}/{figure.label}",
                    table=self.table(figure.table),
                )
            )
        return made


def _checked(names: list[str], people: str) -> People:
    if len(names) < 2:
        raise InputError("join: only one release is given; give at least two, in order of time")
    if len(names) > MOST_RELEASES and people != People.SAME:
        raise InputError(
            f"join: {len(names)} releases are more than the {MOST_RELEASES} that can be told apart; join fewer at a time"
        )
    if people not in list(People):
        raise InputError(f"--people {shown(people)}: use one of {', '.join(People)}")
    return People(people)


def _marks(releases: Mapping[str, Release]) -> list[dict[str, str]]:
    """For each release its marks, and what they are in the joined one: its name in front where another means something else."""
    meant = {(mark, ranges) for release in releases.values() for mark, ranges in release.domain.marks}
    often = Counter(mark for mark, _ in meant)
    return [
        {mark: mark if often[mark] == 1 else f"{name}/{mark}" for mark, _ in release.domain.marks}
        for name, release in releases.items()
    ]


def _patterns(names: list[str]) -> dict[str, tuple[str, ...]]:
    """Codes of the new column, each with the releases it says a record is in."""
    if len(names) == 2:
        one, other = names
        return {"both": (one, other), f"{one} only": (one,), f"{other} only": (other,)}
    sets = [some for size in range(len(names), 0, -1) for some in combinations(names, size)]
    return {"+".join(some): some for some in sets}


def _in(names: list[str], patterns: Mapping[str, tuple[str, ...]]) -> Column:
    """The new column; those in a release have a name, so that a number says which release it is from."""
    groups = [
        (f"any with {name}" if name in patterns else name, tuple(code for code, some in patterns.items() if name in some))
        for name in names
    ]
    return Column(IN, tuple(patterns), groups=tuple(groups))


def _may_be(members: tuple[str, ...], names: list[str], happened: People) -> bool:
    """Arrivals only: who is in a release is in every later one. Departures only: in every earlier one."""
    if happened == People.JOINED:
        return members == tuple(names[-len(members) :])
    if happened == People.LEFT:
        return members == tuple(names[: len(members)])
    return True


def _covered(columns: list[Merged], r: int) -> dict[str, Mapping[str, frozenset[str]]]:
    return {merged.column.name: merged.covered[r] for merged in columns}


def _unknown(merged: Merged, r: int) -> list[str]:
    """Codes of a column that a release does not list; none where it does not have the column at all."""
    known = {code for codes in merged.covered[r].values() for code in codes}
    return [code for code in merged.column.codes if code not in known] if known else []


def _absent(columns: list[Merged], r: int, inside: frozenset[str]) -> list[Predicate]:
    """Nobody in a release has a value that the release does not list."""
    return [
        Predicate.of({merged.column.name: left, **({IN: inside} if inside else {})})
        for merged in columns
        if (left := _unknown(merged, r))
    ]


def _unlisted(columns: list[Merged], names: list[str]) -> list[str]:
    """That is an assumption too, and said."""
    return [
        f"nobody in {name} has {merged.column.name}: {listed(left, ' or ')}, which {name} does not list"
        for r, name in enumerate(names)
        for merged in columns
        if (left := _unknown(merged, r))
    ]


def _assumptions(names: list[str], happened: People, record: str, crosswalk: Crosswalk) -> tuple[str, ...]:
    noun, all_ = plural(record, 2), ", ".join(names[:-1]) + f" and {names[-1]}"
    said = {
        People.SAME: f"{all_} are about the same {noun}",
        People.JOINED: f"from {' to '.join(names)} {noun} may have joined, and none has left",
        People.LEFT: f"from {' to '.join(names)} {noun} may have left, and none has joined",
        People.CHANGED: f"from {' to '.join(names)} {noun} may have joined or left",
    }[happened]
    walked = [f"{name}: old values lie in new ones as the crosswalk says" for name in crosswalk]
    return (said, "nobody's other values have changed", *walked)
