"""A release in memory as the plain data that the checker reads; what is made here has to be trusted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from foregone.formats.single import release_json
from foregone.model.marks import ranges_text
from foregone.model.release import Release
from foregone.model.statement import Either, Statement


def plain(release: Release) -> dict[str, Any]:
    """A release as its file would have it, and what no file can say: weighted sums, and pairs of which one holds."""
    # a cell can be known to be less than its mark says; then what it can be is its mark
    marks = {ranges_text(s.ranges): s.ranges for s in release.statistics if s.gaps} | dict(release.domain.marks)
    counts = [replace(s, mark=ranges_text(s.ranges)) if s.gaps and marks.get(s.mark) != s.ranges else s for s in release.statistics]
    made = release_json(release.changed(domain=replace(release.domain, marks=tuple(marks.items())), statistics=counts))
    made["statistics"] += [_stated(s) for s in release.own if isinstance(s, Statement)]
    return made | {"alternatives": [[_stated(side) for side in e.sides] for e in release.own if isinstance(e, Either)]}


def _stated(s: Statement) -> dict[str, Any]:
    terms = [[weight, {name: sorted(codes) for name, codes in predicate.allowed}] for weight, predicate in s.terms]
    return {"terms": terms, "low": s.low, "high": s.high}
