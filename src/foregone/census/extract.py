"""A block, a tract or several of them as a release folder, to try other tools on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from foregone.census.publish import publisher
from foregone.census.units import open_units
from foregone.errors import InputError
from foregone.files.folder import write_release


@dataclass(frozen=True, slots=True)
class Extracted:
    """What was written."""

    statistics: int
    records: int
    blocks: int
    noun: str
    synthetic: bool


def write_place(
    path: Path, places: list[str], out: Path, truth: bool, edit: bool, variant: str, which: str
) -> Extracted:
    """Publish the tables of all records in the places as one release."""
    if truth and out.suffix in (".json", ".parquet"):
        raise InputError(f"{out}: a single file has no room for the truth; give a folder name, or leave out --truth")
    with open_units(path, variant, which) as units:
        blocks = sorted({block for place in places for block in units.within(place)})
        codes = np.concatenate(list(units.records(blocks).values()))
    tables = publisher(variant, which, edit)
    release = tables.release(codes)
    write_release(release, out, tables.dataset(codes) if truth else None)
    if units.synthetic and out.is_dir():
        text = "Synthetic: made from a generated unit file. Nobody in it is real.\n"
        (out / "SYNTHETIC.txt").write_text(text, "utf-8")
    noun = "household" if which == "households" else "housing unit"
    return Extracted(len(release.statistics), len(codes), len(blocks), noun, units.synthetic)
