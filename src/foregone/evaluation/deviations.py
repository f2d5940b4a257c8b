"""Where a study is not near the paper, and which experiment comes nearest: what is left unexplained is said, too."""

from __future__ import annotations

from dataclasses import dataclass

from foregone.evaluation.experiments import STUDIED, WITHHELD, Experiment, measure_name
from foregone.evaluation.findings import Findings
from foregone.evaluation.sample import NATION
from foregone.evaluation.tables import CsvTable

NEAR = 0.1  # a tenth of the paper's numbers: as near as this they count as met
NEARER = 0.9  # an experiment explains something when it takes away at least a tenth of what differs
LIMITS = ("tract chance", "state chance")  # measures of which the paper gives an upper limit

Numbers = tuple[float | None, ...]
"""Of one measure, by number of columns; a measure that is not by columns has one."""


@dataclass(frozen=True, slots=True)
class Deviation:
    """A measure in which the study differs from the paper, in the reading that is nearest to it. `nearest` is the experiment that
    comes nearer than that, if one does, with its numbers."""

    measure: str
    by_columns: bool
    paper: Numbers
    here: Numbers
    reading: str
    nearest: tuple[str, Numbers] | None


def experiment_table(found: Findings) -> CsvTable:
    """What each experiment gave, beside the paper."""
    rows: list[list[object]] = []
    for one in found.experiments:
        for (name, k), value in one.measures.items():
            there = printed(found, name, k)
            numbers = ("" if n is None else n for n in (value, there))
            rows.append([one.setting, one.reading, one.blocks, measure_name(name, k), *numbers])
    return ["setting", "reading", "blocks", "measure", "value", "paper"], rows


def printed(found: Findings, name: str, k: int | None) -> float | None:
    """The paper's number for a measure of an experiment, if it has one."""
    paper = found.paper
    means, queries, size = (paper.get("values", "mean"), paper.get("values", "queries"), paper.get("sizes", "median"))
    if not means or not size:
        return None
    if name == "met per record":
        return float(round(sum(v * n for v, n in enumerate(means)) / size, 4))
    if name in ("share of zeros", "share of ones"):
        return float(round(means[name == "share of ones"] / queries, 4))
    if name == "blocks":
        share = paper.get("blocks_with_claims", "singleton", str(k))
        return None if share is None else float(share)
    if name in LIMITS:
        limit = paper.get("chances", "singleton", "median")
        return None if limit is None else float(limit)
    if name == "singled out":
        part, whole = paper.get("identified", "total", NATION, "singleton", str(k)), paper.get("blocks", "value")
    else:
        part, whole = (paper.get("ablation", removed, str(k)) for removed in (",".join(map(str, WITHHELD[name])), "none"))
    return None if part is None or not whole else float(round(part / whole, 4))


def numbers_of(experiment: Experiment, name: str) -> Numbers:
    return tuple(value for (measure, _), value in experiment.measures.items() if measure == name)


def paper_numbers(found: Findings, name: str) -> Numbers:
    """The paper's numbers for a measure, as `numbers_of` has those of an experiment."""
    return tuple(printed(found, measure, k) for measure, k in found.experiments[0].measures if measure == name)


def deviations(found: Findings) -> list[Deviation]:
    """Each measure in which the study is not near the paper in its nearest reading, with the experiment that comes nearest."""
    here = [one for one in found.experiments if one.setting == STUDIED]
    others = [one for one in found.experiments if one.setting != STUDIED]
    told = []
    for name in dict.fromkeys(name for name, _ in here[0].measures) if here else ():
        there = paper_numbers(found, name)
        apart, at = min((_apart(name, numbers_of(one, name), there), at) for at, one in enumerate(here))
        studied = here[at]
        if apart <= NEAR * sum(n for n in there if n is not None):
            continue
        kept = numbers_of(studied, name)
        tried = [(_apart(name, _filled(numbers_of(one, name), kept), there), at) for at, one in enumerate(others)]
        left, at = min(tried, default=(apart, 0))
        best = others[at] if left < NEARER * apart else None
        nearest = None if best is None else (f"{best.setting}, read as {best.reading}", numbers_of(best, name))
        told.append(Deviation(name, len(there) > 1, there, kept, studied.reading, nearest))
    return told


def _filled(numbers: Numbers, kept: Numbers) -> Numbers:
    """Where an experiment has nobody to take a share of, it counts as if it changed nothing."""
    return tuple(b if a is None else a for a, b in zip(numbers, kept, strict=True))


def _apart(name: str, ours: Numbers, theirs: Numbers) -> float:
    """How far apart two rows of numbers are, where both have one; from a limit, what lies above it."""
    pairs = [(a, b) for a, b in zip(ours, theirs, strict=True) if a is not None and b is not None]
    return sum(max(0.0, a - b) if name in LIMITS else abs(a - b) for a, b in pairs)
