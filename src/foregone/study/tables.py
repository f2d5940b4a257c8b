"""From what was measured in each block to the study's tables, as plain rows.

What could still be published about every block of the sample so that nobody is singled out by many attributes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from foregone.census.geography import place_of
from foregone.census.priors import AskedClaims, Floats
from foregone.census.records import Ints, RecordKind
from foregone.model.domain import Domain
from foregone.model.families import Groups
from foregone.model.policy import Policy
from foregone.model.release import Release
from foregone.protection.many import ProtectionOfMany, protect_many
from foregone.study.measure import REMOVED, BlockResult
from foregone.study.sample import NATION, SETS, ChosenBlocks

CLAIM_KINDS = ("singleton", "all")
EDIT = "none, edit rules"
TOP = 5  # combinations of columns listed per number of columns

CsvTable = tuple[list[str], list[list[object]]]


@dataclass(frozen=True, slots=True)
class AllClaims:
    """The verified claims of every block of every set, one entry each."""

    set: NDArray[np.str_]
    block: NDArray[np.str_]
    size: Ints
    mask: Ints
    value: Ints
    count: Ints
    columns: Ints
    ground: Ints

    def asked(self) -> AskedClaims:
        return AskedClaims(self.block, self.size, self.mask, self.value, self.count)

    def chosen(self, which: str, kind: str) -> NDArray[np.bool_]:
        return np.asarray((self.set == which) & ((self.count == 1) | (kind == "all")))


@dataclass(frozen=True, slots=True)
class StudyResults:
    """The blocks looked at, what was measured in each, and what the records are."""

    chosen: ChosenBlocks
    measured: dict[str, BlockResult]
    domain: Domain
    least: int
    kind: RecordKind

    @property
    def names(self) -> tuple[str, ...]:
        return self.domain.names

    @property
    def widths(self) -> range:
        return range(self.least, len(self.names) + 1)

    def of(self, which: str) -> list[BlockResult]:
        return [self.measured[block] for block in self.chosen.of(which)]

    def claims(self) -> AllClaims:
        parts = [(name, block, size, self.measured[block].claims) for name, block, size in self.chosen.blocks]
        lengths = [len(claims.mask) for *_, claims in parts]

        def column(field: str) -> Ints:
            return np.concatenate([getattr(claims, field) for *_, claims in parts]).astype(np.int64)

        return AllClaims(
            np.repeat([name for name, *_ in parts], lengths),
            np.repeat([block for _, block, *_ in parts], lengths),
            np.repeat(np.array([size for _, _, size, _ in parts], dtype=np.int64), lengths),
            *(column(field) for field in ("mask", "value", "count", "columns", "ground")),
        )


def blocks(results: StudyResults) -> CsvTable:
    rows: list[list[object]] = [
        [name, place_of(block, "state"), place_of(block, "tract"), block, size] for name, block, size in results.chosen.blocks
    ]
    return ["set", "state", "tract", "block", results.kind.counted], rows


def block_sizes(results: StudyResults) -> CsvTable:
    return ["state", "median", "blocks"], [list(row) for row in results.chosen.medians]


def households(results: StudyResults, edit: bool = False) -> CsvTable:
    """Records that some verified claim with k columns describes; with `edit`, when the edit rules are known too."""
    rows: list[list[object]] = []
    for which in SETS:
        measured = results.of(which)
        for at, kind in enumerate(CLAIM_KINDS):
            for k in results.widths:
                total = sum(((m.singleton, m.any_count) if not edit else m.edit or ({}, {}))[at].get(k, 0) for m in measured)
                rows.append([which, kind, k, total, share(total, len(measured))])
    return ["set", "claims", "columns", results.kind.counted, "per_block"], rows


def blocks_with_claims(results: StudyResults) -> CsvTable:
    rows: list[list[object]] = []
    for which in SETS:
        measured = results.of(which)
        for kind in CLAIM_KINDS:
            for k in results.widths:
                having = sum((m.singleton if kind == "singleton" else m.any_count)[k] > 0 for m in measured)
                rows.append([which, kind, k, having, share(having, len(measured))])
    return ["set", "claims", "columns", "blocks", "share"], rows


def ablation(results: StudyResults) -> CsvTable:
    """Records singled out in national-median blocks when some queries are withheld."""
    measured = results.of(NATION)
    rows: list[list[object]] = []
    for name in REMOVED:
        removed = share(sum(m.removed_share[name] for m in measured), len(measured))
        rows += [[name, removed, k, sum(m.ablation[name][k] for m in measured)] for k in results.widths]
    if any(m.edit for m in measured):
        rows += [[EDIT, 0.0, k, sum(m.edit[0][k] for m in measured if m.edit)] for k in results.widths]
    return ["removed", "share_removed", "columns", results.kind.counted], rows


def columns(results: StudyResults, claims: AllClaims) -> CsvTable:
    """For each k, the share of singleton claims with k columns that name each column."""
    rows: list[list[object]] = []
    for k in results.widths:
        masks = claims.mask[(claims.count == 1) & (claims.columns == k)]
        named = (results.kind.packing.unpack(masks, len(results.names)) > 0).sum(axis=0).tolist()
        rows += [[k, name, share(number, len(masks))] for name, number in zip(results.names, named, strict=True)]
    return ["columns", "column", "share"], rows


def combinations(results: StudyResults, claims: AllClaims) -> CsvTable:
    """For each k, the most common sets of columns among singleton claims; equally common ones in the order of columns."""
    rows: list[list[object]] = []
    value_at = results.kind.packing.value_at
    for k in reversed(results.widths):
        masks = claims.mask[(claims.count == 1) & (claims.columns == k)]
        found = Counter(masks.tolist())
        order = sorted(found, key=lambda mask: (-found[mask], [not value_at(mask, i) for i in range(len(results.names))]))
        for rank, mask in enumerate(order[:TOP], start=1):
            named = " ".join(name for i, name in enumerate(results.names) if value_at(mask, i))
            rows.append([k, rank, named, share(found[mask], len(masks))])
    return ["columns", "rank", "combination", "share"], rows


def statistics_values(results: StudyResults) -> CsvTable:
    """How many of the queries have the value 0, 1, 2, ... in a national-median block, on average."""
    measured = results.of(NATION)
    most = max((len(m.values) for m in measured), default=0)
    total = np.zeros(most, dtype=np.int64)
    for m in measured:
        total[: len(m.values)] += m.values
    number = max(1, int(total.sum()))
    rows: list[list[object]] = [[v, share(n, len(measured)), share(n, number)] for v, n in enumerate(total.tolist())]
    return ["value", "mean_per_block", "share"], rows


def reconstruction(results: StudyResults) -> CsvTable:
    rows: list[list[object]] = []
    for which, block, _ in results.chosen.blocks:
        m = results.measured[block]
        rows.append([which, block, m.unique, "" if m.variability is None else share(m.variability, 1)])
    return ["set", "block", "unique", "variability"], rows


def baseline_summary(results: StudyResults, claims: AllClaims, chances: dict[str, Floats]) -> CsvTable:
    rows: list[list[object]] = []
    for which in SETS:
        for kind in CLAIM_KINDS:
            for k in results.widths:
                here = claims.chosen(which, kind) & (claims.columns == k)
                for prior, values in chances.items():
                    points = np.quantile(values[here], (0, 0.25, 0.5, 0.75, 0.9, 1)).tolist() if here.any() else [""] * 6
                    rows.append([which, kind, k, prior, int(here.sum()), *(p if p == "" else float(f"{p:.6g}") for p in points)])
    return ["set", "claims", "columns", "prior", "number", "least", "q1", "median", "q3", "p90", "greatest"], rows


def share(part: float, whole: int) -> float:
    """A ratio with six decimals; 0 of nothing is 0."""
    return round(part / whole, 6) if whole else 0.0


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
