"""What a reader makes of a release: the numbers and marks that are printed, and what a policy says is known besides."""

from __future__ import annotations

from dataclasses import replace

from foregone.model.figure import Figure
from foregone.model.marks import gaps_of, without
from foregone.model.policy import Policy
from foregone.model.release import Release
from foregone.model.statement import Either, Statement, Statistic


def table_of(number: Statistic | Figure | Statement | Either) -> str:
    """The table that a number belongs to: the one it names, or what its name starts with, up to the last dot, or it alone."""
    return number.table or number.name.rpartition(".")[0] or number.label


def as_read(release: Release, policy: Policy) -> Release:
    """The release with what a policy says is known of cells that are not shown as their limits; itself, if that is nothing new.

    Where zeros are shown, a cell that is not shown is at least 1. Of a table of several cells of which none is shown zeros are
    gone, too. That a cell that is not shown is primary is known of those that the policy names.
    """
    know = policy.know
    if know is None or not know.words:
        return release
    shown: dict[str, list[bool]] = {}
    for statistic in release.statistics:
        shown.setdefault(table_of(statistic), []).append(not statistic.hidden)
    gone = {table for table, cells in shown.items() if len(cells) > 1 and not any(cells)}
    counts = [_known(statistic, policy, table_of(statistic) in gone) for statistic in release.statistics]
    if all(old is new for old, new in zip(release.statistics, counts, strict=True)):
        return release
    return release.changed(statistics=counts)


def _known(cell: Statistic, policy: Policy, gone: bool) -> Statistic:
    if not cell.hidden:
        return cell
    know, ranges = policy.knows, cell.ranges
    if know.zeros_shown and not gone:
        ranges = without(ranges, 0, 0)
    if know.primary_at_most is not None and policy.primary is not None and cell.name in policy.primary.names:
        ranges = without(ranges, know.primary_at_most + 1, None)
    if ranges == cell.ranges or not ranges:  # a mark that can stand for nothing else contradicts what is known
        return cell
    return replace(cell, low=ranges[0][0], high=ranges[-1][1], gaps=gaps_of(ranges))
