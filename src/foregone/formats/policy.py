"""Policy files: TOML; one file for protect, for audit --policy and for report --gate."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import nan
from pathlib import Path
from typing import Any

from foregone.formats.text import TomlFile, raise_all, read_toml
from foregone.model.errors import InputError
from foregone.model.policy import DEFAULT, LOOKED_AT, Knowledge, Policies, Policy, Primary
from foregone.model.shown import shown

MOST = 10**15  # no table counts so many
WIDEST = 1_000  # values that a cell can be asked to keep: each of them is looked for
EXAMPLE = "[fail] on a line of its own, then fewest_columns = 3"
SAME = {"fewest_columns": "singled_out_columns"}  # two names for one thing
RANGE = re.compile(r"(\d{1,15})\s*\.\.\s*(\d{1,15})")
AT_MOST = re.compile(r"primary\s*<=\s*(\d{1,15})")


def read_policies(path: Path, default: Policy = DEFAULT) -> Policies:
    """Read a policy file; keys outside a table belong to `[fail]`, which is what must not be. Where it says nothing of that, or
    not all, `default` is meant.
    """
    settings = read_toml(path, EXAMPLE)
    tables: dict[str, dict[str, Any]] = {"fail": {}, "review": {}}
    problems: list[str] = []
    for name, content in settings.content.items():
        if isinstance(content, dict) and name not in tables:
            problems.append(f"{settings.place('', name)}: [{name}] is not understood; use [fail] and [review]")
        elif isinstance(content, dict):
            problems += _read_all(settings, name, content, tables[name])
    outside = {name: content for name, content in settings.content.items() if not isinstance(content, dict)}
    problems += _read_all(settings, "", outside, tables["fail"])
    if "know" in tables["review"]:  # what is printed has one reader
        said = "know is about every reader and stands outside of [review]; move it to the top of the file"
        problems.append(f"{settings.place('know', 'review')}: {said}")
    raise_all(problems)
    fail, review = _policy(tables["fail"], default), _policy(tables["review"], LOOKED_AT)
    raise_all([f"{path}: {problem}" for problem in conflicts(fail)])
    given = [path.name if tables[name] else "" for name in ("fail", "review")]
    return Policies(fail, review, (given[0], given[1]))


def read_policy(path: Path) -> Policy:
    """What a policy file forbids."""
    return read_policies(path).fail


def policy_of(content: Mapping[str, Any]) -> Policy:
    """A policy from what protect.json says of it, which has the keys of a policy file."""
    values = {key: READ[key][0](value) for key, value in content.items() if key in READ}
    if len(values) < len(content) or None in values.values():
        raise InputError("protect.json: its policy is not understood; give the policy file")
    return Policy(**values)


def conflicts(policy: Policy) -> list[str]:
    """Parts of a policy that do not go together."""
    found = []
    primary, know = policy.primary, policy.knows
    if primary is not None and primary.low == 0 and know.zeros_shown:
        found.append('primary includes 0, but know has "zeros-shown", which says that zeros stay shown; leave one of them out')
    if know.primary_at_most is not None and primary is None:
        found.append(f"know has primary<={know.primary_at_most}, but no cells are primary; add primary, such as primary = \"1..3\"")
    high = None if primary is None else primary.high
    if high is not None and know.primary_at_most is not None and know.primary_at_most < high:
        found.append(f"primary cells go up to {high}, but know says primary<={know.primary_at_most}; they cannot both be true")
    if policy.both_sides and primary is None:
        found.append('both_sides is about primary cells, and there are none; add primary, such as primary = "1..3"')
    if policy.attribute_from is not None and not policy.attribute:
        found.append("attribute_from says what may be known of a person, but attribute is not there; add attribute")
    return found


def _policy(values: dict[str, Any], default: Policy) -> Policy:
    """What a file forbids. Claims are judged unless it speaks of other things only; if it forbids nothing, the default is meant."""
    claims = {"singled_out_columns", "smallest_group", "largest_baseline"} & values.keys()
    others = {"primary", "attribute", "stars", "min_width", "both_sides"} & values.keys()
    if not claims and not others:
        return replace(default, **values)
    if claims:
        # a size of groups beside other things is meant for all claims
        least = 1 if others and "singled_out_columns" not in values and "smallest_group" in values else default.singled_out_columns
        values = {"singled_out_columns": least, **values}
    if "min_width" in values and "primary" not in values:  # then it is about every cell that is not shown
        values["stars"] = max(values.pop("min_width"), values.get("stars", 0))
    return Policy(**values)


def _read_all(settings: TomlFile, table: str, content: dict[str, Any], into: dict[str, Any]) -> list[str]:
    problems = []
    for written, value in content.items():
        place, key = settings.place(written, table), SAME.get(written, written)
        if key not in READ:
            problems.append(f"{place}: {written!r} is not understood; use {', '.join((*SAME, *READ))}, as in {EXAMPLE}")
        elif key in into:
            problems.append(f"{place}: {written} is given here and under [fail] or by another name; keep one")
        else:
            read, expected = READ[key]
            found = read(value)
            if found is None:
                problems.append(f"{place}: {written} is {shown(value)}, {expected}")
            else:
                into[key] = found
    return problems


def _number(value: object) -> float:
    """What is no number, or too large for a limit, is nothing that any key accepts."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return nan
    return float(value) if abs(value) < MOST else nan


def _whole(value: object, least: int = 1, most: int = MOST) -> int | None:
    number = _number(value)
    return int(number) if least <= number <= most and number.is_integer() else None


def _chance(value: object) -> float | None:
    number = _number(value)
    return number if 0 <= number <= 1 else None


def _texts(value: object) -> tuple[str, ...] | None:
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, Sequence) or not value or not all(isinstance(part, str) and part for part in value):
        return None
    return tuple(dict.fromkeys(value))


def _columns(value: object) -> tuple[str, ...] | None:
    return () if value == [] else _texts(value)


def _stars(value: object) -> int | None:
    return 2 if value == "unknown" else WIDTH(value)


def _primary(value: object) -> Primary | None:
    if isinstance(value, str):
        found = RANGE.fullmatch(value.strip())
        low, high = (int(found[1]), int(found[2])) if found else (1, 0)
        return Primary(low, high) if low <= high else None
    names = _texts(value)
    return None if names is None else Primary(names=names)


def read_knowledge(value: object) -> Knowledge | None:
    """What an attacker knows, from words such as `zeros-shown` and `primary<=3`."""
    texts = _columns(value)
    if texts is None:
        return None
    zeros, most = False, None
    for text in texts:
        limit = AT_MOST.fullmatch(text.strip())
        if text.strip() == "zeros-shown":
            zeros = True
        elif limit and most in (None, int(limit[1])):  # two of them would leave open which is meant
            most = int(limit[1])
        else:
            return None
    return Knowledge(zeros, most)


WIDTH = partial(_whole, least=2, most=WIDEST)
COUNT = "a whole number from 1 up was expected, such as 3"
KNOW = 'a list of "zeros-shown" and "primary<=3" was expected'
READ: dict[str, tuple[Callable[[object], Any], str]] = {
    "singled_out_columns": (_whole, COUNT),
    "smallest_group": (_whole, COUNT),
    "largest_baseline": (_chance, "a probability from 0 to 1 was expected, such as 0.05"),
    "attribute": (_texts, 'a list of columns was expected, such as ["DX"]'),
    "attribute_from": (_columns, 'a list of columns was expected, such as ["AGE", "SEX"]'),
    "stars": (_stars, '"unknown" was expected: no hidden cell can be worked out; or how many values each keeps'),
    "primary": (_primary, 'a range of counts such as "1..3" or a list of names was expected'),
    "min_width": (WIDTH, f"a whole number from 2 to {WIDEST:,} was expected, such as 2"),
    "both_sides": (partial(_whole, most=100), "a whole percentage from 1 to 100 was expected, such as 20: no count is less than 0"),
    "know": (read_knowledge, KNOW),
}
