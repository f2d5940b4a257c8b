"""Draw the pictures of docs/likely.md and print its tables: `python -m docs.calibration`, after a change to what is proposed.

A synthetic country is made, and `foregone census study --likely` looks at blocks of it: how often claims with a given share are
true, how well records are ranked, and what registers of known coverage make of it. It takes some minutes.
"""

from __future__ import annotations

import csv
import shutil
import tempfile
from pathlib import Path

from foregone.evaluation.beyond import WEIGHINGS
from tests.country import command

IMAGES = Path(__file__).resolve().parent / "images"
PICTURES = ("calibration", "ranking", "register")
COUNTRY = ("--states", 4, "--tracts", 8, "--blocks", 25, "--seed", 3)
PER_STATE = 6


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def calibrated(study: Path) -> list[str]:
    """How often claims are true, by share and prior, as lines of Markdown."""
    found = {(row["from"], row["below"], row["prior"]): row for row in rows(study / "calibration.csv")}
    lines = [f"| share of the datasets | {' | '.join(f'`{name}`' for name in WEIGHINGS)} |", "|---" * (len(WEIGHINGS) + 1) + "|"]
    for low, high in dict.fromkeys((low, high) for low, high, _ in found):
        cells = [found[low, high, name] for name in WEIGHINGS]
        told = [f"{float(cell['true']):.2f} ({cell['claims']})" if cell["claims"] != "0" else "none" for cell in cells]
        lines.append(f"| {float(low):.2f} to {float(high):.2f} | {' | '.join(told)} |")
    return lines


def ranked(study: Path) -> list[str]:
    """How many of the first k records are in their block, as lines of Markdown."""
    found = {(row["k"], row["prior"]): row["right"] for row in rows(study / "ranking.csv")}
    lines = [f"| first k | {' | '.join(f'`{name}`' for name in WEIGHINGS)} |", "|---" * (len(WEIGHINGS) + 1) + "|"]
    for k in dict.fromkeys(k for k, _ in found):
        told = [f"{float(found[k, name]):.2f}" if (k, name) in found else "" for name in WEIGHINGS]
        lines.append(f"| {k} | {' | '.join(told)} |")
    return lines


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        command("census", "synth", "--out", folder / "units.csv", *COUNTRY)
        command("census", "study", folder / "units.csv", "--out", folder / "study", "--per-state", PER_STATE, "--likely")
        for picture in PICTURES:
            shutil.copy(folder / "study" / "figures" / f"{picture}.png", IMAGES / f"{picture}.png")
        print("\n".join([*calibrated(folder / "study"), "", *ranked(folder / "study"), ""]))
        print((folder / "study" / "register.csv").read_text("utf-8"))


if __name__ == "__main__":
    main()
