"""Where the marks of each picture go; the template draws them as SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import floor, log10

from foregone.report.findings import Finding

WIDTH = 360
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
        return cls(label, value, value / largest if largest else 0.0, marked / value if value else 0.0, marked, compact(value))


@dataclass(frozen=True, slots=True)
class Dot:
    x: float
    y: float
    label: str


@dataclass(frozen=True, slots=True)
class Scatter:
    dots: tuple[Dot, ...]
    ticks: tuple[tuple[float, str], ...]
    rows: tuple[tuple[float, str], ...]
    height: int


def by_columns(every: Mapping[int, int], single: Mapping[int, int]) -> list[Bar]:
    """Certain claims by number of columns; the part about exactly one record is marked."""
    largest = max(every.values(), default=1)
    return [Bar.of(str(k), n, largest, single.get(k, 0)) for k, n in sorted(every.items())][:MOST_BARS]


def exposed(counts: Mapping[str, int], titles: Mapping[str, str]) -> list[Bar]:
    """For each column, how many singled-out facts tell its value."""
    order = {name: i for i, name in enumerate(titles)}
    largest = max(counts.values(), default=1)
    ranked = sorted(titles, key=lambda name: (-counts.get(name, 0), order[name]))
    return [Bar.of(titles[name], counts.get(name, 0), largest) for name in ranked][:MOST_BARS]


def chances(found: Sequence[Finding]) -> Scatter | None:
    """Baseline probability of each singled-out fact, on a scale of powers of ten, one row per number of columns."""
    ones = [(i, finding) for i, finding in enumerate(found, start=1) if finding.count == 1 and finding.baseline is not None]
    if not ones:
        return None
    logs = [log10(max(finding.baseline or 0.0, FLOOR)) for _, finding in ones]
    least = min(-1, floor(min(logs)))
    rows = sorted({finding.columns for _, finding in ones}, reverse=True)
    left, right, pitch = 36, WIDTH - 16, 24

    def across(power: float) -> float:
        return round(left + (power - least) / -least * (right - left), 1)

    dots = tuple(
        Dot(across(power), 16 + pitch * rows.index(finding.columns), f"fact {i}: {chance_text(finding.baseline)}")
        for (i, finding), power in zip(ones, logs, strict=True)
    )
    stride = max(1, -least // 4)
    ticks = tuple(
        (across(power), "1" if power == 0 else "10" + str(power).translate(RAISED)) for power in range(0, least - 1, -stride)
    )
    return Scatter(dots, ticks, tuple((16.0 + pitch * i, str(k)) for i, k in enumerate(rows)), 16 + pitch * len(rows) + 24)


def compact(value: int) -> str:
    """A number short enough to stand above a bar.

    >>> compact(1364), compact(52_310), compact(999_999), compact(1_250_000), compact(88_000_000_000)
    ('1,364', '52k', '1M', '1.2M', '88G')
    """
    if value < 10_000:
        return f"{value:,}"
    for unit, size in (("k", 10**3), ("M", 10**6), ("G", 10**9)):
        if value < 999.5 * size or unit == "G":
            return f"{value / size:.2g}{unit}" if value < 9.95 * size else f"{value / size:.0f}{unit}"
    raise AssertionError


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
