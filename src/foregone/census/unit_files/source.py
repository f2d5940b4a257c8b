"""A raw file before it is read: comma or pipe, plain, gz or zip, columns in any order and in several spellings."""

from __future__ import annotations

import gzip
import io
import shutil
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from foregone.census.kind import FileFormat, FileLayout
from foregone.formats.text import regular_file
from foregone.model.errors import InputError
from foregone.model.shown import listed

HEADER_LIMIT = 1 << 20  # characters looked at to find the header


@dataclass(frozen=True, slots=True)
class Source:
    """Where the rows are and how to read them: `columns` maps the names we use to positions."""

    name: str
    path: Path
    compression: str
    delimiter: str
    width: int
    header: str
    columns: dict[str, int]


@contextmanager
def open_source(path: Path, scratch: Path, form: FileFormat) -> Iterator[Source]:
    """Look at the header; a zip is unpacked into `scratch`, everything else is read where it is."""
    regular_file(path, "give a unit file (csv, gz or zip) or an ingested .parquet")
    try:
        with path.open("rb") as raw:
            magic = raw.read(4)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); check its permissions") from None
    plain, compression = path, "none"
    if magic[:2] == b"PK":
        plain = scratch / "units.csv"
        _unzip(path, plain)
    elif magic[:2] == b"\x1f\x8b":
        compression = "gzip"
    try:
        yield _look(path, plain, compression, form)
    finally:
        if plain != path:
            plain.unlink(missing_ok=True)


def _unzip(path: Path, target: Path) -> None:
    try:
        with zipfile.ZipFile(path) as archive:
            members = [name for name in archive.namelist() if name.lower().endswith((".csv", ".txt"))]
            if len(members) != 1:
                raise InputError(f"{path}: holds {len(members)} csv or txt files, expected one; unpack it and name the unit file")
            with archive.open(members[0]) as packed, target.open("wb") as out:
                shutil.copyfileobj(packed, out, 1 << 20)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, zlib.error) as error:
        raise InputError(f"{path}: not a readable zip file ({error}); fetch it again") from None


def _look(path: Path, plain: Path, compression: str, form: FileFormat) -> Source:
    try:
        with _opened(plain, compression) as raw:
            head = io.BytesIO(raw.read(HEADER_LIMIT)).read().decode("utf-8-sig", errors="replace")
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path}: cannot be read ({error}); fetch it again") from None
    lines = 0
    for line in head.splitlines():
        lines += 1
        if line.strip() and not line.startswith("#"):
            break
    else:
        raise InputError(f"{path}: no header line was found; a unit file starts with its column names")
    delimiter = "|" if line.count("|") > line.count(",") else ","
    names = [name.strip().strip('"').upper() for name in line.split(delimiter)]
    chosen = [_columns(names, layout) for layout in form.layouts]
    columns, missing = min(chosen, key=lambda pair: (bool(pair[1]), -len(pair[0])))  # a layout that fits, else the nearest
    if missing:
        raise InputError(
            f"{path}, row {lines}: {', '.join(missing)} {'is' if len(missing) == 1 else 'are'} not among the columns"
            f" ({listed(names)}); {form.missing}"
        )
    return Source(str(path), plain, compression, delimiter, len(names), line.rstrip(), columns)


def _columns(names: list[str], layout: FileLayout) -> tuple[dict[str, int], list[str]]:
    """Where the columns of a layout are, and which ones there are not."""
    found = {name: i for i, name in reversed(list(enumerate(names)))}
    for old, name in (layout.spellings or {}).items():
        if name not in found and old in found:
            found[name] = found[old]
    missing = [name for name in layout.required if name not in found]
    return {name: found[name] for name in (*layout.required, *layout.optional) if name in found}, missing


def _opened(path: Path, compression: str) -> BinaryIO:
    return gzip.open(path, "rb") if compression == "gzip" else path.open("rb")  # type: ignore[return-value]
