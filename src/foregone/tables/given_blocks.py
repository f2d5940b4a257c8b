"""The tables of a sheet: those that are found, with what a layout file says about rows and columns in its place."""

from __future__ import annotations

from collections.abc import Collection

from foregone.model.errors import InputError
from foregone.model.shown import listed
from foregone.tables.blocks import Block, Unread, find_blocks
from foregone.tables.grid import Grid
from foregone.tables.layout_file import GivenLayout

PLACES = ("header", "body", "labels", "numbers")
MOST_TABLES = 20  # that a layout file may add to a sheet


def blocks_of(grid: Grid, tokens: Collection[str], given: GivenLayout, stem: str) -> list[Block | Unread]:
    """The first table is called `stem`, further ones `stem-2` and so on."""
    found = find_blocks(grid, tokens)
    for number in range(1, max(len(found), MOST_TABLES) + 1):
        name = stem if number == 1 else f"{stem}-{number}"
        settings = given.tables.get(name, {})
        if not any(key in settings for key in (*PLACES, "percents")):
            continue
        blocks = [block for block in found if isinstance(block, Block)]
        old = blocks[number - 1] if number <= len(blocks) else None
        if old is None and (missing := [key for key in PLACES if key not in settings]):
            raise InputError(
                f"layout, table {name}: no such table was found in {grid.source}; to describe it give {listed(missing)}, too"
            )
        header, body, labels, numbers = (settings[key] if key in settings else getattr(old, key) for key in PLACES)
        numbers = (*numbers, *(c for c in settings.get("percents", ()) if c not in numbers))
        _check(grid, name, header, body, labels, numbers)
        title, notes, dotted = ("", (), False) if old is None else (old.title, old.footnotes, old.dotted)
        made = Block(grid, header, body, labels, numbers, title, notes, dotted)
        at = len(found) if old is None else found.index(old)
        found[at : at + 1] = [made]
    return found


def _check(
    grid: Grid, name: str, header: tuple[int, ...], body: tuple[int, ...], labels: tuple[int, ...], numbers: tuple[int, ...]
) -> None:
    for key, places in zip(PLACES, (header, body, labels, numbers), strict=True):
        if not places:
            raise InputError(f"layout, table {name}, {key}: nothing is named; name a {'row' if key in PLACES[:2] else 'column'}")
    if max(*header, *body) > len(grid.rows) or max(*labels, *numbers) > grid.width or min(*header, *body) < 1:
        raise InputError(
            f"layout, table {name}: {grid.source} has {len(grid.rows)} rows and {grid.width} columns; correct the layout"
        )
    for one, other, both in (("header", "body", set(header) & set(body)), ("labels", "numbers", set(labels) & set(numbers))):
        if both:
            what = "row" if one == "header" else "column"
            raise InputError(f"layout, table {name}: a {what} cannot be in {one} and in {other}; correct the layout")
