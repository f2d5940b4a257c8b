"""What is known about a system while it is being searched: datasets, lemmas, and a relaxation that knows the lemmas too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from foregone.engine.bounds.certify import Scope, certify, made_of
from foregone.engine.bounds.trees import Form, Lemma, TreeLeaf
from foregone.engine.system.linear import LinearSystem
from foregone.engine.system.witness import Witness
from foregone.engine.witnesses.pool import Pool
from foregone.engine.witnesses.rounding import rounded, whole
from foregone.model.statement import Limits
from foregone.solvers.answer import Answer, Feasible, Infeasible
from foregone.solvers.arrays import Bools, Ints
from foregone.solvers.deadline import Deadline
from foregone.solvers.lp import Relaxation

ALMOST = 1e-7
CERTAIN = 1e12  # values beyond are not told from whole numbers
POINTS = 500  # relaxed points that are remembered
Part = Mapping[Form, Limits]  # a part of a search: limits of forms that hold there


class SystemKnowledge:
    """A system with everything that was found out about it. Forms that have a row in the relaxation keep their place."""

    def __init__(self, system: LinearSystem, deadline: Deadline) -> None:
        self.system = system
        self.deadline = deadline
        self.pool = Pool(system)
        self.relaxation = Relaxation(system)
        self.empty = np.zeros(system.buckets, dtype=bool)  # buckets that lemmas show to be empty
        self.lemmas: list[Lemma] = []
        self._forms: list[tuple[Form, Limits]] = []  # with the limits that lemmas give them
        self._place: dict[Form, int] = {}
        self._single: dict[int, Form] = {}
        self._clauses: dict[int, tuple[tuple[Form, int], tuple[Form, int]]] = {}
        self._points: list[tuple[Ints, Ints]] = []  # relaxed points: the buckets they fill, and those that they give a whole record
        self._reached: Bools | None = None

    def single(self, bucket: int) -> Form:
        """The count of one bucket, always the same form."""
        return self._single.setdefault(bucket, Form.count(np.array([bucket])))

    def clause(self, number: int) -> tuple[tuple[Form, int], tuple[Form, int]]:
        """The two sides of an either-or, always the same forms, with their limits."""
        if number not in self._clauses:
            given = self.system.clauses[number]
            self._clauses[number] = (Form.of(given.left), given.left_high), (Form.of(given.right), given.right_high)
        return self._clauses[number]

    def _bucket(self, form: Form) -> int | None:
        """The bucket of a form that `single` made: its limits are those of a column, not of a row."""
        bucket = form.bucket
        return bucket if bucket is not None and self._single.get(bucket) is form else None

    def learn(self, lemma: Lemma) -> None:
        """Everything after this may rest on it."""
        self.lemmas.append(lemma)
        if len(lemma.buckets):
            self.empty[lemma.buckets] = True
            self.relaxation.empty(lemma.buckets)
            self._points = [point for point in self._points if not self.empty[point[0]].any()]
            self._reached = None
        else:
            self._points, self._reached = [], None
            place = self._placed(lemma.form, lemma.at_most)
            self._forms[place] = lemma.form, (None, lemma.at_most)

    def _placed(self, form: Form, high: int | None = None) -> int:
        if form not in self._place:
            self._place[form] = self.relaxation.add(form.buckets, form.weights, high)
            self._forms.append((form, (None, None)))
        return self._place[form]

    def ask(self, objective: Ints, part: Part | None = None, careful: bool = False) -> Answer:
        """The relaxed greatest value within a part of the search."""
        part = part or {}
        buckets = {b: (limits[0] or 0, limits[1]) for form, limits in part.items() if (b := self._bucket(form)) is not None}
        rows = {self._placed(form): limits for form, limits in part.items() if self._bucket(form) is None}
        both = {place: _meet(limits, self._forms[place][1]) for place, limits in rows.items()}
        answer = self.relaxation.maximise(objective.astype(float), buckets, self.deadline, both, careful)
        if isinstance(answer, Feasible):  # of a part too: it fits the whole as well
            self._points.append((answer.buckets, answer.buckets[answer.counts > 1 - ALMOST]))
            if self._reached is not None:
                self._reached[self._points[-1][1]] = True
            del self._points[:-POINTS]
        return answer

    def corners(self) -> Iterator[Ints]:
        """The buckets that relaxed points of late fill, the last ones first."""
        return (filled for filled, _ in reversed(self._points))

    def reached(self) -> Bools:
        """Buckets in which some relaxed point of late has a record: no bound will show that they are empty."""
        if self._reached is None:
            self._reached = np.zeros(self.system.buckets, dtype=bool)
            for _, ones in self._points:
                self._reached[ones] = True
        return self._reached

    def scope(self, part: Part) -> Scope:
        buckets = {bucket: (form, limits) for form, limits in part.items() if (bucket := self._bucket(form)) is not None}
        forms = [(form, _meet(part[form], limits) if form in part else limits) for form, limits in self._forms]
        return Scope(self.empty, buckets, forms)

    def close(self, objective: Ints, target: int, answer: Answer, part: Part | None = None) -> TreeLeaf | None:
        """An exact proof that the objective is at most the target in a part of the search, if the answer suggests one."""
        match answer:
            case Feasible(value=value, multipliers=multipliers) if value < target + 1:
                certificate = certify(self.system, objective, multipliers, target, self.scope(part or {}))
            case Infeasible(multipliers=multipliers):
                # nothing fits: even the zero objective is below every whole number
                nothing = np.zeros_like(objective)
                certificate = certify(self.system, nothing, multipliers, -1, self.scope(part or {}), scale=True)
            case _:
                return None
        return None if certificate is None else TreeLeaf(certificate, isinstance(answer, Infeasible))

    def settle(self, objective: Ints, target: int, part: Part | None = None) -> tuple[TreeLeaf | None, Answer]:
        """Ask and close; where it is said that nothing fits and that cannot be confirmed, ask once more, carefully."""
        answer = self.ask(objective, part)
        leaf = self.close(objective, target, answer, part)
        if leaf is None and isinstance(answer, Infeasible):
            answer = self.ask(objective, part, careful=True)
            leaf = self.close(objective, target, answer, part)
        return leaf, answer

    def limit(self, objective: Ints, deadline: Deadline) -> int | None:
        """A number that the objective does not exceed, as far as one relaxation shows it."""
        answer = self.relaxation.maximise(objective.astype(float), deadline=deadline)
        if not isinstance(answer, Feasible) or abs(answer.value) > CERTAIN:
            return None
        leaf = self.close(objective, int(np.floor(answer.value + ALMOST)), answer)
        return None if leaf is None else leaf.certificate.limit

    def doubtful(self, among: Bools) -> Bools:
        """Buckets that no witness fills and no lemma empties."""
        return among & ~self.pool.occupied & ~self.empty

    def bury(self, leaf: TreeLeaf) -> None:
        """All buckets that one bound shows to be empty are one lemma."""
        self.learn(Lemma(Form.count(self.emptied(leaf)), 0, leaf))

    def emptied(self, leaf: TreeLeaf) -> Ints:
        """All buckets that a bound on a sum of buckets shows to be empty, not only those of the sum.

        The rows of the bound add up to something that is never negative; a single record where it is more than the total
        would already be too much.
        """
        certificate = leaf.certificate
        made = made_of(self.system, certificate)
        if (made[~self.empty] < 0).any():
            return np.zeros(0, dtype=np.int64)
        return np.flatnonzero((made > certificate.total) & ~self.empty)

    def take(self, answer: Answer) -> Witness | None:
        """Add a relaxed point to the pool if it is whole."""
        if isinstance(answer, Feasible) and whole(answer):
            witness = rounded(answer)
            if self.pool.add(witness):
                return witness
        return None


def _meet(one: Limits, other: Limits) -> Limits:
    lows = [limits[0] for limits in (one, other) if limits[0] is not None]
    highs = [limits[1] for limits in (one, other) if limits[1] is not None]
    return max(lows, default=None), min(highs, default=None)
