"""What a study can be asked for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StudyOptions:
    """The defaults are the paper's setting."""

    per_state: int = 5
    min_columns: int = 6
    engine: str = "cells"
    variant: str = "621"
    rules: str = "none"
    units: str = "households"
    seed: int = 0
    workers: int = 1
    time_limit: float | None = None
    solver: str = "highs"
    subject: str = "household"
    protect: bool = False  # also find what could still be published; takes minutes
