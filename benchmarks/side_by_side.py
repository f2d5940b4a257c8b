"""The same measurements in two source trees, side by side: is one of them slower?

    python -m benchmarks.side_by_side PATH/TO/ANOTHER/CHECKOUT [--repeat 5] [--only audit]
    python -m benchmarks.side_by_side --loops [--repeat 5] [--only run]     this tree with the pure and with the compiled loop

Every measurement is a fresh process, and the trees take turns (A, B, A, B, ...), so that whatever else the machine does meets both
alike. Times are processor time, user and system, of a process and its children. Both trees read the same releases and records, made
first by the tree of this file. What a tree cannot do is shown as "-", and why is said on standard error.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from math import prod
from pathlib import Path
from statistics import median
from typing import Any

HERE = Path(__file__).resolve().parent.parent
SIZES = {1: 20, 10: 6, 20: 3, 40: 2, 80: 1, 160: 1}  # households of a block, and how many such blocks
COUNTRY = 3, 4, 25  # states, tracts of each, blocks of each
PERSONS = 1, 2, 20
DENSE = 80, 8  # records and columns
CLINIC = ("by_age.csv", "by_town.csv", "smokers.csv")

Found = dict[str, float]
"""Seconds of processor time, by what took them."""


# What both trees read. Releases and raw files are made once, by this tree; what a tree makes of them is its own.


def prepare(folder: Path) -> None:
    from benchmarks.hard import margins
    from foregone.census.household.kind import household_release
    from foregone.census.synthetic.country import write_country
    from foregone.census.synthetic.households import block

    for size, number in {5: 1, **SIZES}.items():
        for seed in range(1, number + 1):
            household_release(block(size, seed)).write(folder / f"block-{size}-{seed}")
    margins(*DENSE).write(folder / "dense")
    write_country(folder / "units.csv", *COUNTRY)
    write_country(folder / "persons.csv", *PERSONS, subject="person")
    command("demo", "--out", str(folder / "demo"), "--page", str(folder / "demo.html"))


def prepare_own(shared: Path, own: Path) -> None:
    clinic = [str(HERE / "examples" / name) for name in CLINIC]
    command("import", *clinic, "--out", str(own / "clinic"), "--record", "patient", "--token", "*=1..4")
    command("census", "ingest", str(shared / "units.csv"), "--out", str(own / "units.parquet"))
    command("census", "ingest", str(shared / "persons.csv"), "--out", str(own / "persons.parquet"), "--subject", "person")


# What is measured. Each function runs in a process of its own, with the tree on its path and a folder of its own to write to.


def spent() -> float:
    """Processor seconds of this process and of the children that it waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def foregone(*words: str) -> subprocess.CompletedProcess[str]:
    start = [sys.executable, "-c", "from foregone.cli.app import main; main()"]
    return subprocess.run([*start, *words], capture_output=True, text=True)


def command(*words: str) -> float:
    """Processor seconds of a command of Foregone."""
    begin = spent()
    done = foregone(*words)
    if done.returncode not in (0, 1):  # 1 is an answer, such as a release that breaks its policy
        raise SystemExit(f"foregone {' '.join(words)}: {done.stderr.strip()}")
    return spent() - begin


def engine() -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    """How a tree compiles a release, and its loop that finds the facts; older trees have the first elsewhere."""
    from foregone.engine.claims.audit_loop import find_facts

    for name in ("foregone.engine", "foregone.questions.start"):
        try:
            return import_module(name).start, find_facts
        except (ImportError, AttributeError):
            continue
    raise SystemExit("there is no function that starts an audit")


def audit(shared: Path, _own: Path, size: str) -> Found:
    """Blocks of so many households, after a first small one: the whole audit, and only the search for facts."""
    import foregone as fg

    fg.audit(fg.Release.read(shared / "block-5-1"))
    releases = [fg.Release.read(shared / f"block-{size}-{seed}") for seed in range(1, SIZES[int(size)] + 1)]
    name = f"audit, {size} households"
    begin = spent()
    for release in releases:
        fg.audit(release)
    found = {f"{name}, whole": (spent() - begin) / len(releases)}
    start, find_facts = engine()
    seconds = 0.0
    for release in releases:
        session = start(fg.Release(release.domain, release.statistics, release.rules))  # a release may remember its answers
        begin = spent()
        find_facts(session)
        seconds += spent() - begin
    return found | {f"{name}, loop": seconds / len(releases)}


def dense(shared: Path, _own: Path) -> Found:
    import foregone as fg

    release = fg.Release.read(shared / "dense")
    begin = spent()
    fg.audit(release, groups="none")
    return {f"dense release, {DENSE[0]} records x {DENSE[1]} columns": spent() - begin}


def run(_shared: Path, own: Path) -> Found:
    """A run over a small country, for each block."""
    seconds = command("run", str(own / "units.parquet"), "--out", str(own / "run"), "--workers", "1")
    return {"run, per block": seconds / prod(COUNTRY)}


def persons(_shared: Path, own: Path) -> Found:
    """Is each block of persons determined? For each block."""
    seconds = command("census", "variability", str(own / "persons.parquet"), "--out", str(own / "variability"), "--workers", "1")
    return {"census variability, per block": seconds / prod(PERSONS)}


def protect(_shared: Path, own: Path) -> Found:
    return {"protect, clinic": command("protect", str(own / "clinic"), "--out", str(own / "protected"))}


def report(_shared: Path, own: Path) -> Found:
    """Without explaining more than the page shows at first, where the tree knows that."""
    brief = ["--explain-seconds", "0"] if "--explain-seconds" in foregone("report", "--help").stdout else []
    return {"report, clinic": command("report", str(own / "clinic"), "--out", str(own / "clinic.html"), *brief)}


def what_if(shared: Path, _own: Path) -> Found:
    return {"what-if, bundled block": command("audit", str(shared / "demo"), "--hide", "P16")}


def imported(_shared: Path, _own: Path) -> Found:
    begin = spent()
    subprocess.run([sys.executable, "-c", "import foregone"], check=True)
    return {"import foregone": spent() - begin}


MEASUREMENTS: dict[str, Callable[..., Found]] = {
    "import": imported,
    **{f"audit-{size}": audit for size in SIZES},
    "dense": dense,
    "run": run,
    "persons": persons,
    "protect": protect,
    "report": report,
    "what-if": what_if,
}


# The parent: it starts processes and adds up.


def child(tree: Path, *words: str, loop: str = "") -> str:
    """What a process of this file says with a tree on its path; nothing where the tree cannot do it."""
    settings = {**os.environ, "PYTHONPATH": f"{tree / 'src'}{os.pathsep}{HERE}", "PYTHONHASHSEED": "0"}
    settings |= {"FOREGONE_LOOP": loop} if loop else {}
    start = [sys.executable, "-m", "benchmarks.side_by_side", "--child", str(tree)]
    done = subprocess.run([*start, *words], env=settings, capture_output=True, text=True)
    if done.returncode:
        print(f"{tree}: {' '.join(words[:1])}: {(done.stderr.strip().splitlines() or ['failed'])[-1]}", file=sys.stderr, flush=True)
    return "" if done.returncode else done.stdout


def as_child(tree: str, name: str, shared: str, own: str = "") -> None:
    import foregone as fg

    if not Path(fg.__file__).is_relative_to(tree):
        raise SystemExit(f"foregone is imported from {fg.__file__}")
    if name == "prepare":
        prepare_own(Path(shared), Path(own)) if own else prepare(Path(shared))
        return
    with tempfile.TemporaryDirectory(dir=own) as scratch:  # what was prepared is there under the same names, and nothing else
        for file in Path(own).iterdir():
            if file != Path(scratch):
                (Path(scratch) / file.name).symlink_to(file)
        size = (name.removeprefix("audit-"),) if name.startswith("audit-") else ()
        for what, seconds in MEASUREMENTS[name](Path(shared), Path(scratch), *size).items():
            print(f"{seconds}\t{what}")


@contextmanager
def prepared(trees: list[Path]) -> Iterator[list[tuple[Path, str, str]]]:
    with tempfile.TemporaryDirectory() as scratch:
        shared = Path(scratch) / "shared"
        shared.mkdir()
        child(HERE, "prepare", str(shared))
        places = []
        for letter, tree in zip("AB", trees, strict=True):
            own = Path(scratch) / letter
            own.mkdir()
            child(tree, "prepare", str(shared), str(own))
            places.append((tree, str(shared), str(own)))
        yield places


def shown(seconds: float | None) -> str:
    if seconds is None:
        return "-"
    return f"{seconds:.2f} s" if seconds >= 1 else f"{1000 * seconds:.1f} ms"


def main() -> None:
    if sys.argv[1:2] == ["--child"]:
        as_child(*sys.argv[2:])
        return
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("base", type=Path, nargs="?", default=HERE, help="another checkout of Foregone, to compare with")
    parser.add_argument("--tree", type=Path, default=HERE, help="the checkout that is compared (this one)")
    parser.add_argument("--loops", action="store_true", help="compare the two audit loops of one checkout instead")
    parser.add_argument("--repeat", type=int, default=5, help="processes per tree and measurement (5)")
    parser.add_argument("--only", metavar="NAME", default="", help=f"one of {', '.join(MEASUREMENTS)}, or several by a part of it")
    options = parser.parse_args()
    trees = [options.base.resolve(), options.tree.resolve()]
    loops = ("pure", "native") if options.loops else ("", "")
    for tree in trees:
        if not (tree / "src" / "foregone").is_dir():
            parser.error(f"{tree} is no checkout of Foregone")
    print(f"A: {trees[0]} {loops[0]}\nB: {trees[1]} {loops[1]}\nMedians of {options.repeat}, processor time.\n")
    print("| measurement | A | B | B / A |\n|---|---:|---:|---:|", flush=True)
    with prepared(trees) as places:
        for name in [options.only] if options.only in MEASUREMENTS else [name for name in MEASUREMENTS if options.only in name]:
            found: dict[str, tuple[list[float], list[float]]] = {}
            for _ in range(options.repeat):
                for which, (tree, shared, own) in enumerate(places):
                    for line in child(tree, name, shared, own, loop=loops[which]).splitlines():
                        seconds, what = line.split("\t")
                        found.setdefault(what, ([], []))[which].append(float(seconds))
            for what, both in found.items() or [(name, ([], []))]:
                a, b = (median(some) if some else None for some in both)
                print(f"| {what} | {shown(a)} | {shown(b)} | {f'{b / a:.2f}' if a and b else '-'} |", flush=True)


if __name__ == "__main__":
    main()
