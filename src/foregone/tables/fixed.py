"""Variables of which a table has one value only: all of it is about people with that value, if another table tells more."""

from __future__ import annotations

from dataclasses import replace

from foregone.tables.table import Axis, Table
from foregone.tables.words import same_name, says_total


def with_fixed(tables: list[Table]) -> list[Table]:
    """The tables with those single values that tell something; the others are left out, which is said.

    A table of women beside one by sex counts women only, and so do a table of 2023 and one of 2024 count different people.
    """
    made = []
    for t, table in enumerate(tables):
        axes, labels, left_out = list(table.axes), list[str | None](), list(table.left_out)
        for axis in table.fixed:
            (code,) = axis.labels
            word = dict(axis.words).get(code, code)
            others = [other for u, other in enumerate(tables) if u != t]
            if axis.totals or says_total(code) or says_total(word):
                continue
            if any(_differs(axis, other) for table in others for other in (*table.axes, *table.fixed)):
                axes.append(axis)
                labels.append(code)
            else:
                left_out.append(f"{axis.name} has one value ({code}) and is left out")
        entries = tuple(
            replace(e, labels=(*e.labels, *labels), base=None if e.base is None else (*e.base, *labels)) for e in table.entries
        )
        made.append(replace(table, axes=tuple(axes), entries=entries, left_out=tuple(left_out), fixed=()))
    return made


def _differs(one: Axis, other: Axis) -> bool:
    """Does another table tell other values of the same variable?"""
    return same_name(one.name, other.name) and set(other.labels) != set(one.labels)
