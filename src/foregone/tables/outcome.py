"""What can come of reading a block of cells: one reading, none, two, or something that was spoilt on the way."""

from __future__ import annotations

from dataclasses import dataclass

from foregone.tables.layout import Layout
from foregone.tables.table import Table


@dataclass(frozen=True, slots=True)
class Fits:
    layout: Layout
    table: Table


@dataclass(frozen=True, slots=True)
class Misfit:
    """No reading fits: what is wrong with the likeliest one."""

    why: str


@dataclass(frozen=True, slots=True)
class Doubt:
    """Two readings fit, each in words, and how the layout file tells them apart."""

    one: str
    other: str
    remedy: str


@dataclass(frozen=True, slots=True)
class Broken:
    """Something in the file was spoilt on the way; a line that names the place."""

    why: str


Read = Fits | Misfit | Doubt | Broken
