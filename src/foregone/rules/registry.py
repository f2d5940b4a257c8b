"""Release rules by the names people type."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from foregone.model.domain import near
from foregone.model.errors import InputError
from foregone.model.shown import shown
from foregone.rules.rule import Band, Counts, Rule, Totals

MADE = re.compile(r"(round|below|random):([1-9][0-9]{0,5})")
WHOLE_RANGE = re.compile(r"([0-9]{1,18})(?:(\.\.)([0-9]{1,18})?)?")


@cache
def rules() -> dict[str, Rule]:
    """Every rule that has a name of its own."""
    content = tomllib.loads(files("foregone.rules").joinpath("rules.toml").read_text("utf-8"))
    return {name: _rule(name, entry) for name, entry in content.items()}


def rule(name: str) -> Rule:
    """A rule by name; `round:5`, `below:5` and `random:3` are made as they are asked for.

    >>> rule("round:5").meaning("10").text, rule("below:5").meaning("<5").text
    ('8..12', '1..4')
    """
    if name in rules():
        return rules()[name]
    made = MADE.fullmatch(name)
    if made is None:
        known = [*rules(), "round:5", "below:5", "random:3"]
        raise InputError(f"--rule {shown(name)}: there is no such rule (`foregone rules` lists them all){near(name, known)}")
    kind, number = made[1], int(made[2])
    if kind == "round":
        return Rule(
            name, f"Nearest multiple of {number}, half up", (Band(0, None, base=number),), "Totals are rounded on their own."
        )
    if kind == "random":
        bands = (Band(0, None, base=number, ties="random"),)
        return Rule(name, f"Random rounding to one of the two neighbouring multiples of {number}", bands)
    small = (Band(1, number - 1, shows=f"<{number}"),) if number > 1 else ()
    return Rule(name, f"1 to {number - 1} shown as <{number}", (Band(0, 0), *small, Band(number)), "Zeros stay shown.")


def rules_that_know(token: str) -> list[str]:
    """The names of the rules that show this token."""
    return [name for name, known in rules().items() if token in known.tokens]


def parse_counts(text: str) -> Counts | None:
    """`7`, `1..4` or `5..`; None when it is none of these.

    >>> parse_counts("1..4"), parse_counts("5.."), parse_counts("4..1")
    (Counts(low=1, high=4), Counts(low=5, high=None), None)
    """
    found = WHOLE_RANGE.fullmatch(text.strip())
    if found is None:
        return None
    low = int(found[1])
    high = low if not found[2] else int(found[3]) if found[3] else None
    return None if high is not None and high < low else Counts(low, high)


def _rule(name: str, entry: dict[str, Any]) -> Rule:
    also = tuple((token, parse_counts(text)) for token, text in entry.get("also", {}).items())
    return Rule(
        name,
        entry["title"],
        tuple(_band(band) for band in entry["bands"]),
        entry["note"],
        entry["source"],
        Totals(entry["totals"]),
        also,
        entry.get("numbers") == "exact",
    )


def _band(entry: dict[str, Any]) -> Band:
    return Band(
        entry["from"],
        entry.get("to"),
        entry.get("shows", ""),
        entry.get("round", 1),
        entry.get("ties", "up"),
        entry.get("middle", 0),
        entry.get("noise", 0),
        entry.get("least", 0),
    )
