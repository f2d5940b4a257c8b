"""The paper's integer program for "a dataset with these published counts" (its section 5.1 and 5.2).

X[k, j] = 1 when record k has the one-hot value j; each column's group of a record sums to 1. For statistic i and
record k, Z[i, c, k] is the sum of X over the values that the statistic allows in column c: one linear expression for
each sub-predicate, not a variable. W[i, k] = 1 exactly when record k satisfies all sub-predicates:

    W[i, k] <= Z[i, c, k] for every column c of the statistic           (the paper's first query constraint)
    W[i, k] >= sum over c of Z[i, c, k] - (r - 1)                       (the second)
    low <= sum over k of W[i, k] <= high                                (an equality in the paper; a range here)

Padding. The paper pads every statistic to r_max sub-predicates with vectors of ones. Taken literally such a vector
gives the number of columns, not 1, and no W could satisfy the second constraint; here a statistic keeps its own r,
which is what the padding stands for.

Order of records. Records are sorted by a hash: a fixed random vector h of whole numbers from 1 up, h X[k] >= h X[k-1].
Every dataset can be sorted that way, so none is lost; two orders of one dataset remain only when hashes collide.

Beyond the paper. A rule becomes sum of Z - (r - 1) <= 0 for every record. When the number of records is a range, the
model has as many records as the upper limit, and P[k] = 1 says that record k exists: its groups sum to P[k] instead
of 1. A missing record is all zeros and hashes to 0, so missing records come first, and the last `least` ones exist.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from foregone.engine import Case, unbounded_example
from foregone.model.dataset import Dataset
from foregone.model.domain import Domain
from foregone.model.errors import InputError
from foregone.model.release import Release
from foregone.model.statement import Either
from foregone.model.workload import WeightedMasks
from foregone.solvers.arrays import Ints
from foregone.solvers.ip.program import Draft, IntegerProgram

HASHES = 1000  # h is drawn from 1..HASHES: few collisions, and coefficients that do no harm to floats
SEED = 20250

Masks = Mapping[int, int]
"""Column position -> bit mask of allowed values."""


@dataclass(frozen=True, slots=True, eq=False)
class OneHot:
    """The program of a release with where its variables are.

    Value v of column c of record k is variable `k * width + offsets[c] + v`; variable `present + k` is P[k], or
    `present` is None when every record exists.
    """

    release: Release
    program: IntegerProgram
    records: int
    least: int
    offsets: tuple[int, ...]
    width: int
    present: int | None

    @property
    def chosen(self) -> Ints:
        """The variables X, one row per record: they tell one dataset from another."""
        return np.arange(self.records * self.width).reshape(self.records, self.width)

    def values(self, record: int, column: int, mask: int) -> list[int]:
        """The variables of a sub-predicate: Z is their sum."""
        first = record * self.width + self.offsets[column]
        return [first + v for v in range(mask.bit_length()) if mask >> v & 1]

    def dataset(self, point: Ints) -> Dataset:
        """The records of a solution, re-tabulated against the release before anybody sees them."""
        columns = self.release.domain.columns
        rows = point[: self.records * self.width].reshape(self.records, self.width)
        if self.present is not None:
            rows = rows[point[self.present : self.present + self.records] == 1]
        ends = [*self.offsets[1:], self.width]
        picked = [rows[:, a:b].argmax(axis=1).tolist() for a, b in zip(self.offsets, ends, strict=True)]
        records = [[c.codes[v] for c, v in zip(columns, row, strict=True)] for row in zip(*picked, strict=True)]
        made = Dataset.of(self.release.domain, records)
        broken = made.broken(self.release)
        if broken:
            raise AssertionError(f"a solution of the one-hot model is not a dataset of the release: {broken[0]}")
        return made


def encode(release: Release) -> OneHot:
    """Write the release as an integer program over one-hot records."""
    least, records = size_range(release)
    offsets, width = _layout(release.domain)
    draft = Draft()
    draft.variables(records * width)
    present = draft.variables(records).start if least < records else None
    model = OneHot(release, draft.program(), records, least, offsets, width, present)
    for k in range(records):
        for column, definition in enumerate(release.domain.columns):
            group = [(j, 1) for j in model.values(k, column, definition.full)]
            draft.row(group if present is None else [*group, (present + k, -1)], *((1, 1) if present is None else (0, 0)))
    if present is not None:
        for k in range(records - least, records):
            draft.row([(present + k, 1)], 1, 1)
    _ordered(draft, model)
    for masks, statistic in zip(release.masks, release.statistics, strict=True):
        draft.row(*matching(draft, model, [(1, masks)], statistic.low, statistic.high))
    for terms, stated in zip(release.workload.sum_masks, release.workload.sums, strict=True):
        draft.row(*matching(draft, model, terms, stated.low, stated.high))
    for sides, either in zip(release.workload.side_masks, release.workload.alternatives, strict=True):
        _either(draft, model, sides, either)
    for masks in release.rule_masks:
        for k in range(records):
            # a rule that every record breaks leaves none: a record that may be absent is, one that may not contradicts it
            draft.row(_sub_predicates(model, k, masks), None, len(masks) - 1 if masks or present is None else 0)
    return OneHot(release, draft.program(), records, least, offsets, width, present)


def matching(
    draft: Draft, model: OneHot, terms: Iterable[tuple[int, Masks]], low: int | None, high: int | None
) -> tuple[list[tuple[int, int]], int | None, int | None]:
    """The row "the weighted sum of matching records is between low and high", with the variables W that it needs put into the
    draft. A count is the sum of one term with weight 1.
    """
    row: list[tuple[int, int]] = []
    each = 0  # of every record: terms about all of them are added up, for no variable may stand twice in a row
    for weight, masks in terms:
        if masks:
            row += [(w, weight) for w in matches(draft, model, masks)]
        else:
            each += weight
    if model.present is not None and each:
        row += [(model.present + k, each) for k in range(model.records)]
    fixed = each * model.records if model.present is None else 0
    return row, None if low is None else low - fixed, None if high is None else high - fixed


def _either(draft: Draft, model: OneHot, sides: tuple[WeightedMasks, WeightedMasks], either: Either) -> None:
    """At least one of two rows holds: a new variable says which one may be given up, and makes that one's limit so wide that
    every sum keeps it."""
    (choice,) = draft.variables(1)
    for terms, side, given_up in zip(sides, either.sides, (1, 0), strict=True):
        sign = 1 if side.high is not None else -1  # at least is at most for the opposite numbers
        high = sign * (side.high if side.high is not None else side.low or 0)
        turned = [(sign * weight, masks) for weight, masks in terms]
        spare = max(0, model.records * sum(max(weight, 0) for weight, _ in turned) - high)
        row, _, most = matching(draft, model, turned, None, high)
        assert most is not None
        # given up when the choice is 1: sum - spare x choice <= high; else sum + spare x choice <= high + spare
        chosen = [(choice, -spare if given_up else spare)] if spare else []
        draft.row([*row, *chosen], None, most if given_up else most + spare)


def matches(draft: Draft, model: OneHot, masks: Masks) -> range:
    """One new variable per record: 1 exactly when the record satisfies every sub-predicate (W, and S of a claim)."""
    made = draft.variables(model.records)
    for k, w in enumerate(made):
        for column, mask in masks.items():
            draft.row([(w, 1), *((j, -1) for j in model.values(k, column, mask))], None, 0)
        draft.row([(w, -1), *_sub_predicates(model, k, masks)], None, len(masks) - 1)
    return made


def _sub_predicates(model: OneHot, record: int, masks: Masks) -> list[tuple[int, int]]:
    """The sum of Z over the columns of a predicate; an empty predicate matches whatever exists."""
    if not masks:
        return [] if model.present is None else [(model.present + record, 1)]
    return [(j, 1) for column, mask in masks.items() for j in model.values(record, column, mask)]


def _ordered(draft: Draft, model: OneHot) -> None:
    weights = np.random.default_rng(SEED).integers(1, HASHES + 1, model.width).tolist()
    for k in range(1, model.records):
        later = [(k * model.width + j, h) for j, h in enumerate(weights)]
        earlier = [((k - 1) * model.width + j, -h) for j, h in enumerate(weights)]
        draft.row([*later, *earlier], 0, None)


def _layout(domain: Domain) -> tuple[tuple[int, ...], int]:
    sizes = [len(column.codes) for column in domain.columns]
    ends = np.cumsum(sizes).tolist()
    return tuple(end - size for end, size in zip(ends, sizes, strict=True)), ends[-1]


def size_range(release: Release) -> tuple[int, int]:
    """The least and the greatest number of records that the release states.

    When it states no upper limit, one is taken from tables that together cover every possible record; a release
    without such tables has no largest dataset, and that is an error which names a record nothing bounds.
    """
    least, most = 0, None
    for masks, statistic in zip(release.masks, release.statistics, strict=True):
        if not masks:
            least = max(least, statistic.low)
            if statistic.high is not None:
                most = statistic.high if most is None else min(most, statistic.high)
    if most is None:
        system = Case(release).system
        if system.largest is None:
            raise InputError(
                "the one-hot method needs an upper limit on the number of records, and nothing published bounds the records with"
                f" {unbounded_example(system)}; publish the number of records (a row with no column filled in) or an upper limit,"
                " or use the cells engine"
            )
        most = max(least, system.largest)
    return min(least, most), most
