"""Blocks per second of `foregone run` with one and two workers, and what all blocks of a country would take.

    python benchmarks/run.py [BLOCKS]        1,000 unless told otherwise, from a synthetic country that is made first

The synthetic country has the block sizes of the 2020 census, so the cost of an average block times the number of
inhabited blocks is a projection. It is given in core-hours, next to what the Census Bureau reports for its study of
solution variability, which asks a related question about the same blocks.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

STATES, TRACTS = 50, 4
COUNTRY = 6_200_000  # inhabited blocks
BUREAU = 806_000  # vCPU-hours
WORKERS = (1, 2)


def measure(units: Path, out: Path, workers: int) -> None:
    """Run in this process, so that its children are the workers and nothing else."""
    start = [sys.executable, "-c", "from foregone.cli.app import main; main()"]
    command = [*start, "run", str(units), "--out", str(out), "--workers", str(workers)]
    begin = perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    seconds = perf_counter() - begin
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(json.dumps({"seconds": seconds, "cpu": used.ru_utime + used.ru_stime, "MB": used.ru_maxrss / 1024}))


def by_size(out: Path) -> list[tuple[str, int, float, float]]:
    """Blocks, milliseconds each and share of all time, by number of households."""
    import duckdb

    rows = duckdb.execute(
        "SELECT least(8, floor(log2(records)))::INT AS class, min(records), max(records), count(*), 1000 * avg(seconds),"
        f" sum(seconds) / sum(sum(seconds)) OVER () FROM '{out}/summary/*.parquet' GROUP BY class ORDER BY class"
    ).fetchall()
    return [(f"{low}-{high}" if low < high else str(low), blocks, each, share) for _, low, high, blocks, each, share in rows]


def main() -> None:
    if len(sys.argv) == 4:
        measure(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
        return
    from foregone.census.synthetic.country import write_country
    from foregone.census.unit_files.ingest import ingest

    blocks = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        write_country(folder / "units.csv", STATES, TRACTS, max(1, blocks // STATES // TRACTS))
        ingest(folder / "units.csv", folder / "units.parquet")
        found = {}
        for workers in WORKERS:
            out = folder / f"run{workers}"
            command = [sys.executable, __file__, str(folder / "units.parquet"), str(out), str(workers)]
            found[workers] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            about = json.loads((out / "run.json").read_text("utf-8"))
            totals, inside = about["totals"], 1000 * about["totals"]["seconds"] / about["totals"]["releases"]
            found[workers] = {**totals, **found[workers]}
            one = found[workers]
            print(
                f"{workers} worker(s): {one['releases']:,} blocks in {one['seconds']:.1f} s, {one['releases'] / one['seconds']:.1f}"
                f" blocks/s, {1000 * one['cpu'] / one['releases']:.1f} ms of one core each ({inside:.1f} in audits),"
                f" largest process {one['MB']:.0f} MB, {one['verified']:,} claims, {one['undecided']} undecided,"
                f" {one['failures']} failures; by loop: {totals['loops']}",
                flush=True,
            )
        first, second = (found[workers] for workers in WORKERS)
        print(f"scaling from one to two workers: {first['seconds'] / second['seconds']:.2f}")
        print(f"{'households':>12} {'blocks':>8} {'ms each':>9} {'share of time':>14}")
        for size, number, each, share in by_size(folder / "run1"):
            print(f"{size:>12} {number:>8,} {each:>9.1f} {share:>14.0%}")
        hours = COUNTRY * first["cpu"] / first["releases"] / 3600
        print(
            f"projection: {COUNTRY:,} blocks take {hours:,.0f} core-hours ({hours / 16:,.1f} hours on 16 cores);"
            f" the Census Bureau reports {BUREAU:,} vCPU-hours for solution variability, {BUREAU / hours:,.0f} times as many"
        )


if __name__ == "__main__":
    main()
