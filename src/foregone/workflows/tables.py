"""What `foregone import` does with tables that were read: are they possible together, and the release that they make."""

from __future__ import annotations

from pathlib import Path

from foregone.formats.folder import write_release
from foregone.tables.contradictions import check_tables
from foregone.tables.importing import Imported, beside, few_collections


@few_collections()
def write_imported(made: Imported, out: Path) -> str:
    """Write what was imported, unless its tables contradict each other, which is an error that names the cells; returns a remark
    where that could not be found out.
    """
    remark = check_tables(made)
    write_release(made.release, out, beside=beside(made))
    return remark
