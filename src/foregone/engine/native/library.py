"""The compiled library: its calls with their types. Which library that is, `foregone.loop` tells."""

from __future__ import annotations

from ctypes import CDLL, POINTER, Structure, byref, c_int32, c_int64, c_uint8, c_uint64, c_void_p
from enum import IntEnum
from functools import cache
from typing import Any, ClassVar

from foregone.loop import chosen_loop

MOST_COLUMNS = 31
MOST_VALUES = 64  # codes and atoms of a column, and items of a layer
MOST_LAYERS = 32
MOST_BOXES = 1 << 20


class Status(IntEnum):
    """What became of a release: done, or why it fell back. The header says what the number beside it is."""

    DONE = 0
    BAD_COUNT = 1
    TOO_WIDE = 2
    TOO_MANY_RECORDS = 3
    NOTHING_POSSIBLE = 4
    CONTRADICTION = 5
    NO_TOTAL = 6
    NO_SIZE = 7
    LARGE_NUMBERS = 8
    LARGE_DATASET = 9
    SIMPLEX_LOST = 10
    NO_FIRST_DATASET = 11
    DOUBT = 12
    NO_BOUND = 13
    TOO_MANY_SETS = 14
    MANY_ITEMS = 15
    TOO_MANY_FORMS = 16
    TOO_MANY_ROUNDS = 17
    MEMORY = 18
    WORK = 19
    TIME = 20
    CANCELLED = 21
    UNEXPECTED = 22
    SEVERAL = 23


WORDS = {
    Status.BAD_COUNT: "a count that no number can be",
    Status.TOO_WIDE: "a table over very many combinations of values",
    Status.TOO_MANY_RECORDS: "more possible records than the limit",
    Status.NOTHING_POSSIBLE: "no record is possible",
    Status.CONTRADICTION: "counts contradict each other",
    Status.NO_TOTAL: "nothing limits the number of records",
    Status.NO_SIZE: "it takes more than a bound to tell how many records there can be",
    Status.LARGE_NUMBERS: "numbers outgrew 64 bits",
    Status.LARGE_DATASET: "very many records",
    Status.SIMPLEX_LOST: "a linear program stayed unsolved",
    Status.NO_FIRST_DATASET: "no dataset that fits was found",
    Status.DOUBT: "records that may or may not be possible",
    Status.NO_BOUND: "a claim that needs more than one bound",
    Status.TOO_MANY_SETS: "too many sets of values",
    Status.MANY_ITEMS: "a claim with very many values",
    Status.TOO_MANY_FORMS: "too many ways to say a fact",
    Status.TOO_MANY_ROUNDS: "too many rounds",
    Status.MEMORY: "memory",
    Status.WORK: "too many steps",
    Status.TIME: "time",
    Status.CANCELLED: "stopped",
    Status.UNEXPECTED: "an error",
    Status.SEVERAL: "more than one dataset fits",
}
"""Why the compiled loop left a release to the Python engine, as results say it."""


class LoopWorkload(Structure):
    """`foregone_workload` in the header."""

    _fields_: ClassVar = [
        *((name, c_int64) for name in ("columns", "queries", "boxes", "layers", "crowded", "single")),
        ("widths", POINTER(c_int64)),
        ("box_atoms", POINTER(c_uint64)),
        ("layer_columns", POINTER(c_int64)),
        ("layer_items", POINTER(c_int64)),
        ("item_of", POINTER(c_uint8)),
        ("item_atoms", POINTER(c_uint64)),
        ("crowded_sets", POINTER(c_uint64)),
        ("atom_codes", POINTER(c_uint64)),
        ("all_codes", POINTER(c_uint64)),
        ("query_codes", POINTER(c_uint64)),
        ("query_names", POINTER(c_uint64)),
        ("query_plain", POINTER(c_uint8)),
        ("family_sizes", POINTER(c_int64)),
        ("family", POINTER(c_uint64)),
    ]


class LoopLimits(Structure):
    """`foregone_limits` in the header."""

    _fields_: ClassVar = [(name, c_int64) for name in ("records", "memory", "work", "cpu_nanoseconds")]


class LoopRequest(Structure):
    """`foregone_request` in the header."""

    _fields_: ClassVar = [
        ("releases", c_int64),
        ("lows", POINTER(c_int64)),
        ("highs", POINTER(c_int64)),
        ("true_starts", POINTER(c_int64)),
        ("true_records", POINTER(c_uint8)),
        ("want_forms", c_int64),
        ("want_datasets", c_int64),
        ("only", c_int64),
        ("limits", LoopLimits),
        ("cancel", POINTER(c_int32)),
    ]


class LoopSizes(Structure):
    """`foregone_sizes` in the header."""

    _fields_: ClassVar = [(name, c_int64) for name in ("facts", "summary", "forms", "datasets")]


class Library:
    """The calls of the header, with their types."""

    def __init__(self, calls: CDLL) -> None:
        self._calls = calls
        calls.foregone_loop_plan.restype = c_int32
        calls.foregone_loop_plan.argtypes = [POINTER(LoopWorkload), POINTER(c_void_p)]
        calls.foregone_loop_run.restype = c_int32
        calls.foregone_loop_run.argtypes = [c_void_p, POINTER(LoopRequest), POINTER(c_void_p)]
        calls.foregone_loop_sizes.restype = None
        calls.foregone_loop_sizes.argtypes = [c_void_p, POINTER(LoopSizes)]
        calls.foregone_loop_take.restype = None
        calls.foregone_loop_take.argtypes = [c_void_p, *[POINTER(c_int64)] * 4]
        for free in (calls.foregone_loop_free_plan, calls.foregone_loop_free_result):
            free.restype, free.argtypes = None, [c_void_p]

    def plan(self, workload: LoopWorkload) -> int | None:
        """A handle, to be freed; None where the library cannot do such a workload."""
        made = c_void_p()
        return None if self._calls.foregone_loop_plan(byref(workload), byref(made)) else made.value

    def free_plan(self, plan: int) -> None:
        self._calls.foregone_loop_free_plan(plan)

    def run(self, plan: int, request: LoopRequest) -> int:
        """A handle, to be freed."""
        made = c_void_p()
        if self._calls.foregone_loop_run(plan, byref(request), byref(made)) or made.value is None:
            raise MemoryError("there is not enough memory for the results of this many releases")
        return made.value

    def sizes(self, result: int) -> LoopSizes:
        sizes = LoopSizes()
        self._calls.foregone_loop_sizes(result, byref(sizes))
        return sizes

    def take(self, result: int, *buffers: Any) -> None:
        """Copy the results into four buffers, and free them."""
        self._calls.foregone_loop_take(result, *buffers)
        self.free_result(result)

    def free_result(self, result: int) -> None:
        self._calls.foregone_loop_free_result(result)


def library() -> Library | None:
    """The library to use; None where the pure loop is."""
    calls = chosen_loop().library
    return None if calls is None else _typed(calls)


@cache
def _typed(calls: CDLL) -> Library:
    return Library(calls)
