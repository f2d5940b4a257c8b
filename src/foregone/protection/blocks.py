"""Many releases, asked about one choice of tables: in this process, or by several that each look after some of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from foregone.protection.block import Block, Look
from foregone.protection.problem import Problem
from foregone.solvers.deadline import Deadline


class Blocks(Protocol):
    """Answers in the order of the numbers. The same questions in the same order have the same answers, whoever works."""

    def look(self, numbers: Sequence[int], taken: frozenset[int], deadline: Deadline) -> list[Look]: ...

    def breaches(self, numbers: Sequence[int], taken: frozenset[int], deadline: Deadline) -> list[int | None]: ...


class Here:
    """In this process, one after the other."""

    def __init__(self, problems: Sequence[Problem], max_records: int) -> None:
        self._blocks = [Block(problem, max_records) for problem in problems]

    def look(self, numbers: Sequence[int], taken: frozenset[int], deadline: Deadline) -> list[Look]:
        return [self._blocks[number].look(taken, deadline) for number in numbers]

    def breaches(self, numbers: Sequence[int], taken: frozenset[int], deadline: Deadline) -> list[int | None]:
        return [self._blocks[number].breaches(taken, deadline) for number in numbers]
