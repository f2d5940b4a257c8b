"""A release in memory as the plain data that the checker reads; what is made here has to be trusted."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from foregone.model.figure import Figure, number_text
from foregone.model.marks import Ranges, ranges_text
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.statement import Either, Statement, Statistic


def plain(release: Release) -> dict[str, Any]:
    """A release as the plain data that the checker reads."""
    # a cell can be known to be less than its mark says; then what it can be is its mark
    marks = {ranges_text(s.ranges): s.ranges for s in release.statistics if s.gaps} | dict(release.domain.marks)
    numbers = {
        column.name: {code: number_text(n) for code, n in zip(column.codes, column.numbers, strict=True) if n is not None}
        for column in release.domain.columns
        if column.numbers
    }
    return {
        "columns": {
            column.name: dict(zip(column.codes, column.labels or column.codes, strict=True)) for column in release.domain.columns
        },
        "labels": {column.name: column.title for column in release.domain.columns if column.title},
        "record": release.domain.record,
        "statistics": [
            *(_counted(s, marks) for s in release.statistics),
            *(_stated(s) for s in release.own if isinstance(s, Statement)),
            *map(_figure, release.figures),
        ],
        "rules": [_where(rule) for rule in release.rules],
        "numbers": numbers,
        "alternatives": [[_stated(side) for side in e.sides] for e in release.own if isinstance(e, Either)],
        "groups": {column.name: {label: list(codes) for label, codes in column.groups} for column in release.domain.columns},
        "marks": {mark: ranges_text(ranges) for mark, ranges in marks.items()},
    }


def _counted(s: Statistic, marks: Mapping[str, Ranges]) -> dict[str, Any]:
    about: dict[str, Any] = {"where": _where(s.predicate), "name": s.name, "table": s.table, "mark": s.mark}
    if s.gaps:  # a mark tells by itself what it can stand for
        about |= {} if marks.get(s.mark) == s.ranges else {"mark": ranges_text(s.ranges)}
    else:
        about |= {"low": s.low, "high": s.high}
    return about | ({"status": "withheld"} if s.withheld else {})


def _figure(figure: Figure) -> dict[str, Any]:
    """What was published; what it says about counts is for the checker to find out."""
    given = {"value": figure.value} if figure.value else {"low": _text(figure.low), "high": _text(figure.high)}
    status = {"status": "withheld"} if figure.withheld else {}
    about = {"measure": str(figure.measure), "of": figure.of, "where": _where(figure.predicate)}
    return {**about, "name": figure.name, "table": figure.table, **given, **status}


def _text(number: Fraction | None) -> str:
    return "" if number is None else number_text(number)


def _stated(s: Statement) -> dict[str, Any]:
    return {"terms": [[w, _where(p)] for w, p in s.terms], "low": s.low, "high": s.high}


def _where(predicate: Predicate) -> dict[str, list[str]]:
    return {name: sorted(codes) for name, codes in predicate.allowed}
