"""Arguments and options that several commands share, and what those about engines lead to."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from foregone.model.errors import InputError
from foregone.model.families import Groups
from foregone.model.shown import shown

if TYPE_CHECKING:
    from foregone.model.audit import Engine

ReleasePath = Annotated[
    Path,
    typer.Argument(metavar="RELEASE", help="A folder with domain.json and statistics.csv, or a .json or .parquet file."),
]
ClaimText = Annotated[
    str, typer.Argument(metavar="CLAIM", help="Attribute values, such as 'SEX=F, AGE=65-74|75-84' ('|' separates alternatives).")
]
TimeLimit = Annotated[
    float | None,
    typer.Option(
        "--time-limit",
        metavar="SECONDS",
        min=0.0,
        help="Stop after this long; what is not decided by then is undecided (--engine onehot: for each claim, default 180).",
    ),
]
MaxRecords = Annotated[
    int, typer.Option("--max-records", min=1, help="Stop, and say why, when more kinds of record than this are possible.")
]
LIMIT = 2_000_000
GroupsOption = Annotated[
    Groups,
    typer.Option(
        "--groups",
        help="published: claims also name groups of values, wherever the tables do. none: single values only, as in the paper.",
    ),
]


def check_count(count: int | None) -> None:
    """Refuse a claimed count that no release could publish: it would be repeated in the answer, digit by digit."""
    from foregone.model.statement import LARGEST

    if count is not None and count > LARGEST:
        raise InputError(f"--count: {shown(count)} is above {LARGEST}, more than any table counts; correct it")


def complete_rule(incomplete: str) -> list[tuple[str, str]]:
    """Release rules for the Tab key."""
    from foregone.rules.registry import rules

    return [(name, rule.title) for name, rule in rules().items() if name.startswith(incomplete)]


class EngineName(StrEnum):
    cells = "cells"
    onehot = "onehot"


class Solver(StrEnum):
    highs = "highs"
    cpsat = "cpsat"
    scip = "scip"
    gurobi = "gurobi"


EngineOption = Annotated[
    EngineName,
    typer.Option("--engine", help="cells: exact, complete and fast. onehot: the published method, one integer program per claim."),
]
SolverOption = Annotated[
    Solver,
    typer.Option("--solver", help="With --engine onehot: the solver to use; `foregone solvers` lists them."),
]
Solutions = Annotated[
    int | None,
    typer.Option(
        "--solutions", metavar="K", min=1, help="With --engine onehot: how many datasets to generate first (100 if not given)."
    ),
]
BigM = Annotated[bool, typer.Option("--big-m", help="With --engine onehot: use the paper's big-M constraints for 'not equal'.")]


def engine_of(
    engine: EngineName,
    solver: Solver,
    solutions: int | None,
    big_m: bool,
    max_records: int,
    groups: Groups = Groups.PUBLISHED,
) -> Engine:
    """The engine that the options ask for; options that belong to the other one are refused."""
    if engine == EngineName.cells:
        from foregone.questions.ask import CellsEngine

        given = {"--solver": solver != Solver.highs, "--solutions": solutions is not None, "--big-m": big_m}
        problems = [f"{name} goes with --engine onehot; add that, or leave out {name}" for name, used in given.items() if used]
        if problems:
            raise InputError(problems)
        return CellsEngine(max_records, groups)
    from foregone.onehot.audit import OneHotEngine
    from foregone.onehot.generate import SOLUTIONS
    from foregone.onehot.verify import Negation
    from foregone.solvers.ip.registry import load

    return OneHotEngine(load(solver.value), solutions or SOLUTIONS, Negation.BIG_M if big_m else Negation.DISJUNCTION, groups)
