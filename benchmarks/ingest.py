"""Time and memory of `census ingest` next to a plain DuckDB copy of the same file to Parquet, one process each.

    python benchmarks/ingest.py [ROWS]        one million rows unless told otherwise; the file is made first
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

PER_BLOCK = 22.4  # rows of a block of the synthetic country, on average
STATES, TRACTS = 50, 30


def copy(source: Path, out: Path) -> int:
    """What DuckDB alone needs: no checks, nothing dropped, nothing sorted."""
    import duckdb

    duckdb.sql(f"COPY (SELECT * FROM read_csv('{source}')) TO '{out}' (COMPRESSION zstd)")
    return int(duckdb.execute(f"SELECT count(*) FROM '{out}'").fetchall()[0][0])


def ingested(source: Path, out: Path) -> int:
    from foregone.census.unit_files.ingest import ingest

    found = ingest(source, out)
    return found.records + found.vacant + found.quarters


def measure(what: str, source: Path, out: Path) -> None:
    import resource

    begin = perf_counter()
    rows = (copy if what == "copy" else ingested)(source, out)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"rows": rows, "seconds": perf_counter() - begin, "MB": peak, "out MB": out.stat().st_size / 1e6}))


def main() -> None:
    if len(sys.argv) == 5:
        measure(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
        return
    from foregone.census.synthetic.country import write_country

    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "units.csv"
        begin = perf_counter()
        made = write_country(source, STATES, TRACTS, max(1, round(rows / PER_BLOCK / STATES / TRACTS)))
        took = perf_counter() - begin
        print(
            f"synth: {made.households:,} households in {took:.1f} s ({60 * made.households / took / 1e6:.1f} million a minute),"
            f" {source.stat().st_size / 1e6:,.0f} MB"
        )
        for what in ("copy", "ingest"):
            command = [sys.executable, __file__, what, str(source), str(Path(folder) / f"{what}.parquet"), "run"]
            found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            print(f"{what:>6}: " + ", ".join(f"{name} {value:,.1f}" for name, value in found.items()), flush=True)


if __name__ == "__main__":
    main()
