"""A finished study in a few lines for the terminal."""

from __future__ import annotations

from pathlib import Path

from foregone.study import tables
from foregone.study.run import FinishedStudy
from foregone.study.sample import SETS


def study_summary(done: FinishedStudy, out: Path) -> str:
    results = done.results
    lines = ["The file is synthetic: nobody in it is real."] if done.synthetic else []
    width = 37
    title = f"{results.kind.counted.capitalize()}, by claims with k columns"
    lines.append(f"{title:<{width}} {'blocks':>6}" + "".join(f"{f'k={k}':>7}" for k in results.widths))
    _, rows = tables.households(results)
    for which in SETS:
        for kind in tables.CLAIM_KINDS:
            totals = [row[3] for row in rows if row[:2] == [which, kind]]
            label = f"{which}, {'singled out' if kind == 'singleton' else 'all claims'}"
            lines.append(f"{label:<{width}} {len(results.of(which)):>6}" + "".join(f"{total:>7,}" for total in totals))
    _, rows = tables.ablation(results)
    for name in dict.fromkeys(str(row[0]) for row in rows):
        here = [row for row in rows if row[0] == name]
        label = {"none": "", tables.EDIT: "  singled out, edit rules known"}.get(name, f"  singled out, counts of {name} withheld")
        if label:
            lines.append(f"{label:<{width}} {'':>6}" + "".join(f"{row[3]:>7,}" for row in here))
    whole = sum(results.measured[block].unique == "true" for _, block, _ in results.chosen.blocks)
    lines.append(f"Whole blocks determined: {whole} of {len(results.chosen.blocks)}. Undecided: {done.undecided}.")
    lines.append("Every verified claim was compared with the file: all are right.")
    lines.append(f"Written to {out} in {done.seconds['total']:.0f} seconds; open {out / 'index.html'}.")
    return "\n".join(lines)
