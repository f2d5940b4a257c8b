"""Step 6: how large can a count be? Cheapest argument first: a known witness, a bound, an integer point, a search tree."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import floor

import numpy as np

from foregone.engine.bounds.apart import ApartProver
from foregone.engine.bounds.branching import Branching
from foregone.engine.bounds.certify import certify
from foregone.engine.bounds.cuts import divided, separate
from foregone.engine.bounds.knowledge import SystemKnowledge
from foregone.engine.bounds.reaching import Reaching
from foregone.engine.bounds.search import Search
from foregone.engine.bounds.shaving import shave
from foregone.engine.bounds.trees import AtMost, Between, Endless, Exceeds, Lemma, Tree, TreeLeaf, TreeSplit
from foregone.engine.system.linear import LinearSystem
from foregone.engine.system.parts import IndependentPart, parts_of
from foregone.engine.system.witness import Witness
from foregone.engine.witnesses.mending import Mending, Wanted, mended, stirred
from foregone.engine.witnesses.moves import Mover
from foregone.engine.witnesses.redrawing import SHARES, Redrawing
from foregone.engine.witnesses.rounding import dive, plunge, rounded
from foregone.model.statement import LARGEST
from foregone.solvers.answer import NO_LIMIT, Answer, Feasible, Infeasible, Unbounded, Undecided
from foregone.solvers.arrays import Floats, Ints
from foregone.solvers.deadline import Deadline
from foregone.solvers.lp import WORKING_SET
from foregone.solvers.whole import integer_point

__all__ = ["AtMost", "Endless", "Exceeds", "Prover", "TreeLeaf", "TreeSplit"]


ROUNDS = 1000  # of derived rows that may bring nothing before a tree is grown: so many where the system is small
STALLED = 5  # and so many where it is large
EFFORT = 200_000_000  # small and large are told apart by rows times buckets times rounds
NEARLY = 1e-6  # a relaxed value so little below a whole number is tried as that number
GAIN = 1e-6  # a round that lowers the relaxed value by less brought nothing
SHAVED = 20_000  # buckets up to which bounds empty them one by one before the integer solver is asked for a first dataset
QUICK = 50_000  # rows times buckets of a system in which rounding is tried before bounds empty buckets
LOOSE = 0.5  # share of the numbers that have ranges, where changing records one by one is tried
MENDED = 600  # changes of records tried before anything else, where many numbers have ranges: loose tables take half as many
LONGER = 8_000  # and where a relaxation of very many buckets shows nothing against a dataset
STARTS = 4  # times that this is tried from the beginning
CORNERS = 3  # relaxed corners tried before the first dive
FIRST_SECONDS = 20.0  # the integer solver may take this long to find a first dataset
FILLING_SECONDS = 3.0  # the integer solver may take this long to fill many doubtful buckets at once
ROUGHLY = 0.5  # share of the greatest objective that the integer solver may miss: filling many buckets at once is what counts
WISHES = 4  # for more or fewer records in sets, at random, for which some records are drawn anew in one round
REDRAWN = 12  # times that some records are drawn anew to get beyond a target, before all of them are
LUCK = 3  # times that rounding a relaxed point may fail before the integer solver is asked first
RECENT = 8  # datasets, the last ones found, of which records are drawn anew
SLIGHT = 1e-3  # random part of an objective, so that not the same dataset is found again
MENDABLE = 400  # records of a dataset that may be mended one by one; of more a program is quicker
APART_ROWS = 100  # a system with fewer rows is not taken apart: its questions are quick as they are
ROUNDING_SECONDS = 2.0  # the integer solver may take this long to complete a rounded point


@dataclass
class Prover:
    """A system with everything that is kept warm between questions about it."""

    system: LinearSystem
    deadline: Deadline = field(default_factory=Deadline)
    solve_integer: Callable[..., Answer] = integer_point
    seed: int = 0
    parts: tuple[IndependentPart, ...] | None = field(default=None, kw_only=True)  # independent parts, if somebody knows them

    def __post_init__(self) -> None:
        self.known = SystemKnowledge(self.system, self.deadline)
        self.pool, self.relaxation = self.known.pool, self.known.relaxation
        self.mover = Mover(self.system, self.seed)
        self.rng = np.random.default_rng(self.seed)
        self.integer_solves = 0
        self.nodes = 0
        self._luck = LUCK  # how often rounding a relaxed point may still fail
        self.ruled_out = False  # the integer solver said of the last question that nothing is above its target
        self._redraws = REDRAWN  # fewer after it was of no use
        self.wishes = WISHES  # for which some records are drawn anew, in one round; fewer after it was of no use
        self._share = 0  # which share of the records was of use when it was drawn anew
        self.tried: dict[bytes, int] = {}  # sets of buckets for which mending sought another count in vain: how often
        self.in_vain = 0  # how many of them, one after another
        self.refutation: Tree | None = None  # why nothing fits, if nothing does
        for lemma in divided(self.known):
            self.known.learn(lemma)

    @property
    def programs(self) -> int:
        """Linear and integer programs that were solved, those of parts included."""
        apart: ApartProver | None = self.__dict__.get("apart")  # as far as it was needed
        return self.relaxation.solves + self.integer_solves + (0 if apart is None else sum(own.programs for _, own in apart))

    @property
    def lemmas(self) -> list[Lemma]:
        """Everything that was shown on the way; certificates may rest on it."""
        return self.known.lemmas

    @cached_property
    def branching(self) -> Branching:
        return Branching(self.known)

    @cached_property
    def apart(self) -> ApartProver | None:
        """The independent parts with provers of their own, where there are several."""
        if self.parts is None:
            self.parts = parts_of(self.system) if self.system.rows >= APART_ROWS else ()
        if len(self.parts) < 2:
            return None
        provers = [Prover(part.system, self.deadline, self.solve_integer, self.seed, parts=()) for part in self.parts]
        return ApartProver(self.known, self.parts, provers)

    @cached_property
    def room(self) -> int:
        """Records at most, where ranges leave so much room that changing one record after another leads to datasets; else 0."""
        system, most = self.system, self.system.largest
        loose = int((system.low < system.high).sum()) > LOOSE * system.rows and system.rows * system.buckets > QUICK
        few = most is not None and most <= MENDABLE
        return most if loose and few and most is not None and not len(system.clauses) and Mending.fits(self.mover, most) else 0

    def stir(self, witness: Witness, stops: int) -> None:
        """Datasets far apart from one, where ranges leave room for them."""
        if self.room:
            self.pool.add_each(stirred(self.mover, witness, self.room, stops, self.rng))

    def mend(self, steps: int, wanted: Wanted | None = None, start: Witness | None = None) -> Witness | None:
        """A dataset that fits, where ranges leave room: out of nothing, or from another that has not what is wanted."""
        made = Mending(self.mover, self.room, self.rng, wanted)
        if start is not None:
            made.begin(start)
            made.approach()
        found = mended(made, steps, self.deadline)
        return found if found is not None and self.pool.add(found) else None

    @cached_property
    def redrawing(self) -> Redrawing | None:
        """Drawing some records anew, where a program over all of them takes long."""
        large = self.system.rows * self.system.buckets > QUICK and Redrawing.fits(self.system)
        return Redrawing(self.mover, self.solve_integer, self.rng) if large else None

    @cached_property
    def reaching(self) -> Reaching | None:
        """Datasets in any direction, where tables are so dense that moves and rounding lead to few."""
        return None if self.redrawing is None else Reaching(self.known, self.rng)

    def redraw(self, objective: Floats, tries: int) -> Iterator[Witness]:
        """New datasets with a larger objective than those they were made from, if drawing some records anew leads to any."""
        if self.redrawing is None or not len(self.pool):
            return
        possible, at = ~self.known.empty, self._share
        wanted, unwanted = np.flatnonzero(possible & (objective > 0)), np.flatnonzero(possible & (objective < 0))
        for _ in range(tries):
            if self.deadline.passed() or not len(wanted) + len(unwanted):
                return
            witness = self.pool.witnesses[-1 - int(self.rng.integers(min(len(self.pool), RECENT)))]
            around = unwanted[np.isin(unwanted, witness.buckets)]
            around = wanted if not len(around) or (len(wanted) and self.rng.random() < 0.5) else around
            if not len(around):
                return
            blurred = objective + SLIGHT * self.rng.random(len(objective))
            found = self.redrawing.drawn(witness, int(self.rng.choice(around)), SHARES[at], blurred, possible, self.deadline)
            if found is not None and found.worth(objective) > witness.worth(objective) + NEARLY and self.pool.add(found):
                self._share = at
                yield found
            else:
                at = (at + 1) % len(SHARES)

    def first_witness(self, tries: int = 8) -> bool | Undecided:
        """Find one consistent dataset; False is a proof that there is none."""
        if len(self.pool):
            return True
        if self.apart is not None:
            started = self.apart.first_witness()
            if isinstance(started, bool | Undecided):
                return started
            self.refutation = started
            return False
        if self.room and self.mend(MENDED) is not None:
            return True
        many = self.reaching is not None and not self.reaching.fits()  # a relaxation of all buckets takes long
        if many and self._between() is not None:
            return True
        for attempt in range(tries):
            # any corner first; then random corners of a small system, for pricing a random objective takes long
            small = self.system.buckets <= WORKING_SET
            objective = self.rng.random(self.system.buckets) if small and attempt else np.zeros(self.system.buckets)
            answer = self.relaxation.maximise(objective, deadline=self.deadline)
            if not isinstance(answer, Feasible):
                break
            # corners of a small system are cheap and often whole already; dive only after a few of them
            if self.known.take(answer) is not None:
                return True
            if small and attempt == CORNERS and (self._plunged(answer, objective) or self._between() or self._any()) is not None:
                return True
            if many and attempt == 0 and self.room and any(self.mend(LONGER) is not None for _ in range(STARTS)):
                return True
            if not small and not many and attempt == 0 and self._between() is not None:
                return True
            if (not small or attempt >= CORNERS) and self._round(answer, objective) is not None:
                return True
            if not small and attempt == 0 and self.system.buckets <= SHAVED and self._any() is not None:
                return True
        found = self.at_most(np.zeros(self.system.buckets, dtype=np.int64), -1)
        if isinstance(found, AtMost):
            self.refutation = found.proof
            return False
        return True if isinstance(found, Exceeds) else found

    def _plunged(self, answer: Feasible, objective: Floats) -> Witness | None:
        """A dataset by rounding alone, where that is quick."""
        if self.system.rows * self.system.buckets > QUICK:
            return None
        found = plunge(self.relaxation, answer, objective, self.deadline.sooner(ROUNDING_SECONDS))
        return found if found is not None and self.pool.add(found) else None

    def _between(self) -> Witness | None:
        """Any dataset between corners or where records are likely, where tables are dense."""
        found = None if self.reaching is None else self.reaching.first()
        self.integer_solves += found is not None
        return found

    def _any(self) -> Witness | None:
        """Any dataset, from the integer solver, without the buckets that bounds show to be empty.

        It beats rounding where tables are dense.
        """
        shave(self.known, np.ones(self.system.buckets, dtype=bool))
        if len(self.pool):
            return self.pool.witnesses[0]
        self.integer_solves += 1
        limit, buckets = self.deadline.sooner(FIRST_SECONDS), np.flatnonzero(~self.known.empty)
        return self.known.take(self.solve_integer(self.system, np.zeros(self.system.buckets), buckets, deadline=limit))

    def at_most(
        self, objective: Ints, target: int, nodes: int | None = None, expected: bool = False
    ) -> AtMost | Exceeds | Undecided:
        """Is the objective at most `target` on every consistent dataset? A search gives up after so many `nodes`.

        Where that is `expected`, no dataset above the target is looked for before the search.
        """
        if len(self.pool):
            for witness, value in zip(self.pool, self.pool.counts(objective), strict=True):
                if value > target:
                    return Exceeds(witness)
        if self.apart is not None:
            return self.apart.at_most(objective, target, nodes)
        leaf, answer = self.known.settle(objective, target)
        if leaf is not None:
            return AtMost(leaf)
        if isinstance(answer, Undecided):
            return answer
        found = None if expected else self.exceeding(objective, target, answer)
        if found is not None:
            return Exceeds(found)
        return self.searched(objective, target, nodes)

    def exactly(self, whole: Ints, some: Ints, count: int) -> Between | Exceeds | Undecided:
        """Do `some` never add up to more, and `whole` never to less, than a count? Where they do, in some dataset, it is told."""
        upper = self.at_most(some, count)
        if not isinstance(upper, AtMost):
            return upper
        lower = self.at_most(-whole, -count)
        return Between(upper.proof, lower.proof) if isinstance(lower, AtMost) else lower

    def searched(self, objective: Ints, target: int, nodes: int | None = None) -> AtMost | Exceeds | Undecided:
        """Is the objective at most `target`? For when no dataset above it is expected: derived rows first, then a tree."""
        leaf = self.cut(objective, target)
        if leaf is not None:
            return AtMost(leaf)
        search = Search(self.known, self.branching, objective, target, nodes)
        tree = search.run()
        self.nodes += search.nodes
        return tree if isinstance(tree, Exceeds | Undecided) else AtMost(tree)

    def cut(self, objective: Ints, target: int) -> TreeLeaf | None:
        """Derive rows that the relaxed point breaks, again and again, until they close the question or bring nothing."""
        best, since = np.inf, 0
        patience = min(ROUNDS, max(STALLED, EFFORT // (self.system.rows * self.system.buckets + 1)))
        while True:
            leaf, answer = self.known.settle(objective, target)
            if leaf is not None or not isinstance(answer, Feasible):
                return leaf
            best, since = (answer.value, 0) if answer.value < best - GAIN else (best, since + 1)
            cuts = separate(self.known, answer) if since < patience else []
            if not cuts:
                return None
            for lemma in cuts:
                self.known.learn(lemma)

    def outer(self, objective: Ints) -> int | None:
        """A number that the objective exceeds in no dataset that fits, proved exactly by one relaxation; None when none was found.

        It holds whether or not some dataset is known, and whether or not one exists. A relaxed point that is whole is a dataset and
        is kept. Of independent parts each has a limit of its own, and these add up.
        """
        if self.apart is not None:
            parts = [(self.apart.prover(i), self.apart.parts[i]) for i in self.apart.touched(objective)]
            found = [prover.outer(part.objective(objective)) for prover, part in parts]
            return None if None in found else sum(limit or 0 for limit in found)
        answer = self.relaxation.maximise(objective.astype(float), deadline=self.deadline)
        if not isinstance(answer, Feasible):
            return None
        self.known.take(answer)
        target = floor(answer.value + NEARLY)
        certificate = certify(self.system, objective, answer.multipliers[: self.system.rows], target)
        return None if certificate is None else certificate.limit

    def greatest(self, objective: Ints) -> tuple[int, Witness] | Endless | Undecided:
        """The greatest value over all consistent datasets, proved, and a witness that has it."""
        if self.apart is not None:
            return self.apart.greatest(objective)
        values = self.pool.counts(objective)
        value = max(values)
        best = self.pool.witnesses[values.index(value)]
        if isinstance(self.relaxation.maximise(objective.astype(float), deadline=self.deadline), Unbounded):
            grown = self._growing(objective)
            if grown is not None:
                return Endless(grown[1])
        while True:
            answer = self.at_most(objective, value)
            match answer:
                case AtMost():
                    return value, best
                case Exceeds(witness=witness):
                    value, best = witness.value(objective), witness
                case Undecided():
                    return answer

    def _growing(self, objective: Ints) -> tuple[Witness, Witness, int] | None:
        """A dataset that fits; records that raise the objective and can be added to it again and again; and how often they have
        to be, so that it fits from then on.

        Rows that have an upper limit must not grow by these records, rows that have a lower limit must not shrink.
        """
        system = self.system
        low = np.where(system.low == -NO_LIMIT, system.low, 0)
        high = np.where(system.high == NO_LIMIT, system.high, 0)
        endless = replace(system, low=low, high=high)
        answer = self.solve_integer(endless, objective * 0.0, extra=(objective.astype(float), 1.0), deadline=self.deadline)
        if not isinstance(answer, Feasible):
            return None
        ray = rounded(answer)
        if ray.value(objective) <= 0 or not endless.within(endless.tabulate(ray)).all():
            return None
        found = ((start, ray, times) for start in self.pool if (times := system.clauses.kept_from(start, ray)) is not None)
        return next(found, None)

    def _beyond(self, objective: Ints, target: int) -> Witness | None:
        """A witness above the target where the objective can grow without end."""
        growing = self._growing(objective)
        if growing is None:
            return None
        start, ray, least = growing
        times = max(least, -(-(target + 1 - start.value(objective)) // ray.value(objective)))
        if times * max(ray.counts.tolist()) + max(start.counts.tolist(), default=0) > LARGEST:
            return None
        grown = start.plus(ray, times)
        return grown if self.pool.add(grown) else None

    def _round(self, answer: Answer, objective: Floats) -> Witness | None:
        """Dive from a relaxed point to a whole one and add it to the pool."""
        if not isinstance(answer, Feasible):
            return None
        limit = self.deadline.sooner(ROUNDING_SECONDS)
        if self.system.buckets <= WORKING_SET:
            found = plunge(self.relaxation, answer, objective, limit)
            if found is not None and self.pool.add(found):
                return found
        found = dive(self.system, answer, objective, self.solve_integer, self.rng, limit)
        return found if found is not None and self.pool.add(found) else None

    def exceeding(self, objective: Ints, target: int, answer: Answer) -> Witness | None:
        """A witness above the target: the relaxed point itself, rounded, or from the integer solver."""
        if isinstance(answer, Unbounded):
            return self._beyond(objective, target)
        floats = objective.astype(float)

        lucky = self._luck > 0
        found = self.nearby(objective, target, answer) or self._redrawn(objective, target)
        if found is None and self.reaching is not None:
            found = _above(self.reaching.again(objective, target), objective, target)
        found = found or _above(self._integer(floats, target, self.deadline), objective, target)
        return found if lucky or found is not None else _above(self._round(answer, floats), objective, target)

    def _redrawn(self, objective: Ints, target: int) -> Witness | None:
        """A witness above the target by drawing some records anew; tried less often after it was of no use."""
        found = next((made for made in self.redraw(objective.astype(float), self._redraws) if made.value(objective) > target), None)
        self._redraws = max(len(SHARES), self._redraws // 2) if found is None else REDRAWN
        return found

    def nearby(self, objective: Ints, target: int, answer: Answer) -> Witness | None:
        """A witness above the target near the relaxed point: that itself, or rounded, if rounding has not failed too often.

        Where tables are dense, rounding leads to few, and one between the buckets of this and other points is looked for.
        """
        found = _above(self.known.take(answer), objective, target)
        if found is None and self.reaching is not None:
            return _above(self.reaching.beyond(objective, target, answer), objective, target)
        if found is None and self._luck > 0:
            found = _above(self._round(answer, objective.astype(float)), objective, target)
            self._luck = self._luck - 1 if found is None else LUCK
        return found

    def _integer(self, objective: Floats, target: int, deadline: Deadline) -> Witness | None:
        possible, all_in = ~self.known.empty, self.system.buckets <= 2 * WORKING_SET
        if not all_in:
            possible[:] = False
            possible[self.relaxation.working] = True
            possible = (possible | self.pool.occupied) & ~self.known.empty
        extra, buckets = (objective, float(target + 1)), np.flatnonzero(possible)
        # much above the target in a short time, or anything above it in all the time there is
        first = [(objective, deadline.sooner(FILLING_SECONDS))] if self.redrawing is None else []
        for wanted, limit in (*first, (objective * 0.0, deadline)):
            self.integer_solves += 1
            answer = self.solve_integer(self.system, wanted, buckets, extra=extra, deadline=limit, gap=ROUGHLY)
            if not isinstance(answer, Undecided):
                break
        self.ruled_out = all_in and isinstance(answer, Infeasible)
        return self.known.take(answer)


def _above(found: Witness | None, objective: Ints, target: int) -> Witness | None:
    return found if found is not None and found.value(objective) > target else None
