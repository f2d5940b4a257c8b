"""Does a claim still follow when only some of the published numbers are known? One system, with statements switched on and off.

The system is a linear program over kinds of record, of which only some are listed. What it says is never believed: a
dataset is tabulated again in whole numbers, and a sum of statements that shows a claim is checked against every record
there can be (`overlooked`); records that it gets wrong join the program, and the question is asked again.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from foregone.engine.bounds.prover import AtMost, Exceeds
from foregone.engine.explain.kinds import MOST_ASKED, Kinds
from foregone.engine.explain.overlooked import Excluded, overlooked
from foregone.engine.explain.part import Part, part_of
from foregone.engine.explain.switches import (
    COMFORTABLE,
    Question,
    Statements,
    Switches,
    members,
    set_of,
)
from foregone.engine.system.decode import dataset_of
from foregone.engine.system.witness import MACHINE_LIMIT
from foregone.model.dataset import Dataset, Record
from foregone.model.errors import TooLargeError
from foregone.model.predicate import Predicate
from foregone.model.statement import Statistic
from foregone.solvers.answer import Undecided
from foregone.solvers.arrays import Floats, Ints
from foregone.solvers.deadline import Deadline
from foregone.solvers.elastic import Corner, Settings

DENOMINATORS = (1, 2, 6, 12, 60, 2520, 1 << 20, 1 << 30)  # small ones first: they make short sums
LARGEST_SUM = float(1 << 60)
TOLERANCE = 1e-7
SLIGHTLY = 1e-6
DEEPEST = 60  # either-ors settled one after the other
CORNERS = 6  # of the linear program, looked at before the integer solver is asked
FREE = 0.05  # what a number weighs that was needed before
ROUNDS = 500  # of bringing in further kinds of record

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


class Subsets:
    """A question, ready to say for any part of a release whether the answer still follows. What was found is kept."""

    def __init__(self, switches: Switches, question: Question, deadline: Deadline | None = None) -> None:
        self.switches, self.question = switches, question
        self.items, self.release, self.everything = switches.items, switches.release, switches.everything
        self.deadline = deadline or Deadline()
        self.tests = 0  # verdicts that needed work
        self.most_tests: int | None = None
        self.work = 0  # linear and integer programs that the prover solved: where it needs trees, a single test takes many
        self.most_work: int | None = None
        self.cores: list[Statements] = []  # sets that are known to be enough
        self.examples: list[Open] = []
        self.failures = question.failures
        self._predicates = question.predicates
        assert len(self._predicates) <= MOST_ASKED, "a question about more predicates than the program has rows for"
        self._kinds = switches.kinds(self._predicates)
        self._rng = np.random.default_rng(0)
        self._failure_cores: list[list[Statements]] = [[] for _ in self.failures]
        self._comfortable = max(switches.largest, question.extra) <= COMFORTABLE

    @property
    def kinds(self) -> Kinds:
        """Kinds of record, with a program that counts what this question is about."""
        self._kinds.aim(self._predicates, self.switches.system, self.switches.seeds)
        return self._kinds

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
        for failure in range(len(self.failures)):
            found = self._fails(kept, failure)
            if not isinstance(found, Forced):
                return found
            core |= found.core
        self.cores.append(core)
        return Forced(core)

    @property
    def exhausted(self) -> bool:
        """Is it time to stop? Answers that are known already are still given."""
        spent = self.most_work is not None and self.work >= self.most_work
        return spent or self.deadline.passed() or (self.most_tests is not None and self.tests >= self.most_tests)

    def fuller(self, kept: Statements, failure: int = 0) -> Open | None:
        """A dataset that breaks the claim, fits these statements and, as far as was easily found, most of the others."""
        kinds, hard = self.kinds, self._settings(kept, failure)
        every = self._settings(self.everything, failure)
        needed = ~np.isinf(hard.low) | ~np.isinf(hard.high)
        needed[kinds.first_asked :] = True
        high = every.high.copy()
        high[-1] = np.inf
        price = np.array([float((zeros & ~kept).bit_count()) for zeros in kinds.excluded])
        settings = replace(hard, low=every.low, high=high, slack=np.where(needed, 0.0, np.inf), cost=price)
        corner = kinds.program.solve(settings, self.deadline)
        return self._example(kept, failure, corner.columns) if corner is not None and corner.whole else None

    def light(self, kept: Statements, weights: Floats, alike: Ints) -> Statements | None:
        """Of these statements some that are enough and, as far as linear programs tell, weigh little; None when that shows nothing.

        `weights` has a number for each published number; what one way to fail needs weighs next to nothing for the next, and so do
        all numbers that have the same number in `alike`.
        """
        if not self._comfortable:
            return None
        switches, weights, core = self.switches, weights.copy(), 0
        signs = np.where(np.isinf(switches.low), -1.0, 1.0) * switches.one_sided
        for failure in range(len(self.failures)):
            shared = np.zeros(self.kinds.total + 1)
            shared[: len(signs)] = signs * weights[switches.item_of_row]
            found = self._relaxed(kept, failure, shared=shared, sums_only=True)
            if not isinstance(found, Forced):
                return None
            self._failure_cores[failure].append(found.core)
            core |= found.core
            used = np.unique(alike[members(found.core)])
            weights[np.isin(alike, used)] *= FREE
        self.cores.append(core)
        return core

    def summed(self, kept: Statements) -> Statements | None:
        """Of these statements some that are enough, if linear programs show it; None says nothing. Quicker than a verdict."""
        known = next((core for core in self.cores if not core & ~kept), None)
        if known is not None or not self._comfortable:
            return known
        if any(not example.broken & kept for example in self.examples):
            return None
        core = 0
        for failure, cores in enumerate(self._failure_cores):
            found = next((Forced(core) for core in cores if not core & ~kept), None)
            made = found or self._relaxed(kept, failure, sums_only=True)
            if not isinstance(made, Forced):
                return None
            core |= made.core
        self.cores.append(core)
        return core

    def _fails(self, kept: Statements, failure: int) -> Verdict:
        """Can the answer be wrong in this way?"""
        for core in self._failure_cores[failure]:
            if not core & ~kept:
                return Forced(core)
        found = self._relaxed(kept, failure) if self._comfortable else None
        if found is None:
            found = self._exact(kept, failure)
        if isinstance(found, Forced):
            self._failure_cores[failure].append(found.core)
        return found

    def _relaxed(
        self,
        kept: Statements,
        failure: int,
        taken: frozenset[int] = frozenset(),
        shared: Floats | None = None,
        sums_only: bool = False,
    ) -> Verdict | None:
        """What the linear program shows: a sum of statements, or a whole point. None when it shows neither.

        Of the either-ors that are kept, the sides in `taken` hold; a point that keeps neither side of another makes two questions.
        """
        program = self.kinds.program
        for _ in range(ROUNDS):
            settings = self._settings(kept, failure, taken, shared)
            corner = program.solve(settings, self.deadline)
            if corner is None:
                return Undecided("the time limit was reached") if self.deadline.passed() else None
            if corner.value <= TOLERANCE * (1 + (program.rows if shared is None else 0)):
                if sums_only:
                    return None
                either = self._neither(kept, taken, corner.columns)
                if either is None or len(taken) >= DEEPEST:
                    return self._whole(kept, failure, settings, corner)
                core = 1 << self.switches.item_of_terms[either]
                for chosen in (either, either + 1):
                    found = self._relaxed(kept, failure, taken | {chosen})
                    if not isinstance(found, Forced):
                        return found
                    core |= found.core
                return Forced(core)
            multipliers = self._rounded(settings, corner.multipliers)
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
        alternatives = self.release.workload.alternatives
        if not alternatives:
            return None
        first, kinds = len(self.switches.stated), self.kinds
        values = kinds.program.values(columns)[kinds.first_asked - 2 * len(alternatives) :]
        for k, either in enumerate(alternatives):
            at = first + 2 * k
            if kept >> self.switches.item_of_terms[at] & 1 and not {at, at + 1} & taken:
                sides = zip(either.sides, values[2 * k : 2 * k + 2].tolist(), strict=True)
                if not any(s.holds(v - SLIGHTLY) or s.holds(v + SLIGHTLY) for s, v in sides):
                    return at
        return None

    def _whole(self, kept: Statements, failure: int, settings: Settings, corner: Corner) -> Open | None:
        """A dataset where the linear program has a point: that one, another corner, or what the integer solver finds."""
        hard = replace(settings, slack=np.zeros_like(settings.slack))
        for _ in range(CORNERS):
            if corner.whole:
                return self._example(kept, failure, corner.columns)
            another = self.kinds.program.solve(replace(hard, cost=self._rng.random(len(hard.cost))), self.deadline)
            if another is None:
                break
            corner = another
        whole = self.kinds.program.integer(hard, self.deadline)
        return None if whole is None else self._example(kept, failure, whole)

    def _settings(
        self, kept: Statements, failure: int, taken: frozenset[int] = frozenset(), shared: Floats | None = None
    ) -> Settings:
        """Statements that are kept, and sides that are taken, can be missed at a price; the others are off."""
        kinds, switches = self.kinds, self.switches
        on = switches.on(kept)
        rows = on[switches.item_of_row] & ~switches.choice
        if taken:
            rows |= np.isin(kinds.rows, list(taken))
        low, high = np.full(kinds.total + 1, -np.inf), np.full(kinds.total + 1, np.inf)
        low[: len(rows)][rows], high[: len(rows)][rows] = switches.low[rows], switches.high[rows]
        about, least, most = self.failures[failure]
        if about is not None:
            at = kinds.first_asked + about
            low[at], high[at] = -np.inf if least is None else least, np.inf if most is None else most
        high[-1] = switches.enough_records(on, self.question.extra)
        room = np.array([0.0 if zeros & kept else np.inf for zeros in kinds.excluded])
        slack = np.full(len(low), np.inf if shared is None else 0.0)
        return Settings(low, high, slack, np.ones(len(low)), room, np.zeros(len(room)), shared)

    def _rounded(self, settings: Settings, suggestion: Floats) -> Ints | None:
        """Whole multipliers of rows that contradict each other for every kind listed, or None."""
        program = self.kinds.program
        clipped = np.where(np.isinf(settings.high) & (suggestion > 0), 0.0, suggestion)
        clipped = np.where(np.isinf(settings.low) & (clipped < 0), 0.0, clipped)
        asked = np.abs(clipped[self.kinds.first_asked : -1]).max(initial=0.0)
        if settings.shared is not None and asked:
            clipped = clipped / asked  # else they depend on the weights
        listed = settings.room > 0
        for denominator in DENOMINATORS:
            if (np.abs(clipped).max(initial=0.0) + 1) * denominator * (program.heaviest + MOST_ASKED) > LARGEST_SUM:
                return None
            whole: Ints = np.rint(clipped * denominator).astype(np.int64)
            used = np.flatnonzero(whole)
            ends = np.where(whole[used] > 0, settings.high[used], settings.low[used])
            total = sum(int(u) * int(end) for u, end in zip(whole[used].tolist(), ends.tolist(), strict=True))
            if total < 0 and (program.combine(whole)[listed] >= 0).all():
                return whole
        return None

    def _checked(self, kept: Statements, multipliers: Ints) -> Statements | None:
        """The statements that a sum uses, if no record there can be makes it negative; else such records join the program."""
        kinds = self.kinds
        values: dict[int, int] = {}
        core = 0
        for at in np.flatnonzero(multipliers[: kinds.total]).tolist():
            multiplier = int(multipliers[at])
            if at >= kinds.first_asked:
                box = kinds.asked[at - kinds.first_asked]
                values[box] = values.get(box, 0) - multiplier
                continue
            core |= 1 << int(self.switches.item_of_row[at])
            for box, weight in zip(*kinds.terms[kinds.rows[at]], strict=True):
                values[box] = values.get(box, 0) - multiplier * weight
        boxes = np.array(list(values), dtype=np.int64)
        worth = np.array(list(values.values()), dtype=np.int64)
        constant = -int(multipliers[-1])
        zero_of = {kinds.terms[z][0][0]: z for z in reversed(kinds.zeros) if kept >> z & 1}  # of several about the same, the first
        zeros = np.array(sorted(zero_of, key=zero_of.__getitem__), dtype=np.int64)
        found = overlooked(kinds.allows, boxes, worth, constant, zeros, kinds.rules)
        if isinstance(found, Excluded):
            few = np.array(found.zeros, dtype=np.int64)
            again = overlooked(kinds.allows, boxes, worth, constant, few, kinds.rules)  # a second choice is often smaller
            assert isinstance(again, Excluded)
            return core | set_of(zero_of[box] for box in again.zeros)
        before = len(kinds.atoms)
        kinds.add(found.atoms)
        if len(kinds.atoms) == before:
            raise TooLargeError("a sum that was rounded fails for a kind of record that is known")
        return None

    def _example(self, kept: Statements, failure: int, columns: Floats) -> Open | None:
        """A dataset from a point, tabulated again in whole numbers."""
        counts = np.rint(columns)
        kinds = np.flatnonzero(counts > 0)
        return self._tabulated(kept, failure, kinds.tolist(), [int(n) for n in counts[kinds].tolist()])

    def _tabulated(self, kept: Statements, failure: int, chosen: list[int], counts: list[int]) -> Open | None:
        kinds, switches = self.kinds, self.switches
        atoms = np.array([kinds.atoms[j] for j in chosen], dtype=np.int64).reshape(len(chosen), len(kinds.allows))
        member = kinds.members(atoms)
        # in Python's own integers where 64 bits could be too few
        numbers = np.array(counts, dtype=np.int64 if sum(counts) < MACHINE_LIMIT else object)
        inside: list[int] = (numbers @ member.astype(numbers.dtype)).tolist() if chosen else [0] * member.shape[1]
        values = [sum(inside[b] * w for b, w in zip(boxes, weights, strict=True)) for boxes, weights in kinds.terms]
        broken, first = 0, len(switches.stated)
        for i, stated in enumerate(switches.stated):
            if not stated.holds(values[i]):
                broken |= 1 << switches.item_of[i]
        for i, either in enumerate(self.release.workload.alternatives):  # their sides come after the statements
            left, right = values[first + 2 * i :][:2]
            if not either.left.holds(left) and not either.right.holds(right):
                broken |= 1 << switches.item_of[first + i]
        about, least, most = self.failures[failure]
        found = 0 if about is None else inside[kinds.asked[about]]
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

    def _exact(self, kept: Statements, failure: int) -> Verdict:
        """The prover's answer, for what one linear program does not settle."""
        about, least, most = self.failures[failure]
        predicate = Predicate() if about is None else self._predicates[about]
        # a number that a count does not have is asked for as one more statement
        asked = Statistic(predicate, least, most) if least is not None and most is not None else None
        statements = self.switches.statements(kept)
        part = part_of(self.release, statements, predicate, self.question.extra, self.deadline, asked)
        if part is None:
            return Undecided("the time limit was reached" if self.deadline.passed() else "too many kinds of record are possible")
        try:
            return self._proved(part, kept, failure)
        finally:
            self.work += part.prover.programs

    def _proved(self, part: Part, kept: Statements, failure: int) -> Verdict:
        prover, (about, least, most) = part.prover, self.failures[failure]
        predicate = None if about is None else self._predicates[about]
        fits = prover.first_witness()
        if isinstance(fits, Undecided):
            return fits
        if not fits:
            assert prover.refutation is not None
            return Forced(self.switches.those_of(part.behind(prover.refutation, np.zeros(prover.system.buckets, dtype=np.int64))))
        witness, match = prover.pool.witnesses[0], True
        if predicate is not None and (least is None or most is None):
            whole, some = prover.system.footprint(predicate)
            match = least is not None
            objective = some.astype(np.int64) if match else -whole.astype(np.int64)
            nodes = None if self.most_work is None else max(1, self.most_work - self.work)
            answer = prover.at_most(objective, least - 1 if least is not None else -(most or 0) - 1, nodes)
            if isinstance(answer, AtMost):
                return Forced(self.switches.those_of(part.behind(answer.proof, objective)))
            if not isinstance(answer, Exceeds):
                return answer
            witness = answer.witness
        dataset = dataset_of(prover.system, witness, predicate, match)
        numbers = self.kinds.add_dataset(dataset)
        found = self._tabulated(kept, failure, numbers, [n for _, n in dataset.kinds])
        if found is None:
            raise AssertionError("a dataset failed its own re-tabulation; please report this release")
        return found
