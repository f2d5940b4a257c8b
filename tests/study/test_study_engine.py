"""The study hands a release to the engine it was asked for, and both find the same claims."""

from __future__ import annotations

import numpy as np

from foregone import tabulate
from foregone.study.measure import BlockTask, _audit


def test_both_engines_serve_the_study() -> None:
    release = tabulate({"SEX": ["F", "F", "M"], "AGE": ["1", "2", "2"]}, margins=["SEX", "AGE"])
    none = np.zeros(0, dtype=np.int64)
    found = {}
    for engine in ("cells", "onehot"):
        task = BlockTask("block", none, "621", "households", 1, False, False, 20.0, engine, "highs")
        found[engine] = {(row.values, row.count, row.columns) for row in _audit(task, release).all_rows()}
    assert found["cells"] == found["onehot"]
    assert ((None, "M"), 1, 1) in found["cells"] or (("M", None), 1, 1) in found["cells"]
