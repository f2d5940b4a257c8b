"""A database for what does not fit into memory: DuckDB, with a limit, and nothing left behind."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from foregone.formats.extras import need
from foregone.model.errors import InputError

if TYPE_CHECKING:
    import duckdb

MEMORY = "1200MB"  # what DuckDB may hold; the rest is spilled to disk


@contextmanager
def database(scratch: Path | None = None, threads: int | None = None) -> Iterator[duckdb.DuckDBPyConnection]:
    """A DuckDB database on disk that uses little memory and leaves nothing behind."""
    need("duckdb")
    import duckdb

    with tempfile.TemporaryDirectory(prefix="foregone.", dir=scratch) as folder:
        base = duckdb.connect(str(Path(folder) / "scratch.duckdb"))
        try:
            base.execute(f"SET memory_limit = '{MEMORY}'")
            base.execute(f"SET temp_directory = '{quoted(folder)}'")
            base.execute("SET enable_progress_bar = false")
            if threads:
                base.execute(f"SET threads = {threads}")
            yield base
        except duckdb.OutOfMemoryException as error:
            raise InputError(f"DuckDB ran out of the {MEMORY} it may use ({str(error).splitlines()[0]})") from None
        finally:
            base.close()


def quoted(text: str) -> str:
    return text.replace("'", "''")
