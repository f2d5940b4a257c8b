"""A study beside the paper, number by number: the paper's, and those of each reading of the tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np

from foregone.evaluation import tables
from foregone.evaluation.figures import Bars, Panel
from foregone.evaluation.findings import Findings
from foregone.evaluation.measure import REMOVED
from foregone.evaluation.sample import NATION, SETS
from foregone.evaluation.tables import CLAIM_KINDS, CsvTable

POINTS = ("least", "whisker_low", "q1", "median", "q3", "whisker_high", "p90", "greatest", "outliers")

Line = tuple[str, str, str, Any, Any, list[Any]]
"""Measure, set of blocks, kind of claims, what it is by (columns, value, ...), the paper's number, and one of each reading."""


def side_by_side(found: Findings) -> CsvTable:
    """Everything that the paper prints, with the same number for each reading."""
    rows: list[list[object]] = []
    for measure, which, claims, by, paper, ours in _lines(found):
        rows.append([measure, which, claims, by, "" if paper is None else paper, *("" if n is None else n for n in ours)])
    return ["measure", "set", "claims", "by", "paper", *found.readings], rows


def _lines(found: Findings) -> Iterator[Line]:
    paper, every = found.paper, (found, *found.others)
    several = found.kind.counted
    for which, claims in product(SETS, CLAIM_KINDS):
        per_block = paper.per_block(found.widths, which, claims)
        ours = [tables.column(tables.households(one), "per_block", set=which, claims=claims) for one in every]
        for i, k in enumerate(found.widths):
            yield f"{several} per block", which, claims, k, per_block[i], [numbers[i] for numbers in ours]
    for which, claims in product(SETS, CLAIM_KINDS):
        there = paper.by_width(found.widths, "blocks_with_claims", claims)
        ours = [tables.column(tables.blocks_with_claims(one), "share", set=which, claims=claims) for one in every]
        for i, k in enumerate(found.widths):
            yield "share of blocks", which, claims, k, there[i], [numbers[i] for numbers in ours]
    whole = paper.by_width(found.widths, "ablation", "none")
    for name in REMOVED:
        if name == "none":
            continue
        there = paper.by_width(found.widths, "ablation", name)
        for i, k in enumerate(found.widths):
            left = [_left(one, name, k) for one in every]
            yield f"share left without counts of {name}", NATION, "singleton", k, _share(there[i], whole[i]), left
    means = paper.get("values", "mean") or []
    for value in range(max(len(means), 1)):
        mean = means[value] if value < len(means) else None
        yield "counts per block with a value", NATION, "", value, mean, [_mean_of(one, value) for one in every]
    size = paper.get("sizes", "median")
    met = round(sum(v * n for v, n in enumerate(means)) / size, 4) if size and means else None
    yield "counts that a record meets", NATION, "", "", met, [_met(one) for one in every]
    for which, prior in product(SETS, found.guessed):
        limit = paper.get("chances", "singleton", "median")
        for k in found.widths:
            here = [median_chance(one, one.guessed[prior].chance, which, k) for one in every]
            yield f"median chance, {prior}, at most", which, "singleton", k, limit, here
            alone = [median_chance(one, one.guessed[prior].without_own, which, k) for one in every]
            yield f"median chance, {prior} without the block", which, "singleton", k, limit, alone
    for k in found.widths:
        for name in found.names:
            there = paper.get("columns", str(k), name)
            if there is not None:
                ours = [tables.column(tables.columns(one), "share", columns=k, column=name)[0] for one in every]
                yield "share of claims that name a column", "", "singleton", f"{k}: {name}", there, ours
        for words, there in paper.get("combinations", str(k)) or ():
            shares = [_combination(one, k, words) for one in every]
            yield "share of claims with these columns", "", "singleton", words, there, shares
    for counted, k, *numbers in _sets(found):
        yield f"marginal sets, by {counted}", "", "", k, paper.get("marginal_sets", str(k)), numbers


def _share(part: float | None, whole: float | None) -> float | None:
    return None if part is None or not whole else round(part / whole, 4)


def _left(found: Findings, name: str, k: int) -> float | None:
    """Of those singled out by k columns, the share that still is when counts of some values are withheld."""
    table, several = tables.ablation(found), found.kind.counted
    left, whole = (tables.column(table, several, removed=removed, columns=k)[0] for removed in (name, "none"))
    return _share(left, whole)


def _mean_of(found: Findings, value: int) -> float:
    means = tables.column(tables.statistics_values(found), "mean_per_block", value=value)
    return float(means[0]) if means else 0.0


def _met(found: Findings) -> float | None:
    """How many of the published counts a record is counted in, on average."""
    header_and_rows = tables.statistics_values(found)
    pairs = zip(tables.column(header_and_rows, "value"), tables.column(header_and_rows, "mean_per_block"), strict=True)
    total = sum(value * mean for value, mean in pairs)
    return round(total / found.chosen.median, 4) if found.chosen.median else None


def median_chance(found: Findings, chances: Any, which: str, k: int) -> float | None:
    here = found.claims.chosen(which, "singleton") & (found.claims.columns == k)
    return float(f"{np.median(chances[here]):.4g}") if here.any() else None


def _combination(found: Findings, k: int, words: str) -> float:
    masks = Counter(found.claims.singletons(k).tolist())
    number = sum(n for mask, n in masks.items() if found.named(mask) == words)
    return tables.share(number, sum(masks.values()))


def marginal_sets(found: Findings) -> CsvTable:
    """The paper's Table 3: sets of columns that some count, or some table, asks about, by how many columns they have."""
    paper = found.paper
    rows: list[list[object]] = []
    for counted, k, *numbers in _sets(found):
        there = paper.get("marginal_sets", str(k))
        rows.append([counted, k, "" if there is None else there, *numbers])
    return ["counted_by", "columns", "paper", *found.readings], rows


def _sets(found: Findings) -> Iterator[list[Any]]:
    """`count`: the columns of each published count; `table`: those of a table together. Occupancy, which nearly every table has as
    its condition, is not counted where a table names another column."""
    made = {
        counted: [Counter(map(len, _column_sets(found, reading, counted))) for reading in found.readings]
        for counted in ("count", "table")
    }
    for counted, sizes in made.items():
        for k in range(1, max(max(size, default=0) for size in sizes) + 1):
            yield [counted, k, *(size[k] for size in sizes)]
        yield [counted, "all", *(sum(size.values()) for size in sizes)]


def _column_sets(found: Findings, reading: str, counted: str) -> set[frozenset[str]]:
    idle = frozenset(found.kind.universe)
    named: dict[str, set[str]] = {}
    for number, query in enumerate(found.kind.book.queries(reading)):
        key = query.table if counted == "table" else str(number)
        columns = {name for name, _ in query.predicate.allowed}
        named.setdefault(key, set()).update(columns - idle or columns)
    return {frozenset(columns) for columns in named.values() if columns}


def figure_numbers(found: Findings, panels: Sequence[Panel]) -> CsvTable:
    """Every number in every picture: bars with the paper's beside them, and of boxes all that a box plot is drawn from."""
    rows: list[list[object]] = []
    for panel in panels:
        if isinstance(panel, Bars):
            shown = [(found.options.variant, panel.ours, panel.paper), *((name, bars, panel.paper) for name, bars in panel.others)]
            for reading, ours, theirs in shown:
                for label, value, paper in zip(panel.labels, ours, theirs, strict=True):
                    there = "" if paper is None else round(paper, 4)
                    rows.append([reading, panel.name, label, panel.ylabel, round(value, 4), there])
    for one in (found, *found.others):
        table = tables.baseline_summary(one)
        for row in table[1]:
            values = dict(zip(table[0], row, strict=True))
            name = f"chance_{values['claims']}_{values['set']}_{values['prior']}"
            for point in POINTS:
                limit = one.paper.get("chances", str(values["claims"]), point)
                said = "" if limit is None else f"under {100 * limit:g}"
                at = values[point]
                percent = round(100 * at, 6) if isinstance(at, float) and point != "outliers" else at
                rows.append([one.options.variant, name, values["columns"], f"{point}, chance in %", percent, said])
    return ["reading", "figure", "label", "measure", "value", "paper"], rows
