"""An organisation's limits: which certain facts it cannot accept, and which a person must look at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from foregone.formats.policy import read_policies
from foregone.model.policy import Policy
from foregone.model.sentences import plural
from foregone.pages.ranking import RankedFact

NEVER = 1 << 30  # more columns than any claim has


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
    """The limits that a policy file sets for claims; what else it forbids is not about claims."""
    policies = read_policies(path)
    return Thresholds(_limit(policies.fail), _limit(policies.review))


def _limit(policy: Policy) -> Limit:
    columns = NEVER if policy.singled_out_columns is None else policy.singled_out_columns
    return Limit(columns, policy.smallest_group, policy.largest_baseline)
