"""Step 6: how large can a count be? Cheapest argument first: a known witness, a bound, an integer point, a search tree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from foregone.engine.bounds.certify import Bounds, Certificate, certify
from foregone.engine.system.linear import LinearSystem
from foregone.engine.system.witness import Witness
from foregone.engine.witnesses.moves import Mover
from foregone.engine.witnesses.pool import Pool
from foregone.engine.witnesses.rounding import dive, plunge, rounded, whole
from foregone.model.claim import Ground
from foregone.model.statement import LARGEST
from foregone.solvers.answer import NO_LIMIT, Answer, Feasible, Floats, Infeasible, Unbounded, Undecided
from foregone.solvers.deadline import Deadline
from foregone.solvers.lp import WORKING_SET, Relaxation, integer_point

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

MAX_DEPTH = 350  # of a search tree; the checker follows trees a little deeper than this
CORNERS = 3  # relaxed corners tried before the first dive
FIRST_SECONDS = 20.0  # the integer solver may take this long to find a first dataset
PATIENCE = 2.0  # seconds for the integer solver where asking cell by cell is another way
ROUNDING_SECONDS = 5.0  # the integer solver may take this long to complete a rounded point


@dataclass(frozen=True, slots=True)
class Leaf:
    """A part of the search tree closed by an exact bound; `impossible` when the bound shows that nothing fits there."""

    certificate: Certificate
    impossible: bool = False


@dataclass(frozen=True, slots=True)
class Split:
    """Either cell holds at most `at` records, or at least one more."""

    cell: int
    at: int
    below: Leaf | Split
    above: Leaf | Split


@dataclass(frozen=True, slots=True)
class AtMost:
    """Proved: no consistent dataset exceeds the target."""

    proof: Leaf | Split

    @property
    def ground(self) -> Ground:
        return Ground.BOUND if isinstance(self.proof, Leaf) else Ground.SEARCH


@dataclass(frozen=True, slots=True)
class Exceeds:
    """A consistent dataset exceeds the target."""

    witness: Witness


@dataclass(frozen=True, slots=True)
class Endless:
    """From any consistent dataset records can be added, again and again, that raise the count: it has no greatest value."""

    ray: Witness


@dataclass
class Prover:
    """A system with everything that is kept warm between questions about it."""

    system: LinearSystem
    deadline: Deadline = field(default_factory=Deadline)
    solve_integer: Callable[..., Answer] = integer_point
    seed: int = 0

    def __post_init__(self) -> None:
        self.pool = Pool(self.system)
        self.relaxation = Relaxation(self.system)
        self.mover = Mover(self.system, self.seed)
        self.rng = np.random.default_rng(self.seed)
        self.empty = np.zeros(self.system.cells, dtype=bool)  # cells that lemmas show to be empty
        self.integer_solves = 0
        self.nodes = 0
        self.refutation: Leaf | Split | None = None  # why nothing fits, if nothing does

    def first_witness(self, tries: int = 8) -> bool | Undecided:
        """Find one consistent dataset; False is a proof that there is none."""
        if len(self.pool):
            return True
        for attempt in range(tries):
            # any corner first; then random corners of a small system, for pricing a random objective takes long
            small = self.system.cells <= WORKING_SET
            objective = self.rng.random(self.system.cells) if small and attempt else np.zeros(self.system.cells)
            answer = self.relaxation.maximise(objective, deadline=self.deadline)
            if not isinstance(answer, Feasible):
                break
            # corners of a small system are cheap and often whole already; dive only after a few of them
            if self._take(answer) is not None:
                return True
            if (not small or attempt >= CORNERS) and self._round(answer, objective) is not None:
                return True
            if small and attempt == CORNERS and self._any() is not None:
                return True
        found = self.at_most(np.zeros(self.system.cells, dtype=np.int64), -1)
        if isinstance(found, AtMost):
            self.refutation = found.proof
            return False
        return True if isinstance(found, Exceeds) else found

    def _any(self) -> Witness | None:
        """Any dataset, from the integer solver: it beats rounding where tables are dense."""
        self.integer_solves += 1
        limit = self.deadline.sooner(FIRST_SECONDS)
        return self._take(self.solve_integer(self.system, np.zeros(self.system.cells), deadline=limit))

    def bury(self, cells: Ints) -> None:
        """What was shown to be empty need not be thought of any more."""
        self.empty[cells] = True
        self.relaxation.empty(cells)

    def relaxed(self, objective: Ints, target: int, rounded: bool = False) -> AtMost | Exceeds | None:
        """The same question as far as one relaxation answers it: a bound, or a whole point; None when it is neither.

        With `rounded`, a whole point is also looked for near the relaxed one and by the integer solver.
        """
        answer = self.relaxation.maximise(objective.astype(float), deadline=self.deadline)
        closed = self._close(objective, target, answer, {})
        if closed is not None:
            return AtMost(closed)
        found = self._exceeding(objective, target, answer, self.deadline.sooner(PATIENCE)) if rounded else self._take(answer)
        return Exceeds(found) if found is not None and found.value(objective) > target else None

    def at_most(self, objective: Ints, target: int) -> AtMost | Exceeds | Undecided:
        """Is the objective at most `target` on every consistent dataset?"""
        if len(self.pool):
            for witness, value in zip(self.pool, self.pool.counts(objective), strict=True):
                if value > target:
                    return Exceeds(witness)
        answer = self.relaxation.maximise(objective.astype(float), deadline=self.deadline)
        closed = self._close(objective, target, answer, {})
        if closed is not None:
            return AtMost(closed)
        if isinstance(answer, Undecided):
            return answer
        found = self._exceeding(objective, target, answer)
        if found is not None:
            return Exceeds(found)
        tree = self._search(objective, target, {})
        return AtMost(tree) if isinstance(tree, Leaf | Split) else tree

    def greatest(self, objective: Ints) -> tuple[int, Witness] | Endless | Undecided:
        """The greatest value over all consistent datasets, proved, and a witness that has it."""
        values = self.pool.counts(objective)
        value = max(values)
        best = self.pool.witnesses[values.index(value)]
        if isinstance(self.relaxation.maximise(objective.astype(float), deadline=self.deadline), Unbounded):
            ray = self._ray(objective)
            if ray is not None:
                return Endless(ray)
        while True:
            answer = self.at_most(objective, value)
            match answer:
                case AtMost():
                    return value, best
                case Exceeds(witness=witness):
                    value, best = witness.value(objective), witness
                case Undecided():
                    return answer

    def _ray(self, objective: Ints) -> Witness | None:
        """Records that can be added to any dataset that fits, again and again, and that raise the objective.

        Rows that have an upper limit must not grow by it, rows that have a lower limit must not shrink.
        """
        system = self.system
        low = np.where(system.low == -NO_LIMIT, system.low, 0)
        high = np.where(system.high == NO_LIMIT, system.high, 0)
        endless = replace(system, low=low, high=high)
        answer = self.solve_integer(endless, objective * 0.0, extra=(objective.astype(float), 1.0), deadline=self.deadline)
        if not isinstance(answer, Feasible):
            return None
        ray = rounded(answer)
        grows = ray.value(objective) > 0 and bool(endless.within(endless.tabulate(ray)).all())
        return ray if grows and system.clauses.unmoved(ray) else None

    def _beyond(self, objective: Ints, target: int) -> Witness | None:
        """A witness above the target where the objective can grow without end."""
        ray = self._ray(objective)
        if ray is None or not len(self.pool):
            return None
        start = self.pool.witnesses[0]
        times = -(-(target + 1 - start.value(objective)) // ray.value(objective))
        if times * max(ray.counts.tolist()) + max(start.counts.tolist(), default=0) > LARGEST:
            return None
        grown = start.plus(ray, times)
        return grown if self.pool.add(grown) else None

    def _close(self, objective: Ints, target: int, answer: Answer, bounds: Bounds) -> Leaf | None:
        match answer:
            case Feasible(value=value, multipliers=multipliers) if value < target + 1:
                certificate = certify(self.system, objective, multipliers, target, bounds, self.empty)
            case Infeasible(multipliers=multipliers):
                # nothing fits: even the zero objective is below every whole number
                certificate = certify(self.system, np.zeros_like(objective), multipliers, -1, bounds, self.empty)
            case _:
                return None
        return None if certificate is None else Leaf(certificate, isinstance(answer, Infeasible))

    def _take(self, answer: Answer) -> Witness | None:
        """Add a relaxed point to the pool if it is whole."""
        if isinstance(answer, Feasible) and whole(answer):
            witness = rounded(answer)
            if self.pool.add(witness):
                return witness
        return None

    def _round(self, answer: Answer, objective: Floats) -> Witness | None:
        """Dive from a relaxed point to a whole one and add it to the pool."""
        if not isinstance(answer, Feasible):
            return None
        limit = Deadline.after(min(ROUNDING_SECONDS, self.deadline.left()))
        if self.system.cells <= WORKING_SET:
            found = plunge(self.relaxation, answer, objective, limit)
            if found is not None and self.pool.add(found):
                return found
        found = dive(self.system, answer, objective, self.solve_integer, self.rng, limit)
        return found if found is not None and self.pool.add(found) else None

    def _exceeding(self, objective: Ints, target: int, answer: Answer, deadline: Deadline | None = None) -> Witness | None:
        """A witness above the target: the relaxed point itself, rounded, or from the integer solver."""
        if isinstance(answer, Unbounded):
            return self._beyond(objective, target)
        floats = objective.astype(float)
        limit = deadline or self.deadline
        for attempt in (self._take, lambda a: self._round(a, floats), lambda _: self._integer(floats, target, limit)):
            found = attempt(answer)
            if found is not None and found.value(objective) > target:
                return found
        return None

    def _integer(self, objective: Floats, target: int, deadline: Deadline) -> Witness | None:
        few = self.system.cells <= 2 * WORKING_SET
        cells = None if few else np.union1d(self.relaxation.working, np.flatnonzero(self.pool.occupied))
        self.integer_solves += 1
        extra = (objective, float(target + 1))
        return self._take(self.solve_integer(self.system, objective * 0.0, cells, extra=extra, deadline=deadline))

    def _search(
        self, objective: Ints, target: int, bounds: dict[int, tuple[int, int | None]], depth: int = 0
    ) -> Leaf | Split | Exceeds | Undecided:
        """Branch on cells until every part closes by an exact bound or a whole point above the target turns up."""
        if self.deadline.passed():
            return Undecided("the time limit was reached")
        if depth > MAX_DEPTH:
            return Undecided(f"the search tree grew deeper than {MAX_DEPTH}")
        self.nodes += 1
        answer = self.relaxation.maximise(objective.astype(float), bounds, self.deadline)
        leaf = self._close(objective, target, answer, bounds)
        if leaf is not None:
            return leaf
        if isinstance(answer, Undecided):
            return answer
        if isinstance(answer, Unbounded):
            return Undecided("the count seems to have no upper limit, but no dataset that shows it was found")
        cell, at = self._branch(answer, bounds)
        if cell < 0:
            found = self._take(answer)
            if found is not None and found.value(objective) > target:
                return Exceeds(found)
            return Undecided("the solver's answer could not be confirmed exactly")
        least, most = bounds.get(cell, (0, None))
        parts = []
        for side in ((least, at), (at + 1, most)):
            part = self._search(objective, target, {**bounds, cell: side}, depth + 1)
            if not isinstance(part, Leaf | Split):
                return part
            parts.append(part)
        return Split(cell, at, parts[0], parts[1])

    def _branch(self, answer: Answer, bounds: Bounds) -> tuple[int, int]:
        """The cell whose relaxed count is furthest from whole; (-1, 0) when the point is whole."""
        if not isinstance(answer, Feasible):
            return self._open_cell(bounds)
        gap = np.abs(answer.counts - np.rint(answer.counts))
        if not len(gap) or gap.max() < 1e-6:
            return -1, 0
        at = int(np.argmax(gap))
        return int(answer.cells[at]), int(np.floor(answer.counts[at]))

    def _open_cell(self, bounds: Bounds) -> tuple[int, int]:
        """Some cell that can still be split, for the rare case that an infeasible part could not be confirmed."""
        for cell in range(self.system.cells):
            least, most = bounds.get(cell, (0, None))
            if most is None or least < most:
                return cell, least
        return -1, 0
