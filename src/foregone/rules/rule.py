"""A release rule: how a true count is shown in a table, and so what a shown value can mean."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from random import Random

from foregone.model.marks import ranges_text


@dataclass(frozen=True, slots=True)
class CountRange:
    """The counts that something shown can stand for: low to high, both included (None: no upper limit).

    >>> CountRange(1, 7).text, CountRange(8, 8).text, CountRange(0).text
    ('1..7', '8', '0..')
    """

    low: int
    high: int | None = None

    @property
    def text(self) -> str:
        """As `--token` takes it."""
        return ranges_text(((self.low, self.high),))

    def meets(self, other: CountRange) -> bool:
        """Is some count in both ranges?"""
        return (self.high is None or other.low <= self.high) and (other.high is None or self.low <= other.high)

    def with_(self, other: CountRange) -> CountRange:
        """The smallest range that holds both."""
        high = None if self.high is None or other.high is None else max(self.high, other.high)
        return CountRange(min(self.low, other.low), high)


def added(ranges: Iterable[CountRange]) -> CountRange:
    """What a total can be if its parts lie in these ranges.

    >>> added([CountRange(1, 4), CountRange(10, 10)]).text, added([CountRange(1, 4), CountRange(5)]).text
    ('11..14', '6..')
    """
    parts = list(ranges)
    highs = [part.high for part in parts if part.high is not None]
    return CountRange(sum(part.low for part in parts), sum(highs) if len(highs) == len(parts) else None)


class Totals(StrEnum):
    """What a rule does to totals."""

    OWN = "own"
    GRAND_EXACT = "grand exact"
    SUM = "sum"


@dataclass(frozen=True, slots=True)
class Band:
    """Counts from `first` to `last` (None: and all above) and how they are shown; rules.toml explains the keys."""

    first: int
    last: int | None = None
    shows: str = ""
    base: int = 1
    ties: str = "up"
    middle: int = 0
    noise: int = 0
    least: int = 0

    @property
    def chance(self) -> bool:
        return self.noise > 0 or self.ties == "random"

    def holds(self, count: int) -> bool:
        return self.first <= count and (self.last is None or count <= self.last)

    def all_shown(self, count: int) -> tuple[str, ...]:
        """Everything that may stand in the cell for this count; several things where chance decides."""
        if self.shows:
            return (self.shows,)
        if self.middle:
            return (str(-(-count // self.middle) * self.middle - self.middle // 2),)
        if self.noise:
            near = range(max(count - self.noise, 0), count + self.noise + 1)
            return tuple(str(n) for n in near if n == 0 or n >= self.least)
        below = count // self.base * self.base
        twice = 2 * (count - below)
        if twice == 0:
            return (str(count),)
        if self.ties == "random":
            return str(below), str(below + self.base)
        up = twice > self.base or (twice == self.base and (self.ties == "up" or below // self.base % 2 == 1))
        return (str(below + self.base if up else below),)

    def behind(self, number: int) -> CountRange | None:
        """The counts of this band that can be shown as the number; None when there are none."""
        # every way of showing a number moves it by less than this
        reach = self.noise or self.middle or self.base
        low, high = max(self.first, number - reach), number + reach if self.last is None else min(self.last, number + reach)
        shown = str(number)
        fitting = [n for n in range(low, high + 1) if shown in self.all_shown(n)]
        return CountRange(fitting[0], fitting[-1]) if fitting else None


@dataclass(frozen=True, slots=True)
class Rule:
    """How counts are shown, band by band, and what further tokens mean (None: there is no number).

    >>> from foregone.rules.registry import find_rule
    >>> hospital = find_rule("nhs-hes")
    >>> hospital.meaning("*").text, hospital.meaning("10").text, hospital.meaning("5")
    ('1..7', '8..12', None)
    """

    name: str
    title: str
    bands: tuple[Band, ...]
    note: str = ""
    source: str = ""
    totals: Totals = Totals.OWN
    also: tuple[tuple[str, CountRange | None], ...] = ()
    exact_numbers: bool = False

    @property
    def chance(self) -> bool:
        """Does chance decide what is shown?"""
        return any(band.chance for band in self.bands)

    @property
    def rounds(self) -> bool:
        """Can a number that is shown stand for another count?"""
        return any(band.base > 1 or band.middle or band.noise or band.shows.isdigit() for band in self.bands)

    @property
    def tokens(self) -> dict[str, CountRange | None]:
        """Everything but numbers that the rule shows, and what it can mean; None: there is no number."""
        found: dict[str, CountRange | None] = {}
        for band in self.bands:
            if band.shows and not band.shows.isdigit():
                found[band.shows] = CountRange(band.first, band.last)
        return {**found, **dict(self.also)}

    def meaning(self, shown: str) -> CountRange | None:
        """The counts that a shown number or token can stand for; None when the rule never shows it, or shows it for no number."""
        if not (shown.isascii() and shown.isdigit()):
            return self.tokens.get(shown)
        number = int(shown)
        found = [CountRange(band.first, band.last) for band in self.bands if band.shows == shown]
        found += [some for band in self.bands if not band.shows and (some := band.behind(number)) is not None]
        if not found:
            return CountRange(number, number) if self.exact_numbers else None
        whole = found[0]
        for some in found[1:]:
            whole = whole.with_(some)
        return whole

    def show(self, count: int, random: Random) -> str:
        """What stands in the cell for a count."""
        band = next(band for band in self.bands if band.holds(count))
        shown = band.all_shown(count)
        if len(shown) > 1 and band.ties == "random":
            below = int(shown[0])
            # unbiased: the nearer neighbour is the likelier one
            return shown[random.random() < (count - below) / band.base]
        return random.choice(shown) if len(shown) > 1 else shown[0]

    def examples(self) -> Iterator[tuple[str, str]]:
        """What is shown and what it means, for people: tokens first, then the first few numbers, the impossible ones too."""
        yield from ((token, "no number" if counts is None else counts.text) for token, counts in self.tokens.items())
        step = max(1, min((band.base for band in self.bands if band.base > 1), default=1))
        start = max((band.first for band in self.bands if band.first <= 100), default=0)
        numbers = dict.fromkeys([*range(8), *range(0, 4 * step + 1, step), start, start + 1])
        for number in sorted(numbers):
            counts = self.meaning(str(number))
            yield str(number), "impossible" if counts is None else counts.text


def is_mark(shown: str, counts: CountRange) -> bool:
    """Is what is shown a mark in place of a number? Rounded numbers are none, nor is 100+, which tells that there are many.

    >>> is_mark("*", CountRange(1, 4)), is_mark("10", CountRange(8, 12)), is_mark("100+", CountRange(100))
    (True, False, False)
    """
    number = shown[:1].isdigit() and (shown.replace(",", "").replace(".", "").isdigit() or counts.high is None)
    return bool(shown) and counts.low != counts.high and not number
