"""What may be published after some actions: an ordinary release in which withheld cells stay as rows that show nothing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from foregone.model.domain import Domain
from foregone.model.figure import Figure
from foregone.model.release import Number, Release
from foregone.model.statement import Statistic
from foregone.protection.problem import ActionKind, Left, Problem, weaken


def protected_release(problem: Problem, taken: Iterable[int], domain: Domain | None = None) -> Release:
    """The release after some actions, with what a reader knows of cells that are not shown as their limits. `domain` may declare
    groups of values that are named in nothing that is left.
    """
    numbers = [number for left in weaken(problem, taken) if (number := _published(problem, left)) is not None]
    used = {number.mark for number in numbers if isinstance(number, Statistic)}
    marks = {mark: meant for mark, meant in problem.release.domain.marks if mark in used}
    if problem.marking.mark and problem.marking.mark in used:
        marks[problem.marking.mark] = problem.marking.meaning
    return Release.publishing(
        replace(domain or problem.release.domain, marks=tuple(marks.items())), numbers, problem.release.rules
    )


def _published(problem: Problem, left: Left) -> Number | None:
    number = left.row.number
    if not left.changed:
        return number
    match number:
        case Statistic() if any(problem.actions[a].kind == ActionKind.TABLE for a in left.hit):
            return number.known(left.low or 0, left.high)  # with its table its mark is gone
        case Statistic() if left.high is None and (left.row.primary or not number.hidden):
            return replace(number.known(left.low or 0, None), mark=problem.marking.mark)
        case Statistic():
            return replace(number, low=left.low or 0, high=left.high, gaps=())
        case Figure():
            return number.not_shown
        case _:
            return None


def withheld_names(problem: Problem, taken: Iterable[int]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The cells that are not shown, and the tables that are withheld as a whole."""
    cells = tuple(left.row.number.label for left in weaken(problem, taken) if left.withheld or _gone(left))
    tables = tuple(problem.actions[a].name for a in sorted(taken) if problem.actions[a].kind == ActionKind.TABLE)
    return cells, tables


def _gone(left: Left) -> bool:
    return left.changed and left.row.count is None


def shown_numbers(problem: Problem, taken: Iterable[int]) -> int:
    """How many numbers other than 0 are shown after some actions, rounded or not; primary cells are withheld in any case."""
    return sum(not row.withheld and not _gone(row) and row.high != 0 for row in weaken(problem, taken))
