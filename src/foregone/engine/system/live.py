"""Step 1b: list the records that the zeros leave possible, one column at a time, never the full product."""

from __future__ import annotations

from math import log, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foregone.engine.system.atoms import Atoms
from foregone.engine.system.zeros import Box, Columns, Zeros
from foregone.model.errors import TooLargeError, can_be_set, option
from foregone.solvers.arrays import Bools, Ints
from foregone.solvers.deadline import Deadline

Rows = NDArray[Any]  # places among the atoms that are alive, in integers as short as will do: there are millions of rows
CHUNK = 1 << 22  # booleans looked at in one go while joining a column
EASY = 1 << 14  # up to this many combinations of alive atoms any order of columns will do


def live_records(atoms: Atoms, zeros: Zeros, limit: int, deadline: Deadline | None = None) -> NDArray[Any]:
    """Every record (as atom numbers, columns in the domain's order) that no zero excludes."""
    order = join_order(zeros)
    short = np.int16 if max(atoms.widths()) <= np.iinfo(np.int16).max else np.int32
    rows: Rows = np.zeros((1, 0), dtype=short)
    grown: list[int] = []
    for position, column in enumerate(order):
        joined = order[:position]
        if deadline is not None:
            deadline.check("listing the possible records")
        rows = _join(rows, joined, column, zeros, limit, atoms, grown)
        grown.append(len(rows))
    records = np.empty(rows.shape, dtype=short)
    for position, column in enumerate(order):
        records[:, column] = zeros.alive[column][rows[:, position]]
    # A fixed order of records, whatever order the columns were joined in, keeps every answer reproducible.
    return records[np.lexsort(records.T[::-1])]


def join_order(zeros: Zeros) -> list[int]:
    """Start with the narrowest column; then always the one whose expected growth is least."""
    alive = [len(atoms) for atoms in zeros.alive]
    k = len(alive)
    density = np.zeros((k, k))  # log of the share of allowed pairs
    if prod(alive) > EASY:
        for columns, table in zeros.tables.items():
            for i, a in enumerate(columns):
                for j, b in enumerate(columns[i + 1 :], start=i + 1):
                    pair = table.any(axis=tuple(x for x in range(len(columns)) if x not in (i, j)))
                    share = pair.sum() / max(1, alive[a] * alive[b])
                    density[a, b] = density[b, a] = min(density[a, b], log(min(1.0, max(share, 1e-9))))
    order: list[int] = []
    growth = np.array([log(max(1, size)) for size in alive])
    left = np.ones(k, dtype=bool)
    for _ in range(k):
        column = int(np.argmin(np.where(left, growth, np.inf)))
        order.append(column)
        left[column] = False
        growth = growth + density[column]
    return order


def _join(
    rows: Rows, joined: list[int], column: int, zeros: Zeros, limit: int, atoms: Atoms, grown: list[int]
) -> Rows:
    width = len(zeros.alive[column])
    checks = [_lookup(columns, table, joined, column) for columns, table in zeros.tables.items() if column in columns]
    boxes = [box for box in zeros.wide if column in box and set(box) <= {*joined, column}]
    supports = [support for support in zeros.supports if column in support[0]]
    order = [*joined, column]
    lookups = [known for known in zeros.lookups if column in known.table.columns and set(known.table.columns) <= set(order)]
    step = max(1, CHUNK // max(1, width))
    parts, total = [], 0
    for start in range(0, len(rows), step):
        part = rows[start : start + step]
        allowed = np.ones((len(part), width), dtype=bool)
        for radix, flat in checks:
            allowed &= flat[_keys(part, radix)]
        at, value = np.nonzero(allowed)
        new = np.empty((len(at), len(order)), dtype=rows.dtype)
        new[:, :-1], new[:, -1] = part[at], value
        for lookup in lookups:
            names = lookup.table.columns
            new = new[~lookup.dead([zeros.alive[c][new[:, order.index(c)]] for c in names], len(new))]
        if boxes or supports:
            new = new[_outside(new, [*joined, column], boxes, supports)]
        parts.append(new)
        total += len(new)
        if total > limit:
            raise TooLargeError(_too_large(atoms, joined, column, grown, total, limit))
    return np.concatenate(parts) if parts else np.zeros((0, len(order)), dtype=rows.dtype)


def _keys(rows: Rows, radix: Ints) -> Ints:
    keys = np.zeros(len(rows), dtype=np.int64)
    for place in np.flatnonzero(radix).tolist():
        keys += rows[:, place].astype(np.int64) * radix[place]
    return keys


def _lookup(columns: Columns, table: Bools, joined: list[int], column: int) -> tuple[Ints, Bools]:
    """The table projected onto the columns joined so far: a radix vector for a row's key, and one answer row per key."""
    hidden = tuple(axis for axis, c in enumerate(columns) if c != column and c not in joined)
    seen = [c for c in columns if c == column or c in joined]
    flat = np.moveaxis(np.asarray(table.any(axis=hidden)), seen.index(column), -1)
    others = [c for c in seen if c != column]
    radix = np.zeros(len(joined), dtype=np.int64)
    scale = 1
    for axis in range(len(others) - 1, -1, -1):
        radix[joined.index(others[axis])] = scale
        scale *= flat.shape[axis]
    return radix, flat.reshape(scale, flat.shape[-1])


def _outside(rows: Rows, columns: list[int], boxes: list[Box], supports: list[tuple[Box, ...]]) -> Bools:
    """Rows in none of the empty boxes and, for each support, in at least one of its parts (as far as columns are joined)."""
    good = np.ones(len(rows), dtype=bool)
    for box in boxes:
        good &= ~_inside(rows, columns, box)
    for support in supports:
        held = np.zeros(len(rows), dtype=bool)
        known: set[bytes] = set()
        for box in support:
            seen = {c: box[c] for c in columns if c in box}
            key = b"".join(side.tobytes() for side in seen.values())
            if key not in known:
                known.add(key)
                held |= _inside(rows, columns, seen)
        good &= held
    return good


def _inside(rows: Rows, columns: list[int], box: Box) -> Bools:
    match = np.ones(len(rows), dtype=bool)
    for c, side in box.items():
        match &= side[rows[:, columns.index(c)]]
    return match


def _too_large(atoms: Atoms, joined: list[int], column: int, grown: list[int], total: int, limit: int) -> str:
    names = [atoms.domain.columns[c].name for c in [*joined, column]]
    before = grown[-1] if grown else 1
    raised = f", or raise the limit ({option('max_records')}) if memory allows" if can_be_set("max_records") else ""
    return (
        f"the release leaves more than {total:,} possible records after joining {len(names)} of {len(atoms.groups)} columns"
        f" ({', '.join(names)}), above the limit of {limit:,}; joining {names[-1]} grew them from {before:,}."
        " Publish or add tables that tie these columns together, add rules that exclude impossible combinations,"
        f" or leave out columns you do not need{raised}."
    )
