"""A table on a sheet while it is read: its layout so far, and the steps that change it, ask, or give up."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from foregone.tables.blocks import SheetBlock
from foregone.tables.layout import Broken, Layout, Misfit, NotTaken, Told, read_table
from foregone.tables.reading.question import Clue, TableQuestion
from foregone.tables.table import Table
from foregone.tables.values import Meaning


@dataclass(frozen=True)
class Sketch:
    """`given` is what the layout file says about the table; `told` what was found out and why."""

    block: SheetBlock
    layout: Layout
    meaning: Meaning
    given: Mapping[str, Any]
    told: tuple[Told, ...] = ()

    @cached_property
    def table(self) -> Table:
        block = self.block
        return read_table(block.grid, self.layout, block.title, block.footnotes, block.dotted)

    def with_(self, **changes: Any) -> Sketch:
        """The same with another layout."""
        return replace(self, layout=replace(self.layout, **changes))

    def without(self, *left_out: NotTaken) -> Sketch:
        return self.with_(left_out=(*self.layout.left_out, *left_out))

    def tell(self, what: str, *clues: Clue) -> Sketch:
        return replace(self, told=(*self.told, Told(what, clues)))

    def cell(self, row: int, column: int) -> str:
        return self.block.grid.cell(row, column)


Stop = TableQuestion | Misfit | Broken
Step = Callable[[Sketch], Sketch | Stop]
