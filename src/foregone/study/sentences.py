"""A finished study in a few lines for the terminal."""

from __future__ import annotations

from pathlib import Path

from foregone.study import tables
from foregone.study.run import FinishedStudy
from foregone.study.sample import SETS


def study_summary(done: FinishedStudy, out: Path) -> str:
    results = done.results
    lines = ["The file is synthetic: nobody in it is real."] if done.synthetic else []
    width = 36
    title = "Identified by claims with k columns"
    lines.append(f"{title:<{width}} {'blocks':>7}" + "".join(f"{f'k={k}':>8}" for k in results.widths))
    _, rows = tables.households(results)
    for which in SETS:
        for kind in tables.CLAIM_KINDS:
            totals = [row[3] for row in rows if row[:2] == [which, kind]]
            label = f"{which}, {'singletons' if kind == 'singleton' else 'all claims'}"
            lines.append(f"{label:<{width}} {len(results.of(which)):>7}" + "".join(f"{total:>8,}" for total in totals))
    _, rows = tables.ablation(results)
    for name in dict.fromkeys(str(row[0]) for row in rows):
        here = [row for row in rows if row[0] == name]
        label = {"none": "", tables.EDIT: "  singletons, edit rules known"}.get(name, f"  singletons, counts of {name} withheld")
        if label:
            lines.append(f"{label:<{width}} {'':>7}" + "".join(f"{row[3]:>8,}" for row in here))
    whole = sum(results.measured[block].unique == "true" for _, block, _ in results.chosen.blocks)
    lines.append(f"Whole blocks determined: {whole} of {len(results.chosen.blocks)}. Undecided: {done.undecided}.")
    lines.append("Every verified claim was compared with the unit file: all are right.")
    lines.append(f"Written to {out} in {done.seconds['total']:.0f} seconds; open {out / 'index.html'}.")
    return "\n".join(lines)
