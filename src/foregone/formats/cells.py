"""Cells of CSV files that a spreadsheet would run as a formula get an apostrophe in front, which is taken off again on reading.

    =SUM(A1)   is written   '=SUM(A1)        -1, +5, -0.5   stay what they are: numbers are harmless
    '=SUM(A1)  is written   ''=SUM(A1)       's-Gravenhage  stays what it is: no formula begins with a letter
"""

from __future__ import annotations

import re
from typing import TypeVar

T = TypeVar("T")

FORMULA = re.compile(r"'*[=+\-@\t\r]")
NUMBER = re.compile(r"'*[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]+)?")
STARTS = frozenset("'=+-@\t\r")


def risky(cell: str) -> bool:
    return cell[:1] in STARTS and FORMULA.match(cell) is not None and NUMBER.fullmatch(cell) is None


def guarded(cell: T) -> T | str:
    """The cell as it is written.

    >>> [guarded(text) for text in ("=1+1", "-1", "+5", "-1-1", "'=x", "'s", "@me", "plain")]
    ["'=1+1", '-1', '+5', "'-1-1", "''=x", "'s", "'@me", 'plain']
    """
    return f"'{cell}" if isinstance(cell, str) and risky(cell) else cell


def unguarded(cell: str) -> str:
    """The cell as it was before `guarded`.

    >>> [unguarded(guarded(text)) for text in ("=1+1", "''=x", "'s", "-", "'-1")]
    ['=1+1', "''=x", "'s", '-', "'-1"]
    """
    return cell[1:] if cell[:1] == "'" and risky(cell) else cell
