"""What a spreadsheet shows of a cell, by its number format; and what it shows in place of a number."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime
from functools import lru_cache
from operator import eq, ge, gt, le, lt, ne
from typing import Any

DECIMALS = 30  # of a percentage; a format may ask for any number
PARTS = re.compile(r'((?:"[^"]*"|\\.|\[[^\]]*\]|[^;"\\\[])+)(?:;|$)|;')  # a number format has up to four
CONDITION = re.compile(r"\[(<=|>=|<>|<|>|=)(-?[0-9]{1,15}(?:\.[0-9]{1,15})?)\]")
COMPARED: dict[str, Callable[[float, float], bool]] = {"<": lt, "<=": le, ">": gt, ">=": ge, "=": eq, "<>": ne}
LITERAL = re.compile(r'"([^"]*)"|\\(.)')
NO_DIGITS = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]|_.|\*.')
DIGITS = re.compile(r"[0#?@]|General|[ymdhsYMDHSE]")

Part = tuple[str, float, str | None]
"""When a part of a format holds (a comparison and a number), and the text that it shows; None: it shows digits."""


@lru_cache(maxsize=1024)
def _parts(form: str) -> tuple[Part, ...]:
    made: list[Part] = []
    for part in (found[1] or "" for found in PARTS.finditer(form)):
        condition, rest = CONDITION.search(part), NO_DIGITS.sub("", part)
        literal = "".join(quoted or escaped for quoted, escaped in LITERAL.findall(part)) or rest.strip()
        compared, number = (condition[1], float(condition[2])) if condition else ("", 0.0)
        made.append((compared, number, None if DIGITS.search(rest) else literal))
    return tuple(made)


def shown_instead(value: Any, form: str) -> str | None:
    """The text that a number format shows in place of a number that is not 0; None where digits are shown.

    >>> shown_instead(3, '[<5]"<5";0'), shown_instead(7, '[<5]"<5";0'), shown_instead(3, '"*"'), shown_instead(0, '0;-0;"-"')
    ('<5', None, '*', None)
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not value or form == "General":
        return None
    parts = _parts(form)
    if not parts:
        return None
    if any(compared for compared, _, _ in parts):
        met = (part for part in parts if not part[0] or COMPARED[part[0]](value, part[1]))
        return next(met, parts[-1])[2]
    return parts[1][2] if value < 0 and len(parts) > 1 else parts[0][2]


def shown_text(value: Any, form: str) -> str:
    """A cell as its number format shows it."""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, datetime | date):
        return f"{value:%Y-%m-%d}"
    if isinstance(value, int | float) and "%" in form:
        decimals = len(form.split("%")[0].rpartition(".")[2].strip('"')) if "." in form else 0
        return f"{value * 100:.{min(decimals, DECIMALS)}f}%"
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return " ".join(str(value).split("\n")).strip()
