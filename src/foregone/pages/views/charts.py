"""Where the marks of each picture go; the template draws them as SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import floor, log10

from foregone.pages.ranking import RankedFact

WIDTH, LEFT, RIGHT = 360, 36, 16  # of a picture and its margins
PITCH = 24  # between two rows
MOST_BARS = 20
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
FLOOR = 1e-12  # smaller chances are drawn here


@dataclass(frozen=True, slots=True)
class Bar:
    """`size` is its share of the longest bar, `part` the share of that which is marked."""

    label: str
    value: int
    size: float
    part: float = 0.0
    marked: int = 0
    text: str = ""  # the value as it is shown

    @classmethod
    def of(cls, label: str, value: int, largest: int, marked: int = 0) -> Bar:
        return cls(label, value, value / largest if largest else 0.0, marked / value if value else 0.0, marked, f"{value:,}")


@dataclass(frozen=True, slots=True)
class Scatter:
    """Dots, each with a label; marks below them, and rows beside them."""

    dots: tuple[tuple[float, float, str], ...]
    ticks: tuple[tuple[float, str], ...]
    rows: tuple[tuple[float, str], ...]
    height: int


def by_attributes(every: Mapping[int, int], single: Mapping[int, int]) -> list[Bar]:
    """Facts by number of attributes; the part about exactly one record is marked."""
    largest = max(every.values(), default=1)
    return [Bar.of(str(k), n, largest, single.get(k, 0)) for k, n in sorted(every.items())][:MOST_BARS]


def exposed(counts: Mapping[str, int], titles: Mapping[str, str]) -> list[Bar]:
    """For each column, how many of the facts tell its value."""
    order = {name: i for i, name in enumerate(titles)}
    largest = max(counts.values(), default=1)
    ranked = sorted(titles, key=lambda name: (-counts.get(name, 0), order[name]))
    return [Bar.of(titles[name], counts.get(name, 0), largest) for name in ranked][:MOST_BARS]


def chances(facts: Sequence[RankedFact]) -> Scatter | None:
    """Baseline probability of each singled-out fact, on a scale of powers of ten, one row per number of attributes."""
    ones = [(i, fact) for i, fact in enumerate(facts, start=1) if fact.count == 1 and fact.baseline is not None]
    if not ones:
        return None
    least = min(-1, floor(log10(max(min(fact.baseline or 0.0 for _, fact in ones), FLOOR))))  # the power of ten at the left end

    def across(chance: float) -> float:
        return round(LEFT + (log10(max(chance, FLOOR)) - least) / -least * (WIDTH - RIGHT - LEFT), 1)

    heights = {k: 16 + PITCH * i for i, k in enumerate(sorted({fact.attributes for _, fact in ones}, reverse=True))}
    dots = tuple(
        (across(fact.baseline or 0.0), heights[fact.attributes], f"fact {i}: {chance_text(fact.baseline)}") for i, fact in ones
    )
    powers = range(0, least - 1, -max(1, -least // 4))
    ticks = tuple((across(10.0**power), "10" + str(power).translate(RAISED) if power else "1") for power in powers)
    return Scatter(dots, ticks, tuple((float(y), str(k)) for k, y in heights.items()), 16 + PITCH * len(heights) + 24)


def chance_text(chance: float | None) -> str:
    """
    >>> chance_text(0.0312), chance_text(4e-7), chance_text(0.0), chance_text(None)
    ('3.1 %', '1 in 2,500,000', '0', '')
    """
    if chance is None:
        return ""
    if chance == 0:
        return "0"
    if chance >= 0.01:
        return f"{100 * chance:.2g} %"
    odds = 1 / chance
    scale = 10 ** max(0, floor(log10(odds)) - 1)
    return f"1 in {round(odds / scale) * scale:,}"
