"""A workload as the compiled loop wants it, made once and kept as long as the workload is; and runs of releases that share it."""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import POINTER, c_int32, c_int64, c_uint8, c_uint64, cast, pointer
from dataclasses import dataclass
from threading import Event, Thread, current_thread, main_thread
from typing import Any
from weakref import finalize

import numpy as np
from numpy.typing import NDArray

from foregone.engine.claims.evidence import outside_of_queries
from foregone.engine.claims.items import BLANK, atom_items
from foregone.engine.native.library import (
    MOST_BOXES,
    MOST_COLUMNS,
    MOST_LAYERS,
    MOST_VALUES,
    Library,
    LoopLimits,
    LoopRequest,
    LoopWorkload,
    Status,
    library,
)
from foregone.engine.system.blueprint import blueprint
from foregone.engine.system.linear import MAX_RECORDS
from foregone.model.families import Groups, families_of
from foregone.model.kept import kept_with
from foregone.model.workload import Workload

Ints = NDArray[np.int64]

MEMORY = 1 << 30  # bytes that one release may take
WORK = 15_000_000_000  # steps, about a nanosecond each; 320 households of a block take 150 million, 1,000 mixed ones a few billion
MOST_SECONDS = 1e9  # more is no limit
LOOK = 0.2  # seconds after which Ctrl-C is noticed at the latest, whichever thread the system tells of it
FACT_NUMBERS = ("release", "count", "columns", "ground", "exact", "published", "attributes")
FACT = len(FACT_NUMBERS)  # numbers of a fact before its codes
LINE_NUMBERS = (
    *("status", "detail", "nanoseconds", "live", "cells", "least", "most"),
    *("facts", "datasets", "programs", "sets", "wrong", "described"),
)
LINE = len(LINE_NUMBERS)  # numbers of a release before those by number of columns
BY_COLUMNS = ("verified", "singletons", "named", "told", "exact")
NONE = 255  # no item, in bytes
NUMBERS = {np.dtype(np.int64): c_int64, np.dtype(np.uint64): c_uint64, np.dtype(np.uint8): c_uint8}


@dataclass(frozen=True, slots=True, eq=False)
class LoopResults:
    """What the loop found, as the header lays it out: `facts` and `summary` are tables, `forms` and `datasets` long lists."""

    facts: Ints
    summary: Ints
    forms: Ints
    datasets: Ints

    @classmethod
    def joined(cls, pieces: Sequence[LoopResults]) -> LoopResults:
        """The results of releases and of those that follow them, as one."""
        if len(pieces) == 1:
            return pieces[0]
        firsts = np.cumsum([0, *(len(piece.summary) for piece in pieces)])
        for piece, first in zip(pieces, firsts.tolist(), strict=False):
            piece.facts[:, 0] += first
        names = ("facts", "summary", "forms", "datasets")
        return cls(*(np.concatenate([getattr(piece, name) for piece in pieces]) for name in names))

    @property
    def statuses(self) -> list[Status]:
        """Of each release: done, or why it fell back."""
        return [Status(number) for number in self.summary[:, 0].tolist()]

    def fact(self, name: str) -> Ints:
        """A number of each fact, by its name in `FACT_NUMBERS`."""
        return np.ascontiguousarray(self.facts[:, FACT_NUMBERS.index(name)])

    def codes(self, column: int) -> Ints:
        """The codes that each fact allows in a column, as bit masks; 0 where it does not name the column."""
        return np.ascontiguousarray(self.facts[:, FACT + column])

    def line(self, name: str) -> Ints:
        """A number of each release, by its name in `LINE_NUMBERS`."""
        return np.ascontiguousarray(self.summary[:, LINE_NUMBERS.index(name)])

    def by_columns(self, name: str) -> Ints:
        """Numbers of each release for 1, 2, ... columns, by the name in `BY_COLUMNS`; a row for each release."""
        numbers = self.summary[:, LINE:].reshape(len(self.summary), len(BY_COLUMNS), -1)
        return np.ascontiguousarray(numbers[:, BY_COLUMNS.index(name)])


class LoopPlan:
    """A workload inside the library."""

    def __init__(self, loaded: Library, handle: int, workload: Workload) -> None:
        self._library, self._handle = loaded, handle
        self.columns, self.queries = len(workload.domain.columns), len(workload.queries)
        finalize(self, loaded.free_plan, handle).atexit = False  # a thread that was told to stop may still be reading it

    def run(
        self,
        counts: Ints,
        highs: Ints | None = None,
        *,
        truth: tuple[Ints, NDArray[np.uint8]] | None = None,
        forms: bool = False,
        datasets: bool = False,
        only: bool = False,
        max_records: int = MAX_RECORDS,
        seconds: float | None = None,
    ) -> LoopResults:
        """Audit releases, given by a row of counts each; where these are ranges, of the least numbers, and one of the greatest.

        `truth` are the true records, where they are known: where those of each release begin, and one after the last; and the
        number of each code. `seconds` of CPU time may be spent on each release. Ctrl-C stops it.

        `only` asks for no facts: done are releases that a single dataset fits, and that is listed.
        """
        counts = np.ascontiguousarray(counts, dtype=np.int64)
        highs = None if highs is None else np.ascontiguousarray(highs, dtype=np.int64)
        assert counts.shape[1:] == (self.queries,), "a row of counts for each release"
        assert highs is None or highs.shape == counts.shape, "and so many greatest numbers"
        starts, records = (None, None) if truth is None else _checked(truth, len(counts), self.columns)
        cancel = c_int32(0)
        most = 0 if seconds is None or seconds > MOST_SECONDS else max(1, int(seconds * 1e9))
        limits = LoopLimits(max_records, MEMORY, WORK, most)
        request = LoopRequest(
            len(counts), _at(counts), _at(highs), _at(starts), _at(records), forms, datasets, only, limits, pointer(cancel)
        )
        found = self._interruptible(request, cancel, counts, highs, starts, records)
        sizes = self._library.sizes(found)
        lists = [np.empty(size, dtype=np.int64) for size in (sizes.facts, sizes.summary, sizes.forms, sizes.datasets)]
        self._library.take(found, *map(_at, lists))
        facts = lists[0].reshape(-1, FACT + self.columns)
        return LoopResults(facts, lists[1].reshape(len(counts), LINE + 5 * self.columns), lists[2], lists[3])

    def _interruptible(self, request: LoopRequest, cancel: c_int32, *alive: object) -> int:
        """Only the main thread learns of Ctrl-C, and not while it is inside the library: another thread goes there for it.

        That thread holds on to everything the library reads (`alive`), so it may end later than whoever waits for it. To wait for
        its end by `join` would not do: interrupted once, that takes the thread for finished.
        """
        if current_thread() is not main_thread():
            return self._library.run(self._handle, request)
        found: list[int | BaseException] = []
        done = Event()

        def enter(_: object) -> None:
            try:
                found.append(self._library.run(self._handle, request))
            except MemoryError as error:
                found.append(error)
            finally:
                if cancel.value and found and isinstance(found[0], int):
                    self._library.free_result(found[0])
                done.set()

        Thread(target=enter, args=(alive,), daemon=True).start()
        try:
            while not done.wait(LOOK):
                pass
        except BaseException:
            cancel.value = 1  # it stops within milliseconds
            done.wait()
            raise
        if isinstance(found[0], BaseException):
            raise found[0]
        return found[0]


def plan_of(workload: Workload, groups: Groups) -> LoopPlan | None:
    """The plan of a workload; None where there is no library, or it cannot do such a workload (`why_not` tells why)."""
    loaded = library()
    return None if loaded is None else _plan(workload, groups, loaded)


@kept_with
def _plan(workload: Workload, groups: Groups, loaded: Library) -> LoopPlan | None:
    if why_not(workload, groups):
        return None
    handle = loaded.plan(_numbers(workload, groups))
    return None if handle is None else LoopPlan(loaded, handle, workload)


def why_not(workload: Workload, groups: Groups) -> str:
    """What of a workload the compiled loop cannot do; nothing, if it can do it all."""
    plan, columns = blueprint(workload), workload.domain.columns
    if plan.tables is not None or plan.all_boxes > MOST_BOXES:
        return "very many published numbers"
    if plan.sums or plan.sides or plan.counted != plan.queries:
        return "numbers that are not counts"
    if len(columns) > MOST_COLUMNS:
        return "many columns"
    if any(len(column.codes) > MOST_VALUES for column in columns):
        return "a column with many values"
    items = atom_items(workload, groups)
    if len(items) > MOST_LAYERS or any(len(sets) > MOST_VALUES for sets in items.sets):
        return "many groups of values that overlap"
    return ""


def _numbers(workload: Workload, groups: Groups) -> LoopWorkload:
    """The workload as arrays; these live as long as the structure that points to them."""
    plan, items, columns = blueprint(workload), atom_items(workload, groups), workload.domain.columns
    families, full = families_of(workload, groups).sets, [column.full for column in columns]
    item_of = np.full((len(items), MOST_VALUES), NONE, dtype=np.uint8)
    for row, held in zip(item_of, items.holds, strict=True):
        row[: len(held)] = np.where(held == BLANK, NONE, held)
    codes = [[mask.get(c, whole) for c, whole in enumerate(full)] for mask in workload.masks]
    arrays: dict[str, NDArray[Any]] = {
        "widths": np.array(plan.atoms.widths(), dtype=np.int64),
        "box_atoms": np.array(plan.boxes.tolist(), dtype=np.uint64),
        "layer_columns": np.array(items.columns, dtype=np.int64),
        "layer_items": np.array([len(sets) for sets in items.sets], dtype=np.int64),
        "item_of": item_of,
        "item_atoms": _padded(items.sets),
        "crowded_sets": np.array(items.crowded, dtype=np.uint64),
        "atom_codes": _padded(plan.atoms.groups),
        "all_codes": np.array(full, dtype=np.uint64),
        "query_codes": np.array(codes, dtype=np.uint64),
        "query_names": np.array([sum(1 << c for c in mask) for mask in workload.masks], dtype=np.uint64),
        "query_plain": np.array([beyond is not None for beyond in outside_of_queries(workload, groups)], dtype=np.uint8),
        "family_sizes": np.array([len(sets) for sets in families], dtype=np.int64),
        "family": np.array([mask for sets in families for mask in sets], dtype=np.uint64),
    }
    sizes = len(columns), plan.queries, len(plan.boxes), len(items), len(items.crowded), groups == Groups.NONE
    made = LoopWorkload(*sizes, *(_at(np.ascontiguousarray(array)) for array in arrays.values()))
    made.arrays = arrays  # keeps them alive
    return made


def _padded(lists: Sequence[Sequence[int]]) -> NDArray[np.uint64]:
    made = np.zeros((len(lists), MOST_VALUES), dtype=np.uint64)
    for row, some in zip(made, lists, strict=True):
        row[: len(some)] = np.array(some, dtype=np.uint64)
    return made


def _checked(truth: tuple[Ints, NDArray[np.uint8]], releases: int, columns: int) -> tuple[Ints, NDArray[np.uint8]]:
    """True records that can be read without looking beyond their end."""
    starts = np.ascontiguousarray(truth[0], dtype=np.int64)
    records = np.ascontiguousarray(truth[1], dtype=np.uint8)
    assert records.shape[1:] == (columns,), "a code for each column"
    assert starts.shape == (releases + 1,), "where the records of each release begin, and one after the last"
    assert (np.diff(np.concatenate([[0], starts, [len(records)]])) >= 0).all(), "one release after the other"
    return starts, records


def _at(array: NDArray[Any] | None) -> Any:
    """Where an array lies; the caller keeps it alive."""
    return None if array is None else cast(array.ctypes.data, POINTER(NUMBERS[array.dtype]))
