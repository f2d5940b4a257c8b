"""The sheet that is signed when a release goes out: what holds, what it rests on, fingerprints, and what was decided."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Decision:
    """What a reviewer decided, and why. It is part of the fingerprint of the sheet."""

    accepted: bool
    name: str
    date: str  # such as 2026-11-18
    reason: str = ""


@dataclass(frozen=True, slots=True)
class SheetSection:
    """A heading of the sheet with sentences below it; `told`: they are said on the terminal, too."""

    title: str
    lines: tuple[str, ...]
    told: bool = False


@dataclass(frozen=True, slots=True)
class ReviewSheet:
    """What was asked, what holds and by which proof, what is assumed and not covered, and fingerprints of every file."""

    name: str
    verdict: str  # kept, broken or undecided
    headline: str
    sections: tuple[SheetSection, ...]
    files: tuple[tuple[str, str], ...]  # name and SHA-256
    date: str
    version: str
    decision: Decision | None = None

    @property
    def fingerprint(self) -> str:
        """SHA-256 of everything on the sheet as JSON, keys sorted, separators `,` and `:`; the decision included.

        >>> one = ReviewSheet("r", "kept", "h", (), (), "2026-11-18", "1")
        >>> len(one.fingerprint), one.fingerprint == ReviewSheet("r", "broken", "h", (), (), "2026-11-18", "1").fingerprint
        (64, False)
        """
        text = json.dumps(self._content(), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return hashlib.sha256(text.encode("utf-8")).hexdigest()

    def json(self) -> dict[str, Any]:
        """The sheet for programs, with its fingerprint."""
        return {**self._content(), "fingerprint": self.fingerprint}

    def _content(self) -> dict[str, Any]:
        return {
            "release": self.name,
            "verdict": self.verdict,
            "headline": self.headline,
            "sections": {section.title: list(section.lines) for section in self.sections},
            "files": dict(self.files),
            "date": self.date,
            "foregone": self.version,
            "decision": None if self.decision is None else asdict(self.decision),
        }
