"""From what a study found to its tables, as plain rows; and the whole of it in a few lines for the terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise, product
from pathlib import Path
from typing import Any

import numpy as np

from foregone.batch.plan import Floats
from foregone.census.geography import describe, place_of
from foregone.evaluation.beyond import WEIGHINGS, BeyondResult
from foregone.evaluation.findings import Findings, Protected
from foregone.evaluation.measure import REMOVED
from foregone.evaluation.sample import NATION, SETS

CLAIM_KINDS = ("singleton", "all")
EDIT = "none, edit rules"
EDGES = (0.0, 0.25, 0.5, 0.75, 0.9, 0.95, 1.0)  # of shares, in the table of calibration
FIRST = (10, 20, 50, 100, 200, 500, 1000, 2000)  # of a ranking
TOP = 5  # combinations of columns listed per number of columns

CsvTable = tuple[list[str], list[list[object]]]


def column(table: CsvTable, name: str, **where: object) -> list[Any]:
    """One column of a table, of the rows that have some values in others."""
    header, rows = table
    tests = [(header.index(other), value) for other, value in where.items()]
    return [row[header.index(name)] for row in rows if all(row[i] == value for i, value in tests)]


def blocks(found: Findings) -> CsvTable:
    rows: list[list[object]] = [
        [name, place_of(block, "state"), place_of(block, "tract"), block, size] for name, block, size in found.chosen.blocks
    ]
    return ["set", "state", "tract", "block", found.kind.counted], rows


def block_sizes(found: Findings) -> CsvTable:
    return ["state", "median", "blocks"], [list(row) for row in found.chosen.medians]


def _described(found: Findings, edit: bool = False) -> Iterator[tuple[list[object], list[int]]]:
    """By set, kind of claims and number of columns: how many records of each block some verified claim describes."""
    for which, kind, k in product(SETS, CLAIM_KINDS, found.widths):
        at = CLAIM_KINDS.index(kind)
        pairs = [(m.edit or ({}, {})) if edit else (m.singleton, m.any_count) for m in found.of(which)]
        yield [which, kind, k], [pair[at].get(k, 0) for pair in pairs]


def households(found: Findings, edit: bool = False) -> CsvTable:
    """Records that some verified claim with k columns describes; with `edit`, when the edit rules are known too."""
    rows = [[*key, sum(numbers), share(sum(numbers), len(numbers))] for key, numbers in _described(found, edit)]
    return ["set", "claims", "columns", found.kind.counted, "per_block"], rows


def blocks_with_claims(found: Findings) -> CsvTable:
    counted = [(key, sum(n > 0 for n in numbers), len(numbers)) for key, numbers in _described(found)]
    return ["set", "claims", "columns", "blocks", "share"], [[*key, having, share(having, whole)] for key, having, whole in counted]


def ablation(found: Findings) -> CsvTable:
    """Records singled out in national-median blocks when some queries are withheld."""
    measured = found.of(NATION)
    rows: list[list[object]] = []
    for name in REMOVED:
        removed = share(sum(m.removed_share[name] for m in measured), len(measured))
        rows += [[name, removed, k, sum(m.ablation[name][k] for m in measured)] for k in found.widths]
    if any(m.edit for m in measured):
        rows += [[EDIT, 0.0, k, sum(m.edit[0][k] for m in measured if m.edit)] for k in found.widths]
    return ["removed", "share_removed", "columns", found.kind.counted], rows


def columns(found: Findings) -> CsvTable:
    """For each k, the share of singleton claims with k columns that name each column."""
    rows: list[list[object]] = []
    for k in found.widths:
        masks = found.claims.singletons(k)
        named = (found.kind.packing.unpack(masks, len(found.names)) > 0).sum(axis=0).tolist()
        rows += [[k, name, share(number, len(masks))] for name, number in zip(found.names, named, strict=True)]
    return ["columns", "column", "share"], rows


def combinations(found: Findings) -> CsvTable:
    """For each k, the most common sets of columns among singleton claims; equally common ones in the order of columns."""
    rows: list[list[object]] = []
    value_at = found.kind.packing.value_at
    for k in reversed(found.widths):
        masks = found.claims.singletons(k)
        counts = Counter(masks.tolist())
        order = sorted(counts, key=lambda mask: (-counts[mask], [not value_at(mask, i) for i in range(len(found.names))]))
        for rank, mask in enumerate(order[:TOP], start=1):
            rows.append([k, rank, found.named(mask), share(counts[mask], len(masks))])
    return ["columns", "rank", "combination", "share"], rows


def statistics_values(found: Findings) -> CsvTable:
    """How many of the queries have the value 0, 1, 2, ... in a national-median block, on average."""
    measured = found.of(NATION)
    total = np.zeros(max((len(m.values) for m in measured), default=0), dtype=np.int64)
    for m in measured:
        total[: len(m.values)] += m.values
    number = max(1, int(total.sum()))
    rows: list[list[object]] = [[v, share(n, len(measured)), share(n, number)] for v, n in enumerate(total.tolist())]
    return ["value", "mean_per_block", "share"], rows


def reconstruction(found: Findings) -> CsvTable:
    """Is each block determined, and if not, how far apart can two datasets be?"""
    rows: list[list[object]] = []
    for which, block, _ in found.chosen.blocks:
        m = found.measured[block]
        rows.append([which, block, m.unique, "" if m.variability is None else share(m.variability, 1)])
    return ["set", "block", "unique", "variability"], rows


def baseline_summary(found: Findings) -> CsvTable:
    """How likely the claims were, for somebody who knows the tract or the state: points of the distribution."""
    rows: list[list[object]] = []
    for which, kind, k in product(SETS, CLAIM_KINDS, found.widths):
        here = found.claims.chosen(which, kind) & (found.claims.columns == k)
        for prior, guessed in found.guessed.items():
            values = guessed.chance
            points = _box(values[here]) if here.any() else [""] * 8
            beyond = int((here & _beyond(values, points)).sum()) if here.any() else ""
            rows.append([which, kind, k, prior, int(here.sum()), *(p if p == "" else float(f"{p:.6g}") for p in points), beyond])
    names = ["least", "q1", "median", "q3", "p90", "greatest", "whisker_low", "whisker_high", "outliers"]
    return ["set", "claims", "columns", "prior", "number", *names], rows


def _box(values: Floats) -> list[Any]:
    """Points of a distribution, and the whiskers of its box plot: the farthest values within 1.5 times the interquartile range."""
    points = np.quantile(values, (0, 0.25, 0.5, 0.75, 0.9, 1))
    reach = 1.5 * (points[3] - points[1])
    inside = values[(values >= points[1] - reach) & (values <= points[3] + reach)]
    return [*points.tolist(), float(inside.min()), float(inside.max())]


def _beyond(values: Floats, points: list[Any]) -> Any:
    """Which values lie beyond the whiskers."""
    return (values < points[6]) | (values > points[7])


def guessers(found: Findings) -> CsvTable:
    """What guessers would get of the certain claims, on average, and of those apart whose values are not the most frequent ones of
    the place: the modal guesser misses all of these."""
    rows: list[list[object]] = []
    for which, kind, k in product(SETS, CLAIM_KINDS, found.widths):
        here = found.claims.chosen(which, kind) & (found.claims.columns == k)
        for prior, guessed in found.guessed.items():
            apart = here & ~guessed.modal
            number, nonmodal = int(here.sum()), int(apart.sum())
            both = (guessed.chance, guessed.guess)
            means = [share(float(values[some].sum()), int(some.sum())) for some in (here, apart) for values in both]
            rows.append([which, kind, k, prior, number, *means[:2], share(number - nonmodal, number), nonmodal, *means[2:]])
    means_of = ["chance", "guess", "modal", "nonmodal", "nonmodal_chance", "nonmodal_guess"]
    return ["set", "claims", "columns", "prior", "number", *means_of], rows


def protection_tables(found: Sequence[Protected]) -> dict[str, CsvTable]:
    """Each table with whether it may be published, and each case with its cost and the bound that was proved."""
    rows: list[list[object]] = [
        [" ".join(keep), name, made.costs[name], "withheld" if name in made.withheld else "published"]
        for keep, made in found
        if made.withheld is not None
        for name in made.names
    ]
    header = ["kept", "columns", "blocks", "blocks_broken", "tables", "withheld", "numbers", "cost", "lower_bound", "optimal"]
    cases: list[list[object]] = [
        [
            " ".join(keep), made.policy.singled_out_columns, made.releases, made.broken, made.tables,
            "" if made.withheld is None else len(made.withheld), made.numbers, "" if made.cost is None else made.cost,
            made.lower_bound, str(made.optimal).lower(),
        ]
        for keep, made in found
    ]  # fmt: skip
    return {"protection": (["kept", "table", "numbers", "status"], rows), "protection_summary": (header, cases)}


def calibration(found: Sequence[BeyondResult]) -> CsvTable:
    """Of the claims that are not certain and hold in a given share of the datasets, how many are true?"""
    rows: list[list[object]] = []
    for name, (low, high) in product(WEIGHINGS, pairwise(EDGES)):
        judged = [one for block in found for one in block.judged if one.weighing == name and not one.record and one.share < 1]
        some = [one for one in judged if low <= one.share < high]
        mean = share(sum(one.share for one in some), len(some))
        rows.append([name, low, high, len(some), mean, share(sum(one.true for one in some), len(some))])
    return ["prior", "from", "below", "claims", "mean_share", "true"], rows


def ranking(found: Sequence[BeyondResult]) -> CsvTable:
    """Full records of all blocks, those first that occur in most datasets: how many of the first k are in the block? Equally
    frequent ones count as they do on average."""
    rows: list[list[object]] = []
    for name in WEIGHINGS:
        ranked = [one for block in found for one in block.judged if one.weighing == name and one.record]
        right: list[float] = []
        for _, tied in groupby(sorted(ranked, key=lambda one: -one.share), key=lambda one: one.share):
            some = [one.true for one in tied]
            right += [sum(some) / len(some)] * len(some)
        rows += [[name, k, share(sum(right[:k]), k)] for k in FIRST if k <= len(right)]
    return ["prior", "k", "right"], rows


def register(found: Sequence[BeyondResult]) -> CsvTable:
    """What registers of known coverage make of the blocks, added up."""
    sums: dict[tuple[float, float, str], list[int]] = {}
    for block in found:
        for one in block.covered:
            into = sums.setdefault((one.coverage, one.outsiders, one.assumption), [0] * 5)
            for i, number in enumerate((one.people, one.matched, one.wrongly, one.learnt, one.falsely)):
                into[i] += number
    header = ["coverage", "outsiders", "assume", "people", "matched", "matched_wrongly", "learnt", "learnt_falsely"]
    return header, [[*key, *numbers] for key, numbers in sorted(sums.items())]


def beyond_tables(found: Sequence[BeyondResult]) -> dict[str, CsvTable]:
    """What lies beyond certain, a table for each question."""
    return {"calibration": calibration(found), "ranking": ranking(found), "register": register(found)}


def share(part: float, whole: int) -> float:
    """A ratio with six decimals; 0 of nothing is 0."""
    return round(part / whole, 6) if whole else 0.0


def examples_text(found: Findings) -> str:
    """Singled-out records in Markdown, like the paper's first table."""
    lines = [f"# {found.kind.counted.capitalize()} singled out by published tables", ""]
    if found.synthetic:
        lines += ["**The file is synthetic: nobody described here is real.**", ""]
    lines += [
        f"Each line describes exactly one {found.kind.name} of its block,"
        " in every dataset that matches the block's published tables.",
        "",
        "| place | columns | what is certain |",
        "|---|---|---|",
        *(f"| {describe(one.block)} | {one.columns} | {one.words} |" for one in found.examples),
    ]
    return "\n".join(lines) + "\n"


def study_summary(found: Findings, out: Path) -> str:
    """A finished study in a few lines for the terminal."""
    lines = ["The file is synthetic: nobody in it is real."] if found.synthetic else []
    width, several = 37, found.kind.counted
    title = f"{several.capitalize()}, by claims with k columns"
    lines.append(f"{title:<{width}} {'blocks':>6}" + "".join(f"{f'k={k}':>7}" for k in found.widths))
    described, withheld = households(found), ablation(found)
    for which, kind in product(SETS, CLAIM_KINDS):
        totals = column(described, several, set=which, claims=kind)
        label = f"{which}, {'singled out' if kind == 'singleton' else 'all claims'}"
        lines.append(f"{label:<{width}} {len(found.of(which)):>6}" + "".join(f"{total:>7,}" for total in totals))
    for name in dict.fromkeys(column(withheld, "removed")):
        label = {"none": "", EDIT: "  singled out, edit rules known"}.get(name, f"  singled out, counts of {name} withheld")
        if label:
            lines.append(f"{label:<{width}} {'':>6}" + "".join(f"{total:>7,}" for total in column(withheld, several, removed=name)))
    whole = sum(found.measured[block].unique == "true" for _, block, _ in found.chosen.blocks)
    lines.append(f"Whole blocks determined: {whole} of {len(found.chosen.blocks)}. Undecided: {found.undecided}.")
    lines.append("Every verified claim was compared with the file: all are right.")
    lines.append(f"Written to {out} in {found.seconds['total']:.0f} seconds; open {out / 'index.html'}.")
    return "\n".join(lines)
