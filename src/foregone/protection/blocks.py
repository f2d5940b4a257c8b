"""Many releases, asked about one choice of tables: in this process, or by several that each look after some of them.

A release always belongs to the same process and is asked the same questions in the same order, so that the answers do not
depend on the number of processes. One that dies takes what it knew with it: its releases stay undecided from then on.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from multiprocessing.connection import Connection
from typing import Any

from foregone.engine import MAX_RECORDS, Case
from foregone.model.errors import ForegoneError
from foregone.protection.attack import BreachExplanation, Outcome, Safe, Unsure, ask
from foregone.protection.exact import ClaimAttacker, ExactAttacker
from foregone.protection.first import last_of
from foregone.protection.problem import Problem
from foregone.protection.refuting import Refuter
from foregone.solvers.deadline import Deadline
from foregone.workers.pool import WorkerProcess

DEAD = Unsure("a worker process died, perhaps for lack of memory")
MOST_LEARNT = 15  # datasets taken from one audit


@dataclass(frozen=True, slots=True)
class Look:
    """What was seen: why more has to be withheld, and what is left to say after that. `lasting`: what is safe stays so, whatever
    else is withheld.
    """

    explanations: tuple[BreachExplanation, ...]
    outcome: Outcome
    lasting: bool = True

    @property
    def briefly(self) -> Look:
        """Without the numbers that show it, which no other process needs."""
        return replace(self, explanations=tuple(replace(found, needed=()) for found in self.explanations))


class Block:
    """One of many releases: what is wrong with it after some actions, as far as what was found out before does not tell already.
    It has an attacker, the choices it was safe under, and datasets that refute claims.
    """

    def __init__(self, problem: Problem, max_records: int = MAX_RECORDS) -> None:
        self.problem = problem
        self._attacker = ExactAttacker(problem, max_records)
        self._refuter = Refuter(problem)
        self._safe: list[frozenset[int]] = []  # choices that it is safe under, and under more, too
        self._now: set[frozenset[int]] = set()  # choices that it is safe under, perhaps not under more
        self._own = frozenset(a for a, action in enumerate(problem.actions) if action.numbers)  # others do nothing here
        self._claims: ClaimAttacker | None = None
        for part in self._attacker.parts:
            if isinstance(part, ClaimAttacker):
                self._claims = part
                part.told = self._learn if self._refuter.applies else None

    def _learn(self, case: Case) -> None:
        self._refuter.learn(map(case.dataset, range(max(0, len(case.pool) - MOST_LEARNT), len(case.pool))))

    def _found_safe(self, taken: frozenset[int]) -> bool:
        """Keep in mind what was just found safe; does it stay so when more is withheld?"""
        # withholding more can bring about what is forbidden of attributes and of cells that are not shown
        steady = not self.problem.policy.attribute and not self.problem.policy.stars
        lasting = steady and (self._claims is None or self._claims.strictly)
        if lasting:
            self._safe.append(taken)
        else:
            self._now.add(taken)
        return lasting

    def _lasting(self, taken: frozenset[int]) -> bool:
        """Is it known without any work that nothing is wrong, whatever else is withheld?"""
        if any(known <= taken for known in self._safe):
            return True
        if self._refuter.refuted(taken):
            self._safe.append(taken)
            return True
        return False

    def look(self, taken: frozenset[int], known: frozenset[int], deadline: Deadline) -> Look:
        """Why the policy is broken after some actions: several reasons that have no table in common, if possible. Where one of
        several actions has to be taken besides, it is one of a protection that is `known`. It ends where columns have begun to
        count and that protection is cheaper.
        """
        if self._lasting(taken):
            return Look((), Safe())
        if taken in self._now:
            return Look((), Safe(), False)
        seen: list[BreachExplanation] = []
        growing = set(taken)

        def each(found: BreachExplanation) -> None:
            # where the time is over, all that was taken is called needed for it
            seen.append(replace(found, given=found.given & self._own))
            if found.clause and not found.clause & growing:
                growing.add(min(found.clause & known or found.clause, key=lambda a: (self.problem.actions[a].cost, a)))

        most = self.problem.weight(known) if known else inf

        def dear() -> bool:
            # where columns have begun to count looking takes long; elsewhere more explanations are worth more than they take
            return any(found.given for found in seen) and self.problem.weight(growing) >= most

        outcome = ask(self._attacker.explanations(growing, deadline), each, dear)
        lasting = isinstance(outcome, Safe) and self._found_safe(frozenset(growing))
        return Look(tuple(seen), outcome, lasting)

    def breaches(self, taken: frozenset[int], deadline: Deadline) -> int | None:
        """In how many ways the policy is broken; None when that could not be decided."""
        if taken in self._now or self._lasting(taken):
            return 0
        found = self._attacker.breaches(taken, deadline)
        if found == 0:
            self._found_safe(taken)
        return found

    def mended(self, taken: frozenset[int], deadline: Deadline) -> frozenset[int] | None:
        """What is taken, and as little more as was easily found, so that nothing is wrong; None when nothing was found."""
        return last_of(self._attacker.mended(taken, lambda some: self.breaches(some, deadline) == 0, deadline))

    def steadying(self, taken: frozenset[int], deadline: Deadline) -> frozenset[int]:
        """Actions that are better left undone: after them a column may begin to count."""
        return self._attacker.steadying(taken, deadline)


class Blocks:
    """Many releases. With several `workers`, which are processes, release i belongs to number i modulo how many there are; one
    worker is this process. Answers come in the order of the numbers.
    """

    def __init__(self, problems: Sequence[Problem], max_records: int, workers: int) -> None:
        self._here = [Block(problem, max_records) for problem in problems] if workers < 2 else []
        self._workers: list[WorkerProcess] = []
        try:
            for w in range(workers if workers > 1 else 0):
                mine = {number: problem for number, problem in enumerate(problems) if number % workers == w}
                self._workers.append(WorkerProcess(partial(_serve, mine, max_records)))
        except BaseException:
            self.close()
            raise

    def look(self, numbers: Sequence[int], taken: frozenset[int], known: frozenset[int], deadline: Deadline) -> list[Look]:
        """What is wrong with some releases after some actions."""
        if self._here:
            return [self._here[number].look(taken, known, deadline) for number in numbers]
        return self._asked("look", numbers, (taken, known), deadline, Look((), DEAD, False))

    def breaches(self, numbers: Sequence[int], taken: frozenset[int], deadline: Deadline) -> list[int | None]:
        """In how many ways each of them breaks the policy."""
        if self._here:
            return [self._here[number].breaches(taken, deadline) for number in numbers]
        return self._asked("breaches", numbers, (taken,), deadline, None)

    def mended(self, numbers: Sequence[int], taken: frozenset[int], deadline: Deadline) -> list[frozenset[int] | None]:
        """For each of them what is taken, and more, so that nothing is wrong with it."""
        if self._here:
            return [self._here[number].mended(taken, deadline) for number in numbers]
        return self._asked("mended", numbers, (taken,), deadline, None)

    def steadying(self, numbers: Sequence[int], taken: frozenset[int], deadline: Deadline) -> list[frozenset[int]]:
        """For each of them actions after which a column may begin to count."""
        if self._here:
            return [self._here[number].steadying(taken, deadline) for number in numbers]
        return self._asked("steadying", numbers, (taken,), deadline, frozenset())

    def _asked(
        self, what: str, numbers: Sequence[int], choices: tuple[frozenset[int], ...], deadline: Deadline, dead: Any
    ) -> list[Any]:
        for number in numbers:
            self._workers[number % len(self._workers)].send((what, number, choices, deadline.left()))
        return [_answer(self._workers[number % len(self._workers)].pipe, dead) for number in numbers]

    def close(self) -> None:
        for worker in self._workers:
            worker.kill()
        self._workers = []


def _answer(pipe: Connection, dead: Any) -> Any:
    """The next answer, in the order of the questions; `dead` when the process is gone."""
    try:
        kind, value = pipe.recv()
    except (EOFError, OSError, pickle.UnpicklingError):
        return dead
    if kind == "wrong":
        raise value
    return value


def _serve(problems: dict[int, Problem], max_records: int, pipe: Connection) -> None:
    """The life of a worker: questions in, answers out, until the other end is closed."""
    with suppress(EOFError, OSError):
        blocks = {number: Block(problem, max_records) for number, problem in problems.items()}
        while True:
            what, number, choices, left = pipe.recv()
            deadline = Deadline.after(None if left == float("inf") else left)
            try:
                answer = getattr(blocks[number], what)(*choices, deadline)
                pipe.send(("found", answer.briefly if isinstance(answer, Look) else answer))
            except ForegoneError as error:
                pipe.send(("wrong", error))
