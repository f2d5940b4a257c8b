"""Step 1b: list the records that the zeros leave possible, one column at a time, never the full product."""

from __future__ import annotations

from math import log

import numpy as np
from numpy.typing import NDArray

from foregone.compile.atoms import Atoms, Box
from foregone.compile.blueprint import Bools, Columns, bits
from foregone.compile.zeros import Zeros
from foregone.errors import TooLargeError

Rows = NDArray[np.int64]
CHUNK = 1 << 22  # booleans looked at in one go while joining a column


def live_records(atoms: Atoms, zeros: Zeros, limit: int) -> NDArray[np.int16]:
    """Every record (as atom numbers, columns in the domain's order) that no zero excludes."""
    widths = atoms.widths()
    order = join_order(zeros, widths)
    rows: Rows = np.zeros((1, 0), dtype=np.int64)
    grown: list[int] = []
    for position, column in enumerate(order):
        joined = order[:position]
        rows = _join(rows, joined, column, zeros, widths, limit, atoms, grown)
        grown.append(len(rows))
    back = np.argsort(np.array(order, dtype=np.int64))
    records = rows[:, back].astype(np.int16)
    # A fixed order of records, whatever order the columns were joined in, keeps every answer reproducible.
    return records[np.lexsort(records.T[::-1])]


def join_order(zeros: Zeros, widths: tuple[int, ...]) -> list[int]:
    """Start with the narrowest column; then always the one whose expected growth is least."""
    k = len(widths)
    alive = [int(atoms.sum()) for atoms in zeros.alive]
    density = np.zeros((k, k))  # log of the share of allowed pairs
    for columns, table in zeros.tables.items():
        for i, a in enumerate(columns):
            for j, b in enumerate(columns[i + 1 :], start=i + 1):
                pair = table.any(axis=tuple(x for x in range(len(columns)) if x not in (i, j)))
                share = pair.sum() / max(1, alive[a] * alive[b])
                density[a, b] = density[b, a] = min(density[a, b], log(min(1.0, max(share, 1e-9))))
    order: list[int] = []
    left = set(range(k))
    while left:
        column = min(left, key=lambda c: (log(max(1, alive[c])) + sum(density[c, d] for d in order), c))
        order.append(column)
        left.remove(column)
    return order


def _join(
    rows: Rows, joined: list[int], column: int, zeros: Zeros, widths: tuple[int, ...], limit: int, atoms: Atoms, grown: list[int]
) -> Rows:
    width = widths[column]
    alive = zeros.alive[column]
    checks = [_lookup(columns, table, joined, column) for columns, table in zeros.tables.items() if column in columns]
    boxes = [box for box in zeros.wide if column in box and set(box) <= {*joined, column}]
    supports = [support for support in zeros.supports if column in support[0]]
    step = max(1, CHUNK // width)
    parts, total = [], 0
    for start in range(0, len(rows), step):
        part = rows[start : start + step]
        allowed = np.tile(alive, (len(part), 1))
        for radix, flat in checks:
            allowed &= flat[part @ radix]
        at, value = np.nonzero(allowed)
        new = np.concatenate([part[at], value[:, None]], axis=1)
        if boxes or supports:
            new = new[_outside(new, [*joined, column], boxes, supports, widths)]
        parts.append(new)
        total += len(new)
        if total > limit:
            raise TooLargeError(_too_large(atoms, joined, column, grown, total, limit))
    return np.concatenate(parts) if parts else np.zeros((0, len(joined) + 1), dtype=np.int64)


def _lookup(columns: Columns, table: Bools, joined: list[int], column: int) -> tuple[Rows, Bools]:
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


def _outside(
    rows: Rows, columns: list[int], boxes: list[Box], supports: list[tuple[Box, ...]], widths: tuple[int, ...]
) -> Bools:
    """Rows in none of the empty boxes and, for each support, in at least one of its parts (as far as columns are joined)."""
    good = np.ones(len(rows), dtype=bool)
    for box in boxes:
        good &= ~_inside(rows, columns, box, widths)
    for support in supports:
        seen = {tuple((c, box[c]) for c in columns if c in box) for box in support}
        held = np.zeros(len(rows), dtype=bool)
        for part in sorted(seen):
            held |= _inside(rows, columns, dict(part), widths)
        good &= held
    return good


def _inside(rows: Rows, columns: list[int], box: Box, widths: tuple[int, ...]) -> Bools:
    match = np.ones(len(rows), dtype=bool)
    for c, mask in box.items():
        match &= bits([mask], widths[c])[0][rows[:, columns.index(c)]]
    return match


def _too_large(atoms: Atoms, joined: list[int], column: int, grown: list[int], total: int, limit: int) -> str:
    names = [atoms.domain.columns[c].name for c in [*joined, column]]
    before = grown[-1] if grown else 1
    return (
        f"the release leaves more than {total:,} possible records after joining {len(names)} of {len(atoms.groups)} columns"
        f" ({', '.join(names)}), above the limit of {limit:,}; joining {names[-1]} grew them from {before:,}."
        " Publish or add tables that tie these columns together, add rules that exclude impossible combinations,"
        " leave out columns you do not need, or raise the limit (--max-records) if memory allows."
    )
