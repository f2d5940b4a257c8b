"""What an attacker knows of cells that are withheld already: a policy says it, and every judgement of a release uses it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from foregone.model.policy import Policy
from foregone.model.release import Release
from foregone.model.statement import Statistic
from foregone.protection.actions import table_of


def as_known(release: Release, policy: Policy, whole: Collection[str] = ()) -> Release:
    """The release with what a policy says is known of its withheld counts as their limits; itself, if that is nothing new.

    Where zeros are shown, a withheld cell is at least 1. Of a table that is withheld as a whole zeros are gone, too: that is so
    for the tables named by `whole`, and for those of several cells of which none is shown. Which cells are primary is known of
    those that the policy names.
    """
    published = release.statistics
    shown: dict[str, list[bool]] = {}
    for statistic in published:
        shown.setdefault(table_of(statistic), []).append(not statistic.withheld)
    gone = {table for table, cells in shown.items() if table in whole or (len(cells) > 1 and not any(cells))}
    counts = [_known(statistic, policy, table_of(statistic) in gone) for statistic in published]
    if all(old is new for old, new in zip(published, counts, strict=True)):
        return release
    statements, alternatives = release.loose
    return Release(release.domain, counts, release.rules, statements, alternatives, release.figures)


def _known(statistic: Statistic, policy: Policy, gone: bool) -> Statistic:
    if not statistic.withheld:
        return statistic
    low, high, know = statistic.low, statistic.high, policy.know
    if know.zeros_shown and not gone:
        low = max(low, 1)
    named = policy.primary is not None and statistic.name in policy.primary.names
    if know.primary_at_most is not None and named:
        high = know.primary_at_most if high is None else min(high, know.primary_at_most)
    return statistic if (low, high) == (statistic.low, statistic.high) else replace(statistic, low=low, high=high)


def said(policy: Policy) -> str:
    """What is taken to be known, in words."""
    parts = ["zeros are shown, so a withheld cell is at least 1"] if policy.know.zeros_shown else []
    if policy.know.primary_at_most is not None:
        parts.append(f"a withheld primary cell is at most {policy.know.primary_at_most}")
    return f"{' and '.join(parts)} (the policy says so)"
