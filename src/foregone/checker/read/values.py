"""Plain data as numbers, texts, boxes and forms. What was read has the right shape; nothing is known to be true of it yet."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from foregone.checker.kernel import Box, Form, PlainDomain, full
from foregone.checker.read.refusal import Refused

LARGEST_NUMBER = 10**100
WHOLE = r"(?:[0-9]{1,30}|[0-9]{1,3}(?:,[0-9]{3})+)"
COUNT = rf"{WHOLE}(?:[.]0*)?"
PRINTED = re.compile(rf"(?P<exact>{COUNT})|<\s*(?P<below>{COUNT})|(?P<least>{COUNT})\s*[+]"
                     rf"|(?P<low>{WHOLE})\s*[-\u2010-\u2015]\s*(?P<high>{WHOLE})", re.ASCII)  # fmt: skip


def keyed(entry: Any, needed: tuple[str, ...], further: tuple[str, ...] = ()) -> Any:
    """An object with these keys and no others."""
    if not isinstance(entry, dict) or not set(needed) <= set(entry) <= {*needed, *further}:
        raise Refused(f"expected an object with {', '.join(needed)}; it may also have {', '.join(further) or 'nothing else'}")
    return entry


def whole(value: Any, least: int = -LARGEST_NUMBER) -> int:
    """A whole number of bounded size; true and 1.0 are none."""
    if type(value) is not int or not least <= value <= LARGEST_NUMBER:
        raise Refused("expected a whole number" + (f" from {least} up" if least > -LARGEST_NUMBER else ""))
    return value


def entries(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise Refused("expected a list")
    return value


def pairs(value: Any) -> list[tuple[Any, Any]]:
    """A list of pairs."""
    if not isinstance(value, list) or not all(isinstance(pair, list | tuple) and len(pair) == 2 for pair in value):
        raise Refused("expected a list of pairs")
    return [(first, second) for first, second in value]


def text(value: Any, expected: str = "a text") -> str:
    if not isinstance(value, str):
        raise Refused(f"expected {expected}")
    return value


def count_range(printed: str) -> tuple[int, int | None]:
    """A count as it is printed: 1,082 or <5 or 1-4 or 100+."""
    found = PRINTED.fullmatch(printed)
    if found is None:
        raise Refused("expected a count: a whole number from 0 up, or one of the forms <5, 1-4, 100+")
    value = {name: int(part.partition(".")[0].replace(",", "")) for name, part in found.groupdict().items() if part}
    low = value.get("exact", value.get("least", value.get("low", 0)))
    high = value["below"] - 1 if "below" in value else value.get("exact", value.get("high"))
    if high is not None and low > high:
        raise Refused("this leaves no count")
    return low, high


def is_figure(entry: Any) -> bool:
    """Is it a sum, a mean, a median or a percentage?"""
    return isinstance(entry, dict) and entry.get("measure", "") not in ("", "count")


def hidden(entry: dict[str, Any]) -> bool:
    """Is it withheld, as its status says?"""
    if entry.get("status", "") not in ("", "withheld"):
        raise Refused("the status is blank or 'withheld'")
    return "status" in entry and entry["status"] != ""


def bits(positions: Iterable[int]) -> int:
    """A set of positions as a number; a position given twice is there once."""
    made = 0
    for position in positions:
        made |= 1 << position
    return made


def box_of(domain: PlainDomain, where: Any) -> Box:
    """Columns with a code or a list of different codes each, as a box."""
    if not isinstance(where, dict):
        raise Refused("expected an object column -> codes")
    sides = dict[int, int]()
    for name, value in where.items():
        if name not in domain.columns:
            raise Refused(f"{name[:40]!r} is not a column")
        codes, named = domain.codes[domain.columns[name]], [value] if isinstance(value, str) else value
        if not isinstance(named, list) or not named or not all(isinstance(code, str) and code in codes for code in named):
            raise Refused(f"column {name}: expected a code of this column, or a list of such codes")
        if len(set(named)) < len(named):
            raise Refused(f"column {name}: a code is named twice")
        domain.work.spend(64 * len(codes))  # memory is dearer than time
        sides[domain.columns[name]] = bits(codes[code] for code in named)
    return tuple((c, side) for c, side in sorted(sides.items()) if side != full(domain, c))


def form_of(domain: PlainDomain, value: Any) -> Form:
    return tuple((whole(weight), box_of(domain, where)) for weight, where in pairs(value))


def where_of(domain: PlainDomain, box: Box) -> dict[str, list[str]]:
    """A box as plain data."""
    names = list(domain.columns)
    return {names[c]: [code for code, i in domain.codes[c].items() if side >> i & 1] for c, side in box}


def words_of(domain: PlainDomain, box: Box) -> str:
    """A box for people."""
    return ", ".join(f"{name}={'|'.join(codes)}" for name, codes in where_of(domain, box).items())
