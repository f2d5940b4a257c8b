"""Which engine and which solver: the options that say so, what they lead to, and the list of solvers."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from foregone.cli.show import NO, UNDECIDED, errors_as_lines, say, say_data, slow, stop
from foregone.model.errors import InputError
from foregone.model.families import Groups

if TYPE_CHECKING:
    from foregone.model.audit import Engine
    from foregone.model.predicate import Predicate
    from foregone.model.release import Release


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
        from foregone.questions.cells import Cells

        given = {"--solver": solver != Solver.highs, "--solutions": solutions is not None, "--big-m": big_m}
        problems = [f"{name} goes with --engine onehot; add that, or leave out {name}" for name, used in given.items() if used]
        if problems:
            raise InputError(problems)
        return Cells(max_records, groups)
    from foregone.onehot.engine import OneHotEngine
    from foregone.onehot.generate import SOLUTIONS
    from foregone.onehot.verify import Negation
    from foregone.solvers.ip.registry import load

    return OneHotEngine(load(solver.value), solutions or SOLUTIONS, Negation.BIG_M if big_m else Negation.DISJUNCTION, groups)


def show_possible(release: Release, predicate: Predicate, count: int, engine: Engine, time_limit: float | None) -> None:
    """The mirrored question: exit 0 when the claim can hold, 1 when it cannot, 3 when that is not known."""
    from foregone.formats.folder import dataset_csv
    from foregone.model.sentences import describe, plural

    with slow("Looking for a dataset"):
        answer = engine.possible(release, predicate, count, time_limit)
    noun = plural(release.domain.record, count)
    what = f"exactly {count} {noun} with {describe(predicate, release.domain) or 'any values'}"
    if answer.witness is not None:
        say(f"Possible: this dataset matches every published number and has {what}:")
        say_data(dataset_csv(answer.witness).rstrip())
    elif answer.impossible:
        say(f"Impossible: no dataset that matches the published numbers has {what}.")
        stop(NO)
    else:
        say(f"Undecided ({answer.reason}): whether there can be {what}.")
        stop(UNDECIDED)


def solvers() -> None:
    """List the solvers that --engine onehot can use.

    Which are installed, under what licence, and what they can do.
    """
    with errors_as_lines():
        from foregone.solvers.ip.registry import SOLVERS, installed, load, remedy

        for name in SOLVERS:
            if not installed(name):
                say(f"{name:<8}not installed; {remedy(name)}")
                continue
            try:
                adapter = load(name)
                version, licence, able = adapter.version(), adapter.licence(), adapter.abilities
            except Exception as error:  # one broken installation must not hide the other solvers
                say(f"{name:<8}installed but not usable ({error})")
                continue
            say(
                f"{name:<8}{version:<13}licence: {licence}; computes in {'integers' if able.integer_exact else 'floats'};"
                f" K datasets {'in one search' if able.many_solutions else 'one by one'};"
                f" {'open source' if able.open_source else 'commercial'}"
            )
