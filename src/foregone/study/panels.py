"""Which pictures a study has, section by section."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from foregone.study import tables
from foregone.study.figures import Bars, Boxes, Panel, Range
from foregone.study.findings import Findings
from foregone.study.measure import REMOVED
from foregone.study.sample import NATION, SETS, STATE
from foregone.study.tables import CLAIM_KINDS

SET_WORDS = {STATE: "state-median blocks", NATION: "national-median blocks"}
REMOVED_WORDS = {"none": "nothing", "1": "counts of 1", "0": "counts of 0", "0,1": "counts of 0 and of 1"}
K = "columns of a claim"
POINTS = ("q1", "median", "q3", "p90", "greatest")
LIMITS = {"median": "median", "q3": "3rd quartile", "p90": "90th perc.", "greatest": "all"}


def panels(found: Findings) -> dict[str, list[Panel]]:
    """By the section of the page that they belong to."""
    return {
        "sample": [_block_sizes(found)],
        "counts": [_values(found)],
        "identified": [*_identified(found)],
        "surprise": [*_with_claims(found), *_chances(found)],
        "withheld": [*_withheld(found)],
        "columns": [*_columns(found)],
    }


def _block_sizes(found: Findings) -> Panel:
    chosen = found.results.chosen
    states = Counter(median for _, median, _ in chosen.medians)
    ends = [("this study" if found.paper else "", min(states), chosen.median, max(states), False)]
    known = [found.paper.get("sizes", name) for name in ("least", "median", "greatest")]
    if None not in known:
        ends.append(("paper", *known, True))
    first = min(least for _, least, *_ in ends)
    sizes = range(first, max(greatest for *_, greatest, _ in ends) + 1)
    return Bars(
        "block_sizes",
        "Median block size of each state",
        [str(size) for size in sizes],
        [states[size] for size in sizes],
        [None] * len(sizes),
        f"{found.nouns} in the state's median block",
        "states",
        ranges=[Range(words, low - first, mid - first, high - first, paper) for words, low, mid, high, paper in ends],
    )


def _values(found: Findings) -> Panel:
    rows = tables.statistics_values(found.results)[1]
    share = found.paper.get("values", "share") or []
    return Bars(
        "statistics_values",
        "Values of the published counts",
        [str(row[0]) for row in rows],
        [100 * _number(row[2]) for row in rows],
        [100 * share[v] if v < len(share) else None for v in range(len(rows))],
        "value of the count",
        "% of the counts",
        decimals=1,
        log=True,
    )


def _identified(found: Findings) -> Iterator[Panel]:
    rows = tables.households(found.results)[1]
    for claims in CLAIM_KINDS:
        for which in SETS:
            yield Bars(
                f"identified_{claims}_{which}",
                f"{_title(claims)}, {SET_WORDS[which]}",
                _widths(found),
                [_number(row[4]) for row in rows if row[:2] == [which, claims]],
                found.paper.by_width(found.results.widths, "identified", "per_block", which, claims),
                K,
                f"{found.nouns} per block",
                decimals=2,
            )


def _with_claims(found: Findings) -> Iterator[Panel]:
    rows = tables.blocks_with_claims(found.results)[1]
    for claims in CLAIM_KINDS:
        for which in SETS:
            shares = found.paper.by_width(found.results.widths, "blocks_with_claims", claims)
            yield Bars(
                f"blocks_{claims}_{which}",
                f"{_title(claims)}, {SET_WORDS[which]}",
                _widths(found),
                [100 * _number(row[4]) for row in rows if row[:2] == [which, claims]],
                [None if share is None else 100 * share for share in shares],
                K,
                "% of blocks",
                top=112,
            )


def _chances(found: Findings) -> Iterator[Panel]:
    header, rows = tables.baseline_summary(found.results, found.claims, found.chances)
    at = [header.index(name) for name in POINTS]
    for claims in CLAIM_KINDS:
        for which in SETS:
            for prior in found.chances:
                mine = [row for row in rows if (row[0], row[1], row[3]) == (which, claims, prior)]
                limits = found.paper.get("chances", claims) or {}
                yield Boxes(
                    f"chance_{claims}_{which}_{prior}",
                    f"From the {prior}, {SET_WORDS[which]}",
                    _widths(found),
                    [None if row[at[0]] == "" else [100 * _number(row[i]) for i in at] for row in mine],
                    [(words, 100 * limits[name]) for name, words in LIMITS.items() if name in limits],
                    K,
                    "chance, %",
                )


def _withheld(found: Findings) -> Iterator[Panel]:
    rows = tables.ablation(found.results)[1]
    whole = [_number(row[3]) for row in rows if row[0] == "none"]
    published = found.paper.by_width(found.results.widths, "ablation", "none")
    for name in REMOVED:
        if name != "none":
            left = found.paper.by_width(found.results.widths, "ablation", name)
            yield Bars(
                f"withheld_{name.replace(',', '_')}",
                f"Without {REMOVED_WORDS[name]}",
                _widths(found),
                [_percent(_number(row[3]), n) or 0.0 for row, n in zip([r for r in rows if r[0] == name], whole, strict=True)],
                [_percent(part, n) for part, n in zip(left, published, strict=True)],
                K,
                "% still singled out",
                top=118,
            )


def _columns(found: Findings) -> Iterator[Panel]:
    rows, names = tables.columns(found.results, found.claims)[1], found.results.names
    for k in found.results.widths:
        number = int(((found.claims.count == 1) & (found.claims.columns == k)).sum())
        shares = [found.paper.get("columns", str(k), name) for name in names]
        yield Bars(
            f"columns_{k}",
            f"k = {k}: {number:,} {'claim' if number == 1 else 'claims'}",
            list(names),
            [100 * _number(row[2]) for row in rows if row[0] == k],
            [None if share is None else 100 * share for share in shares],
            "column",
            "% of the claims name it",
            top=118,
            sideways=True,
        )


def _title(claims: str) -> str:
    return "Singled out" if claims == "singleton" else "All claims"


def _widths(found: Findings) -> list[str]:
    return [str(k) for k in found.results.widths]


def _number(value: object) -> float:
    return float(str(value))


def _percent(part: float | None, whole: float | None) -> float | None:
    return None if part is None or not whole else 100 * part / whole
