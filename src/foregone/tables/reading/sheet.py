"""From a block of cells to the one reading that fits its numbers: a list of steps, each of which may stop with a question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from foregone.tables.blocks import SheetBlock
from foregone.tables.layout import Fits, Layout, Read
from foregone.tables.layout_file import NAMING_KEYS
from foregone.tables.reading.axes import read_axes
from foregone.tables.reading.columns import propose
from foregone.tables.reading.labels import (
    labels_that_count,
    marked_totals,
    named_rows,
    no_spoilt_dates,
    no_spoilt_labels,
    numbered_labels,
    only_rows,
    without_coarser_times,
    without_codes,
    without_constants,
    without_statistics,
)
from foregone.tables.reading.of_which import of_which
from foregone.tables.reading.percents import find_bases
from foregone.tables.reading.plausible import adds_up_to_100, no_stand_ins
from foregone.tables.reading.rounded import rounded_question
from foregone.tables.reading.sections import sections, several_variables, told_apart, totals_of_everybody, without_repeats
from foregone.tables.reading.sketch import Sketch, Step
from foregone.tables.values import Meaning

STEPS: tuple[Step, ...] = (
    named_rows,
    no_spoilt_dates,
    labels_that_count,
    only_rows,
    numbered_labels,
    marked_totals,
    without_codes,
    without_constants,
    without_coarser_times,
    without_statistics,
    without_repeats,
    totals_of_everybody,
    sections,
    told_apart,
    no_spoilt_labels,
    several_variables,
    of_which,
    no_stand_ins,
    read_axes,
    adds_up_to_100,
)
"""What is found out about a table on a sheet, in this order: a step changes the layout, asks, or gives up."""


def read_block(block: SheetBlock, name: str, meaning: Meaning, given: Mapping[str, Any]) -> Read:
    """The reading of a block of cells, as far as the layout file does not give it."""
    proposed = propose(block, name, given)
    if not isinstance(proposed, Layout):
        return proposed
    given = _still_there(block, proposed, given)
    where = tuple((key, (codes,) if isinstance(codes, str) else tuple(codes)) for key, codes in given.get("where", {}).items())
    sketch = Sketch(block, replace(proposed, where=where, fixed=tuple(given.get("fixed", {}).items())), meaning, given)
    for step in STEPS:
        found = step(sketch)
        if not isinstance(found, Sketch):
            return found
        sketch = found
    if (rounded := rounded_question(sketch.table, meaning)) is not None:
        return rounded
    read = find_bases(sketch.layout, sketch.table, meaning, given)
    if not isinstance(read, Fits):
        return read
    return replace(read, table=replace(read.table, dates=read.layout.dates), told=sketch.told)


def _still_there(block: SheetBlock, layout: Layout, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a layout file says, without answers about a variable of columns of which one measure is left."""
    named = {name for key in NAMING_KEYS for name in given.get(key, ())} - set(layout.variables)
    if "measure" not in given or not named:
        return given
    before = propose(block, layout.name, {key: value for key, value in given.items() if key != "measure"})
    gone = named & set(before.variables) if isinstance(before, Layout) else set()
    kept = {
        key: {name: some for name, some in said.items() if name not in gone}
        if isinstance(said, Mapping)
        else [name for name in said if name not in gone]
        for key, said in given.items()
        if key in NAMING_KEYS
    }
    return {**given, **kept}
