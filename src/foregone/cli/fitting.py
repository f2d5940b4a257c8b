"""Lines that fit: on a terminal, or where COLUMNS says how wide it is, long lines are broken between words.

Elsewhere, in a pipe or a log, every message stays on one line, so that it can be searched for.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import textwrap

FEWEST = 40  # columns that a line gets in any case
LAST = 24  # columns that the last column of a table needs, to be broken within itself
FIELDS = re.compile(r"(?<=\S) {2,}(?=\S)")
MARK = re.compile(r" *(?:\d+\. +|[-*] +)?")


def room() -> int | None:
    """How many columns there are; None: as many as it takes."""
    given = os.environ.get("COLUMNS", "")
    if given.isdecimal() and int(given):
        return max(FEWEST, int(given))
    return max(FEWEST, shutil.get_terminal_size().columns) if sys.stdout.isatty() else None


def fitted(line: str, most: int | None) -> str:
    """A line, broken between words where it is longer than `most`; a row of a table goes on below its last column.

    >>> print(fitted("  1. Exactly one household is like this: a household of four.", 40))
      1. Exactly one household is like this:
         a household of four.
    >>> print(fitted("nhs-hes   Hospital episodes below national level", 40))
    nhs-hes   Hospital episodes below
              national level
    """
    if most is None or len(line) <= most:
        return line
    gaps = list(FIELDS.finditer(line))
    last = gaps[-1].end() if gaps else 0
    if gaps:  # columns of numbers would be torn apart
        return folded(line[last:], most, line[:last], " " * last) if most - last >= LAST else line
    mark = MARK.match(line)
    begin = mark[0] if mark else ""
    return folded(line[len(begin) :], most, begin, " " * (len(begin) if begin.strip() else len(begin) + 2))


def folded(text: str, most: int, first: str = "", further: str = "") -> str:
    """Text broken between words, never within one; what stands before the first line and before each further one."""
    return textwrap.fill(
        text, most, initial_indent=first, subsequent_indent=further, break_long_words=False, break_on_hyphens=False
    )
