"""What a file must become, written down by hand: conditions in words, and the counts they can have."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

from foregone.model.release import Release
from foregone.tables.layout_file import GivenLayout

FILES = Path(__file__).parent / "files"
ANSWERS: dict[str, dict[str, Any]] = {  # files that leave something open, and what somebody answers
    "change": {"dates": {"change columns": "new"}},
    "total_after_blank": {"exclusive": ["total_after_blank columns"]},
    "business": {"exclusive": ["business columns"]},
}


def answers(*names: str) -> GivenLayout:
    """The layout that answers what these files leave open."""
    return GivenLayout(tables={stem: ANSWERS[stem] for name in names if (stem := name.partition(".")[0]) in ANSWERS})


ANY = ""  # the label of a total

Expected = dict[str, str]
"""`AGE=0-17, SEX=F` (columns in order of their names) -> `12`, `1 to 4`, `withheld`; `percent of t1.D2: SEX=F` -> `33.5`."""


def crosstab(rows: str, labels: str, columns: str, heads: str, numbers: str, within: str = "") -> Expected:
    """A cross-tab in the way people write one; labels are separated by `;`, * stands for all of them, cells by blanks.
    Every cell is about the records `within`.

    >>> crosstab("AGE", "young; old", "SEX", "F; *", "1 2 / 3 1-4")
    {'AGE=young, SEX=F': '1', 'AGE=young': '2', 'AGE=old, SEX=F': '3', 'AGE=old': '1 to 4'}
    """
    made: Expected = {}
    cells = [line.split() for line in numbers.split("/")]
    for (i, label), (j, head) in product(enumerate(_split(labels)), enumerate(_split(heads))):
        also = dict([within.split("=")]) if within else {}
        made[_condition({rows: label, columns: head} | also)] = _words(cells[i][j])
    return made


def listed(numbers: str) -> Expected:
    """Lines of `SEX=F, AGE=young: 3` and `percent of t1.D2: SEX=F: 33.5`."""
    made = {}
    for line in filter(None, map(str.strip, numbers.splitlines())):
        text, _, number = line.rpartition(":")
        kind, _, conditions = text.rpartition(": ")
        pairs = dict(part.split("=", 1) for part in conditions.split(", ") if part)
        made[f"{kind}: {_condition(pairs)}" if kind else _condition(pairs)] = _words(number.strip())
    return made


def became(release: Release) -> Expected:
    """A release in the same words."""
    domain = release.domain
    found = {}
    for s in release.statistics:
        conditions = {
            name: "|".join(code for code in domain.column(name).codes if code in codes) for name, codes in s.predicate.allowed
        }
        found[_condition(conditions)] = s.range_text
    for figure in release.figures:
        conditions = {name: "|".join(sorted(codes)) for name, codes in figure.predicate.allowed}
        found[f"percent of {figure.of}: {_condition(conditions)}"] = figure.range_text
    return found


def _split(text: str) -> list[str]:
    return [ANY if label.strip() == "*" else label.strip() for label in text.split(";")]


def _condition(pairs: dict[str, str]) -> str:
    return ", ".join(f"{name}={label}" for name, label in sorted(pairs.items()) if label != ANY)


def _words(number: str) -> str:
    return "withheld" if number == "?" else number.replace("-", " to ")
