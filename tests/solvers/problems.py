"""Problems with known answers that every solver adapter must get right, and releases that every engine must."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from foregone import Domain, Predicate, Release, Statistic
from foregone.onehot.model import encode
from foregone.solvers.ip.program import Draft, IntegerProgram

Claims = frozenset[tuple[tuple[tuple[str, str], ...], int]]


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """An integer program, whether it has a solution, and how many solutions there are (None: not counted)."""

    name: str
    program: IntegerProgram
    feasible: bool
    solutions: int | None = None

    def __str__(self) -> str:
        return self.name


def feasible() -> Problem:
    """x + y >= 3 with x <= 2, y <= 1: only (2, 1)."""
    draft = Draft()
    x, y = draft.variables(1, 0, 2)[0], draft.variables(1)[0]
    draft.row([(x, 1), (y, 1)], 3, None)
    return Problem("feasible", draft.program(), True)


def infeasible() -> Problem:
    """Three binaries cannot add up to four."""
    draft = Draft()
    draft.row([(j, 1) for j in draft.variables(3)], 4, None)
    return Problem("infeasible", draft.program(), False, 0)


def parity() -> Problem:
    """2 (x1 + ... + x9) = 9: the relaxation is feasible, whole numbers are not."""
    draft = Draft()
    draft.row([(j, 2) for j in draft.variables(9)], 9, 9)
    return Problem("parity-infeasible", draft.program(), False, 0)


def triangle() -> Problem:
    """Three pairs of binaries, each adding up to 1: halves would do, whole numbers do not."""
    draft = Draft()
    a, b, c = draft.variables(3)
    for pair in ((a, b), (b, c), (a, c)):
        draft.row([(j, 1) for j in pair], 1, 1)
    return Problem("odd cycle", draft.program(), False, 0)


def many() -> Problem:
    """Choose 3 of 6: 20 solutions."""
    draft = Draft()
    draft.row([(j, 1) for j in draft.variables(6)], 3, 3)
    return Problem("many solutions", draft.program(), True, 20)


def ranges() -> Problem:
    """Between 1 and 2 of four binaries: 4 + 6 solutions."""
    draft = Draft()
    draft.row([(j, 1) for j in draft.variables(4)], 1, 2)
    return Problem("range row", draft.program(), True, 10)


def unlimited() -> Problem:
    """A row without limits and an empty row that holds say nothing."""
    draft = Draft()
    a, b = draft.variables(2)
    draft.row([(a, 1), (b, -1)], None, None)
    draft.row([], 0, 0)
    return Problem("rows that say nothing", draft.program(), True, 4)


def impossible_empty_row() -> Problem:
    draft = Draft()
    draft.variables(1)
    draft.row([], 1, None)
    return Problem("empty row that cannot hold", draft.program(), False, 0)


def negative() -> Problem:
    """Variables may be negative: x - y = -5 with -3 <= x <= 3, 0 <= y <= 2 has x = -3, y = 2 alone."""
    draft = Draft()
    x, y = draft.variables(1, -3, 3)[0], draft.variables(1, 0, 2)[0]
    draft.row([(x, 1), (y, -1)], -5, -5)
    return Problem("negative values", draft.program(), True)


def presolve_trap() -> Problem:
    """A feasible one-hot model that the presolve of HiGHS 1.14 and 1.15 calls infeasible (HiGHS issue 3090)."""
    return Problem("presolve trap", encode(trap_release()).program, True)


def market_split(rows: int = 6) -> IntegerProgram:
    """Each of several random sums must be split in half (Cornuejols and Dawande 1998): small, and hard for every solver."""
    rng = np.random.default_rng(1)
    draft = Draft()
    variables = draft.variables(10 * (rows - 1))
    for weights in rng.integers(0, 100, (rows, len(variables))).tolist():
        half = sum(weights) // 2
        draft.row(zip(variables, weights, strict=True), half, half)
    return draft.program()


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """A release and every claim with m >= 1 that is certain; None when nothing fits it."""

    name: str
    release: Release
    certain: Claims | None

    def __str__(self) -> str:
        return self.name


DOMAIN = Domain.of({"SEX": ["F", "M"], "AGE": ["young", "old"]}, record="person")
SIZE = Predicate()
THREE = Statistic.exact(SIZE, 3)


def where(**codes: str) -> Predicate:
    return Predicate.of(codes)


def claims(*entries: tuple[dict[str, str], int]) -> Claims:
    """Claims with columns in the domain's order."""
    return frozenset((tuple((n, codes[n]) for n in ("SEX", "AGE") if n in codes), count) for codes, count in entries)


def release(*statistics: Statistic, rules: tuple[Predicate, ...] = ()) -> Release:
    return Release(DOMAIN, statistics, rules)


def trap_release() -> Release:
    domain = Domain.of({"A": ["a0", "a1", "a2"], "B": ["b0", "b1", "b2"]})
    limits = {"a0": (1, 3), "a1": (1, 2), "a2": (1, 1)}
    parts = [Statistic(Predicate.of({"A": code}), low, high) for code, (low, high) in limits.items()]
    return Release(domain, (Statistic.exact(SIZE, 5), *parts))


PROGRAMS = (
    feasible(),
    infeasible(),
    parity(),
    triangle(),
    many(),
    ranges(),
    unlimited(),
    impossible_empty_row(),
    negative(),
    presolve_trap(),
)


def unbounded() -> Release:
    """Nothing limits the number of men."""
    return release(Statistic.exact(where(SEX="F"), 2), Statistic(where(SEX="M"), 1, None))


CASES = (
    Case(
        "exact counts",
        release(THREE, Statistic.exact(where(SEX="F"), 2), Statistic.exact(where(SEX="M", AGE="old"), 1)),
        claims(({"SEX": "F"}, 2), ({"SEX": "M"}, 1), ({"SEX": "M", "AGE": "old"}, 1)),
    ),
    Case("contradiction", release(THREE, Statistic.exact(where(SEX="F"), 2), Statistic.exact(where(SEX="M"), 2)), None),
    Case("the same twice", release(THREE, Statistic.exact(where(SEX="F"), 1), Statistic.exact(where(SEX="F"), 2)), None),
    Case(
        "number of records from tables alone",
        release(Statistic.exact(where(SEX="F"), 1), Statistic.exact(where(SEX="M"), 2), Statistic.exact(where(AGE="old"), 3)),
        claims(
            ({"SEX": "F"}, 1),
            ({"SEX": "M"}, 2),
            ({"AGE": "old"}, 3),
            ({"SEX": "F", "AGE": "old"}, 1),
            ({"SEX": "M", "AGE": "old"}, 2),
        ),
    ),
    Case(
        "ranges that meet",
        release(Statistic(SIZE, 2, 4), Statistic(where(SEX="F"), 2, 5), Statistic(where(SEX="M"), 2, None)),
        claims(({"SEX": "F"}, 2), ({"SEX": "M"}, 2)),
    ),
    Case(
        "range of the number of records",
        release(Statistic(SIZE, 0, 3), Statistic.exact(where(SEX="F"), 1)),
        claims(({"SEX": "F"}, 1)),
    ),
    Case(
        "rules",
        release(
            Statistic.exact(SIZE, 2),
            Statistic.exact(where(AGE="old"), 1),
            rules=(where(SEX="F", AGE="old"), where(SEX="M", AGE="young")),
        ),
        claims(
            ({"SEX": "F"}, 1),
            ({"SEX": "M"}, 1),
            ({"AGE": "young"}, 1),
            ({"AGE": "old"}, 1),
            ({"SEX": "F", "AGE": "young"}, 1),
            ({"SEX": "M", "AGE": "old"}, 1),
        ),
    ),
    Case("rules that leave nothing", release(Statistic.exact(SIZE, 2), rules=(where(SEX="F"), where(SEX="M"))), None),
    Case("nobody", release(Statistic.exact(SIZE, 0)), claims()),
    Case("many datasets", release(Statistic.exact(SIZE, 4)), claims()),
)
