"""A policy, read by the checker itself from a certificate or from its file: what must not be certain, and what a reader knows.

Every word of it is understood or refused: a part that nobody looks at would be kept by everything.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

from foregone.checker import parse
from foregone.checker.files import read_text
from foregone.checker.refusal import Refused, at
from foregone.checker.rows import Domain, keyed, whole

CLAIMS = ("singled_out_columns", "smallest_group")
CELLS = ("primary", "min_width", "both_sides", "stars")
RULES = (*CLAIMS, *CELLS, "attribute", "attribute_from", "know")
SAME = {"fewest_columns": "singled_out_columns"}  # two names for one thing
RANGE = re.compile(r"([0-9]{1,15})\s*[.][.]\s*([0-9]{1,15})", re.ASCII)
AT_MOST = re.compile(r"primary\s*<=\s*([0-9]{1,15})", re.ASCII)


class Policy(NamedTuple):
    """`stars` and `width`: so many different values a cell that is not shown, or a primary one, keeps; 0 asks for nothing.
    `attribute_from` and `known` are None where the policy does not speak of them.
    """

    columns: int | None
    group: int
    attribute: tuple[str, ...]
    attribute_from: tuple[str, ...] | None
    primary: tuple[int, int] | frozenset[str] | None  # a range of counts, or names
    width: int
    sides: int
    stars: int
    known: tuple[bool, int | None] | None  # are zeros known to be shown, and the most that a primary cell is

    @property
    def zeros_shown(self) -> bool:
        return self.known is not None and self.known[0]

    @property
    def most(self) -> int | None:
        return None if self.known is None else self.known[1]

    def over(self, columns: int, count: int) -> bool:
        """Would a certain claim with so many columns about so many records break it?"""
        return self.columns is not None and columns >= self.columns and count < self.group

    def reaches(self, true: int, low: int, high: int | None) -> bool:
        """Does low..high reach far enough to both sides of the true count of a primary cell?"""
        share = self.sides * true
        return 100 * (true - low) >= share and (high is None or 100 * (high - true) >= share)


def policy_of(domain: Domain, value: Any) -> Policy:
    """A policy as a certificate writes it."""
    rules = keyed(value, (), RULES)
    columns, primary, width = rules.get("singled_out_columns"), rules.get("primary"), whole(rules.get("min_width", 2), 2)
    attribute = _texts(rules.get("attribute", []))
    around = _texts(rules["attribute_from"]) if "attribute_from" in rules else None
    if not {*attribute, *(around or ())} <= set(domain.columns):
        raise Refused("attribute: expected columns of the release")
    if around is not None and not attribute:
        raise Refused("attribute_from is about attributes, and there are none")
    if columns is None and "smallest_group" in rules:
        raise Refused("smallest_group needs singled_out_columns")
    known = _known(rules["know"]) if "know" in rules else None
    if primary is None and ({"min_width", "both_sides"} & set(rules) or (known is not None and known[1] is not None)):
        raise Refused("min_width, both_sides and primary<= are about primary cells, and there are none")
    stars = rules.get("stars", 0)
    found = Policy(
        None if columns is None else whole(columns, 1),
        whole(rules.get("smallest_group", 2), 1),
        attribute,
        around,
        None if primary is None else _primary(primary),
        width,
        whole(rules.get("both_sides", 0), 0),
        2 if stars == "unknown" else whole(stars, 2) if "stars" in rules else 0,
        known,
    )
    if isinstance(found.primary, tuple) and found.zeros_shown and found.primary[0] == 0:
        raise Refused("primary includes 0, and zeros are known to be shown")
    if isinstance(found.primary, tuple) and found.most is not None and found.most < found.primary[1]:
        raise Refused("primary cells go further up than it is known that they do")
    return found


def read_policy(domain: Domain, path: Path) -> Policy:
    """What the file of a policy forbids. Keys outside a table belong to [fail]; [review] is for people to look at."""
    with at(path):
        try:
            content = tomllib.loads(read_text(path))
        except tomllib.TOMLDecodeError as error:
            raise Refused(f"not a TOML file ({error})") from None
        inside = content.pop("fail", {})
        content.pop("review", None)
        if not isinstance(inside, dict):
            raise Refused("expected a table [fail]")
        given = dict[str, Any]()
        for written, value in (*inside.items(), *content.items()):
            key = SAME.get(written, written)
            if key not in (*RULES, "largest_baseline") or key in given:
                raise Refused(f"{written[:40]!r} is not understood, or is given twice")
            single = isinstance(value, str) and key in ("attribute", "attribute_from", "know")
            given[key] = [value] if single else int(value) if isinstance(value, float) and value.is_integer() else value
        return policy_of(domain, _meant(given))


def _meant(given: dict[str, Any]) -> dict[str, Any]:
    """With what a file leaves unsaid. One that forbids nothing means the default: nobody is singled out by two columns or more, and no
    mark is pierced. One that speaks of claims without saying how many columns means two, or one beside other rules; and a width
    without primary cells is asked of every cell that is not shown.
    """
    baseline = given.pop("largest_baseline", 1)
    if isinstance(baseline, bool) or not isinstance(baseline, int | float) or baseline < 1:
        raise Refused("largest_baseline cannot be judged here: how likely a claim is by chance is not known")
    others = {*CELLS, "attribute"} & set(given)
    if not others and not set(CLAIMS) & set(given):
        given |= {"singled_out_columns": 2, "stars": "unknown"}
    elif set(CLAIMS) & set(given):
        given.setdefault("singled_out_columns", 1 if others and "smallest_group" in given else 2)
    if "min_width" in given and "primary" not in given:
        width = whole(given.pop("min_width"), 2)
        stars = given.get("stars", 2)
        given["stars"] = max(width, 2 if stars == "unknown" else whole(stars, 2))
    return given


def _known(value: Any) -> tuple[bool, int | None]:
    known = _texts(value)
    limits = [AT_MOST.fullmatch(text.strip()) for text in known if text != "zeros-shown"]
    if len(limits) > 1 or None in limits:
        raise Refused("know: expected zeros-shown, and primary<= with a number")
    return "zeros-shown" in known, next((int(found[1]) for found in limits if found), None)


def _texts(value: Any) -> tuple[str, ...]:
    texts = parse.entries(value)
    if not all(isinstance(text, str) for text in texts) or len(set(texts)) < len(texts):
        raise Refused("expected different texts in know, attribute and primary")
    return tuple(texts)


def _primary(value: Any) -> tuple[int, int] | frozenset[str]:
    if isinstance(value, list):
        return frozenset(_texts(value))
    found = RANGE.fullmatch(value.strip()) if isinstance(value, str) else None
    if found is None or int(found[1]) > int(found[2]):
        raise Refused("primary: expected a range of counts such as 1..3, or a list of names")
    return int(found[1]), int(found[2])
