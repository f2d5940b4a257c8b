"""Two audits of the same tables, published in two ways: which facts stay certain, and which do not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from foregone.model.audit import Audit, Fact


@dataclass(frozen=True, slots=True)
class Comparison:
    """The facts of the first audit by what became of them in the second."""

    before: Audit
    after: Audit
    stay: tuple[Fact, ...]
    vanish: tuple[Fact, ...]
    open: tuple[Fact, ...]  # not decided any more


def compare(before: Audit, after: Audit) -> Comparison:
    """A fact stays when its fullest form says the same as some fact of the second audit."""
    stay: list[Fact] = []
    vanish: list[Fact] = []
    open_: list[Fact] = []
    for fact in before.facts:
        claim = fact.claim
        stays, unclear = (any(other.says(claim) for other in some) for some in (after.facts, after.open))
        (stay if stays else open_ if unclear else vanish).append(fact)
    return Comparison(before, after, tuple(stay), tuple(vanish), tuple(open_))


def measures(before: Audit, after: Audit) -> list[tuple[str, int, int]]:
    """The few numbers that tell two audits apart, in words."""

    def row(words: str, measure: Callable[[Audit], int]) -> tuple[str, int, int]:
        return words, measure(before), measure(after)

    return [
        row("numbers published exactly", lambda audit: sum(s.low == s.high for s in audit.release.statistics)),
        row("certain claims", lambda audit: sum(audit.claims_by_columns().values())),
        row("distinct facts", lambda audit: len(audit.facts)),
        row("of these about exactly one", lambda audit: sum(fact.count == 1 for fact in audit.facts)),
        row("undecided", lambda audit: len(audit.open)),
    ]
