"""An organisation's limits: which certain facts it cannot accept, and which a person must look at."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from foregone.formats.policy import read_policies
from foregone.model.audit import Fact
from foregone.model.intervals import Interval
from foregone.model.policy import Policy, Primary
from foregone.model.sentences import plural
from foregone.model.statement import Statistic
from foregone.pages.ranking import RankedFact
from foregone.protection.claims import breaches_of

NEVER = 1 << 30  # more columns than any claim has
DEFAULT = "default"  # where a limit comes from that nobody set
GIVEN = "given"  # by whoever called


@dataclass(frozen=True, slots=True)
class Limit:
    """A fact is over the limit when it tells `fewest_columns` attributes or more, about fewer than `smallest_group`
    records, and would hold by chance with at most `largest_baseline`. A fact without a baseline counts as surprising. A
    value that every possible record has is no attribute. A fact is over it, too, when it tells the value of everybody in a
    group in one of the columns `attribute`.
    A cell that is withheld or given as a range is over it when fewer than `min_width` values are possible; where some cells are
    `primary`, only these count. A primary cell that is shown is over it, too.
    """

    fewest_columns: int = 1
    smallest_group: int = 2
    largest_baseline: float = 1.0
    min_width: int = 0
    primary: Primary | None = None
    attribute: tuple[str, ...] = ()
    file: str = field(default="", compare=False)  # the policy file that sets it

    @property
    def policy(self) -> Policy:
        """The same as a policy; baselines are known to pages only."""
        columns = None if self.fewest_columns >= NEVER else self.fewest_columns
        every = self.min_width > 0 and self.primary is None
        return Policy(columns, self.smallest_group, self.attribute, self.primary, max(2, self.min_width), every_width=every)

    def over(self, fact: RankedFact) -> bool:
        return (
            fact.judged >= self.fewest_columns
            and fact.count < self.smallest_group
            and (fact.baseline is None or fact.baseline <= self.largest_baseline)
        )

    def narrow(self, interval: Interval) -> bool:
        """Is certainly too little left unknown about a cell?"""
        asked = self.min_width > 0 and self.policy.asks(interval.name, interval.low, interval.high)
        return asked and interval.width is not None and interval.width < self.min_width

    def doubtful(self, interval: Interval) -> bool:
        """May it be too little, as far as is known?"""
        named = () if self.primary is None else self.primary.names
        asked = self.min_width > 0 and (not named or interval.name in named)
        return asked and not interval.proved and not self.narrow(interval)

    def tells(self, facts: Iterable[Fact]) -> int:
        """How often the value of everybody in a group is told that must not be."""
        return sum(breach.group is not None for breach in breaches_of(Policy(attribute=self.attribute), facts))

    def shows(self, statistic: Statistic) -> bool:
        """Is a cell shown that must not be?"""
        shown = statistic.low == statistic.high and not statistic.withheld
        return shown and self.primary is not None and self.primary.of(statistic)

    @property
    def words(self) -> str:
        parts = [self.claim_words] if self.fewest_columns < NEVER else []
        parts += [self.attribute_words] if self.attribute else []
        return "; ".join([*parts, *([self.cell_words] if self.min_width else [])]) or "none"

    @property
    def cell_words(self) -> str:
        which = "a primary cell" if self.primary is not None else "a cell that is not shown"
        return f"fewer than {self.min_width} values possible for {which}"

    @property
    def attribute_words(self) -> str:
        return f"{' or '.join(self.attribute)} of everybody in a group known"

    @property
    def claim_words(self) -> str:
        chance = f", baseline at most {self.largest_baseline:g}" if self.largest_baseline < 1 else ""
        few = "a single record" if self.smallest_group == 2 else f"fewer than {self.smallest_group} records"
        return f"{self.fewest_columns} or more attributes of {few} known{chance}"


DEFAULTS = {"fail": Limit(fewest_columns=3), "review": Limit()}


@dataclass(frozen=True, slots=True)
class Thresholds:
    fail: Limit = DEFAULTS["fail"]
    review: Limit = DEFAULTS["review"]

    def origin(self, name: str) -> str:
        """Whose limit it is: the name of a policy file, or that it is the default, or given by the caller."""
        limit = self.fail if name == "fail" else self.review
        return limit.file or (DEFAULT if limit == DEFAULTS[name] else GIVEN)

    def whose(self, name: str) -> str:
        """The same as words that follow a description of the limit."""
        words = {DEFAULT: "the default, no policy file sets it", GIVEN: "given by the caller"}
        origin = self.origin(name)
        return words.get(origin, f"set by {origin}")


def judge(
    thresholds: Thresholds,
    found: Sequence[RankedFact],
    undecided: int,
    hidden: Sequence[Interval] = (),
    stated: Sequence[Statistic] = (),
    facts: Sequence[Fact] = (),
) -> tuple[str, list[str]]:
    """pass, review or fail, and the reasons, worst first; `hidden` is what the cells that are not shown must be, `stated`
    are all cells, and `facts` is what was found, with all its forms."""
    verdict, reasons = outcome(
        thresholds, sum(map(thresholds.fail.over, found)), sum(map(thresholds.review.over, found)), undecided
    )
    cells = []
    for name, limit in (("fail", thresholds.fail), ("review", thresholds.review)):
        whose = thresholds.whose(name)
        narrow = sum(map(limit.narrow, hidden)) + sum(map(limit.shows, stated))
        doubtful = sum(map(limit.doubtful, hidden))
        if narrow:
            cells.append(f"{narrow:,} {_are('cell', narrow)} over the {name} limit ({limit.cell_words}; {whose})")
            verdict = "fail" if name == "fail" else verdict
        told = limit.tells(facts) if limit.attribute else 0
        if told:
            cells.append(f"{told:,} certain {_are('fact', told)} over the {name} limit ({limit.attribute_words}; {whose})")
            verdict = "fail" if name == "fail" else verdict
        if doubtful:
            cells.append(f"{doubtful:,} {plural('cell', doubtful)} undecided: nobody knows yet how many values are possible")
    if not cells:
        return verdict, reasons
    # a stable sort: reasons to fail first
    ordered = sorted([*reasons, *cells], key=lambda reason: "over the fail limit" not in reason)
    return "fail" if verdict == "fail" else "review", ordered


def outcome(
    thresholds: Thresholds, failed: int, looked: int, undecided: int, noun: str = "fact", unknown: str = ""
) -> tuple[str, list[str]]:
    """The same from numbers: how many facts are over each limit; `unknown` tells of releases nothing is known about."""
    reasons = []
    if failed:
        limit = f"{thresholds.fail.claim_words}; {thresholds.whose('fail')}"
        reasons.append(f"{failed:,} certain {_are(noun, failed)} over the fail limit ({limit})")
    if looked:
        limit = f"{thresholds.review.claim_words}; {thresholds.whose('review')}"
        reasons.append(f"{looked:,} certain {_are(noun, looked)} over the review limit ({limit})")
    if undecided:
        reasons.append(f"{undecided:,} {plural(noun, undecided)} undecided: nobody knows yet whether they are certain")
    if unknown:
        reasons.append(unknown)
    return "fail" if failed else "review" if reasons else "pass", reasons


def _are(noun: str, count: int) -> str:
    return f"{plural(noun, count)} {'is' if count == 1 else 'are'}"


def read_thresholds(path: Path) -> Thresholds:
    """The limits that a policy file sets for claims and for cells that are not shown."""
    policies = read_policies(path)
    fail, review = (path.name if name in policies.given else "" for name in ("fail", "review"))
    return Thresholds(_limit(policies.fail, fail), _limit(policies.review, review))


def _limit(policy: Policy, file: str) -> Limit:
    columns = NEVER if policy.singled_out_columns is None else policy.singled_out_columns
    asks = policy.primary is not None or policy.every_width
    width = policy.min_width if asks else 0
    return Limit(columns, policy.smallest_group, policy.largest_baseline, width, policy.primary, policy.attribute, file)
