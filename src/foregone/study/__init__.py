"""How the folder of a study is told from others."""

from __future__ import annotations

from pathlib import Path

from foregone.formats.text import is_there

ABOUT, STUDY_PAGE = "study.json", "index.html"


def is_study(path: Path) -> bool:
    """Whether this is a folder that a study wrote."""
    return path.is_dir() and is_there(path / ABOUT)
