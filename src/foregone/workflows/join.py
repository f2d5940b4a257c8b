"""What `foregone join` does: releases become one, with all that their folders say about where their numbers come from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from foregone.formats.beside import (
    ASSUMPTIONS,
    LEFT_OUT,
    PLACES,
    assumptions_text,
    left_out_text,
    place_rows,
    places_text,
    read_assumptions,
    read_left_out,
)
from foregone.formats.folder import check_release_output, read_release, write_release
from foregone.model.errors import InputError
from foregone.model.release import Release
from foregone.tables.joining import join, read_crosswalk


@dataclass(frozen=True, slots=True)
class JoinedFiles:
    """Releases as one, by which names they are in it, and everything that is assumed; `told`: the file holds that, too."""

    release: Release
    names: tuple[str, ...]
    assumptions: tuple[str, ...]
    told: bool


def join_files(paths: Sequence[Path], out: Path, people: str = "changed", crosswalk: Path | None = None) -> JoinedFiles:
    """Read releases about overlapping people, in order of time, and write them as one; see `foregone.join`."""
    check_release_output(out, [*paths, *([crosswalk] if crosswalk else [])])
    named = dict(zip(short_names(paths), paths, strict=True))
    read = {name: read_release(path) for name, path in named.items()}
    made = join(read, people=people, crosswalk=read_crosswalk(crosswalk) if crosswalk else None)
    assumed = (*made.assumptions, *(f"{name}: {said}" for name, path in named.items() for said in read_assumptions(path)))
    standing = [[f"{name}/{row[0]}", *row[1:]] for name, path in named.items() for row in place_rows(path)]
    left_out = [cell for path in paths for cell in read_left_out(path)]
    beside = {ASSUMPTIONS: assumptions_text(assumed)}
    beside |= {PLACES: places_text(standing)} if standing else {}
    beside |= {LEFT_OUT: left_out_text(left_out)} if left_out else {}
    write_release(made.release, out, beside=beside)
    return JoinedFiles(made.release, tuple(named), assumed, out.suffix not in (".json", ".parquet"))


def short_names(paths: Sequence[Path]) -> list[str]:
    """What releases are called: their folders' names, with the folder above where these are the same."""
    names = [path.stem if path.suffix in (".json", ".parquet") else path.resolve().name for path in paths]
    if len(set(names)) < len(names):
        names = [f"{path.resolve().parent.name}-{name}" for path, name in zip(paths, names, strict=True)]
    if len(set(names)) < len(names):
        raise InputError(f"two of the releases are called {names[0]}; give them folders with different names")
    return names
