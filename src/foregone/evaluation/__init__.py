"""The paper's evaluation: a sample of blocks, what is found in each, tables, figures and a page.

sample           which blocks
measure          everything about one block, in a worker process
findings, tables all that was found; as tables, and in a few lines
figures, panels  pictures, and which there are
page, run        the page; and the study from file to folder
"""

from __future__ import annotations

from pathlib import Path

from foregone.formats.text import is_there

ABOUT, STUDY_PAGE = "study.json", "index.html"


def is_study(path: Path) -> bool:
    """Is this a folder that a study wrote?"""
    return path.is_dir() and is_there(path / ABOUT)
