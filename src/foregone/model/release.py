"""What was published: statistics over a domain, and rules no record can break."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import cached_property
from html import escape
from itertools import product
from math import prod
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

from foregone.model import storage
from foregone.model.domain import Domain, near
from foregone.model.errors import InputError, refuse
from foregone.model.figure import Figure, Measure
from foregone.model.marks import Range
from foregone.model.measures import said_by
from foregone.model.predicate import Predicate
from foregone.model.shown import listed, shown
from foregone.model.statement import LARGEST, LARGEST_BASE, Either, Statement, Statistic
from foregone.model.workload import Query, Workload

Number = Statistic | Figure | Statement | Either
"""Whatever can be published by itself."""

Row = TypeVar("Row", bound=Number)

HEAD = 10  # numbers that a notebook shows
MOST_KINDS = 200_000  # combinations of values that the cells of a table are compared on


class Release:
    """A domain, the numbers published over it, and the rules that every valid record obeys.

    `published` is what was printed: counts (`statistics`), and sums, means, medians and percentages (`figures`). A program can
    state more beside it, either-ors too (`own`). `statements` is what all of it says about counts, in one form and one order.
    Inside are a workload, which other releases may share, and the counts.
    """

    figures: tuple[Figure, ...] = ()
    places: Mapping[str, str] = MappingProxyType({})  # for names of numbers: where they stand in the files it was imported from
    source: Path | None = None  # where it was read from, for messages

    def __init__(
        self,
        domain: Domain,
        statistics: Iterable[Statistic],
        rules: Iterable[Predicate] = (),
        statements: Iterable[Statement | Either] = (),
        alternatives: Iterable[Either] = (),
        figures: Iterable[Figure] = (),
    ) -> None:
        counts = tuple(_apart(map(_in_table, statistics)))
        self.figures = tuple(_apart(map(_in_table, figures)))
        given: list[Statement | Either] = [*statements, *alternatives]
        own = list(_apart(stated if stated.source is None else replace(stated, source=None) for stated in given))
        problems = _problems([*counts, *own])
        try:
            further = [*own, *(either for s in counts if s.gaps for either in s.either_ors)]
            further += said_by(domain, counts, self.figures) if self.figures and not problems else ()
            workload = Workload(
                domain,
                tuple(Query(s.name, s.table, s.predicate) for s in counts),
                tuple(rules),
                tuple(s for s in further if isinstance(s, Statement)),
                tuple(s for s in further if isinstance(s, Either)),
                tuple(figure.predicate for figure in self.figures),
            )
        except InputError as error:
            raise InputError([*problems, *error.problems]) from None
        refuse(problems)
        vars(self)["statistics"] = counts
        self._set(workload, [s.low for s in counts], [s.high for s in counts])

    @classmethod
    def of(cls, workload: Workload, low: Sequence[int], high: Sequence[int | None]) -> Release:
        """The counts of one release; what they are about is the workload's."""
        made = cls.__new__(cls)
        made._set(workload, low, high)
        return made

    def _set(self, workload: Workload, low: Sequence[int], high: Sequence[int | None]) -> None:
        if not len(low) == len(high) == len(workload.queries):
            raise InputError(f"{len(low)} counts for {len(workload.queries)} published numbers; give one each")
        self.workload = workload
        self.low: tuple[int, ...] = tuple(low)
        self.high: tuple[int | None, ...] = self.low if high is low or tuple(high) == self.low else tuple(high)
        # exact counts, as most releases have, are looked at all at once; the sentence about what is wrong is made only then
        plain = self.high is self.low and set(map(type, self.low)) == {int} and min(self.low) >= 0 and max(self.low) <= LARGEST
        problems = [] if plain else _problems(self.statistics)
        largest = self.size_range[1] if not problems else None
        if largest is not None and max(self.low) > largest:
            problems = [
                f"{asked.label}: the count {count} is larger than the number of records, {largest}; correct one of the two"
                for asked, count in zip(workload.queries, self.low, strict=True)
                if count > largest and asked.predicate.allowed
            ]
        refuse(problems)

    @classmethod
    def publishing(cls, domain: Domain, numbers: Iterable[Number], rules: Iterable[Predicate] = ()) -> Release:
        """Whatever is published, in any order, as a release."""
        rows = list(numbers)
        counts, figures = [row for row in rows if isinstance(row, Statistic)], [row for row in rows if isinstance(row, Figure)]
        return cls(domain, counts, rules, [row for row in rows if isinstance(row, Statement | Either)], figures=figures)

    def changed(
        self,
        *,
        domain: Domain | None = None,
        statistics: Iterable[Statistic] | None = None,
        rules: Iterable[Predicate] | None = None,
        figures: Iterable[Figure] | None = None,
    ) -> Release:
        """The release with some of this put in place of what it has; all else, its own statements among it, stays."""
        return Release(
            self.domain if domain is None else domain,
            self.statistics if statistics is None else statistics,
            self.rules if rules is None else rules,
            self.own,
            figures=self.figures if figures is None else figures,
        )

    @property
    def domain(self) -> Domain:
        """The columns and their values."""
        return self.workload.domain

    @property
    def rules(self) -> tuple[Predicate, ...]:
        """Combinations that no record can have."""
        return self.workload.rules

    @property
    def masks(self) -> tuple[dict[int, int], ...]:
        return self.workload.masks

    @property
    def rule_masks(self) -> tuple[dict[int, int], ...]:
        return self.workload.rule_masks

    @cached_property
    def statistics(self) -> tuple[Statistic, ...]:
        """The published counts."""
        numbers = zip(self.workload.queries, self.low, self.high, strict=True)
        return tuple(Statistic(predicate, low, high, name, table) for (name, table, predicate), low, high in numbers)

    @property
    def own(self) -> tuple[Statement | Either, ...]:
        """What a program stated itself, beside counts and figures; files have no room for it."""
        return tuple(stated for stated in self.workload.further if stated.source is None)

    @property
    def published(self) -> tuple[Statistic | Figure, ...]:
        """What was printed: the counts, then the figures, a row of a file each."""
        return (*self.statistics, *self.figures)

    @cached_property
    def statements(self) -> tuple[Statement | Either, ...]:
        """Everything the release says, in the order in which proofs and explanations number it: what the counts say, one statement
        each, then weighted sums, then either-ors."""
        return (*(statistic.statement for statistic in self.statistics), *self.workload.further)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Release):
            return NotImplemented
        same = self.domain == other.domain and self.rules == other.rules
        return same and self.published == other.published and self.own == other.own

    def __hash__(self) -> int:
        return hash((self.domain, self.rules, self.published, self.own))

    def __repr__(self) -> str:
        """In a line, for people: hundreds of numbers are looked at in `statistics`."""
        columns = ", ".join(self.domain.names[:6]) + (", ..." if len(self.domain.names) > 6 else "")
        sums, choices = self.workload.sums, self.workload.alternatives
        further = f", {_number(len(self.figures), 'figure')}" if self.figures else ""
        further += f", {_number(len(sums), 'weighted sum')}" if sums else ""
        further += f", {_number(len(choices), 'either-or')}" if choices else ""
        rules = f", {_number(len(self.rules), 'rule')}" if self.rules else ""
        return f"Release({_number(len(self.low), 'published number')} about {columns}{further}{rules})"

    def _repr_html_(self) -> str:
        """For a notebook: the line that tells what it is, and the first published numbers in words."""
        from foregone.model.sentences import describe

        rows = [
            (one.name, one.table, describe(one.predicate, self.domain) or "everybody", one.range_text)
            for one in self.statistics[:HEAD]
        ]
        cells = "".join(f"<tr>{''.join(f'<td>{escape(str(cell))}</td>' for cell in row)}</tr>" for row in rows)
        heads = "".join(f"<th>{name}</th>" for name in ("name", "table", "who", "number"))
        more = f"<p>{len(self.statistics) - HEAD:,} more in <code>statistics</code>.</p>" if len(self.statistics) > HEAD else ""
        return f"<p>{escape(repr(self))}</p><table><thead><tr>{heads}</tr></thead><tbody>{cells}</tbody></table>{more}"

    @classmethod
    def read(cls, path: str | Path) -> Release:
        """Read a release folder (or a single .json or .parquet file)."""
        read: Release = storage.files().read_release(path)
        return read

    def write(self, path: str | Path) -> None:
        """Write the release as a folder with domain.json, statistics.csv and, if there are any, rules.csv."""
        storage.files().write_release(self, path)

    @property
    def size_range(self) -> Range:
        """What the statistics with an empty predicate say about the number of records."""
        highs = [high for i in self.workload.whole if (high := self.high[i]) is not None]
        return max((self.low[i] for i in self.workload.whole), default=0), min(highs, default=None)

    @cached_property
    def size(self) -> Range:
        """The least and the greatest number of records (None: no limit is known), also where only cells tell that add up."""
        low, high = self.size_range
        if low == high:
            return low, high
        columns = [len(column.codes) for column in self.domain.columns]
        least, most = size_by_cells(columns, self.masks, self.low, self.high)
        highs = [number for number in (high, most) if number is not None]
        return max(low, least, *self.low), min(highs, default=None)

    def name_of(self, index: int) -> str:
        """The name of what was published that makes a statement, by its number, or a description."""
        return self.statements[index].printed.label

    def row_of(self, index: int) -> int | None:
        """The place in `published` of the count or figure that makes a statement, by its number; None for one of its own."""
        source = self.statements[index].source
        return next((place for place, row in enumerate(self.published) if row is source), None)

    def only(self, numbers: Iterable[int], domain: Domain | None = None, more: Iterable[Statistic] = ()) -> Release:
        """The release that makes some of the statements, by their numbers, and no others; `more` are counts beside theirs."""
        chosen = [self.statements[i] for i in sorted(numbers)]
        counts = [s.source for s in chosen if isinstance(s, Statement) and isinstance(s.source, Statistic)]
        return Release(domain or self.domain, [*counts, *more], self.rules, chosen[len(counts) :])

    def without(self, indices: Iterable[int]) -> Release:
        """The release without some statistics; one that a percentage is of stays as a cell that is not shown."""
        dropped = set(indices)
        named = {figure.of for figure in self.figures if figure.measure is Measure.PERCENT}
        kept = (
            s.known(0, None) if i in dropped else s
            for i, s in enumerate(self.statistics)
            if i not in dropped or (s.name and s.name in named)
        )
        return self.changed(statistics=kept)

    def hide(self, *names: str) -> Release:
        """The release with some numbers withheld, by their names or by the names of their tables; `H13*` is every name that begins
        with H13."""
        known = dict.fromkeys(word for row in self.published for word in (row.name, row.table) if word)
        meant = {name: [name] if name in known else _matching(name, known) for name in names}
        chosen = dict.fromkeys(word for words in meant.values() for word in words)
        refuse(
            f"there is no number and no table called {shown(name)} ({listed(known)}){near(name, list(known))}"
            for name, words in meant.items()
            if not words
        )
        return self.changed(
            statistics=[s.known(0, None) if {s.name, s.table} & chosen.keys() else s for s in self.statistics],
            figures=[f.not_shown if {f.name, f.table} & chosen.keys() else f for f in self.figures],
        )

    def round(self, base: int, below: int = 0, names: Collection[str] | None = None) -> Release:
        """The release with counts rounded to the nearest multiple of `base`, half up, totals on their own; where `names` are given,
        only the counts that are called so.

        With `below`, counts from 1 to `below` - 1 are a range instead: ask for both at once, since who knows both rules
        concludes more than from one after the other. Numbers that are ranges already or not shown stay so; and so do sums, means
        and percentages.
        """
        if base < 1 or below < 0:
            rule = f"rounded to multiples of {shown(base)} and hidden below {shown(below)}"
            raise InputError(f"counts cannot be {rule}; use 1 or more")
        if max(base, below) > LARGEST_BASE:
            most = shown(max(base, below))
            raise InputError(f"counts cannot be rounded to or hidden below {most}; use at most {LARGEST_BASE:,}")

        def rounded(statistic: Statistic) -> Statistic:
            low, high = range_shown(statistic.low, base, below)
            untouched = statistic.open or (names is not None and statistic.name not in names)
            return statistic if untouched else replace(statistic, low=low, high=high)

        return self.changed(statistics=map(rounded, self.statistics))

    def below(self, number: int) -> Release:
        """The release with counts from 1 to `number` - 1 given as that range; zeros stay."""
        return self.round(1, number)

    def fingerprint(self) -> str:
        """A hash of everything that matters to what the release means: names of tables and labels do not."""
        content: dict[str, object] = {
            "columns": [[column.name, list(column.codes)] for column in self.domain.columns],
            "statistics": [[sorted_conditions(s.predicate), s.low, s.high] for s in self.statistics],
            "rules": [sorted_conditions(rule) for rule in self.rules],
        }
        if self.workload.sums:
            content["statements"] = [_meaning(s) for s in self.workload.sums]
        if self.workload.alternatives:
            content["alternatives"] = [[_meaning(side) for side in either.sides] for either in self.workload.alternatives]
        return hashlib.sha256(json.dumps(content, separators=(",", ":")).encode()).hexdigest()


def range_shown(count: int, base: int, below: int = 0) -> tuple[int, int]:
    """What a reader who knows both rules concludes from the cell that shows a count.

    >>> range_shown(3, 5, 0), range_shown(3, 1, 5), range_shown(6, 5, 6), range_shown(0, 5, 6), range_shown(12, 10, 0)
    ((3, 7), (1, 4), (6, 7), (0, 0), (5, 14))
    """
    if below > 1 and count < below:
        return (1, below - 1) if count else (0, 0)
    nearest = (2 * count + base) // (2 * base) * base
    low, high = (2 * nearest - base + 1) // 2, (2 * nearest + base + 1) // 2 - 1
    return max(low, below if below > 1 else 0), high


def table_of(name: str) -> str:
    """The table that a row belongs to which does not say: what its name starts with, up to the last dot.

    >>> table_of("P16.3"), table_of("women")
    ('P16', '')
    """
    return name.rpartition(".")[0]


def _in_table(row: Row) -> Row:
    """A row of a release with the table that it belongs to."""
    return row if row.table or not (table := table_of(row.name)) else replace(row, table=table)


def _apart(rows: Iterable[Row]) -> Iterator[Row]:
    """The rows, each an object of its own, as statements know which one they come from; somebody may give the same twice."""
    seen = set[int]()
    for row in rows:
        made = replace(row) if id(row) in seen else row
        seen.add(id(made))
        yield made


def _matching(pattern: str, known: Iterable[str]) -> list[str]:
    """The names that a pattern with * or ? stands for; none where it has neither, for then it is a name."""
    return [name for name in known if fnmatchcase(name, pattern)] if {"*", "?"} & set(pattern) else []


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _meaning(statement: Statement) -> list[object]:
    terms = [[weight, sorted_conditions(predicate)] for weight, predicate in statement.terms]
    return [terms, statement.low, statement.high]


def _problems(stated: Sequence[Statistic | Statement | Either]) -> list[str]:
    return [f"{s.label}: {problem}" for s in stated for problem in s.problems()]


def sorted_conditions(predicate: Predicate) -> list[list[object]]:
    return [[name, sorted(codes)] for name, codes in predicate.allowed]


def size_by_cells(sizes: Sequence[int], masks: Sequence[dict[int, int]], low: Sequence[int], high: Sequence[int | None]) -> Range:
    """What the cells say about the number of all records; `sizes` are the numbers of values of the columns.

    Cells that do not overlap hold no more than all records, and those that leave nobody out no fewer.
    """
    tables: dict[frozenset[int], dict[tuple[int, ...], list[int]]] = {}
    for i, box in enumerate(masks):
        columns = sorted(box)
        tables.setdefault(frozenset(columns), {}).setdefault(tuple(box[c] for c in columns), []).append(i)
    least, most = 0, None
    for named, cells in tables.items():
        kinds = prod(sizes[c] for c in named)
        if kinds > MOST_KINDS:
            continue
        bounds = {box: _bounds(rows, low, high) for box, rows in cells.items()}
        # a table may hold 0-24 beside 0-17 and 18-24: the finest cells first, then the widest
        for some in (sorted(cells, key=_volume), sorted(cells, key=_volume, reverse=True)):
            chosen, covered = _disjoint(some)
            least = max(least, sum(bounds[box][0] for box in chosen))
            highs = [bounds[box][1] for box in chosen]
            if covered == kinds and None not in highs:
                found = sum(number for number in highs if number is not None)
                most = found if most is None else min(most, found)
    return least, most


def _bounds(rows: Iterable[int], low: Sequence[int], high: Sequence[int | None]) -> Range:
    """What all rows about the same records say together."""
    highs = [number for row in rows if (number := high[row]) is not None]
    return max(low[row] for row in rows), min(highs, default=None)


def _volume(box: tuple[int, ...]) -> int:
    return prod(mask.bit_count() for mask in box)


def _disjoint(boxes: Iterable[tuple[int, ...]]) -> tuple[list[tuple[int, ...]], int]:
    """Boxes that do not overlap, taken in this order, and how many combinations of values they hold."""
    chosen, seen = [], set[tuple[int, ...]]()
    for box in boxes:
        inside = set(product(*([bit for bit in range(mask.bit_length()) if mask >> bit & 1] for mask in box)))
        if seen.isdisjoint(inside):
            chosen.append(box)
            seen |= inside
    return chosen, len(seen)
