"""The study's pictures, each as png and svg; the same numbers always give the same bytes."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from foregone.study import tables
from foregone.study.baseline import Floats
from foregone.study.sample import SETS
from foregone.study.tables import AllClaims, StudyResults

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BLUE, ORANGE, GREY = "#4c72b0", "#dd8452", "#8c8c8c"
SET_WORDS = {"state-median": "state-median blocks", "national-median": "national-median blocks"}
STYLE = {"svg.hashsalt": "foregone", "font.size": 9, "axes.spines.top": False, "axes.spines.right": False, "axes.axisbelow": True}


def draw_figures(results: StudyResults, claims: AllClaims, chances: dict[str, Floats], folder: Path, note: str) -> dict[str, bytes]:
    """Write every figure and return the png of each; `note` (such as 'synthetic data') goes into a corner."""
    import matplotlib

    folder.mkdir()
    made = {}
    with matplotlib.rc_context(STYLE):  # type: ignore[arg-type]
        figures = {
            "block_sizes": _block_sizes(results),
            "statistics_values": _statistics_values(results),
            "results_singleton": _results(results, claims, chances, "singleton"),
            "results_all": _results(results, claims, chances, "all"),
            "columns": _columns(results, claims),
        }
        for name, figure in figures.items():
            if note:
                figure.supxlabel(note, x=0.995, ha="right", fontsize=7, color=GREY)
            figure.savefig(folder / f"{name}.png", dpi=130, metadata={"Software": None})
            figure.savefig(folder / f"{name}.svg", metadata={"Date": None})
            made[name] = (folder / f"{name}.png").read_bytes()
    return made


def _figure(width: float, height: float, rows: int = 1, columns: int = 1, **more: Any) -> tuple[Figure, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False, **more)


def _block_sizes(results: StudyResults) -> Figure:
    figure, axes = _figure(5.2, 2.8)
    axis, found = axes[0, 0], Counter(median for _, median, _ in results.chosen.medians)
    axis.bar(list(found), list(found.values()), color=BLUE, width=0.85)
    nation = results.chosen.median
    axis.axvline(nation, color=ORANGE, linestyle="--", linewidth=1.2, label=f"national median: {nation}")
    axis.legend(frameon=False)
    axis.set(xlabel=f"{results.kind.counted} in the state's median block", ylabel="states", title="Median block size by state")
    axis.yaxis.get_major_locator().set_params(integer=True)
    axis.xaxis.get_major_locator().set_params(integer=True)
    return figure


def _statistics_values(results: StudyResults) -> Figure:
    figure, axes = _figure(5.2, 2.8)
    _, rows = tables.statistics_values(results)
    axis = axes[0, 0]
    heights = [100 * float(str(row[2])) for row in rows]
    bars = axis.bar(range(len(rows)), heights, color=BLUE)
    axis.bar_label(bars, [f"{h:.1f}" if h >= 0.05 else "" for h in heights], fontsize=7)
    axis.set(xlabel="published count", ylabel="% of queries", title="Values of the published counts, national-median blocks")
    axis.set_yscale("symlog", linthresh=1)
    axis.set_yticks([0, 1, 10, 100], ["0", "1", "10", "100"])
    if len(rows) <= 25:
        axis.set_xticks(range(len(rows)))
    return figure


def _results(results: StudyResults, claims: AllClaims, chances: dict[str, Floats], kind: str) -> Figure:
    """As in the paper: a row per set of blocks; bars of blocks by k, box plots of the baseline for tract and state."""
    figure, axes = _figure(11, 6.4, 2, 3)
    _, rows = tables.blocks_with_claims(results)
    words = "singleton claim" if kind == "singleton" else "claim"
    for row, which in enumerate(SETS):
        axis = axes[row, 0]
        number = len(results.of(which))
        heights = [int(str(r[3])) for r in rows if r[0] == which and r[1] == kind]
        bars = axis.bar([str(k) for k in results.widths], heights, color=BLUE)
        axis.bar_label(bars, fontsize=8)
        axis.set_ylim(0, max(1, number) * 1.08)
        axis.set(xlabel="columns k", ylabel=f"blocks (of {number})", title=f"Blocks with a verified {words}\n{SET_WORDS[which]}")
        for column, (prior, values) in enumerate(chances.items(), start=1):
            axis = axes[row, column]
            groups = [values[claims.chosen(which, kind) & (claims.columns == k)] for k in results.widths]
            axis.boxplot(
                [group if len(group) else [float("nan")] for group in groups],
                tick_labels=[str(k) for k in results.widths],
                widths=0.6,
                flierprops={"marker": "o", "markersize": 2, "markerfacecolor": GREY, "markeredgecolor": "none", "alpha": 0.4,
                            "rasterized": True},
                medianprops={"color": ORANGE, "linewidth": 1.6},
            )  # fmt: skip
            axis.set_ylim(-0.02, max(0.5, *(float(group.max(initial=0)) for group in groups)) + 0.02)
            axis.set(xlabel="columns k", ylabel="baseline probability")
            axis.set_title(f"Chance of the claim, {prior} prior\n{SET_WORDS[which]}")
    return figure


def _columns(results: StudyResults, claims: AllClaims) -> Figure:
    widths = list(results.widths)
    figure, axes = _figure(1.6 + 2.1 * len(widths), 3.2, 1, len(widths), sharey=True)
    _, rows = tables.columns(results, claims)
    for axis, k in zip(axes[0], widths, strict=True):
        shares = [float(str(row[2])) for row in rows if row[0] == k]
        axis.barh(list(results.names), shares, color=BLUE)
        number = int(((claims.count == 1) & (claims.columns == k)).sum())
        axis.set(xlim=(0, 1), title=f"k = {k}\n{number:,} {'claim' if number == 1 else 'claims'}", xlabel="share of claims")
    axes[0, 0].invert_yaxis()
    return figure
