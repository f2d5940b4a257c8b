"""What a release takes for granted, in a file beside it: said again with every result."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from foregone.formats.text import is_there, read_text

ASSUMPTIONS = "assumptions.txt"


def assumptions_text(sentences: Iterable[str]) -> str:
    return "".join(f"{sentence}\n" for sentence in sentences)


def read_assumptions(release: Path) -> tuple[str, ...]:
    """The assumptions of a release folder, a sentence each; a single file has none."""
    path = release / ASSUMPTIONS
    return tuple(read_text(path).splitlines()) if release.is_dir() and is_there(path) else ()
