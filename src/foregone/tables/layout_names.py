"""Does a layout file name what is there? A name that nothing bears would be passed over in silence, so it is an error."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from foregone.model.alike import folded
from foregone.model.domain import near
from foregone.model.shown import listed, shown
from foregone.tables.layout import Layout
from foregone.tables.table import Table
from foregone.tables.words import same_name

GRID_ONLY = ("header", "body", "labels", "numbers", "percents", "rows", "columns", "sections", "outside", "percent_within")


def misnamed(table: Table, given: Mapping[str, Any], layout: Layout | None = None, elsewhere: Collection[str] = ()) -> str:
    """What a layout file says about a table that does not fit it, in a line; `table` still has its totals among the labels.

    A total may also be a text `elsewhere` on the sheet: whoever takes a row out of a table need not change the rest.
    """
    place, labels = f"layout, table {table.name}", {axis.name: (*axis.labels, *axis.totals) for axis in (*table.axes, *table.fixed)}
    for key in ("totals", "groups", "percent_within"):
        for name in given.get(key, ()):
            if name not in labels:
                return f"{place}, {key}: there is no variable {shown(name)} in it ({listed(labels)}){near(name, list(labels))}"
    words = [("totals", name, label) for name, some in given.get("totals", {}).items() for label in some]
    words += [
        ("groups", name, label)
        for name, groups in given.get("groups", {}).items()
        for group, parts in groups.items()
        for label in (group, *parts)
    ]
    for key, name, label in words:
        if label not in labels[name] and not (key == "totals" and label in elsewhere):
            return f"{place}, {key}: {shown(label)} is not a label of {name} ({listed(labels[name])}){near(label, labels[name])}"
    if layout is None:
        unused = next((key for key in GRID_ONLY if key in given), "")
        return f"{place}, {unused}: a {table.kind} file says this itself; remove the key" if unused else ""
    for key, names in (("rows", layout.rows), ("columns", tuple(name for _, name in layout.levels))):
        if key in given and len(given[key]) != len(names):
            return f"{place}, {key}: {len(given[key])} names for {len(names)} variables ({listed(names)}); name one each"
    return ""


def unknown_variables(given: Mapping[str, Mapping[str, Any]], tables: Iterable[Table]) -> list[str]:
    """Variables that the layout file describes and no table has, a line each."""
    known = list(dict.fromkeys(axis.name for table in tables for axis in table.axes))
    problems = []
    for name, entry in given.items():
        if not any(same_name(name, other) for other in known):
            problems.append(f"layout, variables: no table has a variable {shown(name)} ({listed(known)}){near(name, known)}")
        problems += [
            f"layout, variables.{name}, {key}: no table has a variable {shown(word)} ({listed(known)}){near(word, known)}"
            for key in ("same", "different")
            for word in entry.get(key, ())
            if not any(folded(word) == folded(other) for other in known)
        ]
    return problems
