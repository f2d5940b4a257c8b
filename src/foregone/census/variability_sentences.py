"""What a run of `census variability` found, for the terminal: by size of block, beside what is published."""

from __future__ import annotations

from pathlib import Path

from foregone.census.kind import Kind
from foregone.census.variability import NOT_UNIQUE, UNDECIDED, UNIQUE, SizeClass, Summary
from foregone.model.sentences import folded, plural


def variability_text(kind: Kind, found: Summary, out: Path, tract_tables: bool, synthetic: bool) -> str:
    total = found.total
    known = "block tables and tract tables (as upper bounds)" if tract_tables else "block tables"
    lines = ["The file is synthetic: nobody in it is real."] if synthetic else []
    lines += [f"Known: {known}.", ""]
    titles = f"{'blocks':>10}{'one dataset':>13}{'published':>11}{'certain':>10}{'guess: tract':>14}{'state':>8}"
    lines.append(f"{kind.counted:<10}{titles}")
    for name, size in zip([*found.names, "all"], [*found.classes, total], strict=True):
        if size.blocks:
            lines.append(_line(name, size))
    answers = total.answers
    lines += [
        "",
        f"Determined: {answers[UNIQUE]:,} of {total.blocks:,} {plural('block', total.blocks)}."
        f" Not determined: {answers[NOT_UNIQUE]:,}. Undecided: {answers[UNDECIDED]:,}. How far two datasets can differ is known"
        f" exactly for {total.exact:,} and within limits for {total.blocks - total.exact:,}.",
        f"certain: {kind.counted} in blocks with one dataset. guess: how many a random draw from the tract or state"
        " gets right, on average.",
        f"Written to {out}: variability.csv, sizes.csv, pairs.csv (two datasets of each block that is not determined).",
    ]
    return "\n".join(folded(line) for line in lines)


def _line(name: str, size: SizeClass) -> str:
    zero = size.published.get("zero")
    told = "" if zero is None else f"{100 * zero:.1f} %"
    shares = [size.records_certain, *size.guessed.values()]
    certain, tract, state = (f"{100 * share / size.records:.1f} %" for share in shares)
    unique = f"{100 * size.answers[UNIQUE] / size.blocks:.1f} %"
    return f"{name:<10}{size.blocks:>10,}{unique:>13}{told:>11}{certain:>10}{tract:>14}{state:>8}"
