"""Does a claim still follow when only some of the published numbers are known? One system, with statements switched on and off.

The system is a linear program over kinds of record, of which only some are listed. What it says is never believed: a
dataset is tabulated again in whole numbers, and a sum of statements that shows a claim is checked against every record
there can be (`records`); records that it gets wrong join the program, and the question is asked again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from foregone.engine.bounds.prover import AtMost, Exceeds
from foregone.engine.subsets.items import items_of
from foregone.engine.subsets.kinds import Kinds
from foregone.engine.subsets.part import Part, enough_records, part_of
from foregone.engine.subsets.records import Excluded, overlooked
from foregone.engine.system.decode import dataset_of
from foregone.engine.system.linear import LinearSystem
from foregone.engine.system.witness import MACHINE_LIMIT
from foregone.model.dataset import Dataset, Record
from foregone.model.errors import TooLargeError
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.solvers.answer import Floats, Undecided
from foregone.solvers.deadline import Deadline
from foregone.solvers.switched import Limits, Point

Ints = NDArray[np.int64]

DENOMINATORS = (1, 2, 6, 12, 60, 2520, 1 << 20, 1 << 30)  # small ones first: they make short sums
LARGEST_SUM = float(1 << 60)
COMFORTABLE = 1 << 24  # limits above are left to the prover, for floating point goes astray among them
TOLERANCE = 1e-7
SLIGHTLY = 1e-6
DEEPEST = 60  # either-ors settled one after the other
CORNERS = 6  # of the linear program, looked at before the integer solver is asked
ROUNDS = 500  # of bringing in further kinds of record

Statements = int
"""A set of published numbers, one bit each, as `items_of` numbers them: the counts first."""


def members(chosen: Statements) -> list[int]:
    """
    >>> members(0b1010)
    [1, 3]
    """
    return [i for i, bit in enumerate(reversed(f"{chosen:b}")) if bit == "1"]


def set_of(numbers: Iterable[int]) -> Statements:
    """
    >>> set_of([1, 3])
    10
    """
    made = 0
    for i in numbers:
        made |= 1 << i
    return made


@dataclass(frozen=True, slots=True)
class Forced:
    """The claim follows, and these statements are enough for it."""

    core: Statements


@dataclass(frozen=True, slots=True)
class Open:
    """The claim does not follow: a dataset breaks it that fits all statements but `broken`, none of those asked about."""

    dataset: Dataset = field(repr=False)
    broken: Statements


Verdict = Forced | Open | Undecided


@dataclass(frozen=True, slots=True)
class Question:
    """Between `low` and `high` records match; without a predicate: no dataset fits at all."""

    predicate: Predicate | None = None
    low: int = 0
    high: int | None = None

    @property
    def sides(self) -> list[tuple[int | None, int | None]]:
        """The ways in which it can fail: the number of matching records, from and to."""
        if self.predicate is None:
            return [(None, None)]
        above: list[tuple[int | None, int | None]] = [] if self.high is None else [(self.high + 1, None)]
        return above if self.low <= 0 else [*above, (None, self.low - 1)]

    @property
    def extra(self) -> int:
        """How many records may matter to it that no statement asks for."""
        return 0 if self.predicate is None else (self.low if self.high is None else self.high) + 1


class Subsets:
    """A release and a question, ready to say for any part of the release whether the answer still follows."""

    def __init__(
        self, release: Release, question: Question, deadline: Deadline | None = None, system: LinearSystem | None = None
    ) -> None:
        """`system` is the release, compiled: a good start, and no more than that."""
        self.items = items_of(release)
        self.release, self.question = self.items.release, question
        release = self.release
        self.deadline = deadline or Deadline()
        self.everything: Statements = (1 << len(self.items.parts)) - 1
        self.tests = 0  # verdicts that needed work
        self.most_tests: int | None = None
        self.work = 0  # linear and integer programs that the prover solved: where it needs trees, a single test takes many
        self.most_work: int | None = None
        self.cores: list[Statements] = []  # sets that are known to be enough
        self.examples: list[Open] = []
        asked = question.predicate or Predicate()
        self.kinds = Kinds(release, asked)
        self._rng = np.random.default_rng(0)
        if system is not None:
            self.kinds.seed(system, asked)
        self._stated = stated = release.all_statements
        self._item_of = {i: k for k, item in enumerate(self.items.parts) for i in item}
        count = len(stated)
        sides = range(count, count + 2 * len(release.alternatives))
        self._item_of_terms = [*(self._item_of[i] for i in range(count)), *(self._item_of[count + (i - count) // 2] for i in sides)]
        said = [*stated, *(side for either in release.alternatives for side in either.sides)]  # as `Kinds.terms` has them
        self._low = [said[i].low for i in self.kinds.rows]
        self._high = [said[i].high for i in self.kinds.rows]
        self._side_cores: list[list[Statements]] = [[] for _ in question.sides]
        numbers = [abs(n) for s in stated for n in (s.low, s.high) if n is not None]
        self._comfortable = max([*numbers, question.extra], default=0) <= COMFORTABLE

    def verdict(self, kept: Statements) -> Verdict:
        """Does the answer follow from these statements alone, and the rules?"""
        for core in self.cores:
            if not core & ~kept:
                return Forced(core)
        for example in self.examples:
            if not example.broken & kept:
                return example
        if self.exhausted:
            return Undecided("the time limit was reached" if self.deadline.passed() else "the limit on tests was reached")
        self.tests += 1
        core = 0
        for side in range(len(self.question.sides)):
            found = self._side(kept, side)
            if not isinstance(found, Forced):
                return found
            core |= found.core
        self.cores.append(core)
        return Forced(core)

    def statements(self, kept: Statements) -> list[int]:
        """All that some published numbers say."""
        return sorted(i for k in members(kept) for i in self.items.parts[k])

    def _items(self, numbers: Iterable[int]) -> Statements:
        """The published numbers that some statements come from."""
        return set_of({self._item_of[i] for i in numbers})

    @property
    def exhausted(self) -> bool:
        """Is it time to stop? Answers that are known already are still given."""
        spent = self.most_work is not None and self.work >= self.most_work
        return spent or self.deadline.passed() or (self.most_tests is not None and self.tests >= self.most_tests)

    def fuller(self, kept: Statements, side: int = 0) -> Open | None:
        """A dataset that breaks the claim, fits these statements and, as far as was easily found, most of the others."""
        kinds, kept_rows = self.kinds, self._limits(kept, side)
        every = self._limits(self.everything, side)
        hard = np.append(~np.isinf(kept_rows.low[:-2]) | ~np.isinf(kept_rows.high[:-2]), [True, True])
        price = np.array([float((zeros & ~kept).bit_count()) for zeros in kinds.excluded])
        limits = Limits(
            every.low, np.append(every.high[:-1], np.inf), np.where(hard, 0.0, np.inf), every.price, kept_rows.room, price
        )
        point = kinds.program.solve(limits, self.deadline)
        if point is None:
            return None
        if point.whole:
            return self._example(kept, side, point.columns)
        return None

    def _side(self, kept: Statements, side: int) -> Verdict:
        for core in self._side_cores[side]:
            if not core & ~kept:
                return Forced(core)
        found = self._relaxed(kept, side) if self._comfortable else None
        if found is None:
            found = self._exact(kept, side)
        if isinstance(found, Forced):
            self._side_cores[side].append(found.core)
        return found

    def _relaxed(self, kept: Statements, side: int, taken: frozenset[int] = frozenset()) -> Verdict | None:
        """What the linear program shows: a sum of statements, or a whole point. None when it shows neither.

        Of the either-ors that are kept, the sides in `taken` hold; a point that keeps neither side of another makes two questions.
        """
        program = self.kinds.program
        for _ in range(ROUNDS):
            limits = self._limits(kept, side, taken)
            point = program.solve(limits, self.deadline)
            if point is None:
                return Undecided("the time limit was reached") if self.deadline.passed() else None
            if point.value <= TOLERANCE * (1 + program.rows):
                either = self._neither(kept, taken, point.columns)
                if either is None or len(taken) >= DEEPEST:
                    return self._whole(kept, side, limits, point)
                core = 1 << self._item_of_terms[either]
                for chosen in (either, either + 1):
                    found = self._relaxed(kept, side, taken | {chosen})
                    if not isinstance(found, Forced):
                        return found
                    core |= found.core
                return Forced(core)
            multipliers = self._rounded(limits, point.multipliers)
            if multipliers is None:
                return None
            try:
                found_core = self._checked(kept, multipliers)
            except TooLargeError:
                return None
            if found_core is not None:
                return Forced(found_core)
        return None

    def _neither(self, kept: Statements, taken: frozenset[int], columns: Floats) -> int | None:
        """Of an either-or that is kept and not settled, and of which a point keeps neither side, the first side."""
        first = len(self._stated)
        if not self.release.alternatives:
            return None
        values = self.kinds.program.values(columns)[len(self._low) - 2 * len(self.release.alternatives) :]
        for k, either in enumerate(self.release.alternatives):
            at = first + 2 * k
            if kept >> self._item_of_terms[at] & 1 and not {at, at + 1} & taken:
                sides = zip(either.sides, values[2 * k : 2 * k + 2].tolist(), strict=True)
                if not any(s.holds(v - SLIGHTLY) or s.holds(v + SLIGHTLY) for s, v in sides):
                    return at
        return None

    def _whole(self, kept: Statements, side: int, limits: Limits, point: Point) -> Open | None:
        """A dataset where the linear program has a point: that one, another corner, or what the integer solver finds."""
        hard = replace(limits, slack=np.zeros_like(limits.slack))
        for _ in range(CORNERS):
            if point.whole:
                return self._example(kept, side, point.columns)
            corner = self.kinds.program.solve(replace(hard, cost=self._rng.random(len(hard.cost))), self.deadline)
            if corner is None:
                break
            point = corner
        whole = self.kinds.program.integer(hard, self.deadline)
        return None if whole is None else self._example(kept, side, whole)

    def _limits(self, kept: Statements, side: int, taken: frozenset[int] = frozenset()) -> Limits:
        """Statements that are kept, and sides that are taken, can be missed at a price; the others are off."""
        kinds = self.kinds
        on = [i in taken if i >= len(self._stated) else bool(kept >> self._item_of[i] & 1) for i in kinds.rows.tolist()]
        least, most = self.question.sides[side]
        cap = enough_records(self.release, self.statements(kept), self.question.extra)
        low = [-np.inf if not k or n is None else n for k, n in zip(on, self._low, strict=True)]
        high = [np.inf if not k or n is None else n for k, n in zip(on, self._high, strict=True)]
        low += [-np.inf if least is None else least, -np.inf]
        high += [np.inf if most is None else most, np.inf if cap is None or cap > COMFORTABLE else cap]
        room = np.array([0.0 if zeros & kept else np.inf for zeros in kinds.excluded])
        rows, columns = len(low), len(room)
        return Limits(np.array(low, float), np.array(high, float), np.full(rows, np.inf), np.ones(rows), room, np.zeros(columns))

    def _rounded(self, limits: Limits, suggestion: Floats) -> Ints | None:
        """Whole multipliers of rows that contradict each other for every kind listed, or None."""
        program = self.kinds.program
        clipped = np.where(np.isinf(limits.high) & (suggestion > 0), 0.0, suggestion)
        clipped = np.where(np.isinf(limits.low) & (clipped < 0), 0.0, clipped)
        listed = limits.room > 0
        for denominator in DENOMINATORS:
            if (np.abs(clipped).max(initial=0.0) + 1) * denominator * program.heaviest > LARGEST_SUM:
                return None
            whole: Ints = np.rint(clipped * denominator).astype(np.int64)
            used = np.flatnonzero(whole)
            ends = np.where(whole[used] > 0, limits.high[used], limits.low[used])
            total = sum(int(u) * int(end) for u, end in zip(whole[used].tolist(), ends.tolist(), strict=True))
            if total < 0 and (program.combine(whole)[listed] >= 0).all():
                return whole
        return None

    def _checked(self, kept: Statements, multipliers: Ints) -> Statements | None:
        """The statements that a sum uses, if no record there can be makes it negative; else such records join the program."""
        kinds = self.kinds
        values: dict[int, int] = {kinds.asked: -int(multipliers[-2])} if multipliers[-2] else {}
        core = 0
        for at in np.flatnonzero(multipliers[:-2]).tolist():
            i = int(kinds.rows[at])
            core |= 1 << self._item_of_terms[i]
            for box, weight in zip(*kinds.plain_terms[i], strict=True):
                values[box] = values.get(box, 0) - int(multipliers[at]) * weight
        boxes = np.array(list(values), dtype=np.int64)
        worth = np.array(list(values.values()), dtype=np.int64)
        constant = -int(multipliers[-1])
        zeros = np.array([z for z in kinds.zeros if kept >> z & 1], dtype=np.int64)
        found = overlooked(kinds.allows, boxes, worth, constant, zeros, kinds.rules)
        if isinstance(found, Excluded):
            few = np.array(found.zeros, dtype=np.int64)
            again = overlooked(kinds.allows, boxes, worth, constant, few, kinds.rules)  # a second choice is often smaller
            assert isinstance(again, Excluded)
            return core | set_of(again.zeros)
        before = len(kinds.atoms)
        kinds.add(found.atoms)
        if len(kinds.atoms) == before:
            raise TooLargeError("a sum that was rounded fails for a kind of record that is known")
        return None

    def _example(self, kept: Statements, side: int, columns: Floats) -> Open | None:
        """A dataset from a point, tabulated again in whole numbers."""
        counts = np.rint(columns)
        kinds = np.flatnonzero(counts > 0)
        return self._tabulated(kept, side, kinds.tolist(), [int(n) for n in counts[kinds].tolist()])

    def _tabulated(self, kept: Statements, side: int, chosen: list[int], counts: list[int]) -> Open | None:
        kinds = self.kinds
        atoms = np.array([kinds.atoms[j] for j in chosen], dtype=np.int64).reshape(len(chosen), len(kinds.allows))
        member = kinds.members(atoms)
        # in Python's own integers where 64 bits could be too few
        numbers = np.array(counts, dtype=np.int64 if sum(counts) < MACHINE_LIMIT else object)
        inside: list[int] = (numbers @ member.astype(numbers.dtype)).tolist() if chosen else [0] * member.shape[1]
        values = [sum(inside[b] * w for b, w in zip(boxes, weights, strict=True)) for boxes, weights in kinds.plain_terms]
        broken = 0
        for i, stated in enumerate(self._stated):
            if not stated.holds(values[i]):
                broken |= 1 << self._item_of[i]
        for i, either in enumerate(self.release.alternatives):  # their sides come after the statements
            left, right = values[len(self._stated) + 2 * i :][:2]
            if not either.left.holds(left) and not either.right.holds(right):
                broken |= 1 << self._item_of[len(self._stated) + i]
        least, most = self.question.sides[side]
        found = inside[kinds.asked]
        fails = (least is None or found >= least) and (most is None or found <= most)
        if broken & kept or not fails or any(inside[r] for r in kinds.rules.tolist()):
            return None
        records: dict[Record, int] = {}
        for j, n in zip(chosen, counts, strict=True):
            record = kinds.record(j)
            records[record] = records.get(record, 0) + n
        example = Open(Dataset.of_kinds(self.release.domain, records), broken)
        self.examples.append(example)
        return example

    def _exact(self, kept: Statements, side: int) -> Verdict:
        """The prover's answer, for what one linear program does not settle."""
        predicate = self.question.predicate or Predicate()
        part = part_of(self.release, self.statements(kept), predicate, self.question.extra, self.deadline)
        if part is None:
            return Undecided("the time limit was reached" if self.deadline.passed() else "too many kinds of record are possible")
        try:
            return self._proved(part, kept, side)
        finally:
            self.work += part.prover.programs

    def _proved(self, part: Part, kept: Statements, side: int) -> Verdict:
        prover, predicate = part.prover, self.question.predicate or Predicate()
        fits = prover.first_witness()
        if isinstance(fits, Undecided):
            return fits
        if not fits:
            assert prover.refutation is not None
            return Forced(self._items(part.behind(prover.refutation, np.zeros(prover.system.cells, dtype=np.int64))))
        witness, match = prover.pool.witnesses[0], True
        if self.question.predicate is not None:
            whole, some = prover.system.footprint(predicate)
            least, most = self.question.sides[side]
            match = least is not None
            objective = some.astype(np.int64) if match else -whole.astype(np.int64)
            nodes = None if self.most_work is None else max(1, self.most_work - self.work)
            answer = prover.at_most(objective, least - 1 if least is not None else -(most or 0) - 1, nodes)
            if isinstance(answer, AtMost):
                return Forced(self._items(part.behind(answer.proof, objective)))
            if not isinstance(answer, Exceeds):
                return answer
            witness = answer.witness
        dataset = dataset_of(prover.system, witness, self.question.predicate, match)
        numbers = self.kinds.add_dataset(dataset)
        found = self._tabulated(kept, side, numbers, [n for _, n in dataset.kinds])
        if found is None:
            raise AssertionError("a dataset failed its own re-tabulation; please report this release")
        return found

