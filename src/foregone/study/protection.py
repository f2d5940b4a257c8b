"""What could still be published about every block of the sample so that nobody is singled out by many attributes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from foregone.model.families import Groups
from foregone.model.policy import Policy
from foregone.model.release import Release
from foregone.protection.many import ProtectionOfMany, protect_many
from foregone.study.tables import CsvTable

COUNTS = ("H1", "H3")  # how many units there are and whether people live in them: no household is described by these
NOTHING: tuple[str, ...] = ()

Protected = tuple[tuple[str, ...], ProtectionOfMany]


def protect_sample(releases: Iterable[tuple[str, Release]], columns: int, workers: int) -> list[Protected]:
    """The fewest numbers to withhold, as whole tables, over the claims of the paper; and with the counts of units kept."""
    sample = list(releases)
    tables = {statistic.table for _, release in sample[:1] for statistic in release.statistics}
    kept = tuple(name for name in COUNTS if name in tables)
    cases = [NOTHING, *([kept] if kept else [])]
    return [(keep, protect_many(sample, Policy(columns), keep, groups=Groups.NONE, workers=workers)) for keep in cases]


def protection_tables(found: Sequence[Protected]) -> dict[str, CsvTable]:
    """Each table with whether it may be published, and each case with its cost and the bound that was proved."""
    rows = [
        (_kept(keep), name, made.costs[name], "withheld" if name in (made.withheld or ()) else "published")
        for keep, made in found
        for name in made.names
        if made.withheld is not None
    ]
    header = ["kept", "columns", "blocks", "blocks_broken", "tables", "withheld", "numbers", "cost", "lower_bound", "optimal"]
    cases = [
        (
            _kept(keep),
            made.policy.singled_out_columns,
            made.releases,
            made.broken,
            made.tables,
            "" if made.withheld is None else len(made.withheld),
            made.numbers,
            "" if made.cost is None else made.cost,
            made.lower_bound,
            str(made.optimal).lower(),
        )
        for keep, made in found
    ]
    return {
        "protection": (["kept", "table", "numbers", "status"], [list(row) for row in rows]),
        "protection_summary": (header, [list(case) for case in cases]),
    }


def _kept(keep: Sequence[str]) -> str:
    return " ".join(keep)
