"""Rows of a synthetic file as a table of texts: codes with leading zeros, and the mark that nobody in it is real."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from foregone.census.row_problems import SYNTHETIC

if TYPE_CHECKING:
    import pyarrow as pa

Ints = NDArray[np.int64]

MARKED = ("SCHEMA_TYPE_CODE", "SCHEMA_BUILD_ID")
PLACES = ("TABBLKCOU", "TABTRACTCE", "TABBLKGRPCE", "TABBLK")  # in the order of a block's numbers


def place_columns(names: Sequence[str], state: int, places: Ints) -> dict[str, Ints]:
    """A column of zeros for every name but the marks, with the state and the other places filled in, a row of `places` each."""
    columns = {name: np.zeros(len(places), dtype=np.int64) for name in names if name not in MARKED}
    columns["TABBLKST"][:] = state
    for i, name in enumerate(PLACES):
        columns[name] = places[:, i]
    return columns


def coded_table(names: Sequence[str], columns: Mapping[str, Ints], order: Ints, widths: Mapping[str, int], kind: str) -> pa.Table:
    """The columns in order, their rows in the given one, codes in their widths."""
    import pyarrow as pa

    nothing = pa.array(np.zeros(len(order), dtype=np.int8))
    marks = (pa.DictionaryArray.from_arrays(nothing, [text]).cast(pa.string()) for text in (kind, SYNTHETIC))
    arrays = (_text(columns[name][order], widths.get(name, 1)) for name in names if name not in MARKED)
    return pa.table([*marks, *arrays], names=list(names))


def _text(values: Ints, width: int) -> pa.Array:
    """Codes as text with leading zeros; each different code is spelled once."""
    import pyarrow as pa

    seen, at = np.unique(values, return_inverse=True)
    words = pa.array([f"{value:0{width}d}" for value in seen.tolist()])
    return pa.DictionaryArray.from_arrays(pa.array(at.astype(np.int32)), words).cast(pa.string())
