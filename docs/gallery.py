"""Make the live pages of the gallery, from bundled and synthetic data, in a folder: `make docs` puts them on the site.

    python -m docs.gallery build/gallery
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

from tests.country import command

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
DATE = "1700000000"  # printed on the pages, so that the same input makes the same bytes


def make(out: Path, work: Path) -> None:
    """The pages that docs/gallery.md names, in `out`; `work` is for what they are made from."""
    command("demo", "--page", out / "block.html")
    command("demo", "--textbook", "--page", out / "textbook.html")
    tables = [shutil.copy(EXAMPLES / name, work) for name in ("by_age.csv", "by_town.csv", "smokers.csv")]
    command("import", *tables, "--out", work / "clinic", "--record", "patient", "--token", "*=1..4")
    command("report", work / "clinic", "--out", out / "clinic.html")
    command("protect", work / "clinic", "--out", work / "protected", "--page", out / "protect.html")
    for month in ("june", "july"):
        margins = [word for name in ("SEX", "AGE", "TOWN") for word in ("--margins", name)]
        command("tabulate", EXAMPLES / f"{month}.csv", *margins, "--record", "patient", "--out", work / month)
    command("join", work / "june", work / "july", "--people", "joined", "--out", work / "both")
    command("report", work / "both", "--out", out / "june-july.html")
    command("census", "synth", "--out", work / "units.csv", "--states", 20, "--tracts", 2, "--blocks", 6)
    command("census", "ingest", work / "units.csv", "--out", work / "units.parquet")
    command("run", work / "units.parquet", "--out", work / "RUN")
    command("report", work / "RUN", "--out", out / "country.html")


def main() -> None:
    out = Path(sys.argv[1]) / "gallery"
    out.mkdir(parents=True, exist_ok=True)
    os.environ["SOURCE_DATE_EPOCH"] = DATE
    with tempfile.TemporaryDirectory() as work:
        make(out, Path(work))
    for file in out.iterdir():
        if file.suffix != ".html":  # summaries for machines
            file.unlink()


if __name__ == "__main__":
    main()
