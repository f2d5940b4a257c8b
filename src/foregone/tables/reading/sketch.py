"""A table on a sheet while it is read: its layout so far, and the steps that change it, ask, or give up."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from foregone.tables.blocks import SheetBlock
from foregone.tables.layout import Broken, Layout, Misfit, NotTaken, ReadAs, read_table
from foregone.tables.reading.question import TableQuestion
from foregone.tables.table import Table
from foregone.tables.values import Meaning


@dataclass(frozen=True)
class Sketch:
    """`given` is what the layout file says about the table; `told` what was found out and why."""

    block: SheetBlock
    layout: Layout
    meaning: Meaning
    given: Mapping[str, Any]
    told: tuple[ReadAs, ...] = ()

    @cached_property
    def table(self) -> Table:
        block = self.block
        return read_table(block.grid, self.layout, block.title, block.footnotes, block.dotted)

    def with_(self, **changes: Any) -> Sketch:
        """A sketch with another layout; a table that was made is kept where nothing in it changes, since large ones take long."""
        different = {key: value for key, value in changes.items() if getattr(self.layout, key) != value}
        if not different:
            return self
        made = replace(self, layout=replace(self.layout, **different))
        if "table" in self.__dict__ and set(different) <= {"dates", "exclusive", "groups", "open"}:
            groups, open_ = dict(made.layout.groups), made.layout.open
            axes = (replace(axis, groups=groups.get(axis.name, ()), open=axis.name in open_) for axis in self.table.axes)
            made.__dict__["table"] = self.table.with_axes(tuple(axes))
        return made

    def without(self, *left_out: NotTaken) -> Sketch:
        return self.with_(left_out=(*self.layout.left_out, *left_out))

    def tell(self, *told: ReadAs) -> Sketch:
        made = replace(self, told=(*self.told, *told))
        if "table" in self.__dict__:
            made.__dict__["table"] = self.table
        return made

    def cell(self, row: int, column: int) -> str:
        return self.block.grid.cell(row, column)


Stop = TableQuestion | Misfit | Broken
Step = Callable[[Sketch], Sketch | Stop]
