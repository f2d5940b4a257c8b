"""Where the releases of a run come from, behind one face."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from foregone.batch.contents import PartContent
from foregone.batch.plan import Part
from foregone.model.errors import InputError
from foregone.model.progress import Progress

CHUNK = 1 << 24  # bytes hashed between two reports


@dataclass(frozen=True, slots=True)
class RunSource:
    """An opened source: its parts, and how the releases of one of them are read."""

    noun: str  # what a release is
    releases: int
    parts: tuple[Part, ...]
    read: Callable[[Part], PartContent]
    names: tuple[str, ...] = ()  # of the columns, where all releases have the same
    synthetic: bool = False


OpenSource = Callable[[Path], AbstractContextManager[RunSource]]


def fingerprint(path: Path, progress: Progress | None = None) -> dict[str, Any]:
    """Name, size and hash of the input, so that a run is never continued with another."""
    hashed, size = hashlib.sha256(), 0
    files = [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file())
    total = sum(file.stat().st_size for file in files)
    for file in files:
        if file != path:
            hashed.update(f"{file.relative_to(path).as_posix()}\0{file.stat().st_size}\0".encode())
        for chunk in _chunks(file):
            hashed.update(chunk)
            size += len(chunk)
            if progress:
                progress("fingerprint of the input", size, total)
    return {"name": path.name or str(path.resolve().name), "size": size, "sha256": hashed.hexdigest()}


def _chunks(file: Path) -> Iterator[bytes]:
    try:
        with file.open("rb") as opened:
            while chunk := opened.read(CHUNK):
                yield chunk
    except OSError as error:
        raise InputError(f"{file}: cannot be read ({error.strerror}); check its permissions") from None
