"""The study's pictures: small panels, each as png and svg; the same numbers always give the same bytes.

A panel is as wide as a phone. What is filled is this study; what is hollow or dashed is the paper.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, QUIET, LINE, CARD, OURS, SOFT, PAPER = "#1c2230", "#565d6d", "#ddd8cc", "#ffffff", "#a3370f", "#e8cdb9", "#1a56c4"
THEMED = {INK: "ink", QUIET: "quiet", LINE: "line", CARD: "card", OURS: "strong", SOFT: "soft", PAPER: "focus"}
"""The colours of a drawing by their names in the style of the pages, which knows dark ones, too."""

STYLE = {
    "svg.hashsalt": "foregone",
    "svg.fonttype": "none",
    "font.size": 9,
    "text.color": INK,
    "axes.edgecolor": QUIET,
    "axes.labelcolor": QUIET,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "grid.color": LINE,
    "grid.linewidth": 0.6,
    "xtick.color": QUIET,
    "ytick.color": QUIET,
    "ytick.left": False,
}
WIDTH, HEIGHT = 3.5, 2.75  # inches, at which nine points are read with ease on a phone


@dataclass(frozen=True, slots=True)
class Bars:
    """Bars, and hollow ones beside them for the paper; an entry for each label, None where the paper has none."""

    name: str
    title: str
    labels: Sequence[str]
    ours: Sequence[float]
    paper: Sequence[float | None]
    xlabel: str
    ylabel: str
    decimals: int = 0
    top: float | None = None
    log: bool = False
    sideways: bool = False
    ranges: Sequence[Range] = ()  # drawn above the bars
    others: Sequence[tuple[str, Sequence[float]]] = ()  # the same with the tables read in another way

    @property
    def alt(self) -> str:
        def told(label: str, ours: float, paper: float | None) -> str:
            beside = "" if paper is None else f", paper {paper:,.{self.decimals}f}"
            return f"{label}: {ours:,.{self.decimals}f}{beside}"

        said = "; ".join(told(*entry) for entry in zip(self.labels, self.ours, self.paper, strict=True))
        for name, numbers in self.others:
            pairs = zip(self.labels, numbers, strict=True)
            said += f". Read as {name}: " + "; ".join(f"{label}: {number:,.{self.decimals}f}" for label, number in pairs)
        ranges = "".join(
            f" {ends.words.capitalize()}: {self.labels[ends.least]} to {self.labels[ends.greatest]}, {self.labels[ends.middle]} in"
            " the whole country."
            for ends in self.ranges
        )
        return f"{self.title}. {self.ylabel} by {self.xlabel}. {said}.{ranges}"

    def draw(self, figure: Figure) -> None:
        from matplotlib.ticker import MaxNLocator

        axis = figure.subplots()
        if self.sideways:
            self._draw_sideways(figure, axis)
            return
        at = list(range(len(self.labels)))
        theirs = [(i, p) for i, p in enumerate(self.paper) if p is not None]
        here = 1 + len(self.others)
        width = 0.66 if here == 1 and not theirs else 0.94 / (here + bool(theirs))
        high = self.top or 1.12 * max([*self.ours, *(n for _, some in self.others for n in some), *(p for _, p in theirs), 1e-9])
        with_paper = {i for i, _ in theirs}
        first = [i - width * (here - 1 + (i in with_paper)) / 2 for i in at]
        shown = [("this study", self.ours), *((f"read as {name}", numbers) for name, numbers in self.others)]
        drawn = []
        for number, (label, values) in enumerate(shown):
            look = {"color": OURS} if not number else {"color": SOFT, "edgecolor": OURS, "linewidth": 0.6}
            places = [place + number * width for place in first]
            drawn.append((axis.bar(places, values, 0.85 * width, label=label, **look), values))
        if theirs:
            numbers = [p for _, p in theirs]
            drawn.append((axis.bar([first[i] + here * width for i, _ in theirs], numbers, 0.81 * width, **HOLLOW), numbers))
        if theirs or self.others:
            _legend(figure)
        if len(at) <= 7 and here == 1:  # more would run into each other; all numbers are in the words for the picture
            for group, values in drawn:
                axis.bar_label(group, [f"{n:,.{self.decimals}f}" for n in values], fontsize=7, padding=2)
        if self.log:
            axis.set_yscale("symlog", linthresh=1)
            axis.set_yticks([0, 1, 10, 100], ["0", "1", "10", "100"])
            high = 130
        for line, ends in enumerate(self.ranges):
            _draw_range(axis, ends, high * (1.04 + 0.16 * line))
        axis.set_ylim(0, high * (1 + 0.17 * len(self.ranges)))
        if not self.log and not self.decimals:
            axis.yaxis.set_major_locator(MaxNLocator("auto", integer=True))
        step = max(1, -(-len(at) // 12))
        axis.set_xticks(at[::step], self.labels[::step])
        axis.set(xlabel=self.xlabel, ylabel=self.ylabel)

    def _draw_sideways(self, figure: Figure, axis: Axes) -> None:
        """The numbers stand in columns at the right, where nothing runs into them."""
        at = list(range(len(self.labels)))
        axis.barh(at, self.ours, color=OURS, height=0.62, label="this study")
        theirs = [(p, i) for i, p in enumerate(self.paper) if p is not None]
        for i, number in enumerate(self.ours):
            axis.text(107, i, f"{number:.{self.decimals}f}", fontsize=7.5, va="center", color=INK)
        for number, i in theirs:
            axis.text(126, i, f"{number:.{self.decimals}f}", fontsize=7.5, va="center", color=PAPER)
        if theirs:
            axis.plot(*zip(*theirs, strict=True), **DIAMONDS, clip_on=False)
            _legend(figure)
        axis.set_yticks(at, self.labels, fontsize=8)
        axis.invert_yaxis()
        axis.grid(visible=False)
        axis.set(xlim=(0, 144), xlabel=self.ylabel)
        axis.set_xticks([0, 25, 50, 75, 100])
        axis.spines["bottom"].set_bounds(0, 100)
        figure.subplots_adjust(left=0.31)


@dataclass(frozen=True, slots=True)
class Range:
    """From where to where something goes, with a point in between, as places on the axis of labels."""

    words: str
    least: int
    middle: int
    greatest: int
    paper: bool = False


def _draw_range(axis: Axes, ends: Range, height: float) -> None:
    colour = PAPER if ends.paper else OURS
    axis.plot([ends.least, ends.greatest], [height, height], color=colour, linewidth=1.4, marker="|", markersize=6)
    axis.plot(ends.middle, height, marker="D", markersize=4.5, color=colour, markerfacecolor=CARD if ends.paper else colour)
    axis.annotate(ends.words, (ends.greatest, height), (-2, 2), textcoords="offset points", fontsize=7, color=colour, ha="right")


@dataclass(frozen=True, slots=True)
class Boxes:
    """For each label five numbers: quartiles, the 90th percentile, the greatest; and the paper's limits for the last four."""

    name: str
    title: str
    labels: Sequence[str]
    ours: Sequence[Sequence[float] | None]
    limits: Sequence[tuple[str, float]]
    xlabel: str
    ylabel: str

    @property
    def alt(self) -> str:
        words = ("first quartile", "median", "third quartile", "90th percentile", "greatest")
        said = "; ".join(
            f"{label}: " + ("no claims" if five is None else ", ".join(f"{w} {n:.1f}" for w, n in zip(words, five, strict=True)))
            for label, five in zip(self.labels, self.ours, strict=True)
        )
        paper = "; ".join(f"{name} under {limit:.0f}" for name, limit in self.limits)
        return f"{self.title}. {self.ylabel} by {self.xlabel}. {said}." + (f" Paper: {paper}." if paper else "")

    def draw(self, figure: Figure) -> None:
        axis = figure.subplots()
        for i, five in enumerate(self.ours):
            if five is None:
                continue
            q1, median, q3, p90, greatest = five
            axis.plot([i, i], [q3, p90], color=OURS, linewidth=1.2)
            axis.plot([i - 0.14, i + 0.14], [p90, p90], color=OURS, linewidth=1.2)
            axis.bar(i, q3 - q1, bottom=q1, width=0.5, color=SOFT, edgecolor=OURS, linewidth=0.9)
            axis.plot([i - 0.25, i + 0.25], [median, median], color=OURS, linewidth=2.4)
            axis.plot(i, greatest, marker="o", markersize=3.4, color=OURS)
        for name, limit in self.limits:
            axis.axhline(limit, color=PAPER, linewidth=1, linestyle=(0, (4, 3)))
            axis.text(len(self.labels) - 0.3, limit, f"{name} < {limit:.0f}", color=PAPER, fontsize=7, va="center")
        if self.limits:
            axis.text(len(self.labels) - 0.3, 57, "paper", color=PAPER, fontsize=7, va="center")
            figure.subplots_adjust(right=0.74)
        top = max([60.0 if self.limits else 10.0, *(1.08 * five[-1] for five in self.ours if five is not None)])
        axis.set(xlim=(-0.6, len(self.labels) - 0.4), ylim=(0, top), xlabel=self.xlabel, ylabel=self.ylabel)
        axis.set_xticks(range(len(self.labels)), self.labels)


@dataclass(frozen=True, slots=True)
class Lines:
    """Curves, each with its words and its points; `diagonal`: where both axes say the same."""

    name: str
    title: str
    curves: Sequence[tuple[str, Sequence[float], Sequence[float]]]
    xlabel: str
    ylabel: str
    diagonal: bool = False
    log: bool = False

    @property
    def alt(self) -> str:
        said = " ".join(
            f"{words}: " + "; ".join(f"{x:g}: {y:.2f}" for x, y in zip(xs, ys, strict=True)) + "." for words, xs, ys in self.curves
        )
        return f"{self.title}. {self.ylabel} by {self.xlabel}. {said}"

    def draw(self, figure: Figure) -> None:
        axis = figure.subplots()
        if self.diagonal:
            axis.plot([0, 1], [0, 1], color=QUIET, linewidth=0.8, linestyle=(0, (4, 3)))
        for i, (words, xs, ys) in enumerate(self.curves):
            style: dict[str, Any] = {"color": (OURS, PAPER, INK)[i % 3], "linestyle": ("-", (0, (5, 2)))[i // 3 % 2]}
            axis.plot(xs, ys, marker="osD^vx"[i % 6], markersize=3.2, linewidth=1.2, label=words, **style)
        if self.log:
            axis.set_xscale("log")
        axis.set(ylim=(0, 1.04), xlabel=self.xlabel, ylabel=self.ylabel)
        figure.subplots_adjust(bottom=0.38)
        handles, words_of = axis.get_legend_handles_labels()
        place: dict[str, Any] = {"loc": "lower center", "bbox_to_anchor": (0.5, 0.03), "ncols": 3 if len(handles) > 4 else 2}
        figure.legend(handles, words_of, fontsize=6.5, frameon=False, labelcolor=QUIET, **place)


Panel = Bars | Boxes | Lines
HOLLOW: dict[str, Any] = {"color": CARD, "edgecolor": PAPER, "linewidth": 1.2, "label": "paper"}
DIAMONDS: dict[str, Any] = {
    "linestyle": "none", "marker": "D", "markersize": 5, "markerfacecolor": CARD, "markeredgecolor": PAPER, "markeredgewidth": 1.4,
    "label": "paper",
}  # fmt: skip


def _legend(figure: Figure) -> None:
    (axis,) = figure.axes
    handles, words = axis.get_legend_handles_labels()
    order = sorted(range(len(words)), key=lambda i: words[i] == "paper")
    figure.legend(
        [handles[i] for i in order],
        [words[i] for i in order],
        loc="lower right",
        bbox_to_anchor=(1.0, -0.02),
        ncols=len(words),
        fontsize=7.5,
        frameon=False,
        handletextpad=0.4,
        columnspacing=1.0,
        labelcolor=QUIET,
    )


def draw_figures(panels: Sequence[Panel], folder: Path, note: str) -> dict[str, str]:
    """Write every panel into the new folder and return the svg of each; `note` (such as 'synthetic data') goes into a corner."""
    folder.mkdir()
    return dict(_drawn(panels, folder, note))


def _drawn(panels: Sequence[Panel], folder: Path, note: str) -> Iterator[tuple[str, str]]:
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(STYLE):  # type: ignore[arg-type]
        for panel in panels:
            tall = isinstance(panel, Bars) and panel.sideways
            figure = Figure(figsize=(WIDTH, HEIGHT + 0.3 if tall else HEIGHT))
            figure.subplots_adjust(left=0.18, right=0.98, top=0.88, bottom=0.235)
            panel.draw(figure)
            figure.text(0.03, 0.945, panel.title, fontsize=9.5, fontweight="bold")
            if note:
                figure.text(0.01, 0.015, note, fontsize=7, color=QUIET)
            figure.savefig(folder / f"{panel.name}.png", dpi=170, metadata={"Software": None})
            figure.savefig(folder / f"{panel.name}.svg", metadata={"Date": None})
            yield panel.name, (folder / f"{panel.name}.svg").read_text("utf-8")
