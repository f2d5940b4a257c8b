"""Which audit loop is used, the compiled one or the pure Python one: both tell the same facts, the compiled one much sooner.

This stands at the very bottom, on the standard library alone, so that `foregone --version` can tell without loading an engine.
"""

from __future__ import annotations

import os
from ctypes import CDLL, c_int64
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from platform import machine

from foregone.model.errors import InputError

VERSION = 3  # FOREGONE_LOOP_VERSION in foregone_loop.h: the layout of everything
CHOICE = "FOREGONE_LOOP"  # the environment variable that chooses between the two loops
PLACE = "FOREGONE_LOOP_LIBRARY"  # the environment variable with the path of a library to use instead, for developers
NATIVE, PURE = "native", "pure"
FOLDER = Path(__file__).parent / "engine" / "native"  # where installing puts the libraries
STEM = "libforegone_loop"
FASTER = "_v3"  # at the end of the name of the variant for x86-64-v3
NEEDED = ("avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "movbe")  # what that needs, as /proc/cpuinfo spells it
SUFFIXES = ("so", "dylib", "dll")
INSTALL = "with a C++ compiler at hand, install again"
NOT_BUILT = f"none is compiled, which is about 20 times faster; {INSTALL}"


@dataclass(frozen=True, slots=True)
class LoopChoice:
    """The loop in use, and why where that is worth a word."""

    name: str
    why: str = ""
    library: CDLL | None = None
    path: Path | None = None

    def __str__(self) -> str:
        return f"{self.name} loop" + (f" ({self.why})" if self.why else "")


def chosen_loop() -> LoopChoice:
    """The compiled loop where there is one, unless the environment variable FOREGONE_LOOP says otherwise."""
    choice = os.environ.get(CHOICE, "")
    if choice not in ("", PURE, NATIVE):
        raise InputError(f"the environment variable {CHOICE} is {choice!r}; set it to {PURE} or {NATIVE}, or leave it unset")
    if choice == PURE:
        return LoopChoice(PURE, f"{CHOICE} asks for it")
    found = _loaded(os.environ.get(PLACE, ""))
    if found is None and choice == NATIVE:
        raise InputError(f"the environment variable {CHOICE} asks for the compiled loop, and there is none; {INSTALL}, or unset it")
    return LoopChoice(PURE, NOT_BUILT) if found is None else LoopChoice(NATIVE, "", *found)


@cache
def _loaded(place: str) -> tuple[CDLL, Path] | None:
    """The first library that is there, can be loaded, and has the layout that is expected."""
    for path in [Path(place)] if place else _variants():
        if path.is_file():
            try:
                calls = CDLL(str(path))
                calls.foregone_loop_version.restype = c_int64
                version = int(calls.foregone_loop_version())
            except (OSError, AttributeError):  # made for another machine, or not by us
                continue
            if version == VERSION:
                return calls, path
    return None


def _variants() -> list[Path]:
    """Where libraries may be, the fastest that this machine can run first."""
    names = [STEM]
    if machine() in ("x86_64", "AMD64") and _runs_faster():
        names.insert(0, STEM + FASTER)
    return [FOLDER / f"{name}.{suffix}" for name in names for suffix in SUFFIXES]


def _runs_faster() -> bool:
    """Has the processor all that the faster variant needs? Where that cannot be read, no."""
    try:
        text = Path("/proc/cpuinfo").read_text("utf-8", "replace")
    except OSError:
        return False
    flags = next((line.split(":", 1)[1].split() for line in text.splitlines() if line.startswith("flags")), [])
    return set(NEEDED) <= set(flags)
