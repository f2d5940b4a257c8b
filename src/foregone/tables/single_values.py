"""Variables with one value or none: they say nothing, unless another table has more of them."""

from __future__ import annotations

from dataclasses import replace

from foregone.tables.table import Axis, Table
from foregone.tables.words import same_name, says_total


def without_blank(table: Table) -> Table:
    """The table without variables that have no value in any row, as regions have none in the rows about a whole country."""
    kept = [i for i, axis in enumerate(table.axes) if axis.labels]
    if len(kept) == len(table.axes):
        return table
    entries = tuple(
        replace(e, labels=tuple(e.labels[i] for i in kept), base=None if e.base is None else tuple(e.base[i] for i in kept))
        for e in table.entries
    )
    return replace(table, axes=tuple(table.axes[i] for i in kept), entries=entries)


def with_fixed(tables: list[Table]) -> list[Table]:
    """The tables with those single values that tell something; the others are left out, which is said.

    A table of women beside one by sex counts women only, and so do a table of 2023 and one of 2024 count different people.
    """
    made = []
    for t, table in enumerate(tables):
        if not table.fixed:
            made.append(table)
            continue
        axes, labels, left_out = list(table.axes), list[str | None](), list(table.left_out)
        for axis in table.fixed:
            (code,) = axis.labels
            word = dict(axis.words).get(code, code)
            others = [other for u, other in enumerate(tables) if u != t]
            if axis.totals or says_total(code) or says_total(word):
                continue
            if any(_tells_more(axis, other) for table in others for other in (*table.axes, *table.fixed)):
                axes.append(axis)
                labels.append(code)
            else:
                left_out.append(f"{axis.name} has one value ({code}) and is left out")
        entries = tuple(
            replace(e, labels=(*e.labels, *labels), base=None if e.base is None else (*e.base, *labels)) for e in table.entries
        )
        made.append(replace(table, axes=tuple(axes), entries=entries, left_out=tuple(left_out), fixed=()))
    return made


def _tells_more(one: Axis, other: Axis) -> bool:
    """Does another table tell other values of the same variable?"""
    return same_name(one.name, other.name) and set(other.labels) != set(one.labels)
