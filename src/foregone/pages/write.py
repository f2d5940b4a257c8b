"""The page and what lies beside it, written to disk."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from foregone.formats.claims import write_claims
from foregone.formats.outputs import check_outputs, write_text
from foregone.formats.text import csv_text
from foregone.model.errors import InputError
from foregone.model.sentences import audit_counts
from foregone.model.shown import shown
from foregone.pages.collection import Collection
from foregone.pages.collection_page import headline, render_collection
from foregone.pages.explanations import Explanations, LocatedExplanations
from foregone.pages.outcome import (
    Outcome,
    collection_results,
    judged_outcome,
    outcome_of_collection,
    release_results,
)
from foregone.pages.ranking import AuditedRelease
from foregone.pages.release_page import PageOptions, render_release
from foregone.pages.template import Page
from foregone.pages.views.not_shown import view_breaches

RESULTS, CLAIMS, BREACHES = "results.json", "claims.csv", "breaches.csv"


@dataclass(frozen=True, slots=True)
class Written:
    """Where everything went; `claims` is None when the page holds all facts, or when values must not be written."""

    page: Path
    results: Path
    claims: Path | None
    outcome: dict[str, Any] = field(repr=False)  # what the results file says
    judged: Outcome = field(repr=False)
    shown: int  # facts on the page
    facts: int = 0  # facts that were found
    summary: str = ""  # what is certain, in a sentence
    assumptions: tuple[str, ...] = ()  # what the release takes for granted
    explained: int = 0  # facts on the page with the numbers that force them
    wanted: int = 0  # facts for which they were asked
    warning: str = ""  # about numbers that an import left out
    collection: Collection | None = field(default=None, repr=False)  # what a page about a run was made from


def write_release_page(
    audited: AuditedRelease, explained: Explanations, out: Path, options: PageOptions, before: Written | None = None
) -> Written:
    """Write the page and what lies beside it. Where that was done `before`, without explanations, only what changes with them is
    written again, and silently so: the page and, if it now holds fewer facts, the claims beside it.
    """
    beside, listed = _beside(out, CLAIMS), _beside(out, BREACHES)
    judged = judged_outcome(audited.judged, options.policies, options.redact) if before is None else before.judged
    page = render_release(audited, explained, replace(options, rest=beside.name, breaches=listed.name), judged)
    whole = page.shown == len(audited.facts) or options.redact  # what follows by adding goes beside it, too
    if not whole and (before is None or before.claims is None):
        write_claims(beside, audited.release.domain, audited.audit.rows())
    claims = None if whole else beside
    if before is not None:
        write_text(out, page.text, silent=True)
        return replace(before, claims=before.claims or claims, shown=page.shown, explained=len(explained))
    kinds = view_breaches(audited, judged, options.redact)
    if any(kind.left for kind in kinds):
        write_text(listed, csv_text(["kind", "what"], [[kind.title, sentence] for kind in kinds for sentence in kind.all]))
    written = _written(out, page, release_results(audited, judged, options.redact), judged, claims)
    said = options.assumptions
    made = replace(written, facts=len(audited.facts), summary=audit_counts(audited.audit), assumptions=said)
    return replace(made, explained=len(explained))


def write_collection_page(
    collection: Collection, explained: LocatedExplanations, options: PageOptions, before: Written | None = None
) -> Written:
    """The page about a run; all its facts are in files of its own already. Where it was written `before`, without explanations, the
    page alone is written again.
    """
    judged = outcome_of_collection(collection) if before is None else before.judged
    page = render_collection(collection, explained, options, judged)
    if before is not None:
        write_text(options.out, page.text, silent=True)
        return replace(before, shown=page.shown, explained=len(explained))
    written = _written(options.out, page, collection_results(collection, judged, options.redact), judged, None)
    return replace(written, facts=collection.totals.facts, summary=headline(collection)[0], collection=collection)


def _written(out: Path, page: Page, outcome: dict[str, Any], judged: Outcome, claims: Path | None) -> Written:
    write_text(out, page.text)
    summary = _beside(out, RESULTS)
    write_text(summary, json.dumps(outcome, ensure_ascii=False, indent=1) + "\n")
    return Written(out, summary, claims, outcome, judged, page.shown)


def check_page(out: Path, inputs: Iterable[Path | None] = ()) -> None:
    """Refuse a place where no page, or nothing beside it, can go before any work is done."""
    if out.suffix not in (".html", ".htm"):
        raise InputError(f"{out}: the ending {shown(out.suffix)} is not that of a page; use .html")
    beside = {"the outcome": RESULTS, "the claims": CLAIMS, "the breaches": BREACHES}
    check_outputs(inputs, {"--out": out, **{name: _beside(out, what) for name, what in beside.items()}})


def _beside(out: Path, what: str) -> Path:
    """A file that lies beside a page and is called after it."""
    return out.with_name(f"{out.stem}.{what}")


def today() -> str:
    """The date that a page carries: SOURCE_DATE_EPOCH when it is set, so that builds can be repeated."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    try:
        moment = datetime.fromtimestamp(int(epoch), UTC) if epoch else datetime.now(UTC)
    except (ValueError, OverflowError, OSError):
        raise InputError(f"SOURCE_DATE_EPOCH is {shown(epoch)}, expected seconds since 1970; correct or unset it") from None
    return moment.strftime("%Y-%m-%d")
