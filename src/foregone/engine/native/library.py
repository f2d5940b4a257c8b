"""The compiled library: where it is, which variant fits this machine, and its calls with their types."""

from __future__ import annotations

import os
from ctypes import CDLL, POINTER, Structure, byref, c_int32, c_int64, c_uint8, c_uint64, c_void_p
from enum import IntEnum
from functools import cache
from pathlib import Path
from platform import machine
from typing import Any, ClassVar

from foregone.model.errors import InputError

VERSION = 1  # FOREGONE_LOOP_VERSION in foregone_loop.h: the layout of everything
CHOICE = "FOREGONE_LOOP"  # the environment variable that chooses between the two loops
PLACE = "FOREGONE_LOOP_LIBRARY"  # the environment variable with the path of a library to use instead, for developers
FAST = ("avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "movbe")  # what x86-64-v3 needs, as /proc/cpuinfo spells it
SUFFIXES = ("so", "dylib", "dll")

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
    UNSEEN = 7
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


class LoopWorkload(Structure):
    """`foregone_workload` in the header."""

    _fields_: ClassVar = [
        *((name, c_int64) for name in ("columns", "queries", "boxes", "layers", "crowded")),
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
        ("counts", POINTER(c_int64)),
        ("true_starts", POINTER(c_int64)),
        ("true_records", POINTER(c_uint8)),
        ("want_forms", c_int64),
        ("want_datasets", c_int64),
        ("limits", LoopLimits),
        ("cancel", POINTER(c_int32)),
    ]


class LoopSizes(Structure):
    """`foregone_sizes` in the header."""

    _fields_: ClassVar = [(name, c_int64) for name in ("facts", "summary", "forms", "datasets")]


class Library:
    """The calls of the header, with their types."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._calls = calls = CDLL(str(path))
        calls.foregone_loop_version.restype = c_int64
        calls.foregone_loop_version.argtypes = []
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

    @property
    def version(self) -> int:
        return int(self._calls.foregone_loop_version())

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
    """The library to use; None if there is none, or `FOREGONE_LOOP` is "pure"."""
    choice = os.environ.get(CHOICE, "")
    if choice not in ("", "pure", "native"):
        raise InputError(f"the environment variable {CHOICE} is {choice!r}; set it to pure or native, or leave it unset")
    if choice == "pure":
        return None
    found = _loaded(os.environ.get(PLACE, ""))
    if found is None and choice == "native":
        raise InputError(f"the environment variable {CHOICE} asks for the compiled loop, and there is none; set it to pure")
    return found


@cache
def _loaded(place: str) -> Library | None:
    """The first library that is there, can be loaded, and has the layout that is expected."""
    for path in [Path(place)] if place else _variants():
        if path.is_file():
            try:
                found = Library(path)
            except (OSError, AttributeError):  # made for another machine, or not by us
                continue
            if found.version == VERSION:
                return found
    return None


def _variants() -> list[Path]:
    """Where libraries may be, the fastest that this machine can run first."""
    names = ["libforegone_loop"]
    if machine() in ("x86_64", "AMD64") and _runs_fast():
        names.insert(0, "libforegone_loop_v3")
    return [Path(__file__).with_name(f"{name}.{suffix}") for name in names for suffix in SUFFIXES]


def _runs_fast() -> bool:
    """Has the processor all that the faster variant needs? Where that cannot be read, no."""
    try:
        text = Path("/proc/cpuinfo").read_text("utf-8", "replace")
    except OSError:
        return False
    flags = next((line.split(":", 1)[1].split() for line in text.splitlines() if line.startswith("flags")), [])
    return set(FAST) <= set(flags)
