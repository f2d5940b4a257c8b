"""Protection beside the field, on public tables: what is withheld, what is still revealed, and how long it takes.

    python benchmarks/protect.py [--seconds 300] [--only z2]
    python -m benchmarks.protect --made 50x20x5       # a made-up table with all totals
    python -m benchmarks.protect --made 30x10+30x8    # two, linked by their first column

Tables z1, z2, z3 of Statistics Norway (benchmarks/suppression/LICENSE). `field` is the best count of withheld cells that a public
tool reaches. `linear` is the least that withstands adding and subtracting by somebody who knows nothing else (`know = []`), as
other tools have it. `exact` is the least that withstands a reader who works out everything and sees that zeros are shown, so that a
withheld cell is at least 1: what true safety costs. `revealed` counts the primary cells that are found out all the same, by adding
and subtracting / by such a reader. Seconds are those of the processor.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Sequence
from itertools import accumulate, chain, pairwise, product
from math import prod
from pathlib import Path
from time import process_time
from typing import NamedTuple

from foregone import Domain, Knowledge, Policy, Predicate, Primary, Protection, Release, Statistic
from foregone.protection.actions import Allowed, primary_cells, problem_of
from foregone.protection.cells import CellAttacker
from foregone.protection.linear import LinearAttacker
from foregone.protection.protect import protect
from foregone.solvers.deadline import Deadline

FOLDER = Path(__file__).parent / "suppression"


class Case(NamedTuple):
    name: str
    table: str
    groups: tuple[tuple[str, str], ...]  # columns whose codes are also shown in groups, and the column that names these
    primary: Primary
    field: int


RECORDS = 6  # to a cell of a made-up table
FYLKE, GROUP, SEASON = ("region", "fylke"), ("region", "kostragr"), ("mnd", "mnd2")
SHOWN, PROTECTED = Primary(1, 3), Primary(0, 3)
CASES = (
    Case("z1", "z1", (), SHOWN, 6),
    Case("z2 linked", "z2", (FYLKE, GROUP), SHOWN, 24),
    Case("z2 linked, zeros protected", "z2", (FYLKE, GROUP), PROTECTED, 29),
    Case("z3", "z3", (FYLKE, SEASON), SHOWN, 478),
    Case("z3, zeros protected", "z3", (FYLKE, SEASON), PROTECTED, 626),
    Case("z3 linked", "z3", (FYLKE, GROUP, SEASON), SHOWN, 521),
)


def release_of(case: Case) -> Release:
    """Every crossing of codes, groups of codes and totals, each a published cell."""
    with (FOLDER / f"{case.table}.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    columns = [name for name in ("region", "hovedint", "mnd") if name in rows[0]]
    sides: list[list[tuple[str, list[str]]]] = []
    for name in columns:
        codes = sorted({row[name] for row in rows})
        shown = [(code, [code]) for code in codes]
        for by in (by for column, by in case.groups if column == name):
            members = {group: sorted({row[name] for row in rows if row[by] == group}) for group in {row[by] for row in rows}}
            shown += [(f"{by} {group}", members[group]) for group in sorted(members)]
        sides.append([*shown, ("all", codes)])
    cells = []
    for chosen in product(*sides):
        inside = dict(zip(columns, (set(codes) for _, codes in chosen), strict=True))
        count = sum(int(row["ant"]) for row in rows if all(row[name] in codes for name, codes in inside.items()))
        cells.append(Statistic.exact(Predicate.of(inside), count, " x ".join(label for label, _ in chosen), case.table))
    return Release(Domain.of({name: sorted({row[name] for row in rows}) for name in columns}), cells)


def revealed(release: Release, policy: Policy, found: Protection) -> str:
    """How many primary cells both attackers find out when these cells are withheld."""
    problem = problem_of(release, policy, Allowed())
    taken = [a for a, action in enumerate(problem.actions) if action.name in set(found.withheld)]
    return " / ".join(str(attacker.breaches(taken, Deadline())) for attacker in (LinearAttacker(problem), CellAttacker(problem)))


def told(found: Protection, seconds: float) -> str:
    proved = "proved" if found.proved else "a solver says least"
    mark = proved if found.optimal else f"at least {found.lower_bound}"
    return f"{found.cost} ({mark}, {seconds:.0f} s)"


def made_release(tables: Sequence[tuple[int, ...]]) -> Release:
    """Made-up tables of these shapes about the same people, with all totals; the first column is the same in all of them."""
    from tests.suppressed import suppressed_table

    sides = [table[1:] for table in tables]
    ends = list(accumulate(map(len, sides), initial=1))
    columns = [{"C0", *(f"C{c}" for c in range(*side))} for side in pairwise(ends)]
    whole = suppressed_table((tables[0][0], *chain(*sides)), 0, RECORDS * prod(tables[0]))
    return whole.changed(statistics=[s for s in whole.statistics if any({n for n, _ in s.predicate.allowed} <= c for c in columns)])


def show_made(tables: Sequence[tuple[int, ...]], seconds: float) -> None:
    """Made-up tables with about six records to a cell of the first, against the exact attacker."""
    release, policy, begin = made_release(tables), Policy(primary=SHOWN), process_time()
    print(f"{len(release.statistics):,} numbers, {len(primary_cells(release, policy)):,} primary")

    def watch(lower: int, upper: int | None) -> None:
        print(f"{process_time() - begin:.1f} s: {lower} to {upper}", flush=True)

    found = protect(release, policy, time_limit=seconds, watch=watch)
    print(f"withheld: {told(found, process_time() - begin)}" if found.cost else found.summary())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=300.0, help="for the exact attacker on each table")
    parser.add_argument("--only", default="", help="cases whose name begins with this")
    parser.add_argument("--made", default="", metavar="SHAPE", help="made-up tables instead, such as 300x10 or 30x10+30x8")
    options = parser.parse_args()
    if options.made:
        show_made([tuple(map(int, shape.split("x"))) for shape in options.made.split("+")], options.seconds)
        return
    print("| case | cells | primary | field | linear | revealed | exact | revealed |")
    print("|---|---|---|---|---|---|---|---|")
    for case in CASES:
        if not case.name.startswith(options.only):
            continue
        release = release_of(case)
        plain, knowing = Policy(primary=case.primary, know=Knowledge()), Policy(primary=case.primary)
        number = len(primary_cells(release, knowing))
        row = [case.name, f"{len(release.statistics):,}", str(number), str(case.field)]
        for policy, attacker, limit in ((plain, "linear", None), (knowing, "exact", options.seconds)):
            begin = process_time()
            found = protect(release, policy, attacker=attacker, time_limit=limit)
            row += [told(found, process_time() - begin), revealed(release, knowing, found)]
        print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
