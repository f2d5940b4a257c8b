"""What an audit says, in the form in which the oracle says it."""

from __future__ import annotations

from foregone import Audit, Release, audit
from tests.oracle import Claim


def claims_of(result: Audit) -> set[Claim]:
    """Every certain claim over single values; none may be listed twice, and the totals of all claims must add up."""
    names = result.release.domain.names
    rows = result.all_rows()
    assert len({(row.values, row.count) for row in rows}) == len(rows), "a claim is listed twice"
    assert sum(result.claims_by_columns().values()) == len(rows)
    return {
        (tuple((name, value) for name, value in zip(names, row.values, strict=True) if value is not None), row.count)
        for row in rows
        if row.exact == row.columns
    }


def listed(release: Release) -> set[Claim]:
    """The certain claims of a release over single values, none of which may stay undecided."""
    result = audit(release)
    assert not result.open
    return claims_of(result)
