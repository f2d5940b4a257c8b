"""Exact linear algebra, on matrices that the engine meets: why some of it is done by FLINT and some is not. CPU milliseconds.

`independent`: which rows and columns of the exact rows are independent, modulo a prime, with NumPy or by FLINT's reduced
echelon form, to which the matrix has to be handed over as a list of numbers. `solve`, `inverse`: FLINT, of the square that was
found. `sparse`: `Echelon`, in whole numbers and fractions, or FLINT's dense echelon form of the same rows. Variants take turns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from time import process_time
from typing import Any

import flint
import numpy as np
from numpy.typing import NDArray

from foregone import Release
from foregone.census.household.kind import household_release
from foregone.census.synthetic.households import block
from foregone.engine import LinearSystem
from foregone.engine.system.linear import compile_release
from foregone.solvers.exact import PRIME, Echelon, independent, inverse, solve_modular
from tests.suppressed import suppressed_table

Ints = NDArray[np.int64]
ROUNDS = 3
MOST_ENTRIES = 1_000_000  # that FLINT is given; handing over more takes many seconds


def timed(*variants: Callable[[], Any]) -> list[float]:
    """The least time of each, in milliseconds."""
    best = [float("inf")] * len(variants)
    for _ in range(ROUNDS):
        for i, run in enumerate(variants):
            begin = process_time()
            run()
            best[i] = min(best[i], 1000 * (process_time() - begin))
    return best


def by_flint(matrix: Ints) -> tuple[list[int], list[int]]:
    """The same as `independent`: earliest rows are pivots of the transposed matrix."""
    rows = pivots(np.ascontiguousarray(matrix.T))
    return rows, pivots(matrix[rows])


def pivots(matrix: Ints) -> list[int]:
    reduced, rank = flint.nmod_mat(len(matrix), matrix.shape[1], matrix.ravel().tolist(), PRIME).rref()
    found: list[int] = []
    for i in range(rank):
        column = found[-1] + 1 if found else 0
        while not int(reduced[i, column]):
            column += 1
        found.append(column)
    return found


def cases() -> Iterator[tuple[str, LinearSystem]]:
    for households in (10, 80, 320, 1000):
        yield f"{households} households", compile_release(household_release(block(households, 2)))
    for shape in ((12, 10, 4), (40, 20, 4)):
        table = suppressed_table(shape, 0, 50_000)
        yield f"two-way {shape}", compile_release(Release(table.domain, [s for s in table.statistics if len(s.predicate) < 3]))


def measured(system: LinearSystem) -> str:
    """A line of the table."""
    exact = np.flatnonzero(system.low == system.high)
    size, buckets = max(1_000, 4 * len(exact)), np.arange(system.buckets)
    sample = buckets if len(buckets) <= size else np.sort(np.random.default_rng(0).choice(buckets, size, replace=False))
    matrix = system.columns(sample)[exact]
    rows, columns = independent(matrix)
    square = matrix[np.ix_(rows, columns)]
    sparse = [{int(j): int(row[j]) for j in np.flatnonzero(row)} for row in matrix]
    variants: list[Callable[[], Any]] = [
        partial(independent, matrix),
        partial(by_flint, matrix),
        partial(solve_modular, square, np.arange(len(rows))),
        partial(inverse, square),
        partial(Echelon, dict(enumerate(sorted(sparse, key=len)))),
        lambda: flint.fmpz_mat(matrix.tolist()).rref(),
    ]
    if matrix.size > MOST_ENTRIES:
        for i in (1, 2, 3, 5):
            variants[i] = lambda: None
    shown = "{:>18.1f} {:>6.1f} {:>7.1f} {:>8.1f} {:>17.1f} {:>6.1f}".format(*timed(*variants))
    return f"{len(exact):>4} x {len(sample):<5} {len(rows):>5} {shown}"


def main() -> None:
    print(f"{'':22} rows x buckets  rank  independent: NumPy  FLINT   solve  inverse   sparse: Echelon  FLINT   (0.0: left out)")
    for name, system in cases():
        print(f"{name:22} {measured(system)}", flush=True)


if __name__ == "__main__":
    main()
