"""An organisation's limits: which certain facts it cannot accept, and which a person must look at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from foregone.formats.text import raise_all, read_text
from foregone.model.sentences import plural
from foregone.pages.ranking import RankedFact

KEYS = ("fewest_columns", "smallest_group", "largest_baseline")


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
            fact.columns >= self.fewest_columns
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
    """Read a thresholds file: `fail:` and `review:` with indented `key: number` lines; keys on their own belong to `fail`.

    Only this much of YAML is understood, so that no library is needed and nothing is guessed.
    """
    values: dict[str, dict[str, float]] = {"fail": {}, "review": {}}
    section, problems = "fail", []
    for row, line in enumerate(read_text(path).splitlines(), start=1):
        text = line.split(" #")[0].rstrip()
        if not text.strip() or text.lstrip().startswith("#") or text == "---":
            continue
        key, colon, value = (part.strip() for part in text.partition(":"))
        indented = text[0].isspace()
        if colon and key in values and not value and not indented:
            section = key
            continue
        section = section if indented else "fail"
        if not colon or key not in KEYS:
            problems.append(f"{path}, row {row}: {text.strip()!r} is not understood; use fail:, review:, {', '.join(KEYS)}")
        elif key in values[section]:
            problems.append(f"{path}, row {row}: {key} is given twice under {section}; keep one")
        else:
            problems += [f"{path}, row {row}: {problem}" for problem in _read(key, value, values[section])]
    raise_all(problems)
    return Thresholds(_limit(values["fail"], 3), _limit(values["review"], 1))


def _read(key: str, value: str, into: dict[str, float]) -> list[str]:
    try:
        number = float(value)
    except ValueError:
        return [f"{key} is {value!r}, a number was expected"]
    if key == "largest_baseline":
        if not 0 <= number <= 1:
            return [f"{key} is {value}, a probability from 0 to 1 was expected"]
    elif not (number >= 1 and number.is_integer()):
        return [f"{key} is {value}, a whole number from 1 up was expected"]
    into[key] = number
    return []


def _limit(values: dict[str, float], columns: int) -> Limit:
    fewest, group = int(values.get("fewest_columns", columns)), int(values.get("smallest_group", 2))
    return Limit(fewest, group, values.get("largest_baseline", 1.0))
