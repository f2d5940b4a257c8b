"""Tables whose format says what every number is about: variables with codes, and a number for each combination."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from pathlib import Path

from foregone.tables.grid import Place
from foregone.tables.table import Axis, Entry, Table


@dataclass(frozen=True, slots=True)
class Dimension:
    """A variable of a file: its codes in order, with labels where the file has them."""

    name: str
    codes: tuple[str, ...]
    labels: tuple[str, ...] = ()
    title: str = ""
    totals: tuple[str, ...] = ()  # codes that the file itself calls totals
    groups: tuple[tuple[str, tuple[str, ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class Observation:
    """A number with its place in the file; a blank text where none is given."""

    codes: tuple[str, ...]
    text: str
    place: Place
    withheld: bool = False


def in_order(dimensions: list[Dimension]) -> list[tuple[str, ...]]:
    """Every combination of codes, the last variable running fastest."""
    return list(product(*(dimension.codes for dimension in dimensions)))


def cube(
    path: Path, kind: str, dimensions: list[Dimension], observations: list[Observation], footnotes: tuple[str, ...] = ()
) -> Table:
    """The table; variables with a single code say nothing and are dropped, which is said."""
    kept = [i for i, dimension in enumerate(dimensions) if len({o.codes[i] for o in observations}) > 1]
    dropped = [d for i, d in enumerate(dimensions) if i not in kept and observations]
    axes = []
    for i in kept:
        dimension = dimensions[i]
        seen = {o.codes[i] for o in observations}
        words = tuple(pair for pair in zip(dimension.codes, dimension.labels, strict=False) if pair[0] in seen)
        labels = tuple(code for code in dimension.codes if code in seen and code not in dimension.totals)
        axes.append(Axis(dimension.name, labels, dimension.totals, True, "rows", words, dimension.groups, dimension.title))
    entries = tuple(
        Entry(
            tuple(None if o.codes[i] in dimensions[i].totals else o.codes[i] for i in kept),
            o.text,
            o.place,
            o.withheld,
        )
        for o in observations
        if o.text or o.withheld
    )
    blank = sum(1 for o in observations if not o.text and not o.withheld)
    left_out = [f"{d.name} has one value ({d.codes[0]}) and is left out" for d in dropped]
    left_out += [f"{blank} blank {'cell' if blank == 1 else 'cells'}"] if blank else []
    return Table(path.stem, str(path), "", kind, tuple(axes), entries, tuple(left_out), footnotes)
