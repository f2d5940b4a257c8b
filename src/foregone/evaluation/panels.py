"""Which pictures a study has, section by section."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

from foregone.evaluation import tables
from foregone.evaluation.beyond import WEIGHINGS
from foregone.evaluation.figures import Bars, Boxes, Lines, Panel, Range
from foregone.evaluation.findings import Findings
from foregone.evaluation.measure import REMOVED
from foregone.evaluation.sample import NATION, SETS, STATE
from foregone.evaluation.tables import CLAIM_KINDS
from foregone.model.sentences import plural

SET_WORDS = {STATE: "state-median blocks", NATION: "national-median blocks"}
REMOVED_WORDS = {"none": "nothing", "1": "counts of 1", "0": "counts of 0", "0,1": "counts of 0 and of 1"}
K = "columns of a claim"
FEWEST = 10  # claims that a point of the calibration stands for
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
        "likely": [*_likely(found)],
        "register": [*_register(found)],
    }


def _block_sizes(found: Findings) -> Panel:
    chosen = found.chosen
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
    table = tables.statistics_values(found)
    values = tables.column(table, "value")
    share = found.paper.get("values", "share") or []
    return Bars(
        "statistics_values",
        "Values of the published counts",
        [str(value) for value in values],
        _percents(tables.column(table, "share")),
        [100 * share[v] if v < len(share) else None for v in range(len(values))],
        "value of the count",
        "% of the counts",
        decimals=1,
        log=True,
    )


def _identified(found: Findings) -> Iterator[Panel]:
    for claims, which in product(CLAIM_KINDS, SETS):

        def ours(one: Findings, claims: str = claims, which: str = which) -> list[Any]:
            return tables.column(tables.households(one), "per_block", set=which, claims=claims)

        paper = found.paper.per_block(found.widths, which, claims)
        yield _by_width(found, f"identified_{claims}_{which}", _title(claims, which), ours, paper, f"{found.nouns} per block", 2)


def _with_claims(found: Findings) -> Iterator[Panel]:
    for claims, which in product(CLAIM_KINDS, SETS):

        def ours(one: Findings, claims: str = claims, which: str = which) -> list[Any]:
            return _percents(tables.column(tables.blocks_with_claims(one), "share", set=which, claims=claims))

        paper = _percents(found.paper.by_width(found.widths, "blocks_with_claims", claims))
        yield _by_width(found, f"blocks_{claims}_{which}", _title(claims, which), ours, paper, "% of blocks", top=112)


def _chances(found: Findings) -> Iterator[Panel]:
    table = tables.baseline_summary(found)
    for claims, which, prior in product(CLAIM_KINDS, SETS, found.guessed):
        limits = found.paper.get("chances", claims) or {}
        points = [tables.column(table, name, set=which, claims=claims, prior=prior) for name in POINTS]
        yield Boxes(
            f"chance_{claims}_{which}_{prior}",
            f"From the {prior}, {SET_WORDS[which]}",
            _widths(found),
            [None if five[0] == "" else [100 * point for point in five] for five in zip(*points, strict=True)],
            [(words, 100 * limits[name]) for name, words in LIMITS.items() if name in limits],
            K,
            "chance, %",
        )


def _withheld(found: Findings) -> Iterator[Panel]:

    def shares(left: list[Any], whole: list[Any]) -> list[Any]:
        return [None if part is None or not n else 100 * part / n for part, n in zip(left, whole, strict=True)]

    for name in REMOVED:
        if name != "none":

            def ours(one: Findings, name: str = name) -> list[Any]:
                """Who is still singled out; nobody of nobody is 0."""
                left, whole = (tables.column(tables.ablation(one), one.kind.counted, removed=some) for some in (name, "none"))
                return [share or 0.0 for share in shares(left, whole)]

            paper = shares(*(found.paper.by_width(found.widths, "ablation", some) for some in (name, "none")))
            label, title = f"withheld_{name.replace(',', '_')}", f"Without {REMOVED_WORDS[name]}"
            yield _by_width(found, label, title, ours, paper, "% still singled out", top=118)


def _columns(found: Findings) -> Iterator[Panel]:
    table = tables.columns(found)
    for k in found.widths:
        number = len(found.claims.singletons(k))
        yield Bars(
            f"columns_{k}",
            f"k = {k}: {number:,} {plural('claim', number)}",
            list(found.names),
            _percents(tables.column(table, "share", columns=k)),
            _percents([found.paper.get("columns", str(k), name) for name in found.names]),
            "column",
            "% of the claims name it",
            top=118,
            sideways=True,
        )


def _likely(found: Findings) -> Iterator[Panel]:
    if found.beyond is None:
        return
    made = tables.calibration(found.beyond)
    curves = []
    for name in WEIGHINGS:
        numbers, means, true = (tables.column(made, column, prior=name) for column in ("claims", "mean_share", "true"))
        points = [(x, y) for n, x, y in zip(numbers, means, true, strict=True) if n >= FEWEST]
        curves.append((name, [x for x, _ in points], [y for _, y in points]))
    yield Lines("calibration", "Are claims true as often as shares say?", curves, "share of the datasets", "share true", True)
    order = tables.ranking(found.beyond)
    ranked = [(name, tables.column(order, "k", prior=name), tables.column(order, "right", prior=name)) for name in WEIGHINGS]
    title, below = "Most frequent full records first", "first k records of all blocks"
    yield Lines("ranking", title, ranked, below, "share in the block", log=True)


def _register(found: Findings) -> Iterator[Panel]:
    if found.beyond is None:
        return
    made = tables.register(found.beyond)
    curves = []
    for assumption, words in (("tables-in-register", "tables in register"), ("register-in-tables", "register in tables")):
        cover, matched, learnt = (
            tables.column(made, column, assume=assumption, outsiders=0.0) for column in ("coverage", "matched", "learnt")
        )
        whole = max(tables.column(made, "people", assume=assumption, outsiders=0.0))  # all records of the blocks
        for what, some in (("matched", matched), ("learnt about", learnt)):
            curves.append((f"{what}, {words}", cover, [tables.share(n, whole) for n in some]))
    below = "share of the blocks' records in the register"
    yield Lines("register", "What a register makes of it", curves, below, "share of the records")


def _by_width(
    found: Findings,
    name: str,
    title: str,
    ours: Callable[[Findings], list[Any]],
    paper: list[Any],
    said: str,
    places: int = 0,
    top: float | None = None,
) -> Panel:
    """Bars by number of columns, with those of other readings of the tables beside them."""
    others = [(one.options.variant, ours(one)) for one in found.others]
    return Bars(name, title, _widths(found), ours(found), paper, K, said, places, top, others=others)


def _title(claims: str, which: str) -> str:
    return f"{'Singled out' if claims == 'singleton' else 'All claims'}, {SET_WORDS[which]}"


def _widths(found: Findings) -> list[str]:
    return [str(k) for k in found.widths]


def _percents(shares: Sequence[Any]) -> list[Any]:
    """Shares in percent; None where the paper has none."""
    return [None if share is None else 100 * share for share in shares]
