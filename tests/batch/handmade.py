"""Run folders written by hand, in the layout that `foregone run` promises."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as parquet

NAMES = ("SEX", "AGE")


def summary_line(
    release: str, records: int, singletons: Sequence[int], households: Sequence[int] | None = None, **more: Any
) -> dict[str, Any]:
    """One line of the summary; claims that single somebody out are half of those verified."""
    line: dict[str, Any] = {"release": release, "state": release[:2], "records": records, "live": 5, "cells": 4}
    line |= {"verified": 2 * sum(singletons), "singletons": sum(singletons), "facts": 1}
    line |= {f"verified_{k}": 2 * n for k, n in enumerate(singletons, start=1)}
    line |= {f"singletons_{k}": n for k, n in enumerate(singletons, start=1)}
    if households is not None:
        line |= {"households": max(households), **{f"households_{k}": n for k, n in enumerate(households, start=1)}}
    return {**line, "undecided": 0, "seconds": 0.5, **more}


def fact(release: str, values: Mapping[str, str], count: int = 1) -> dict[str, Any]:
    told: dict[str, Any] = {name: values.get(name) for name in dict.fromkeys([*NAMES, *values])}
    return {"release": release, "state": release[:2], **told, "count": count, "columns": len(values), "ground": "linear"}


def write_run(
    folder: Path,
    summary: Mapping[str, Sequence[dict[str, Any]]],
    facts: Mapping[str, Sequence[dict[str, Any]]] | None = None,
    failures: Sequence[dict[str, Any]] = (),
    **about: Any,
) -> Path:
    """Write `summary`, `facts` and `failures` part by part; the failures go to the first part. `about` is for run.json."""
    for kind in ("facts", "summary", "failures"):
        (folder / kind).mkdir(parents=True, exist_ok=True)
    for i, (part, lines) in enumerate(summary.items()):
        rows = (facts or {}).get(part, [])
        stated = [{**line, "facts": sum(row["release"] == line["release"] for row in rows)} for line in lines]
        parquet.write_table(_table(stated), folder / "summary" / f"{part}.parquet")
        nothing = pa.table({name: pa.array([], kind) for name, kind in _fact_types(NAMES).items()})
        parquet.write_table(_table(rows) if rows else nothing, folder / "facts" / f"{part}.parquet")
        lost = list(failures) if i == 0 else []
        kinds = pa.schema([(name, pa.string()) for name in ("release", "state", "reason")])
        parquet.write_table(pa.Table.from_pylist(lost, schema=kinds), folder / "failures" / f"{part}.parquet")
    told = {"noun": "block", "releases": 4, "parts": len(summary), "complete": True, "options": {"units": "households"}, **about}
    (folder / "run.json").write_text(json.dumps(told), "utf-8")
    return folder


def _table(rows: Sequence[dict[str, Any]]) -> Any:
    """Rows as an Arrow table with the promised types, even where a column is all null."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = {name: [row.get(name) for row in rows] for name in names}
    return pa.table({name: pa.array(values, _kind(values)) for name, values in columns.items()})


def _kind(values: Sequence[Any]) -> Any:
    known = [value for value in values if value is not None]
    kinds = {str: pa.string(), float: pa.float64(), bool: pa.bool_(), int: pa.int64()}
    return kinds[type(known[0])] if known else pa.string()


def _fact_types(names: Sequence[str]) -> dict[str, Any]:
    text = ("release", "state", *names, "ground")
    return {
        name: pa.string() if name in text else pa.int64() for name in ("release", "state", *names, "count", "columns", "ground")
    }
