"""Many releases, asked about one choice of tables: in this process, or by several that each look after some of them.

A release always belongs to the same process and is asked the same questions in the same order, so that the answers do not
depend on the number of processes. One that dies takes what it knew with it: its releases stay undecided from then on.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection
from typing import Any, Protocol

from foregone.model.errors import InputError
from foregone.protection.attack import Unsure
from foregone.protection.block import Block, Look
from foregone.protection.problem import Problem
from foregone.solvers.deadline import Deadline
from foregone.workers.pool import WorkerProcess

DEAD = Unsure("a worker process died, perhaps for lack of memory")


class Blocks(Protocol):
    """Answers in the order of the numbers."""

    def look(self, numbers: Sequence[int], taken: frozenset[int], deadline: Deadline) -> list[Look]:
        """What is wrong with some releases after some actions."""
        ...

    def breaches(self, numbers: Sequence[int], taken: frozenset[int], deadline: Deadline) -> list[int | None]:
        """In how many ways each of them breaks the policy."""
        ...

    def close(self) -> None: ...


class Here:
    """In this process, one after the other."""

    def __init__(self, problems: Sequence[Problem], max_records: int) -> None:
        self._blocks = [Block(problem, max_records) for problem in problems]

    def look(self, numbers: Sequence[int], taken: frozenset[int], deadline: Deadline) -> list[Look]:
        return [self._blocks[number].look(taken, deadline) for number in numbers]

    def breaches(self, numbers: Sequence[int], taken: frozenset[int], deadline: Deadline) -> list[int | None]:
        return [self._blocks[number].breaches(taken, deadline) for number in numbers]

    def close(self) -> None:
        """Nothing is open."""


class Elsewhere:
    """By several processes; release i belongs to process i modulo their number."""

    def __init__(self, problems: Sequence[Problem], max_records: int, workers: int) -> None:
        self._workers: list[WorkerProcess] = []
        try:
            for w in range(workers):
                mine = {number: problem for number, problem in enumerate(problems) if number % workers == w}
                self._workers.append(WorkerProcess(partial(_serve, mine, max_records)))
        except BaseException:
            self.close()
            raise

    def look(self, numbers: Sequence[int], taken: frozenset[int], deadline: Deadline) -> list[Look]:
        return self._asked("look", numbers, taken, deadline, Look((), DEAD, False))

    def breaches(self, numbers: Sequence[int], taken: frozenset[int], deadline: Deadline) -> list[int | None]:
        return self._asked("breaches", numbers, taken, deadline, None)

    def _asked(self, what: str, numbers: Sequence[int], taken: frozenset[int], deadline: Deadline, dead: Any) -> list[Any]:
        for number in numbers:
            self._workers[number % len(self._workers)].send((what, number, taken, deadline.left()))
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
            what, number, taken, left = pipe.recv()
            deadline = Deadline.after(None if left == float("inf") else left)
            block = blocks[number]
            try:
                pipe.send(("found", block.look(taken, deadline) if what == "look" else block.breaches(taken, deadline)))
            except InputError as error:
                pipe.send(("wrong", error))
