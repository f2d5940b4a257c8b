"""What a protection is: what was done to a release, what it costs, and how sure it is that nothing cheaper would do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from foregone.model.figure import Figure
from foregone.model.marks import Ranges
from foregone.model.policy import Policy
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.sentences import plural

MOST_NAMED = 6  # numbers that are left, by name


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another choice that protects as well: what it does instead, and what it costs in all."""

    actions: tuple[str, ...]
    cost: int


@dataclass(frozen=True, slots=True)
class Remaining:
    """What is certain although a policy is kept: facts about as few records as it forbids, but with fewer columns."""

    facts: int
    columns: int  # of the fact with the most
    example: Predicate  # such a fact
    count: int  # of records that the example is about


@dataclass(frozen=True)
class Protection:
    """A release that keeps a policy. `release` is what may be published; `withheld` names the cells, or with `by` table the
    tables, that are not shown any more; no protection costs less than `lower_bound`.

    When nothing was found, `release` is None: `impossible` says why no allowed set is enough, or `reason` why the search ended.
    """

    original: Release = field(repr=False)
    policy: Policy
    attacker: str
    by: str
    release: Release | None
    withheld: tuple[str, ...]
    cells: tuple[str, ...]  # all cells that are not shown
    rounded: tuple[str, ...]
    merged: tuple[str, ...]
    cost: int | None
    lower_bound: int
    before: int | None
    after: int | None
    primary: int = 0  # cells that the policy itself says are withheld
    proved: bool = False  # the lower bound, in whole numbers; otherwise it rests on a solver's word
    reason: str = ""
    impossible: str = ""
    alternatives: tuple[Alternative, ...] = ()
    left: int = 0  # numbers that still say something other than 0
    shown: int = 0  # such numbers before
    done: tuple[str, ...] = ()  # the actions, in the words of the alternatives; primary cells are withheld without one
    still: Remaining | None = None  # what the policy does not forbid; None: not looked for, or not known
    marks: Mapping[str, Ranges] = field(default_factory=dict)  # printed in cells that are not shown, and what they can stand for
    seconds: Mapping[str, float] = field(default_factory=dict, compare=False)
    certificate: Mapping[str, Any] | None = field(default=None, compare=False, repr=False)

    @property
    def optimal(self) -> bool:
        """Is it proved that nothing cheaper is enough?"""
        return self.cost is not None and self.lower_bound >= self.cost

    def json(self) -> dict[str, Any]:
        """What is written beside the protected release: nothing about what is withheld but its names."""
        return {
            "withheld": list(self.withheld),
            **({"cells": list(self.cells)} if self.by == "table" else {}),
            **({"rounded": list(self.rounded)} if self.rounded else {}),
            **({"merged": list(self.merged)} if self.merged else {}),
            "cost": self.cost,
            "lower_bound": self.lower_bound,
            "optimal": self.optimal,
            "policy": self.policy.json(),
            "attacker": self.attacker,
            "before": self.before,
            "after": self.after,
        }

    @property
    def warning(self) -> str:
        """Where withholding is the wrong tool: so little would be left. A search that was stopped may find better."""
        if self.release is None or not (self.done or self.primary) or 2 * self.left > self.shown:
            return ""
        names = [n.label for n in self.release.published if not n.withheld and (isinstance(n, Figure) or n.high != 0)]
        which = f": {', '.join(names)}" if 0 < len(names) <= MOST_NAMED else ""
        only = f"only {self.left:,} would stay published{which}" if self.left else "nothing would stay published"
        if not self.optimal:
            numbers = f"of {self.shown:,} {plural('number', self.shown)} other than 0, {only}"
            return f"This is the best found so far: {numbers}. With more time a choice may be found that leaves more."
        return (
            f"Withholding is the wrong tool here: of {self.shown:,} {plural('number', self.shown)} other than 0, {only}."
            " Publish this for a larger area or for fewer columns, or add noise."
        )

    def summary(self) -> str:
        """A few sentences for people."""
        from foregone.model.protection_sentences import protection_summary

        return protection_summary(self)

    def __repr__(self) -> str:
        return f"<Protection of {self.original!r}\n{self.summary()}>"
