"""Claims about a dataset and what was found out about them."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from foregone.model.dataset import Dataset
from foregone.model.predicate import Predicate


class Verdict(StrEnum):
    """The three answers; none of them is true or false by itself."""

    VERIFIED = "verified"
    REFUTED = "refuted"
    UNDECIDED = "undecided"

    def __bool__(self) -> bool:
        raise TypeError("a verdict has no truth value; compare it with Verdict.VERIFIED")


class Ground(StrEnum):
    """Why a claim is certain, cheapest reason first."""

    PUBLISHED = "published"
    LINEAR = "linear"
    BOUND = "bound"
    SEARCH = "search"
    SOLVER = "solver"  # the word of a solver, without a proof: only the one-hot engine gives it

    @property
    def rank(self) -> int:
        """Its place in the order, cheapest first."""
        return list(Ground).index(self)


@dataclass(frozen=True, slots=True)
class Claim:
    """Exactly `count` records match `predicate`."""

    predicate: Predicate
    count: int


@dataclass(frozen=True, slots=True)
class Finding:
    """What is known about a claim: verified on some ground, refuted by a witness, or undecided for a reason."""

    claim: Claim
    verdict: Verdict
    ground: Ground | None = None
    witness: Dataset | None = None
    reason: str = ""
    proof: dict[str, Any] | None = field(default=None, repr=False)  # a proofs file as data, for `check`


@dataclass(frozen=True, slots=True)
class Possibility:
    """Can a claim hold at all? Either `witness` is a dataset in which it does, or it is impossible, or undecided."""

    claim: Claim
    witness: Dataset | None = None
    impossible: bool = False
    reason: str = ""
