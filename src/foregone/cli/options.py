"""Arguments and options that several commands share, and what those about engines lead to."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from foregone.model.errors import InputError
from foregone.model.families import Groups
from foregone.model.shown import shown

if TYPE_CHECKING:
    from foregone.model.audit import Engine


def option(name: str, said: str, *others: str, **more: Any) -> Any:
    """An option: its name, what is said about it, other names of it, and whatever else Typer can be told."""
    return typer.Option(name, *others, help=said, **more)


def argument(name: str, said: str, **more: Any) -> Any:
    """An argument: its name in the help, and what is said about it."""
    return typer.Argument(metavar=name or None, help=said, **more)


def seconds(said: str, name: str = "--time-limit") -> Any:
    """An option for a number of seconds, with what is said about it."""
    return option(name, said, metavar="SECONDS", min=0.0)


ReleasePath = Annotated[Path, argument("RELEASE", "A folder with domain.json and statistics.csv, or a .json or .parquet file.")]
ClaimText = Annotated[str, argument("CLAIM", "Attribute values, such as 'SEX=F, AGE=65-74|75-84' ('|' separates alternatives).")]
ReleaseOut = Annotated[Path, option("--out", "The release to write: a new folder, or a .json or .parquet file.")]
TimeLimit = Annotated[
    float | None,
    seconds("Stop after this long; what is not decided by then is undecided (--engine onehot: for each claim, default 180)."),
]
MaxRecords = Annotated[int, option("--max-records", "Stop, and say why, when more kinds of record than this are possible.", min=1)]
LIMIT = 5_000_000
PriorTable = Annotated[
    Path | None,
    option("--prior-table", "A table that a guesser would guess from (CSV: some of the columns and `weight`, or records)."),
]
GroupsOption = Annotated[
    Groups,
    option(
        "--groups",
        "published: claims also name groups of values, wherever the tables do. none: single values only, as in the paper.",
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


def rule_option(said: str) -> Any:
    """The option that names a release rule, with what is said about it."""
    return option("--rule", said, metavar="NAME", autocompletion=complete_rule)


EngineName = StrEnum("EngineName", ["cells", "onehot"])
Solver = StrEnum("Solver", ["highs", "cpsat", "scip", "gurobi"])
EngineOption = Annotated[
    EngineName, option("--engine", "cells: exact, complete and fast. onehot: the published method, one integer program per claim.")
]
SolverOption = Annotated[Solver, option("--solver", "With --engine onehot: the solver to use; `foregone solvers` lists them.")]
Solutions = Annotated[
    int | None,
    option("--solutions", "With --engine onehot: how many datasets to generate first (100 if not given).", metavar="K", min=1),
]
BigM = Annotated[bool, option("--big-m", "With --engine onehot: use the paper's big-M constraints for 'not equal'.")]


def check_engine(engine: EngineName, solver: Solver, solutions: int | None, big_m: bool) -> None:
    """Refuse options of the one-hot engine where the other one is asked."""
    given = {"--solver": solver != Solver.highs, "--solutions": solutions is not None, "--big-m": big_m}
    problems = [f"{name} goes with --engine onehot; add that, or leave out {name}" for name, used in given.items() if used]
    if engine == EngineName.cells and problems:
        raise InputError(problems)


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

        check_engine(engine, solver, solutions, big_m)
        return CellsEngine(max_records, groups)
    from foregone.questions.ask import onehot_engine

    return onehot_engine(solver.value, solutions, big_m, groups)


SubjectName = StrEnum("SubjectName", ["household", "person"])
Variant = StrEnum("Variant", {"official": "official", "paper": "621", "renter_3": "renter-3", "pac": "pac"})
WhichUnits = StrEnum("WhichUnits", ["households", "all", "untied"])
Rules = StrEnum("Rules", ["none", "edit"])
UnitsPath = Annotated[Path, argument("UNITS", "A unit or person file (csv, gz or zip), or Parquet made by `census ingest`.")]
SubjectOption = Annotated[
    SubjectName, option("--subject", "What the records of the file are: households (housing units) or persons.")
]
VariantOption = Annotated[
    Variant | None,
    option(
        "--variant",
        "Which tables: official (if not given), 621 (the paper's count of household cells) and others; see `census tables`.",
        show_default=False,
    ),
]
UnitsOption = Annotated[
    WhichUnits | None,
    option(
        "--units",
        "Of households: occupied units only (the default), or all housing units (a vacant unit has code 0 in every column);"
        " untied: all of them, and nothing is known beside the tables, as in the paper's program.",
        show_default=False,
    ),
]
TablesOption = Annotated[
    list[str] | None,
    option("--tables", "Only these tables; H13* means H13 and its iterations. See `census tables`.", metavar="P16,H13*"),
]
WorkersOption = Annotated[int | None, option("--workers", "Processes on this machine; all cores by default.", min=1)]
SchedulerOption = Annotated[str | None, option("--scheduler", "Use a Dask cluster, such as tcp://host:8786.", metavar="ADDRESS")]
ShardOption = Annotated[str | None, option("--shard", "Do share I of N; for job arrays that share one folder.", metavar="I/N")]
LimitOption = Annotated[int | None, option("--limit", "Only the first N blocks in order of their codes.", metavar="N", min=1)]
StateOption = Annotated[str | None, option("--state", "Only the blocks of one state (2 digits).", metavar="CODE")]
MemoryOption = Annotated[
    float | None, option("--memory", "For each worker; a release that needs more fails.", metavar="GB", min=0.1)
]
RetryOption = Annotated[
    bool, option("--retry-failed", "Do parts with failed or undecided releases again; you may change the limits.")
]


def chosen(
    subject: SubjectName,
    variant: Variant | None,
    which: WhichUnits | None,
    edit: bool = False,
    some: list[str] | None = None,
) -> tuple[str, str]:
    """The variant of the tables and which records are meant, where they are given and where they are not."""
    from foregone.census.kinds import KINDS

    kind = KINDS[subject.value]
    problems = []
    if variant is not None and variant.value not in kind.book.variants:
        known = ", ".join(kind.book.variants)
        problems.append(f"--variant {variant.value}: the {kind.name} tables have no such variant; use one of {known}")
    if which is not None and which.value not in kind.records:
        problems.append(f"--units {which.value}: applies to housing units only, and the subject is {kind.name}; leave it out")
    if edit and not kind.edited:
        problems.append(f"edit rules: none are known for a {kind.name}; leave the option out")
    if problems:
        raise InputError(problems)
    named = variant.value if variant else "official"
    return (kind.book.choose(named, some) if some else named), (which.value if which else kind.units)
