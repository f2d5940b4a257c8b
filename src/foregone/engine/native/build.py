"""Compiles the audit loop: `python src/foregone/engine/native/build.py` builds the libraries beside this file, if they are not new.

    --check      with the address and undefined-behaviour sanitizers, into the folder that follows
    --out        into the folder that follows

It stands on the standard library alone and is run by path, because installing from source (`hatch_build.py`) needs it before
anything is installed. What is built is loaded by `foregone.loop`, which knows the names.
"""

from __future__ import annotations

import argparse
import os
import platform
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCES = HERE / "loop"
MAIN = "foregone_loop.cpp"
COMPILERS = ("c++", "g++", "clang++")
SUFFIX = {"win32": "dll", "darwin": "dylib"}.get(sys.platform, "so")
WARNINGS = ("-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Wno-sign-conversion", "-Wno-psabi")
COMMON = ("-std=c++17", "-shared", "-fPIC", "-fvisibility=hidden", *WARNINGS)
OPTIMISED = ("-O3",)
SANITIZED = (
    *("-O1", "-g", "-D_GLIBCXX_ASSERTIONS", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"),
    "-fno-omit-frame-pointer",
)


class BuildError(Exception):
    """There is no compiler, or it did not accept the sources."""


def compiler() -> list[str]:
    """The C++ compiler as the words of a command: that of CXX where it is set, else the first that is there."""
    asked = os.environ.get("CXX")
    for name in [asked] if asked else COMPILERS:
        words = shlex.split(name)
        if words and shutil.which(words[0]):
            return words
    raise BuildError(f"there is no C++ compiler ({asked or ', '.join(COMPILERS)}); install one, such as g++")


def variants() -> dict[str, tuple[str, ...]]:
    """Names of libraries and what each is compiled with: one for any machine of this kind, and for x86-64 a faster one."""
    made: dict[str, tuple[str, ...]] = {"libforegone_loop": OPTIMISED}
    if platform.machine() in ("x86_64", "AMD64"):
        made["libforegone_loop_v3"] = (*OPTIMISED, "-march=x86-64-v3")
    return made


def build(out: Path, wanted: Mapping[str, Sequence[str]], sources: Path = SOURCES) -> list[Path]:
    """Compile the libraries, all at the same time, and put each in its place when it is whole."""
    command = compiler()
    drafts = {out / f"{name}.{SUFFIX}": out / f".{name}.{os.getpid()}.{SUFFIX}" for name in wanted}
    running = [
        subprocess.Popen(
            [*command, *COMMON, *flags, "-o", str(draft), str(sources / MAIN)], stderr=subprocess.PIPE, text=True
        )
        for draft, flags in zip(drafts.values(), wanted.values(), strict=True)
    ]
    said = [process.communicate()[1] for process in running]  # waits for all of them
    if any(process.returncode for process in running):
        for draft in drafts.values():
            draft.unlink(missing_ok=True)
        raise BuildError(f"{' '.join(command)} failed: {next(text for text in said if text)[-2000:]}")
    for target, draft in drafts.items():
        draft.replace(target)
    return list(drafts)


def due(folder: Path = HERE) -> bool:
    """Is a library missing, or older than its sources?"""
    newest = max(file.stat().st_mtime for file in (*SOURCES.iterdir(), Path(__file__)) if file.is_file())
    libraries = [folder / f"{name}.{SUFFIX}" for name in variants()]
    return not all(file.is_file() and file.stat().st_mtime >= newest for file in libraries)


def main() -> None:
    parser = argparse.ArgumentParser(description="Compile the audit loop.")
    parser.add_argument("--out", type=Path, help="a folder for what is built, instead of the place where Foregone looks for it")
    parser.add_argument("--check", action="store_true", help="build one library with the sanitizers instead")
    options = parser.parse_args()
    try:
        if options.check:
            made = build(options.out or Path(), {"libforegone_loop_sanitized": SANITIZED})
        elif options.out or due():
            made = build(options.out or HERE, variants())
        else:
            made = []
    except BuildError as error:
        if os.environ.get("FOREGONE_REQUIRE_NATIVE"):
            sys.exit(f"error: {error}")
        print(f"note: {error}; audits run in pure Python", file=sys.stderr)
        return
    for path in made:
        print(path)


if __name__ == "__main__":
    main()
