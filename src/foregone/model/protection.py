"""What a protection is: what was done to a release, what it costs, and how sure it is that nothing cheaper would do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from foregone.model.policy import Policy
from foregone.model.release import Release


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another choice that protects as well: what it does instead, and what it costs in all."""

    actions: tuple[str, ...]
    cost: int


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
        """Where withholding is the wrong tool: so little would be left."""
        if self.release is None or 2 * self.left > self.shown:
            return ""
        return (
            f"Withholding is the wrong tool here: of {self.shown:,} numbers other than 0, only {self.left:,} would stay published."
            " Publish this for a larger area or for fewer columns, or add noise."
        )

    def summary(self) -> str:
        """A few sentences for people."""
        from foregone.model.protection_sentences import protection_summary

        return protection_summary(self)

    def __repr__(self) -> str:
        return f"<Protection of {self.original!r}\n{self.summary()}>"
