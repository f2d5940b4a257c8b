"""An organisation's limits: which certain facts it cannot accept, and which a person must look at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import nan
from pathlib import Path

from foregone.formats.text import raise_all
from foregone.formats.toml import Settings, read_toml
from foregone.model.sentences import plural
from foregone.pages.ranking import RankedFact

KEYS = ("fewest_columns", "smallest_group", "largest_baseline")
MOST = 10**15  # no table counts so many
EXAMPLE = "[fail] on a line of its own, then fewest_columns = 3"


@dataclass(frozen=True, slots=True)
class Limit:
    """A fact is over the limit when it tells `fewest_columns` attributes or more, about fewer than `smallest_group`
    records, and would hold by chance with at most `largest_baseline`. A fact without a baseline counts as surprising.
    """

    fewest_columns: int = 1
    smallest_group: int = 2
    largest_baseline: float = 1.0

    def over(self, fact: RankedFact) -> bool:
        return (
            fact.attributes >= self.fewest_columns
            and fact.count < self.smallest_group
            and (fact.baseline is None or fact.baseline <= self.largest_baseline)
        )

    @property
    def words(self) -> str:
        chance = f", baseline at most {self.largest_baseline:g}" if self.largest_baseline < 1 else ""
        few = "a single record" if self.smallest_group == 2 else f"fewer than {self.smallest_group} records"
        return f"{self.fewest_columns} or more attributes of {few} known{chance}"


@dataclass(frozen=True, slots=True)
class Thresholds:
    fail: Limit = field(default_factory=lambda: Limit(fewest_columns=3))
    review: Limit = field(default_factory=Limit)


def judge(thresholds: Thresholds, found: Sequence[RankedFact], undecided: int) -> tuple[str, list[str]]:
    """pass, review or fail, and the reasons, worst first."""
    return outcome(thresholds, sum(map(thresholds.fail.over, found)), sum(map(thresholds.review.over, found)), undecided)


def outcome(
    thresholds: Thresholds, failed: int, looked: int, undecided: int, noun: str = "fact", unknown: str = ""
) -> tuple[str, list[str]]:
    """The same from numbers: how many facts are over each limit; `unknown` tells of releases nothing is known about."""
    reasons = []
    if failed:
        reasons.append(f"{failed:,} certain {_are(noun, failed)} over the fail limit ({thresholds.fail.words})")
    if looked:
        reasons.append(f"{looked:,} certain {_are(noun, looked)} over the review limit ({thresholds.review.words})")
    if undecided:
        reasons.append(f"{undecided:,} {plural(noun, undecided)} undecided: nobody knows yet whether they are certain")
    if unknown:
        reasons.append(unknown)
    return "fail" if failed else "review" if reasons else "pass", reasons


def _are(noun: str, count: int) -> str:
    return f"{plural(noun, count)} {'is' if count == 1 else 'are'}"


def read_thresholds(path: Path) -> Thresholds:
    """Read a thresholds file: TOML with the tables `fail` and `review`; keys outside a table belong to `fail`."""
    settings = read_toml(path, EXAMPLE)
    values: dict[str, dict[str, float]] = {"fail": {}, "review": {}}
    problems = []
    for name, content in settings.content.items():
        if name in values and isinstance(content, dict):
            problems += [problem for key, value in content.items() for problem in _read(settings, name, key, value, values[name])]
    for name, content in settings.content.items():
        if not isinstance(content, dict):
            problems += _read(settings, "", name, content, values["fail"])
        elif name not in values:
            problems.append(f"{settings.place('', name)}: [{name}] is not understood; use [fail] and [review]")
    raise_all(problems)
    return Thresholds(_limit(values["fail"], 3), _limit(values["review"], 1))


def _read(settings: Settings, table: str, key: str, value: object, into: dict[str, float]) -> list[str]:
    place = settings.place(key, table)
    if key not in KEYS:
        return [f"{place}: {key!r} is not understood; use {', '.join(KEYS)}, as in {EXAMPLE}"]
    if key in into:
        return [f"{place}: {key} is given here and under [fail]; keep one"]
    number, shown = _number(value), repr(value)[:40]
    if key == "largest_baseline":
        if not 0 <= number <= 1:
            return [f"{place}: {key} is {shown}, a probability from 0 to 1 was expected, such as {key} = 0.05"]
    elif not (number >= 1 and number.is_integer()):
        return [f"{place}: {key} is {shown}, a whole number from 1 up was expected, such as {key} = 3"]
    into[key] = number
    return []


def _number(value: object) -> float:
    """What is no number, or too large for a limit, is nothing that any key accepts."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return nan
    return float(value) if abs(value) < MOST else nan


def _limit(values: dict[str, float], columns: int) -> Limit:
    fewest, group = int(values.get("fewest_columns", columns)), int(values.get("smallest_group", 2))
    return Limit(fewest, group, values.get("largest_baseline", 1.0))
