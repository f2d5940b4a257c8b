"""Many releases in one folder: the predicates once (domain.json, predicates.csv, rules.csv), the counts as a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from foregone.formats.counts import Counts, CsvCounts, Ints, ParquetCounts
from foregone.formats.outputs import new_folder
from foregone.formats.predicates import RELEASE, name_problems, read_workload, write_workload
from foregone.formats.single import parquet_module
from foregone.formats.text import is_there, raise_all
from foregone.model.errors import InputError
from foregone.model.release import Release
from foregone.model.shown import shown
from foregone.model.workload import Workload


class ReleaseTable:
    """A folder with a workload and the counts of many releases, in the order of their names."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.workload = read_workload(path)
        files = [path / name for name in ("counts.parquet", "counts.csv") if is_there(path / name)]
        if len(files) != 1:
            raise InputError(f"{path}: expected one of counts.parquet and counts.csv, found {'both' if files else 'neither'}")
        self.file = files[0]
        kind = CsvCounts if self.file.suffix == ".csv" else ParquetCounts
        self._counts: CsvCounts | ParquetCounts = kind(self.file, self.workload)
        self.ids: Sequence[str] = self._counts.ids

    def __len__(self) -> int:
        return len(self.ids)

    def sizes(self) -> Ints:
        """The number of records of each release as far as it is published, otherwise 0."""
        return self._counts.sizes()

    def counts(self, first: int, last: int) -> Counts:
        """The releases first, ..., last - 1."""
        return self._counts.read(first, last)

    def releases(self) -> Iterator[tuple[str, Release]]:
        """Every release with its name, a few in memory at a time."""
        for first in range(0, len(self), 1000):
            some = self.counts(first, min(first + 1000, len(self)))
            for i, name in enumerate(some.ids):
                yield name, some.release(i, self.workload)


def write_table(path: Path, workload: Workload, releases: Iterable[tuple[str, Sequence[int]]]) -> int:
    """Write exact counts of many releases as a folder with counts.parquet, in the order of their names; how many there were."""
    import pyarrow as pa

    parquet = parquet_module()
    names = [query.name for query in workload.queries]
    raise_all(name_problems("the workload", enumerate(names, start=1)))
    written, last = 0, ""
    batch: list[tuple[str, list[int]]] = []
    schema = pa.schema([(RELEASE, pa.string()), *((name, pa.int64()) for name in names)])
    with new_folder(path) as folder:
        write_workload(folder, workload)
        with parquet.ParquetWriter(folder / "counts.parquet", schema, compression="zstd") as out:

            def flush() -> None:
                if batch:
                    columns = zip(*(row for _, row in batch), strict=True)
                    out.write_table(pa.table([[name for name, _ in batch], *columns], schema=schema))
                    batch.clear()

            for name, counts in releases:
                if not name or (written and name <= last):
                    raise InputError(f"release {shown(name)} comes after {shown(last)}; give each its own name, in their order")
                batch.append((name, [int(count) for count in counts]))
                last, written = name, written + 1
                if len(batch) == 1000:
                    flush()
            flush()
    return written
