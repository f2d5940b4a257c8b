"""The cheapest protection and a proof that none is cheaper: implicit hitting sets.

Every explanation found so far must be met by an action; the cheapest choice that does so is a lower bound for every
protection. If the policy holds after that choice, nothing cheaper exists. If not, it is explained why, several times: after
each explanation an action that meets it is taken for the moment, so that the next ones have other reasons. What is taken when
no explanation is left is a protection, and an upper bound.

Where it is quicker to see that a choice is safe than to explain why another is not, as with whole tables, some protections are
guessed before: they are bounds from above and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from math import ceil

import numpy as np

from foregone.protection.attack import Attacker, BreachExplanation, Outcome, Safe, Unsure, ask
from foregone.protection.problem import NONE, Problem
from foregone.solvers.cover import Covering
from foregone.solvers.deadline import Deadline

MET = 1 - 1e-6  # a set of which the relaxation takes so much is as good as met
PATIENCE, GAIN = 3, 0.002  # rounds of cuts that have to raise the relaxed cost by this share
BOUND_SECONDS = 3.0  # to bound the cost from the explanations found, when the time is over
FEW, HALF = 2, 0.5 - 1e-6  # rounds of cuts before a first protection, and how much of an action it begins with
MORE = 20  # rounds that look for a better one among equally cheap choices
SLACK = 0.1  # a protection is made smaller when it costs at most this much more than the best

Watch = Callable[[int, int | None], None]  # told the lower and the upper bound when one of them has changed
Guesses = Callable[[Deadline], Iterator[frozenset[int]]]  # protections that are found without explanations, better and better
Late = Callable[[Deadline], frozenset[int]]  # actions that are tried last: after them much more is possible, and looking takes long


@dataclass(frozen=True, slots=True)
class Share:
    """What was found for one of several parts that have no action in common: the actions, which explanations, by their places, and
    a lower bound of its own.
    """

    actions: tuple[int, ...]
    explanations: range
    lower: int


@dataclass
class Found:
    """What is known so far: no protection costs less than `lower`; `taken` is one that costs `upper`."""

    lower: int = 0
    upper: int | None = None
    taken: frozenset[int] = frozenset()
    explanations: list[BreachExplanation] = field(default_factory=list)
    impossible: BreachExplanation | None = None  # broken whatever is done
    reason: str = ""  # why it ended before the bounds met
    stopped: bool = False  # somebody waits for it to end
    rounds: int = 0
    apart: tuple[Share, ...] = ()  # where parts were searched one after another: what each has of all this

    @property
    def optimal(self) -> bool:
        return self.upper is not None and self.lower >= self.upper


class ChoiceSearch:
    """Choices are compared by weight: what they cost, and among equally cheap ones how much of what people read first is gone."""

    def __init__(
        self,
        problem: Problem,
        attacker: Attacker,
        deadline: Deadline,
        watch: Watch | None = None,
        guesses: Guesses | None = None,
        late: Late | None = None,
    ) -> None:
        self.problem, self.attacker, self.deadline = problem, attacker, deadline
        self.watch = watch or (lambda *_: None)
        self.guesses = guesses or (lambda _: iter(()))
        self.late = late or (lambda _: NONE)
        self.covering = Covering(problem.weights)
        for a in sorted(problem.must):
            self.covering.add([a])
        self.found = Found()
        self._least = 0  # no protection weighs less
        self._uses = [0] * len(problem.actions)
        self._more = MORE
        self._started: bool | None = None  # whether there is something to search for

    def run(self) -> Found:
        """Until the bounds meet, the time is over or somebody stops it: then what is known is returned all the same."""
        try:
            if self.start():
                # a first protection comes before cuts that take long, so that whoever stops early has one
                self._guess()
                self._without(self.late(self.deadline))
                self._cut(deep=False, rounds=FEW)
                self._rounded()
                self._cut(deep=False)
                if not self._done() and self._round():
                    self._cut(deep=True)
                    while not self._done() and self._round():
                        pass
        except KeyboardInterrupt:
            self.found.stopped = True
        if self.found.optimal:
            self.found.reason = ""
        elif self.found.impossible is None:
            self._bound()
        if self.found.stopped:
            self.found.reason = "stopped"
        return self.found

    def _done(self) -> bool:
        """Nothing costs less, and nothing that costs as much is better, or that was looked for long enough."""
        found = self.found
        if not found.optimal:
            return False
        self._more -= 1
        return self._more < 0 or self._least >= self.problem.weight(found.taken)

    def _bound(self) -> None:
        """What every explanation found so far costs at least to meet: whoever stops in the middle of a round is told that, too."""
        try:
            covering = Covering(self.problem.costs)  # a new one: the other may have been left in the middle of something
            for items, given in zip(self.covering.sets, self.covering.given, strict=False):
                covering.add(items, given)
            least = covering.least(Deadline.after(BOUND_SECONDS))
        except KeyboardInterrupt:  # somebody does not want to wait for it: what was known before holds as well
            self.found.stopped = True
            return
        self._raise(least if self.found.upper is None else min(least, self.found.upper))

    def start(self, nothing: bool = False) -> bool:
        """Is everything that may be done enough? If so, that is a first protection. It is found out once; with `nothing`, first
        whether anything has to be done at all.
        """
        if self._started is None and nothing and self.attacker.safe((), self.deadline):
            self.found.upper, self._started = 0, False
        if self._started is None:
            self._started = self._start()
        return self._started

    def _start(self) -> bool:
        everything = set(range(len(self.problem.actions)))
        outcome = self._explain(everything, grow=False)
        if self.found.impossible is not None:
            return False
        if isinstance(outcome, Unsure):
            self.found.reason = outcome.reason
            return bool(self.covering.sets)  # less may be enough where everything is not
        self.found.upper, self.found.taken = self.problem.cost(everything), frozenset(everything)
        self.watch(self.found.lower, self.found.upper)
        return True

    def _guess(self) -> None:
        """Protections that are found by looking alone, and the last of them without what it does not need."""
        choice = None
        for choice in self.guesses(self.deadline):
            self._keep(choice)
        if choice is not None:
            self._better(choice)

    def _without(self, late: frozenset[int]) -> None:
        """Look for a better protection among choices without some actions, of which the best so far has none. What is explained
        on the way holds for all choices; what the cheapest of these costs is no bound.
        """
        if not late or late & self.found.taken:
            return
        covering, known = Covering(self.problem.weights), 0
        while not self.found.optimal:
            for items, given in zip(self.covering.sets[known:], self.covering.given[known:], strict=True):
                if not items - late and not given:
                    return  # nothing else is enough
                if not given & late:  # else it says nothing about these choices
                    covering.add(items - late, given)
            known = len(self.covering.sets)
            choice = covering.cheapest(self.deadline)
            if choice is None or choice.bound >= self.problem.weight(self.found.taken) or self.deadline.passed():
                return
            taken = set(choice.chosen)
            if isinstance(self._explain(taken), Safe):
                self._better(taken)
            if len(self.covering.sets) == known:
                return

    def _rounded(self) -> None:
        """A protection from what the relaxed covering problem takes half of or more, and what that needs besides."""
        relaxed = None if self.found.optimal else self.covering.relaxed(self.deadline)
        if relaxed is None:
            return
        taken = set(np.flatnonzero(relaxed[0] >= HALF).tolist())
        if isinstance(self._explain(taken), Safe):
            self._better(taken)

    def _cut(self, deep: bool, rounds: int | None = None) -> None:
        """Explanations that the relaxed covering problem does not meet, as long as they raise its cost."""
        costs: list[float] = []
        while not self.deadline.passed() and not self.found.optimal and (rounds is None or len(costs) < rounds):
            relaxed = self.covering.relaxed(self.deadline)
            if relaxed is None:
                return
            point, _ = relaxed
            costs.append(sum(weight * part for weight, part in zip(self.problem.weights, point.tolist(), strict=True)))
            self._weigh(ceil(costs[-1] - 1e-6 * (1 + costs[-1])))
            if self.found.optimal:  # the bounds have met: more cuts would prove what is known
                return
            if len(costs) > PATIENCE and costs[-1] < costs[-1 - PATIENCE] * (1 + GAIN):
                return
            before = len(self.covering.sets)
            for explanation in self.attacker.cuts(point, deep, self.deadline):
                if sum(point[a] for a in explanation.clause) < MET:
                    self._add(explanation)
            if len(self.covering.sets) == before:
                return

    def _round(self) -> bool:
        """One choice and what is wrong with it; False when there is nothing more to do."""
        found = self.found
        found.rounds += 1
        choice = self.covering.cheapest(self.deadline)
        if self.covering.impossible:
            found.impossible = found.explanations[-1]
            return False
        if choice is None or self.deadline.passed():
            found.reason = found.reason or "the time limit was reached"
            return False
        self._weigh(choice.bound)
        taken, before = set(choice.chosen), len(self.covering.sets)
        outcome = self._explain(taken)
        if isinstance(outcome, Unsure):
            found.reason = outcome.reason
            return len(self.covering.sets) > before and not self.deadline.passed()
        if isinstance(outcome, Safe):
            self._better(taken)
        if len(self.covering.sets) == before and not found.optimal:
            found.reason = "the covering problem could not be solved to the end"
            return False
        return True

    def _weigh(self, least: int) -> None:
        """No protection weighs less, so none costs less than what is left of that without its last part."""
        self._least = max(self._least, least)
        self._raise(least // self.problem.scale)

    def _raise(self, bound: int) -> None:
        if bound > self.found.lower:
            self.found.lower = bound
            self.watch(bound, self.found.upper)

    def _explain(self, taken: set[int], grow: bool = True) -> Outcome:
        """Ask for explanations until the policy holds; `taken` grows with them."""

        def each(explanation: BreachExplanation) -> None:
            if not explanation.clause and not explanation.given:
                self.found.impossible = explanation
                return
            assert grow or not explanation.clause, "an action of the clause is taken already; please report this release"
            self._add(explanation)  # without a clause nothing more helps, but less may
            if explanation.clause and not explanation.clause & taken:  # several may be found at once, and one action meet them all
                # what the best protection so far takes is known to help; what is cheap may not, and the next explanation be longer
                helps = explanation.clause & self.found.taken or explanation.clause
                taken.add(min(helps, key=lambda a: (self.problem.weights[a], -self._uses[a], a)))

        return ask(self.attacker.explanations(taken, self.deadline), each)

    def _add(self, explanation: BreachExplanation) -> None:
        if self.covering.add(explanation.clause, explanation.given):
            self.found.explanations.append(explanation)
            for a in explanation.clause:
                self._uses[a] += 1

    def _better(self, taken: Iterable[int]) -> None:
        """A protection: leave out what it does not need, if it is worth it, and keep it if it is the best."""
        kept, found = set(taken), self.found
        before = found.upper
        self._keep(kept)  # whoever stops while it is made smaller has it
        if before is None or self.problem.cost(kept) <= found.lower + (1 + SLACK) * (before - found.lower):
            self._keep(self._dropped(kept))

    def _keep(self, taken: Iterable[int]) -> None:
        """A protection; the best so far is kept."""
        kept, found = frozenset(taken), self.found
        if found.upper is None or self.problem.weight(kept) < self.problem.weight(found.taken):
            found.upper, found.taken = self.problem.cost(kept), kept
            self.watch(found.lower, found.upper)

    def _dropped(self, taken: set[int]) -> set[int]:
        """Take back what is not needed, dearest first."""
        for a in sorted(taken, key=lambda a: (-self.problem.weights[a], -a)):
            if self._least >= self.problem.weight(taken) or self.deadline.passed():
                break
            if a in self.problem.must or any(e.clause & taken == {a} and e.given <= taken - {a} for e in self.found.explanations):
                continue  # an explanation needs it
            if self.attacker.safe(taken - {a}, self.deadline):
                taken.discard(a)
        return taken

    def alternatives(self, number: int, deadline: Deadline) -> list[frozenset[int]]:
        """The next best choices that also protect, each without at least one action of every choice before it."""
        found: list[frozenset[int]] = []
        for _ in range(number if self.found.taken else 0):  # every choice holds all actions of one that does nothing
            self.covering.forbid(found[-1] if found else self.found.taken)
            other = self._other(deadline)
            if other is None:
                break
            found.append(other)
        return found

    def _other(self, deadline: Deadline) -> frozenset[int] | None:
        self.deadline = deadline
        while not deadline.passed():
            choice = self.covering.cheapest(deadline)
            if choice is None:
                return None
            before = len(self.covering.sets)
            outcome = self._explain(set(choice.chosen))
            if len(self.covering.sets) == before:
                return choice.chosen if isinstance(outcome, Safe) else None
        return None
