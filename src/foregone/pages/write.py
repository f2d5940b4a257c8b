"""The page and what lies beside it, written to disk."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from foregone.formats.claims import write_claims
from foregone.formats.outputs import check_outputs, write_text
from foregone.model.errors import InputError
from foregone.model.sentences import audit_counts
from foregone.model.shown import shown
from foregone.pages.collection import Collection
from foregone.pages.collection_page import CollectionPageOptions, render_collection
from foregone.pages.explanations import Explanations, LocatedExplanations
from foregone.pages.ranking import AuditedRelease
from foregone.pages.release_page import PageOptions, render_release
from foregone.pages.results import collection_results, release_results, results_text
from foregone.pages.template import Page


@dataclass(frozen=True, slots=True)
class Written:
    """Where everything went; `claims` is None when the page holds all facts, or when values must not be written."""

    page: Path
    results: Path
    claims: Path | None
    outcome: dict[str, Any] = field(repr=False)  # what the results file says
    shown: int  # facts on the page
    facts: int = 0  # facts that were found
    summary: str = ""  # what is certain, in a sentence


def write_release_page(audited: AuditedRelease, explained: Explanations, out: Path, options: PageOptions) -> Written:
    beside = _claims(out)
    page = render_release(audited, explained, replace(options, rest=beside.name))
    outcome = release_results(audited, options.thresholds, options.redact)
    whole = page.shown == len(audited.facts) or options.redact  # what follows by adding goes beside it, too
    if not whole:
        write_claims(beside, audited.release.domain, audited.audit.rows())
    written = _written(out, page, outcome, None if whole else beside)
    return replace(written, facts=len(audited.facts), summary=audit_counts(audited.audit))


def write_collection_page(collection: Collection, explained: LocatedExplanations, options: CollectionPageOptions) -> Written:
    """The page about a run; all its facts are in files of its own already."""
    page = render_collection(collection, explained, options)
    return _written(options.out, page, collection_results(collection, options.thresholds, options.redact), None)


def _written(out: Path, page: Page, outcome: dict[str, Any], claims: Path | None) -> Written:
    write_text(out, page.text)
    summary = _results(out)
    write_text(summary, results_text(outcome))
    return Written(out, summary, claims, outcome, page.shown)


def check_page(out: Path, inputs: Iterable[Path | None] = ()) -> None:
    """Refuse a place where no page, or nothing beside it, can go before any work is done."""
    if out.suffix not in (".html", ".htm"):
        raise InputError(f"{out}: the ending {shown(out.suffix)} is not that of a page; use .html")
    check_outputs(inputs, {"--out": out, "the outcome": _results(out), "the claims": _claims(out)})


def _results(out: Path) -> Path:
    return out.with_name(f"{out.stem}.results.json")


def _claims(out: Path) -> Path:
    return out.with_name(f"{out.stem}.claims.csv")


def today() -> str:
    """The date that a page carries: SOURCE_DATE_EPOCH when it is set, so that builds can be repeated."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    try:
        moment = datetime.fromtimestamp(int(epoch), UTC) if epoch else datetime.now(UTC)
    except (ValueError, OverflowError, OSError):
        raise InputError(f"SOURCE_DATE_EPOCH is {shown(epoch)}, expected seconds since 1970; correct or unset it") from None
    return moment.strftime("%Y-%m-%d")
