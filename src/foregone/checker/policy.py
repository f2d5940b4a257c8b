"""The policy of a certificate: what must not be certain, and what an attacker is taken to know.

Every word of it is understood or refused: a part that nobody looks at would be kept by everything.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from foregone.checker import parse
from foregone.checker.complete import Claim
from foregone.checker.refusal import TERM, Refused
from foregone.checker.rows import Box, Domain, Release, keyed, whole

RULES = ("singled_out_columns", "smallest_group", "attribute", "primary", "min_width", "both_sides", "know")
RANGE = re.compile(r"([0-9]{1,15})[.][.]([0-9]{1,15})", re.ASCII)
AT_MOST = re.compile(r"primary<=([0-9]{1,15})", re.ASCII)


class Policy(NamedTuple):
    columns: int | None
    group: int
    attribute: tuple[str, ...]
    primary: tuple[int, int] | frozenset[str] | None  # a range of counts, or names
    width: int
    sides: int
    zeros_shown: bool
    most: int | None

    def wide_enough(self, true: int, low: int, high: int | None) -> bool:
        if high is not None and high - low + 1 < self.width:
            return False
        share = self.sides * true
        if not share:  # any two datasets that differ enough will do, on whichever side of the true count they are
            return True
        return 100 * (true - low) >= share and (high is None or 100 * (high - true) >= share)

    def over(self, columns: int, count: int) -> bool:
        return self.columns is not None and columns >= self.columns and count < self.group

    def cells(self, release: Release) -> frozenset[int]:
        """The numbers that must stay unknown."""
        if self.primary is None:
            return frozenset()
        if isinstance(self.primary, frozenset):
            if not self.primary <= set(release.names):
                raise Refused("primary: no number has one of these names")
            return frozenset(i for i, name in enumerate(release.names) if name in self.primary)
        low, high = self.primary
        counts = release.statistics[: len(release.names)]
        return frozenset(i for i, s in enumerate(counts) if s.low == s.high and low <= (s.low or 0) <= high)


def policy_of(domain: Domain, value: Any) -> Policy:
    rules = keyed(value, (), RULES)
    known, attribute = _texts(rules.get("know", [])), _texts(rules.get("attribute", []))
    limits = [AT_MOST.fullmatch(text) for text in known if text != "zeros-shown"]
    if len(limits) > 1 or None in limits:
        raise Refused("know: expected zeros-shown, and primary<= with a number")
    if not set(attribute) <= set(domain.columns):
        raise Refused("attribute: expected columns of the release")
    columns, primary = rules.get("singled_out_columns"), rules.get("primary")
    if columns is None and "smallest_group" in rules:
        raise Refused("smallest_group needs singled_out_columns")
    if primary is None and (limits or {"min_width", "both_sides"} & set(rules)):
        raise Refused("min_width, both_sides and primary<= are about primary cells, and there are none")
    return Policy(
        None if columns is None else whole(columns, 1),
        whole(rules.get("smallest_group", 2), 1),
        attribute,
        None if primary is None else _primary(primary),
        whole(rules.get("min_width", 2), 2),
        whole(rules.get("both_sides", 0), 0),
        "zeros-shown" in known,
        next((int(found[1]) for found in limits if found), None),
    )


def _texts(value: Any) -> tuple[str, ...]:
    texts = parse.entries(value)
    if not all(isinstance(text, str) for text in texts) or len(set(texts)) < len(texts):
        raise Refused("expected different texts in know, attribute and primary")
    return tuple(texts)


def _primary(value: Any) -> tuple[int, int] | frozenset[str]:
    if isinstance(value, list):
        return frozenset(_texts(value))
    found = RANGE.fullmatch(value) if isinstance(value, str) else None
    if found is None or int(found[1]) > int(found[2]):
        raise Refused("primary: expected a range of counts such as 1..3, or a list of names")
    return int(found[1]), int(found[2])


def broken_by_claims(policy: Policy, domain: Domain, claims: Sequence[Claim], totals: set[int], groups: bool) -> str:
    """How certain claims break a policy, if they do. `claims` are listed so that every certain claim lies between two of them with
    its count; `totals` are the numbers of records of listed datasets.

    A claim inside another one names all of its columns, so if any claim has too many columns, a listed one has. A column does not
    count when a claim that is proved to hold all records says the same of it, unless the claim itself holds all records; where
    claims are over single codes (no `groups`), every column counts. If of
    everybody in a group the value of a column is certain, a listed claim around the group does not name the column, a listed
    claim inside it names that value, and both have the same count. The group of all records is no claim: it is taken to be
    one if no listed dataset is larger or smaller than another.
    """
    all_records = {count for box, count in claims if groups and not box}  # the claim that names nothing
    everyone = dict[int, int]()
    for box, count in claims:
        if count in all_records:
            for c, codes in box:
                everyone[c] = everyone.get(c, -1) & codes
    for box, count in claims:
        columns = len(box) if count in all_records else sum(everyone.get(c, -1) & ~codes != 0 for c, codes in box)
        if policy.over(columns, count):
            return f"{columns} columns tell {count} apart"
    alike = dict[int, list[Box]]()
    for box, count in (*claims, *(((), total) for total in totals if len(totals) == 1)):
        alike.setdefault(count, []).append(box)
    for name in policy.attribute:
        c = domain.columns[name]
        for boxes in alike.values():
            telling = [dict(box) for box in boxes if (codes := dict(box).get(c, 0)) and not codes & (codes - 1)]
            around = [box for box in boxes if all(at != c for at, _ in box)]
            domain.work.spend(TERM * len(telling) * len(around))
            if any(all(at in told and not told[at] & ~codes for at, codes in box) for told in telling for box in around):
                return f"{name} is told of everybody in a group"
    return ""
