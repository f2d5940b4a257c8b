"""What `foregone review` does: everything that somebody needs who has to sign a release, on one sheet."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Decision:
    """What a reviewer decided, and why. It is part of the fingerprint of the sheet."""

    accepted: bool
    name: str
    date: str  # such as 2026-11-18
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading of the sheet with sentences below it."""

    title: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReviewSheet:
    """What was asked, what holds and by which proof, what is assumed and not covered, and fingerprints of every file."""

    name: str
    verdict: str  # kept, broken or undecided
    sections: tuple[Section, ...]
    files: tuple[tuple[str, str], ...]  # name -> SHA-256
    decision: Decision | None = None

    @property
    def fingerprint(self) -> str:
        """SHA-256 of everything on the sheet, the decision included."""
        return ""

    def json(self) -> dict[str, Any]:
        return {}


def review(
    release: Path,
    certificate: Path | None = None,
    policy: Path | None = None,
    decision: Decision | None = None,
    time_limit: float | None = None,
) -> ReviewSheet:
    """Judge a release again, check its certificate, and gather what a reviewer has to know."""
    return ReviewSheet(release.name, "undecided", (), (), decision)


def sheet_page(sheet: ReviewSheet) -> str:
    """The sheet as a page that prints on two pages of paper."""
    return sheet.name
