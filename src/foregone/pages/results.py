"""The machine-readable summary beside the page: what was found, and pass, review or fail."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

from foregone.model.audit import Audit
from foregone.model.sentences import plural
from foregone.pages.collection import Gathered
from foregone.pages.ranking import Finding
from foregone.pages.thresholds import Limit, Thresholds, judge, outcome
from foregone.version import __version__

SCHEMA = "foregone-results/1"


def results(audit: Audit, found: Sequence[Finding], thresholds: Thresholds, redact: bool = False) -> dict[str, Any]:
    """Numbers only, no attribute values; when redacted, nothing that ties them to one release either."""
    release = audit.release
    low, high = release.size_range
    ones = [finding for finding in found if finding.count == 1]
    verdict, reasons = judge(thresholds, found, len(audit.open))
    chances = [finding.baseline for finding in ones if finding.baseline is not None]
    return {
        **_judged(thresholds, verdict, reasons),
        "release": {
            "fingerprint": None if redact else release.fingerprint(),
            "records": {"low": low, "high": high},
            "record": release.domain.record,
            "columns": len(release.domain.columns),
            "statistics": len(release.statistics),
            "ranges": sum(s.low != s.high for s in release.statistics),
            "rules": len(release.rules),
        },
        "found": {
            "facts": len(found),
            "singled_out_facts": len(ones),
            "records_singled_out_at_least": audit.singled_out,
            "most_columns": max((finding.columns for finding in ones), default=0),
            "fewest_columns_needed": min((len(key) for finding in ones for key in finding.keys), default=None),
            "smallest_group": min((finding.count for finding in found), default=None),
            "smallest_baseline": min(chances, default=None),
            "claims_by_columns": {str(k): v for k, v in audit.claims_by_columns().items()},
            "singling_out_claims_by_columns": {str(k): v for k, v in audit.claims_by_columns(1).items()},
            "columns_exposed": dict(sorted(Counter(name for finding in ones for name in finding.values).items())),
        },
        "undecided": len(audit.open),
    }


def many_results(gathered: Gathered, thresholds: Thresholds, redact: bool = False) -> dict[str, Any]:
    """The same for a run or a study: `run` tells what it was about instead of `release`."""
    nouns = plural(gathered.noun, gathered.failed)
    lost = f"{gathered.failed:,} {nouns} failed: nothing is known about {'it' if gathered.failed == 1 else 'them'}"
    missing = [text for text in (lost if gathered.failed else "", "the run is not finished" if gathered.unfinished else "") if text]
    verdict, reasons = outcome(
        thresholds,
        gathered.over_fail,
        gathered.over_review,
        gathered.undecided,
        gathered.stated.removesuffix("s"),
        "; ".join(missing),
    )
    return {
        **_judged(thresholds, verdict, reasons),
        "run": {
            "kind": gathered.kind,
            "fingerprint": None if redact else gathered.fingerprint,
            "releases": gathered.releases,
            "release": gathered.noun,
            "records": gathered.records,
            "record": gathered.domain.record,
            "columns": len(gathered.domain.columns),
            "failed": gathered.failed,
            "complete": not gathered.unfinished,
            "synthetic": gathered.synthetic,
        },
        "found": {
            gathered.stated: gathered.facts,
            "records_singled_out": gathered.singled_out,
            "releases_with_any": gathered.with_any,
            "most_columns": max(gathered.singletons, default=0),
            "smallest_baseline": min((chance.least for chance in gathered.chances), default=None),
            "claims_by_columns": {str(k): n for k, n in gathered.claims.items()},
            "singling_out_claims_by_columns": {str(k): n for k, n in gathered.singletons.items()},
            "records_singled_out_by_columns": {str(k): n for k, n in gathered.households.items()},
            "columns_exposed": dict(sorted(gathered.exposed.items())),
        },
        "undecided": gathered.undecided,
    }


def _judged(thresholds: Thresholds, verdict: str, reasons: list[str]) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "tool": {"name": "foregone", "version": __version__},
        "verdict": verdict,
        "reasons": reasons,
        "thresholds": {"fail": _limit(thresholds.fail), "review": _limit(thresholds.review)},
    }


def _limit(limit: Limit) -> dict[str, float]:
    return {
        "fewest_columns": limit.fewest_columns,
        "smallest_group": limit.smallest_group,
        "largest_baseline": limit.largest_baseline,
    }


def results_text(content: dict[str, Any]) -> str:
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"
