"""Arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path
from time import monotonic
from typing import Annotated

import typer

from foregone.model.errors import InputError
from foregone.model.families import Groups
from foregone.model.shown import shown

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


def left(time_limit: float | None, begin: float) -> float | None:
    """What is left of a time limit that has been running since `begin`: reading counts as well."""
    return None if time_limit is None else max(0.0, time_limit - (monotonic() - begin))


def check_count(count: int | None) -> None:
    """Refuse a claimed count that no release could publish: it would be repeated in the answer, digit by digit."""
    from foregone.model.statement import LARGEST

    if count is not None and count > LARGEST:
        raise InputError(f"--count: {shown(count)} is above {LARGEST}, more than any table counts; correct it")


def complete_rule(incomplete: str) -> list[tuple[str, str]]:
    """Release rules for the Tab key."""
    from foregone.rules.registry import rules

    return [(name, rule.title) for name, rule in rules().items() if name.startswith(incomplete)]
