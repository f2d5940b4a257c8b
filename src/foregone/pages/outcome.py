"""Pass, review or fail: what a page says of two policies, that of what must not be and that of what a person has to look at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from foregone.model.audit import Audit
from foregone.model.policy import Policies, Policy, whose
from foregone.model.sentences import plural
from foregone.pages.collection import Collection
from foregone.pages.ranking import AuditedRelease
from foregone.policy.judge import Doubt, Judged, Judgement, Narrow, PolicyVerdict, judge, not_in_rows
from foregone.policy.sentences import breach_sentence, doubt_sentence, policy_words
from foregone.version import __version__

NAMED = 12  # cells that a reason names
SCHEMA = "foregone-results/2"
DEFAULT = "default"  # where a policy comes from that nobody has given


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came out for both policies, and why: `reasons` in the order of weight, those to fail first.

    `fail` and `review` tell whether each policy is kept; `broken` is in how many ways they are not. `judgement` has the ways in
    which one release breaks the policy of what must not be; of many releases it is not known.
    """

    policies: Policies
    fail: PolicyVerdict
    review: PolicyVerdict
    broken: tuple[int, int]
    doubts: tuple[Doubt, ...]
    reasons: tuple[str, ...]
    judgement: Judgement | None = None

    @property
    def verdict(self) -> str:
        """What is undecided is no pass: somebody has to look at it."""
        if self.fail == PolicyVerdict.BROKEN:
            return "fail"
        return "pass" if self.fail == self.review == PolicyVerdict.KEPT and not self.doubts else "review"

    @property
    def why(self) -> str:
        """The first reason; of a pass, what was judged and by which policy."""
        _, (_, review, origin) = self.policies.both
        return self.reasons[0] if self.reasons else f"nothing is over a limit: {policy_words(review)} ({whose(origin)})"

    @property
    def limits(self) -> list[tuple[str, str]]:
        """What each policy says and where it comes from."""
        both = self.policies.both
        return [(f"{name.capitalize()} limit", f"{policy_words(policy)} ({whose(origin)})") for name, policy, origin in both]


def judged_outcome(judged: Judged, policies: Policies, redact: bool = False) -> Outcome:
    """Pass, review or fail for an audited release; the reasons name cells, unless they are redacted, and no values."""
    audit = judged.audit
    fail, review = (judge(policy, judged) for _, policy, _ in policies.both)
    doubts = list(dict.fromkeys((*fail.doubts, *review.doubts)))
    if audit.open and not any(doubt.key == "singled_out_columns" for doubt in doubts):
        number = len(audit.open)
        doubts.append(Doubt("claims", f"{number:,} {plural('fact', number)} undecided: {audit.reason or 'a limit was reached'}"))
    reasons = [
        reason
        for found, (_, _, origin) in zip((fail, review), policies.both, strict=True)
        if found is fail or not _said(audit, found) <= _said(audit, fail)  # what must not be is said once
        for reason in _reasons(audit, found, _limit(origin), redact)
    ]
    said = (*reasons, *map(doubt_sentence, doubts))
    numbers = len(fail.breaches), len(review.breaches)
    return Outcome(policies, fail.verdict, review.verdict, numbers, tuple(doubts), said, fail)


def outcome_of_collection(collection: Collection) -> Outcome:
    """Judge what is known of many releases: their certain facts."""
    policies = collection.policies
    doubts = [doubt for _, policy, _ in policies.both for doubt in not_in_rows(policy)]
    if collection.totals.undecided:
        number = collection.totals.undecided
        doubts.append(Doubt("claims", f"{number:,} {plural('fact', number)} undecided: nobody knows yet whether they are certain"))
    if collection.totals.failed:
        nouns = plural(collection.noun, collection.totals.failed)
        them = "it" if collection.totals.failed == 1 else "them"
        doubts.append(Doubt("claims", f"{collection.totals.failed:,} {nouns} failed: nothing is known about {them}"))
    if collection.unfinished:
        doubts.append(Doubt("claims", "the run is not finished"))
    numbers = collection.over_fail, collection.over_review
    reasons = [
        f"{_identifying(number, policy, collection.domain.record)} ({_limit(origin)})"
        for number, (_, policy, origin) in zip(numbers, policies.both, strict=True)
        if number
    ]
    fail, review = (_verdict(number, doubts) for number in numbers)
    said = (*reasons, *map(doubt_sentence, dict.fromkeys(doubts)))
    return Outcome(policies, fail, review, numbers, tuple(dict.fromkeys(doubts)), said)


def _verdict(number: int, doubts: Sequence[Doubt]) -> PolicyVerdict:
    return PolicyVerdict.BROKEN if number else PolicyVerdict.UNDECIDED if doubts else PolicyVerdict.KEPT


def _reasons(audit: Audit, found: Judgement, limit: str, redact: bool) -> list[str]:
    """Cells first, then who is singled out, what is printed apart from what follows, then values that follow of groups."""
    policy, record, made = found.policy, audit.release.domain.record, []
    told, printed = ([breach for breach in found.told if breach.printed == shown] for shown in (False, True))
    if found.narrow:
        number = len(found.narrow)
        out = all(cell.low == cell.high and not cell.shown for cell in found.narrow)
        which = f"{number:,} {'hidden ' if out else ''}{plural('cell', number)}"
        what = "can be worked out" if out else f"{'does' if number == 1 else 'do'} not stay unknown enough"
        made.append(f"{which} {what} ({limit})" + ("" if redact else f": {named_cells(audit, found.narrow)}"))
    if told:
        apart = f", {len(printed):,} of them printed, at least in part" if printed else ""
        made.append(f"{_identifying(len(told) + len(printed), policy, record)}{apart} ({limit})")
    elif printed:
        which = f"that {_be(len(printed))} printed, at least in part,"
        made.append(f"{_identifying(len(printed), policy, record, which)} ({limit})")
    if found.followed:
        number = len(found.followed)
        gives = f"{number:,} {plural('group', number)} {'gives' if number == 1 else 'give'} away {' or '.join(policy.attribute)}"
        made.append(f"{gives} of everybody in {'it' if number == 1 else 'them'} ({limit})")
    return made


def _said(audit: Audit, found: Judgement) -> set[str]:
    return {breach_sentence(audit.release.domain, breach) for breach in found.breaches}


def _limit(origin: str) -> str:
    return f"limit set by {origin}" if origin else "default limit"


def _identifying(number: int, policy: Policy, record: str, which: str = "") -> str:
    """2 facts identify one patient: what claims about too few records come to.

    >>> _identifying(2, Policy(singled_out_columns=1), "patient"), _identifying(1, Policy(3, smallest_group=5), "patient")
    ('2 facts identify one patient', '1 fact with 3 columns or more is about fewer than 5 patients')
    """
    least = policy.singled_out_columns or 1
    large = f" with {least} columns or more" if least > 1 else ""
    facts = f"{number:,} {plural('fact', number)}{large}{f' {which}' if which else ''}"
    if policy.smallest_group == 2:
        return f"{facts} {'identifies' if number == 1 else 'identify'} one {record}"
    return f"{facts} {_be(number)} about fewer than {policy.smallest_group} {plural(record, 2)}"


def _be(number: int) -> str:
    return "is" if number == 1 else "are"


def named_cells(audit: Audit, cells: Sequence[Narrow]) -> str:
    """What is known of the first of some cells, and how many more there are."""
    domain = audit.release.domain
    more = f"; and {len(cells) - NAMED:,} more, all on the page" if len(cells) > NAMED else ""
    return "; ".join(breach_sentence(domain, cell) for cell in cells[:NAMED]) + more


def release_results(audited: AuditedRelease, outcome: Outcome, redact: bool = False) -> dict[str, Any]:
    """Numbers only, no attribute values; when redacted, nothing that ties them to one release either."""
    audit, release, facts = audited.audit, audited.release, audited.facts
    low, high = audit.size
    ones = [fact for fact in facts if fact.count == 1]
    widths = [interval.width for interval in audited.hidden if interval.width is not None]
    chances = [fact.baseline for fact in ones if fact.baseline is not None]
    return {
        **_judged(outcome),
        "release": {
            "fingerprint": None if redact else release.fingerprint(),
            "records": {"low": low, "high": high},
            "record": release.domain.record,
            "columns": len(release.domain.columns),
            "statistics": len(release.statistics),
            "ranges": sum(s.low != s.high for s in release.statistics),
            "rules": len(release.rules),
        },
        "hidden": {
            "cells": len(audited.hidden),
            "known": sum(interval.known for interval in audited.hidden),
            "smallest_width": min(widths, default=None),
            "undecided": sum(not interval.proved for interval in audited.hidden),
        },
        "found": {
            "facts": len(facts),
            "singled_out_facts": len(ones),
            "records_singled_out_at_least": audited.singled_out[0],
            "records_singled_out_exactly_known": audited.singled_out[0] == audited.singled_out[1],
            "most_columns": max((fact.columns for fact in ones), default=0),
            "most_attributes": max((fact.attributes for fact in ones), default=0),
            "published_facts": sum(bool(fact.published) for fact in facts),
            "fewest_columns_needed": min((len(key) for fact in ones for key in fact.keys), default=None),
            "smallest_group": min((fact.count for fact in facts), default=None),
            "smallest_baseline": min(chances, default=None),
            "nonmodal_facts": sum(fact.modal is False for fact in ones) if chances else None,
            "claims_by_columns": {str(k): v for k, v in audit.claims_by_columns().items()},
            "singling_out_claims_by_columns": {str(k): v for k, v in audit.claims_by_columns(1).items()},
            "columns_exposed": dict(sorted(Counter(name for fact in ones for name in fact.names).items())),
        },
        "undecided": len(audit.open),
    }


def collection_results(collection: Collection, outcome: Outcome, redact: bool = False) -> dict[str, Any]:
    """What a run found, as numbers: `run` tells what it was about. When redacted, nothing ties them to one input."""
    return {
        **_judged(outcome),
        "run": {
            "kind": "run",
            "fingerprint": None if redact else collection.fingerprint,
            "releases": collection.totals.releases,
            "release": collection.noun,
            "records": collection.totals.records,
            "record": collection.domain.record,
            "columns": len(collection.domain.columns),
            "failed": collection.totals.failed,
            "complete": not collection.unfinished,
            "synthetic": collection.synthetic,
        },
        "found": {
            "facts": collection.totals.facts,
            "records_singled_out": collection.totals.singled_out,
            "releases_with_any": collection.totals.with_any,
            "most_columns": max(collection.singletons, default=0),
            "most_attributes": collection.totals.widest,
            "smallest_baseline": collection.least_chance,
            "nonmodal_facts": collection.nonmodal,
            "claims_by_columns": {str(k): n for k, n in collection.claims.items()},
            "singling_out_claims_by_columns": {str(k): n for k, n in collection.singletons.items()},
            "records_singled_out_by_attributes": {str(k): n for k, n in collection.singled_out_by.items()},
            "records_singled_out_by_exact_values": {str(k): n for k, n in collection.singled_out_exact.items()},
            "columns_exposed": dict(sorted(collection.exposed.items())),
        },
        "undecided": collection.totals.undecided,
    }


def _judged(outcome: Outcome) -> dict[str, Any]:
    found = {"fail": (outcome.fail, outcome.broken[0]), "review": (outcome.review, outcome.broken[1])}
    return {
        "schema": SCHEMA,
        "tool": {"name": "foregone", "version": __version__},
        "verdict": outcome.verdict,
        "reasons": list(outcome.reasons),
        "policies": {
            name: {**policy.json(), "from": origin or DEFAULT, "verdict": str(found[name][0]), "breaches": found[name][1]}
            for name, policy, origin in outcome.policies.both
        },
        "not_judged": [{"key": doubt.key, "reason": doubt.reason} for doubt in outcome.doubts],
    }
