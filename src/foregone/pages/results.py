"""The machine-readable summary beside the page: what was found, and pass, review or fail."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from foregone.pages.collection import Collection
from foregone.pages.outcome import Outcome
from foregone.pages.ranking import AuditedRelease
from foregone.version import __version__

SCHEMA = "foregone-results/2"
DEFAULT = "default"  # where a policy comes from that nobody has given


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
            "claims_by_columns": {str(k): v for k, v in audit.claims_by_columns().items()},
            "singling_out_claims_by_columns": {str(k): v for k, v in audit.claims_by_columns(1).items()},
            "columns_exposed": dict(sorted(Counter(name for fact in ones for name in fact.names).items())),
        },
        "undecided": len(audit.open),
    }


def collection_results(collection: Collection, outcome: Outcome, redact: bool = False) -> dict[str, Any]:
    """The same for a run: `run` tells what it was about instead of `release`."""
    return {
        **_judged(outcome),
        "run": {
            "kind": collection.kind,
            "fingerprint": None if redact else collection.fingerprint,
            "releases": collection.releases,
            "release": collection.noun,
            "records": collection.records,
            "record": collection.domain.record,
            "columns": len(collection.domain.columns),
            "failed": collection.failed,
            "complete": not collection.unfinished,
            "synthetic": collection.synthetic,
        },
        "found": {
            "facts": collection.facts,
            "records_singled_out": collection.singled_out,
            "releases_with_any": collection.with_any,
            "most_columns": max(collection.singletons, default=0),
            "smallest_baseline": None,  # not part of a run
            "claims_by_columns": {str(k): n for k, n in collection.claims.items()},
            "singling_out_claims_by_columns": {str(k): n for k, n in collection.singletons.items()},
            "records_singled_out_by_columns": {str(k): n for k, n in collection.singled_out_by.items()},
            "records_singled_out_by_exact_values": {str(k): n for k, n in collection.singled_out_exact.items()},
            "columns_exposed": dict(sorted(collection.exposed.items())),
        },
        "undecided": collection.undecided,
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


def results_text(content: dict[str, Any]) -> str:
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"
