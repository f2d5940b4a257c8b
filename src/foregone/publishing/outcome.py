"""What came of writing files back, as values."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

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


class NotPublished(InputError):
    """Files that cannot be cleaned, or that a reader would understand otherwise than the protected release; a line for each reason.
    Nothing was written.
    """
