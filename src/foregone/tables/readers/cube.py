"""Tables whose format says what every number is about: variables with codes, and a number for each combination."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

from foregone.model.errors import InputError
from foregone.model.shown import listed, shown
from foregone.tables.table import Axis, CellPlace, Table, TableCell, check_cells
from foregone.tables.words import says_measure


@dataclass(frozen=True, slots=True)
class Dimension:
    """A variable of a file: its codes in order, with labels where the file has them."""

    name: str
    codes: tuple[str, ...]
    labels: tuple[str, ...] = ()
    title: str = ""
    totals: tuple[str, ...] = ()  # codes that the file itself calls totals
    measure: bool = False  # its codes are what is measured
    units: tuple[str, ...] = ()  # for each code what is said about its unit
    groups: tuple[tuple[str, tuple[str, ...]], ...] = ()
    coded: tuple[tuple[str, str], ...] = ()  # a further code for each, where its codes are words
    scales: tuple[tuple[str, int], ...] = ()  # what numbers about a code are to be multiplied with


@dataclass(frozen=True, slots=True)
class Observation:
    """A number with its place in the file; a blank text where none is given."""

    codes: tuple[str, ...]
    text: str
    place: CellPlace
    withheld: bool = False


def in_order(dimensions: list[Dimension]) -> list[tuple[str, ...]]:
    """Every combination of codes, the last variable running fastest."""
    return list(product(*(dimension.codes for dimension in dimensions)))


def cube(
    path: Path,
    kind: str,
    dimensions: list[Dimension],
    observations: list[Observation],
    footnotes: tuple[str, ...] = (),
    absent: int = 0,
    texts: tuple[str, ...] = (),
    stock: str = "",
    unit: int = 1,
) -> Table:
    """The table; variables with a single code are kept apart, as they say nothing unless another table has more of them.

    `absent` is how many blank cells are not among the observations, `texts` are words about what is counted, `stock` what the file
    says about counting at a time, `unit` what numbers are to be multiplied with.
    """
    check_cells(str(path), len(observations))
    if names := [name for name, times in Counter(dimension.name for dimension in dimensions).items() if times > 1]:
        raise InputError(f"{path}: two variables are called {shown(names[0])}; give them different names")
    for dimension in dimensions:
        if twice := [code for code, times in Counter(dimension.codes).items() if times > 1]:
            raise InputError(f"{path}: {dimension.name} has the value {shown(twice[0])} twice; give them different names")
    again = next((codes for codes, times in Counter(o.codes for o in observations).items() if times > 1), None)
    if again is not None:
        second = [o.place.text for o in observations if o.codes == again][1]
        raise InputError(f"{second}: a number for {listed(again)} stands there already; keep one")
    if not any(o.text or o.withheld for o in observations):
        raise InputError(f"{path}: holds no number; save the table itself, with its numbers")
    kept = [i for i, dimension in enumerate(dimensions) if len(dimension.codes) > 1]
    axes = [_axis(dimension) for dimension in dimensions]
    entries = tuple(
        TableCell(
            tuple(None if o.codes[i] in dimensions[i].totals else o.codes[i] for i in kept),
            o.text,
            o.place,
            o.withheld,
        )
        for o in observations
        if o.text or o.withheld
    )
    blank = absent + sum(1 for o in observations if not o.text and not o.withheld)
    left_out = [f"{blank} blank {'cell' if blank == 1 else 'cells'}"] if blank else []
    fixed = tuple(axis for i, axis in enumerate(axes) if i not in kept and len(axis.labels) == 1)
    varied = tuple(axes[i] for i in kept)
    made = Table(path.stem, str(path), "", kind, varied, entries, tuple(left_out), footnotes, fixed=fixed, texts=texts, stock=stock)
    scale = [size for axis in fixed for _, size in axis.scales]  # of the only value of a variable
    return replace(made, unit=scale[0] if scale else unit)


def _axis(dimension: Dimension) -> Axis:
    words = tuple(zip(dimension.codes, dimension.labels, strict=False))
    labels = tuple(code for code in dimension.codes if code not in dimension.totals)
    measure = dimension.measure or says_measure(dimension.name)
    units = tuple(zip(dimension.codes, dimension.units, strict=False))
    return Axis(
        dimension.name,
        labels,
        dimension.totals,
        words=words,
        groups=dimension.groups,
        title=dimension.title,
        measure=measure,
        units=units,
        coded=dimension.coded,
        scales=dimension.scales,
    )
