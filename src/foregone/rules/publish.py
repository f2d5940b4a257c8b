"""What a release looks like once a rule has been applied to every number in it."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from foregone.model.dataset import Dataset
from foregone.model.errors import InputError
from foregone.model.release import Release
from foregone.model.statement import Statistic
from foregone.rules.registry import rule as find
from foregone.rules.rule import Counts, Rule, Totals


def under_rule(release: Release, rule: Rule | str, truth: Dataset | None = None, seed: int = 0) -> Release:
    """The release as somebody sees it who reads the tables and knows the rule: each count becomes what its shown value can mean.

    Chance depends on the seed and on which records are counted, so that a cell shows the same wherever it is repeated.

    >>> from foregone import tabulate
    >>> [s.range_text for s in under_rule(tabulate({"SEX": ["F"] * 6}, ["SEX"]), "opensafely-old").statistics]
    ['6 to 7', '6 to 7']
    """
    rule = find(rule) if isinstance(rule, str) else rule
    statistics = [_shown(statistic, rule, truth, seed) for statistic in release.statistics]
    meant = {s.mark: ((s.low, s.high),) for s in statistics if s.mark}
    domain = replace(release.domain, marks=tuple((dict(release.domain.marks) | meant).items()))
    if rule.totals == Totals.SUM:
        statistics = [s if s.predicate.allowed else _sum(s, statistics) for s in statistics]
    return release.changed(domain=domain, statistics=statistics)


def _shown(statistic: Statistic, rule: Rule, truth: Dataset | None, seed: int) -> Statistic:
    if statistic.low != statistic.high:
        raise InputError(f"{statistic.label}: is a range already; a rule can be applied to exact counts only")
    if not statistic.predicate.allowed and rule.totals == Totals.GRAND_EXACT:
        return statistic
    shown = rule.show(statistic.low, Random(f"{seed} {_counted(statistic, truth)}"))
    meant = rule.meaning(shown)
    assert meant is not None, "a rule knows what it shows"
    mark = shown if is_mark(shown, meant) else ""
    return replace(statistic, low=meant.low, high=meant.high, withheld=meant == Counts(0), mark=mark)


def is_mark(shown: str, counts: Counts) -> bool:
    """Is what is shown a mark in place of a number? Rounded numbers are none, nor is 100+, which tells that there are many.

    >>> is_mark("*", Counts(1, 4)), is_mark("<5", Counts(0, 4)), is_mark("10", Counts(8, 12)), is_mark("100+", Counts(100))
    (True, True, False, False)
    """
    number = shown[:1].isdigit() and (shown.replace(",", "").isdigit() or counts.high is None)
    return bool(shown) and counts.low != counts.high and not number


def _counted(statistic: Statistic, truth: Dataset | None) -> str:
    """Which records a cell counts: the same records are shown the same way."""
    if truth is None:
        return statistic.predicate.text()
    return repr(truth.matching(statistic.predicate))


def _sum(total: Statistic, statistics: list[Statistic]) -> Statistic:
    """A total that adds up what is shown in the first table says what that table says."""
    first = next((s.table for s in statistics if s.table), "")
    cells = [Counts(s.low, s.high) for s in statistics if s.table == first and s.predicate.allowed]
    if not cells:
        return replace(total, low=0, high=None)
    high = None if any(cell.high is None for cell in cells) else sum(cell.high for cell in cells if cell.high is not None)
    return replace(total, low=sum(cell.low for cell in cells), high=high)
