"""Which labels of a variable mean everybody: the words suggest it, the numbers decide."""

from __future__ import annotations

from foregone.model.alike import folded
from foregone.model.shown import listed, shown
from foregone.tables.meaning import Meaning
from foregone.tables.outcome import Doubt, Misfit
from foregone.tables.spans import span_of
from foregone.tables.sums import is_largest, misfit, parts_of, shows_exact_sums
from foregone.tables.table import Table
from foregone.tables.values import Kind, value_of
from foregone.tables.words import says_count, says_total

STRONG = ("total", "all", "sum", "overall", "grand", "tot", "_t")  # what begins like this is a total, or else the table is wrong


def judge(table: Table, axis: int, meaning: Meaning) -> tuple[str, ...] | Misfit | Doubt:
    """The labels of an axis that are totals."""
    labels, column = table.axes[axis].labels, table.axes[axis].where == "columns"
    said = tuple(label for label in labels if says_total(label) or (column and says_count(label)))
    if len(said) == len(labels):
        said = said[-1:] if len(labels) > 1 else said
    weak = tuple(label for label in said if not folded(label).startswith(STRONG))
    for totals in dict.fromkeys((said, tuple(label for label in said if label not in weak))):
        parts = parts_of(table, axis, totals)
        wrong = [] if parts is None else [why for total in totals if (why := misfit(table, axis, total, parts, meaning))]
        if not wrong and (totals or not said or totals != said):
            return totals if totals else _unsaid(table, axis, labels, weak if column else ())
    name = table.axes[axis].name
    others = f'; if it counts others too, say so in a layout file: totals = {{"{name}" = ["{said[-1]}"]}}'
    return Misfit(f"the total does not add up; {wrong[0]}{_rounded(table, meaning) or others}")


def _rounded(table: Table, meaning: Meaning) -> str:
    """A hint where numbers look rounded and no rule was named."""
    values = [value_of(entry.shown, table.dotted) for entry in table.entries]
    numbers = [value.counts.low for value in values if value.kind == Kind.NUMBER and value.counts is not None]
    base = next((base for base in (10, 5, 3) if len(numbers) > 3 and all(number % base == 0 for number in numbers)), 0)
    return (
        f"; every number is a multiple of {base}: if they are rounded, say --rule round:{base}"
        if base and meaning.rule is None
        else ""
    )


def _unsaid(table: Table, axis: int, labels: tuple[str, ...], counted: tuple[str, ...]) -> tuple[str, ...] | Doubt:
    """No label is a total by its name and its numbers: one that is the sum of all others may be one all the same.

    Columns that are `counted` (Patients beside Deaths) may count everybody, and others some of them.
    """
    name = table.axes[axis].name
    for total in counted:
        if says_count(total) and is_largest(table, axis, total):
            return Doubt(
                f"{shown(total)} counts everybody, and {listed(shown(label) for label in labels if label != total)} some of them",
                f"{shown(total)} is a value of {name} like the others",
                f'totals = {{"{name}" = ["{total}"]}} or totals = {{"{name}" = []}}',
            )
    if len(labels) < 3 or all(span_of(label) is not None for label in labels):
        return ()
    for total in (labels[-1], labels[0]):
        if total in dict(table.axes[axis].groups):
            continue  # indentation has told already what it is made of
        others = tuple(label for label in labels if label != total)
        if shows_exact_sums(table, axis, total, others):
            return Doubt(
                f"{shown(total)} is the total of {listed(map(shown, others))}",
                f"{shown(total)} is a value of {name} like the others",
                f'totals = {{"{name}" = ["{total}"]}} or totals = {{"{name}" = []}}',
            )
    return ()


def counts_others(table: Table, axis: int) -> str:
    """A total beside a single other column, and never less than it, counts others too: Smokers, All. Nothing if it is not so."""
    labels = table.axes[axis].labels
    said = [label for label in labels if says_total(label)]
    return said[0] if len(said) == 1 and len(labels) == 2 and is_largest(table, axis, said[0]) else ""


def counts_more(table: Table, axis: int, totals: tuple[str, ...], meaning: Meaning) -> bool:
    """Does a total that the layout gives count more than its parts?"""
    parts = parts_of(table, axis, totals)
    return parts is not None and any(misfit(table, axis, total, parts, meaning) for total in totals)
