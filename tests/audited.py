"""What an audit says, in the form in which the oracle says it."""

from __future__ import annotations

from foregone import Audit, Release, audit
from tests.oracle import Claim


def claims_of(result: Audit) -> set[Claim]:
    """Every certain claim over every subset of columns; none may be listed twice, and their totals must add up."""
    names = result.release.domain.names
    claims = [
        (tuple((name, value) for name, value in zip(names, values, strict=True) if value is not None), count)
        for values, count, _, _ in result.all_rows()
    ]
    assert len(claims) == len(set(claims)), "a claim is listed twice"
    assert sum(result.claims_by_columns().values()) == len(claims)
    return set(claims)


def listed(release: Release) -> set[Claim]:
    """The certain claims of a release, none of which may stay undecided."""
    result = audit(release)
    assert not result.open
    return claims_of(result)
