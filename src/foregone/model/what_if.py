"""What would be published if numbers were withheld, rounded, or not shown when they are small."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from foregone.model.domain import near
from foregone.model.errors import InputError
from foregone.model.figure import Figure
from foregone.model.shown import listed, shown
from foregone.model.statement import Statistic

if TYPE_CHECKING:
    from foregone.model.release import Release


LARGEST_BASE = 1_000_000_000  # that counts are rounded to; wider ranges are no tables


def hide(release: Release, names: Iterable[str]) -> Release:
    """The release with some numbers withheld, by their names or by the names of their tables."""
    wanted = list(names)
    rows: tuple[Statistic | Figure, ...] = (*release.statistics, *release.figures)
    known = dict.fromkeys(word for row in rows for word in (row.name, row.table) if word)
    unknown = [name for name in wanted if name not in known]
    among = listed(known)
    problems = [f"there is no number and no table called {shown(name)} ({among}){near(name, list(known))}" for name in unknown]
    if problems:
        raise InputError(problems)
    chosen = set(wanted)
    statistics = [s.known(0, None) if {s.name, s.table} & chosen else s for s in release.statistics]
    figures = [
        replace(f, low=None, high=None, value="", withheld=True) if {f.name, f.table} & chosen else f for f in release.figures
    ]
    return release.changed(statistics=statistics, figures=figures)


def shown_as(release: Release, base: int = 1, below: int = 0) -> Release:
    """The release with counts from 1 to `below` - 1 given as that range, and all others rounded to multiples of `base`.

    Numbers that are ranges already or not shown stay so; and so do sums, means and percentages.
    """
    if base < 1 or below < 0:
        raise InputError(f"counts cannot be rounded to multiples of {shown(base)} and hidden below {shown(below)}; use 1 or more")
    if max(base, below) > LARGEST_BASE:
        raise InputError(f"counts cannot be rounded to or hidden below {shown(max(base, below))}; use at most {LARGEST_BASE:,}")
    return release.changed(statistics=[_shown(s, base, below) for s in release.statistics])


def _shown(statistic: Statistic, base: int, below: int) -> Statistic:
    if statistic.open:
        return statistic
    low, high = range_shown(statistic.low, base, below)
    return replace(statistic, low=low, high=high)


def range_shown(count: int, base: int, below: int = 0) -> tuple[int, int]:
    """What a reader who knows both rules concludes from the cell that shows a count.

    >>> range_shown(3, 5, 0), range_shown(3, 1, 5), range_shown(6, 5, 6), range_shown(0, 5, 6), range_shown(12, 10, 0)
    ((3, 7), (1, 4), (6, 7), (0, 0), (5, 14))
    """
    if below > 1 and count < below:
        return (1, below - 1) if count else (0, 0)
    nearest = (2 * count + base) // (2 * base) * base
    low, high = (2 * nearest - base + 1) // 2, (2 * nearest + base + 1) // 2 - 1
    return max(low, below if below > 1 else 0), high
