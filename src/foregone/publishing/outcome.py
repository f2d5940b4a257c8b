"""What came of writing files back, as values."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from foregone.model.errors import InputError


@dataclass(frozen=True, slots=True)
class MarkedCell:
    """A cell in which something else stands now. `cell` is such as C5, or the number of a number where a file has no cells."""

    sheet: str
    cell: str
    text: str  # what stands there now
    why: str


@dataclass(frozen=True, slots=True)
class PublishedFile:
    """A file that was written: under which name, from which source, with which fingerprint, and what was changed in it."""

    name: str
    source: Path
    sha256: str
    cells: tuple[MarkedCell, ...]
    taken_out: tuple[str, ...] = ()  # other things that are not there any more, a sentence each
    look_at: tuple[str, ...] = ()  # what only a person can judge, a sentence each


@dataclass(frozen=True, slots=True)
class PublishedFiles:
    """A folder of files that say the same as a protected release, and nothing more, as far as they can be read."""

    folder: Path
    files: tuple[PublishedFile, ...]
    footnotes: tuple[str, ...]

    def json(self) -> dict[str, Any]:
        """Everything that was changed, for programs."""
        return {
            "folder": str(self.folder),
            "footnotes": list(self.footnotes),
            "files": [
                {
                    "file": file.name,
                    "source": str(file.source),
                    "sha256": file.sha256,
                    "cells": [{"sheet": c.sheet, "cell": c.cell, "text": c.text, "why": c.why} for c in file.cells],
                    "taken_out": list(file.taken_out),
                    "look_at": list(file.look_at),
                }
                for file in self.files
            ],
        }


class NotPublished(InputError):
    """Files that cannot be cleaned, or that a reader would understand otherwise than the protected release; a line for each reason.
    Nothing was written.
    """
