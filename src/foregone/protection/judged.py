"""Is a policy kept by a release as it stands? One sentence for every way in which it is not."""

from __future__ import annotations

from collections.abc import Iterator

from foregone.model.audit import Audit
from foregone.model.families import Groups
from foregone.model.policy import Policy
from foregone.model.release import Release
from foregone.model.sentences import claim_sentence
from foregone.model.statement import range_text
from foregone.protection.claims import breaches_of
from foregone.questions.intervals import intervals


def broken_by(policy: Policy, audit: Audit) -> list[str]:
    """How what was audited breaks a policy, worst first."""
    return [*_claims(policy, audit), *broken_cells(policy, audit.release)]


def _claims(policy: Policy, audit: Audit) -> Iterator[str]:
    domain = audit.release.domain
    for breach in breaches_of(policy, audit.facts, audit.groups == Groups.NONE):
        everybody = "" if breach.group is None else ": everybody in that group"
        yield f"{claim_sentence(domain, breach.predicate, breach.count).rstrip('.')}{everybody}"


def broken_cells(policy: Policy, release: Release) -> list[str]:
    """Primary cells that are shown, or known too well. That a withheld cell is primary is known only if its interval says so."""
    primary = policy.primary
    if primary is None and not policy.every_width:
        return []
    exact = [s for s in release.statistics if not s.withheld and s.low == s.high]
    shown = [f"{s.label} is a primary cell and is shown" for s in exact if primary is not None and primary.of(s)]
    hidden = any(s.withheld or s.low != s.high for s in release.statistics)
    found = tuple(intervals(release)) if hidden else ()
    asked = [interval for interval in found if policy.asks(interval.name, interval.low, interval.high)]
    known = [i for i in asked if not policy.wide_enough(None, i.low, i.high)]
    # limits that are not exact may be wider than what follows: nobody can say that the cell is safe
    unsure = [i for i in asked if not i.proved and policy.wide_enough(None, i.low, i.high)]
    return [
        *shown,
        *(f"{i.label} is known to be {range_text(i.low, i.high)}" for i in known),
        *(f"{i.label}: whether it is known too well could not be decided" for i in unsure),
    ]
