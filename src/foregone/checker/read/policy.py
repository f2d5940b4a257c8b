"""A policy, read by the checker itself from a certificate or from its file: what must not be certain, and what a reader knows.

Every word of it is understood or refused: a part that nobody looks at would be kept by everything.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

from foregone.checker.kernel import PlainDomain
from foregone.checker.read.files import read_text
from foregone.checker.read.refusal import Refused, at
from foregone.checker.read.values import entries, keyed, whole

CLAIMS = ("singled_out_columns", "smallest_group", "largest_baseline")
OTHERS = ("primary", "min_width", "both_sides", "stars", "attribute")
SAME = {"fewest_columns": "singled_out_columns"}  # two names for one thing
LISTS = ("attribute", "attribute_from", "know")  # of which a file may give one without brackets
MOST = 10**15 - 1  # no table counts so many
WIDEST = 1_000  # values that a cell can be asked to keep
RANGE = re.compile(r"(\d{1,15})\s*[.][.]\s*(\d{1,15})")
AT_MOST = re.compile(r"primary\s*<=\s*(\d{1,15})")


class PlainPolicy(NamedTuple):
    """`stars` and `width`: so many different values a cell that is not shown, or a primary one, keeps; 0 asks for nothing.
    `attribute_from` and `known` are None where the policy does not speak of them.
    """

    columns: int | None = None
    group: int = 2
    attribute: tuple[str, ...] = ()
    attribute_from: tuple[str, ...] | None = None
    primary: tuple[int, int] | frozenset[str] | None = None  # a range of counts, or names
    width: int = 2
    sides: int = 0
    stars: int = 0
    known: tuple[bool, int | None] | None = None  # are zeros known to be shown, and the most that a primary cell is

    @property
    def zeros_shown(self) -> bool:
        return self.known is not None and self.known[0]

    @property
    def most(self) -> int | None:
        return None if self.known is None else self.known[1]

    def covers(self, asked: PlainPolicy) -> bool:
        """Is it the policy that was asked for, with a reader who knows at least as much? Where nothing is said of readers, they see
        that zeros are shown; to say that they know nothing would be less.
        """
        zeros, most = asked.known or (self.known is not None, None)
        more = self.known == asked.known or (self.known is not None and zeros <= self.known[0] and most in (None, self.known[1]))
        return more and asked._replace(known=self.known) == self

    def over(self, columns: int, count: int) -> bool:
        """Would a certain claim with so many columns about so many records break it?"""
        return self.columns is not None and columns >= self.columns and count < self.group

    def reaches(self, true: int, low: int, high: int | None) -> bool:
        """Does low..high reach far enough to both sides of the true count of a primary cell?"""
        share = self.sides * true
        return 100 * (true - low) >= share and (high is None or 100 * (high - true) >= share)


def policy_of(domain: PlainDomain, value: Any) -> PlainPolicy:
    """A policy as a certificate writes it."""
    given = keyed(value, (), tuple(READ))
    found = PlainPolicy(**{READ[key][0]: READ[key][1](rule) for key, rule in given.items()})
    if not {*found.attribute, *(found.attribute_from or ())} <= set(domain.columns):
        raise Refused("attribute: expected columns of the release")
    if found.attribute_from is not None and not found.attribute:
        raise Refused("attribute_from is about attributes, and there are none")
    if found.columns is None and "smallest_group" in given:
        raise Refused("smallest_group needs singled_out_columns")
    if found.primary is None and ({"min_width", "both_sides"} & set(given) or found.most is not None):
        raise Refused("min_width, both_sides and primary<= are about primary cells, and there are none")
    if isinstance(found.primary, tuple) and found.zeros_shown and found.primary[0] == 0:
        raise Refused("primary includes 0, and zeros are known to be shown")
    if isinstance(found.primary, tuple) and found.most is not None and found.most < found.primary[1]:
        raise Refused("primary cells go further up than it is known that they do")
    return found


def read_policy(domain: PlainDomain, path: Path) -> PlainPolicy:
    """What the file of a policy forbids. Keys outside a table belong to [fail]; [review] is for people to look at."""
    with at(path):
        text = read_text(path)
        if not text.strip():
            raise Refused("the file is empty")
        try:
            content = tomllib.loads(text)
        except (ValueError, RecursionError) as error:
            raise Refused(f"not a TOML file ({error})") from None
        inside, review = content.pop("fail", {}), content.pop("review", {})
        if not isinstance(inside, dict) or not isinstance(review, dict):
            raise Refused("expected tables [fail] and [review]")
        with at("review"):
            if "know" in _given(review.items()):
                raise Refused("know is about every reader, and stands outside of [review]")
        return policy_of(domain, _meant(_given((*inside.items(), *content.items()))))


def _given(written: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Keys of a file, each once, with a value that can be read. What one way of writing has for another is made alike."""
    given = dict[str, Any]()
    for name, value in written:
        key = SAME.get(name, name)
        if key not in (*READ, "largest_baseline") or key in given:
            raise Refused(f"{name[:40]!r} is not understood, or is given twice")
        single = isinstance(value, str) and key in LISTS
        given[key] = [value] if single else int(value) if isinstance(value, float) and value.is_integer() else value
        if key != "largest_baseline":
            READ[key][1](given[key])
        elif isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            raise Refused("largest_baseline: expected a probability from 0 to 1")
    return given


def _meant(given: dict[str, Any]) -> dict[str, Any]:
    """With what a file leaves unsaid. One that forbids nothing means the default: nobody is singled out by two columns or more, and
    no mark is pierced. One that speaks of claims without saying how many columns means two, or one beside other rules; and a
    width without primary cells is asked of every cell that is not shown.
    """
    others = set(OTHERS) & set(given)
    if not others and not set(CLAIMS) & set(given):
        given |= {"singled_out_columns": 2, "stars": "unknown"}
    elif set(CLAIMS) & set(given):
        given.setdefault("singled_out_columns", 1 if others and "smallest_group" in given else 2)
    if given.pop("largest_baseline", 1) < 1:
        raise Refused("largest_baseline cannot be judged here: how likely a claim is by chance is not known")
    if "min_width" in given and "primary" not in given:
        given["stars"] = max(_stars(given.get("stars", 2)), given.pop("min_width"))
    return given


def _number(least: int, most: int = MOST) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        if whole(value, least) > most:
            raise Refused(f"expected a number up to {most:,}")
        return whole(value, least)

    return read


def _stars(value: Any) -> int:
    return 2 if value == "unknown" else _number(2, WIDEST)(value)


def _known(value: Any) -> tuple[bool, int | None]:
    known = {text.strip() for text in _texts(value)}
    found = [AT_MOST.fullmatch(text) for text in known - {"zeros-shown"}]
    limits = {int(limit[1]) for limit in found if limit}
    if len(limits) > 1 or None in found:
        raise Refused("know: expected zeros-shown, and primary<= with a number")
    return "zeros-shown" in known, next(iter(limits), None)


def _texts(value: Any) -> tuple[str, ...]:
    """Texts, of which one that is given twice is meant once."""
    given = entries(value)
    if not all(isinstance(text, str) and text for text in given):
        raise Refused("expected texts in know, attribute and primary")
    return tuple(dict.fromkeys(given))


def _some(value: Any) -> tuple[str, ...]:
    if not value:
        raise Refused("expected something in attribute and primary")
    return _texts(value)


def _primary(value: Any) -> tuple[int, int] | frozenset[str]:
    if isinstance(value, list):
        return frozenset(_some(value))
    found = RANGE.fullmatch(value.strip()) if isinstance(value, str) else None
    if found is None or int(found[1]) > int(found[2]):
        raise Refused("primary: expected a range of counts such as 1..3, or a list of names")
    return int(found[1]), int(found[2])


READ: dict[str, tuple[str, Callable[[Any], Any]]] = {  # of each key the field of a policy, and what may be there
    "singled_out_columns": ("columns", _number(1)),
    "smallest_group": ("group", _number(1)),
    "attribute": ("attribute", _some),
    "attribute_from": ("attribute_from", _texts),
    "primary": ("primary", _primary),
    "min_width": ("width", _number(2, WIDEST)),
    "both_sides": ("sides", _number(1, 100)),
    "stars": ("stars", _stars),
    "know": ("known", _known),
}
