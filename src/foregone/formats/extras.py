"""Libraries that only some commands need: what to install, Parquet files, and DuckDB for what does not fit into memory."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from foregone.formats.text import regular_file
from foregone.model.errors import ForegoneError, InputError

if TYPE_CHECKING:
    import duckdb

MEMORY = "1200MB"  # what DuckDB may hold; the rest is spilled to disk


def need(*names: str, extra: str = "census") -> None:
    """Say what to install before any work is done, instead of failing in the middle."""
    missing = [name for name in names if find_spec(name) is None]
    if missing:
        raise ForegoneError(f"this command needs {', '.join(missing)}; install with: pip install 'foregone[{extra}]'")


@contextmanager
def database(scratch: Path | None = None) -> Iterator[duckdb.DuckDBPyConnection]:
    """A DuckDB database on disk that uses little memory and leaves nothing behind."""
    need("duckdb")
    import duckdb

    with tempfile.TemporaryDirectory(prefix="foregone.", dir=scratch) as folder:
        base = duckdb.connect(str(Path(folder) / "scratch.duckdb"))
        try:
            base.execute(f"SET memory_limit = '{MEMORY}'")
            base.execute(f"SET temp_directory = '{quoted(folder)}'")
            with suppress(duckdb.InvalidInputException):  # in a notebook without widgets there is no bar to turn off
                base.execute("SET enable_progress_bar = false")
            yield base
        except duckdb.OutOfMemoryException as error:
            raise InputError(f"DuckDB ran out of the {MEMORY} it may use ({str(error).splitlines()[0]})") from None
        finally:
            base.close()


def quoted(text: str) -> str:
    return text.replace("'", "''")


def open_parquet(path: Path) -> Any:
    """A Parquet file that can be read, at least its head."""
    parquet = parquet_module()
    regular_file(path)
    with reading_parquet(path):
        file = parquet.ParquetFile(path, memory_map=True)
        file.schema_arrow  # noqa: B018 - a schema that is nonsense is found out here
    return file


@contextmanager
def reading_parquet(path: Path) -> Iterator[None]:
    """A file that is damaged is told by name: its head may be in order while the rest is not."""
    import pyarrow as pa

    try:
        yield
    except (OSError, ValueError, pa.ArrowException) as error:
        raise InputError(f"{path}: cannot be read as Parquet ({first_line(error)}); check the file") from None


def first_line(error: Exception) -> str:
    return str(error).partition("\n")[0] or type(error).__name__


def parquet_module() -> Any:
    try:
        import pyarrow.parquet as parquet
    except ImportError:
        raise InputError("Parquet files need pyarrow; install it with: pip install 'foregone[parquet]'") from None
    return parquet
