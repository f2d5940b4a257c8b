"""What follows from a workload before any number is known: worked out once, used by every release that shares it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foregone.engine.system.atoms import Atoms, atomise, masks_named, summed_boxes, tests_of, weighted_sums
from foregone.engine.system.tables import Tables, tables_of
from foregone.model.errors import TooLargeError
from foregone.model.kept import kept_with
from foregone.model.release import Release
from foregone.model.workload import Workload
from foregone.solvers.answer import NO_LIMIT
from foregone.solvers.arrays import Bools, Ints

Masks = NDArray[Any]  # one row per box, one bit mask over the atoms of each column; Python integers where 63 bits are too few

NOTHING: Masks = np.zeros((0, 0), dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Blueprint:
    """Atoms, and everything that tells records apart as a box: the atoms it allows in each column.

    Boxes are numbered: first the queries, then what the weighted sums count, then the rules.
    """

    atoms: Atoms
    queries: int
    counted: int  # boxes that are not rules
    all_boxes: int
    sums: tuple[tuple[Ints, Ints], ...]  # per weighted sum, the numbers of its boxes and their weights
    sides: tuple[tuple[Ints, Ints], ...]  # the same for the left and the right side of each either-or
    tables: Tables | None  # of a large workload, for which the pairs of box and atom that follow would be too many
    full: Masks  # per column, all atoms
    boxes: Masks
    allows: tuple[Bools, ...]  # the same per column: box, atom
    words: tuple[NDArray[np.uint64], ...]  # the same per column and atom, one bit per box that is not a rule

    def numbers(self, release: Release) -> tuple[Ints, Ints]:
        """Least and greatest number of records in each box; nothing is known of what only sums count."""
        low = np.zeros(self.counted, dtype=np.int64)
        low[: self.queries] = release.low
        if release.high is release.low and self.counted == self.queries:
            return low, low
        high = np.full(self.counted, NO_LIMIT, dtype=np.int64)
        high[: self.queries] = [NO_LIMIT if high is None else high for high in release.high]
        return low, high


FEW_BOXES = 2_000  # so many are compared with each other
MOST_PAIRS = 1 << 24  # boxes times atoms, likewise
MOST_SIDES = 20_000_000  # published numbers times columns
MOST_NAMED = 50_000_000  # values that different groups of values name, all in all


@kept_with
def blueprint(workload: Workload) -> Blueprint:
    """Made when first needed and kept as long as the workload is."""
    return draw(workload)


def draw(workload: Workload) -> Blueprint:
    tests = tests_of(workload)
    _check(workload, tests)
    atoms = atomise(workload)
    widths = atoms.widths()
    count, counted = len(workload.queries), len(tests) - len(workload.rule_masks)
    sums, whole = tuple(_sums(workload)), len(workload.sum_masks)
    small = Blueprint(atoms, count, counted, len(tests), sums[:whole], sums[whole:], None, NOTHING, NOTHING, (), ())
    if len(tests) > FEW_BOXES or len(tests) * sum(widths) > MOST_PAIRS:
        codes = [len(column.codes) for column in workload.domain.columns]
        return replace(small, tables=tables_of(tests, codes, atoms.groups))
    full = np.array([(1 << width) - 1 for width in widths], dtype=np.int64 if max(widths) < 63 else object)
    boxes = np.tile(full, (len(tests), 1))
    for i, masks in enumerate(tests):
        for column, mask in atoms.box(masks).items():
            boxes[i, column] = mask
    allows = tuple(_bits(boxes[:, column].tolist(), width) for column, width in enumerate(widths))
    words = tuple(_words(table[:counted]) for table in allows)
    return replace(small, full=full, boxes=boxes, allows=allows, words=words)


def _check(workload: Workload, tests: Sequence[dict[int, int]]) -> None:
    """Refuse what would take very long before it does."""
    columns = len(workload.domain.columns)
    if len(tests) * columns > MOST_SIDES:
        raise TooLargeError(
            f"{len(tests):,} published numbers over {columns:,} columns are too many: their product may be {MOST_SIDES:,};"
            " split the release by area or group, or leave out columns or tables"
        )
    different = [mask for masks in masks_named(tests, columns) for mask in masks]
    named = sum(map(int.bit_count, different))
    if named > MOST_NAMED:
        raise TooLargeError(
            f"the {len(different):,} different groups of values that are published name {named:,} values all in all, and"
            f" {MOST_NAMED:,} can be compared; leave out groups that overlap, such as running totals, or their column"
        )


def _sums(workload: Workload) -> Iterator[tuple[Ints, Ints]]:
    number, first = summed_boxes(workload), len(workload.queries)
    for terms in weighted_sums(workload):
        boxes = [first + number[tuple(masks.items())] for _, masks in terms]
        yield np.array(boxes, dtype=np.int64), np.array([weight for weight, _ in terms], dtype=np.int64)


def _bits(masks: list[int], width: int) -> Bools:
    """Bit masks as rows of booleans."""
    size = (width + 7) // 8
    packed = np.frombuffer(b"".join(mask.to_bytes(size, "little") for mask in masks), dtype=np.uint8)
    return np.unpackbits(packed.reshape(len(masks), size), axis=1, count=width, bitorder="little").astype(bool)


def _words(allows: Bools) -> NDArray[np.uint64]:
    words = max(1, (len(allows) + 63) // 64)
    member = np.zeros((allows.shape[1], words * 64), dtype=bool)
    member[:, : len(allows)] = allows.T
    return np.packbits(member, axis=1, bitorder="little").view(np.uint64)
