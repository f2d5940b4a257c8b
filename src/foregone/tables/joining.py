"""Several releases about overlapping people as one: who is in which of them becomes a column."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import combinations
from pathlib import Path

from foregone.formats.text import raise_all, read_rows
from foregone.model.domain import Column, Domain, Group
from foregone.model.errors import InputError
from foregone.model.figure import Figure, Measure
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.sentences import plural
from foregone.model.shown import listed, shown
from foregone.model.statement import Either, Statement, Statistic
from foregone.tables.spans import pieces, span_of

Crosswalk = Mapping[str, Sequence[tuple[str, tuple[str, ...]]]]
"""Column -> old code, and the new codes that it lies in."""
CROSSWALK = ("column", "old", "new")
IN = "IN"
MOST_RELEASES = 6  # who is in which of them has 2^n - 1 answers


@dataclass(frozen=True, slots=True)
class Merged:
    """A column over all releases: for each release and code of it the codes of the column that it covers."""

    column: Column
    covered: tuple[Mapping[str, frozenset[str]], ...]


def merged_columns(releases: Mapping[str, Release], crosswalk: Crosswalk, taken: str) -> list[Merged]:
    """The columns of all releases; none of them may be called what is `taken`."""
    order = dict.fromkeys(name for release in releases.values() for name in release.domain.names)
    problems = [
        f"crosswalk: {shown(name)} is not a column of these releases ({listed(order)})" for name in crosswalk if name not in order
    ]
    if taken in order:
        problems.append(f"a column is called {taken}, which is what join calls its own; rename it in the releases")
    if problems:
        raise InputError(problems)
    return [_merged(name, list(releases.values()), crosswalk.get(name)) for name in order]


def _merged(name: str, releases: list[Release], walk: Sequence[tuple[str, tuple[str, ...]]] | None) -> Merged:
    """The finest codes of a column that every release's codes are made of."""
    having = [release.domain.column(name) if name in release.domain.index else None for release in releases]
    columns = [column for column in having if column is not None]
    first = columns[0]
    if walk is not None:
        covered = _walked(name, having, walk)
    elif all(set(column.codes) == set(first.codes) for column in columns):
        covered = {code: (code,) for code in first.codes}
    else:
        covered = _refined(columns)
    codes = list(dict.fromkeys(code for codes in covered.values() for code in codes))
    labels = {code: column.label_of(code) for column in columns if column.labels for code in column.codes}
    words = tuple(labels.get(code, code) for code in codes) if labels else ()
    title = next((column.title for column in columns if column.title), "")
    said = {code: number for column in columns if column.numbers for code, number in zip(column.codes, column.numbers, strict=True)}
    numbers = tuple(said.get(code) for code in codes) if said else ()
    return Merged(
        Column(name, tuple(codes), words, title, numbers, _merged_groups(columns, covered, codes)),
        tuple({code: frozenset(covered[code]) for code in column.codes} if column else {} for column in having),
    )


def _merged_groups(columns: list[Column], covered: Mapping[str, tuple[str, ...]], codes: list[str]) -> tuple[Group, ...]:
    """Groups keep their names; so does a code that was cut into several."""
    parts = {code: tuple(some) for code, some in covered.items() if 1 < len(some) < len(codes)}
    parts |= {label: tuple(new for old in some for new in covered[old]) for column in columns for label, some in column.groups}
    return tuple((label, tuple(code for code in codes if code in set(some))) for label, some in parts.items() if label not in codes)


def _refined(columns: list[Column]) -> dict[str, tuple[str, ...]]:
    """Spans are cut into common pieces; other codes are the same where they are spelled the same."""
    texts = list(dict.fromkeys(code for column in columns for code in column.codes))
    spans = {code: span for code in texts if (span := span_of(code)) is not None}
    if len(spans) < len(texts):
        return {code: (code,) for code in texts}
    cut = pieces(list(spans.values()))
    named = {span: code for code, span in reversed(spans.items())}
    return {code: tuple(named.get(piece, piece.text) for piece in cut if spans[code].holds(piece)) for code in texts}


def _walked(name: str, having: list[Column | None], walk: Sequence[tuple[str, tuple[str, ...]]]) -> dict[str, tuple[str, ...]]:
    """Old and new codes as sets of pieces: a new code that lies in one old one only is a piece itself."""
    known = {code for column in having if column is not None for code in column.codes}
    problems = [
        f"crosswalk: {shown(code)} is not a value of {name} in these releases ({listed(sorted(known))})"
        for code in dict.fromkeys(code for old, new in walk for code in (old, *new))
        if code not in known
    ]
    if problems:
        raise InputError(problems)
    within: dict[str, list[str]] = {}
    for old, new in walk:
        for code in new:
            within.setdefault(code, []).append(old)

    def piece(old: str, new: str) -> str:
        return new if len(within[new]) == 1 else f"{new} ({old})"

    covered = {old: tuple(piece(old, code) for code in new) for old, new in walk}
    for code, olds in within.items():
        covered[code] = tuple(piece(old, code) for old in olds)
    for code in known:
        covered.setdefault(code, (code,))
    order = [code for column in having if column is not None for code in column.codes]
    return {code: covered[code] for code in dict.fromkeys(order)}


def read_crosswalk(path: Path) -> dict[str, list[tuple[str, tuple[str, ...]]]]:
    """Column -> old code and the new codes it lies in; a row `TOWN,Old Town,North|South`."""
    header, rows = read_rows(path)
    missing = [name for name in CROSSWALK if name not in header]
    raise_all([f"{path}, row 1: column {name} is missing; a crosswalk has the columns column, old and new" for name in missing])
    problems: list[str] = []
    found: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
    for line, values in rows:
        column, old, new = (values[header.index(name)] for name in CROSSWALK)
        codes = tuple(code.strip() for code in new.split("|"))
        if not column or not old or not all(codes):
            problems.append(f"{path}, row {line}: a cell is blank; fill in column, old and new, such as TOWN,Old Town,North|South")
        elif old in dict(found.get(column, ())):
            problems.append(f"{path}, row {line}, column old: {old!r} is there already; name all its new values in one row")
        else:
            found.setdefault(column, []).append((old, codes))
    raise_all(problems)
    return found


class Movement(StrEnum):
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


def join(releases: Mapping[str, Release], *, people: str = "changed", crosswalk: Crosswalk | None = None) -> Joined:
    """Releases by name, in order of time, as one release.

    `people` says what may have happened from one to the next: `same` nothing, `joined` arrivals only, `left` departures only,
    `changed` either. A record's other values do not change.

    Parameters
    ----------
    releases : mapping of str to Release
        By name, in order of time.
    people : {"same", "joined", "left", "changed"}
        What may have happened from one to the next.
    crosswalk : Crosswalk, optional
        Which values of one release are which of another.

    Returns
    -------
    Joined
        The `release` and the `assumptions` made.

    Raises
    ------
    InputError
        A release, a claim or an argument that cannot be understood; it is a ValueError.
    """
    names = list(releases)
    happened = _checked(names, people)
    columns = merged_columns(releases, crosswalk or {}, IN)
    patterns = {} if happened == Movement.SAME else _patterns(names)
    told = _marks(releases)
    domain = Domain(
        (*(merged.column for merged in columns), *([_in(names, patterns)] if patterns else ())),
        next(iter(releases.values())).domain.record,
        tuple({told[r][mark]: ranges for r, one in enumerate(releases.values()) for mark, ranges in one.domain.marks}.items()),
    )
    moved = []
    for r, (name, release) in enumerate(releases.items()):
        inside = frozenset(code for code, some in patterns.items() if name in some)
        moved.append(_Moved(name, release, inside, {merged.column.name: merged.covered[r] for merged in columns}, told[r]))
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


def _checked(names: list[str], people: str) -> Movement:
    if len(names) < 2:
        raise InputError("join: only one release is given; give at least two, in order of time")
    if len(names) > MOST_RELEASES and people != Movement.SAME:
        raise InputError(
            f"join: {len(names)} releases are more than the {MOST_RELEASES} that can be told apart; join fewer at a time"
        )
    if people not in list(Movement):
        raise InputError(f"--people {shown(people)}: use one of {', '.join(Movement)}")
    return Movement(people)


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


def _may_be(members: tuple[str, ...], names: list[str], happened: Movement) -> bool:
    """Can a record be in just these releases? With arrivals only it is in all later ones, with departures only in all earlier."""
    if happened == Movement.JOINED:
        return members == tuple(names[-len(members) :])
    if happened == Movement.LEFT:
        return members == tuple(names[: len(members)])
    return True


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
    """A sentence for each value that a release does not list: that nobody in it has that value is an assumption."""
    return [
        f"nobody in {name} has {merged.column.name}: {listed(left, ' or ')}, which {name} does not list"
        for r, name in enumerate(names)
        for merged in columns
        if (left := _unknown(merged, r))
    ]


def _assumptions(names: list[str], happened: Movement, record: str, crosswalk: Crosswalk) -> tuple[str, ...]:
    noun, all_ = plural(record, 2), ", ".join(names[:-1]) + f" and {names[-1]}"
    said = {
        Movement.SAME: f"{all_} are about the same {noun}",
        Movement.JOINED: f"from {' to '.join(names)} {noun} may have joined, and none has left",
        Movement.LEFT: f"from {' to '.join(names)} {noun} may have left, and none has joined",
        Movement.CHANGED: f"from {' to '.join(names)} {noun} may have joined or left",
    }[happened]
    walked = [f"{name}: old values lie in new ones as the crosswalk says" for name in crosswalk]
    return (said, "nobody's other values have changed", *walked)
