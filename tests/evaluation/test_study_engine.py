"""The study hands a release to the engine it was asked for, and both find the same claims."""

from __future__ import annotations

from foregone import tabulate
from foregone.evaluation.measure import _audit
from foregone.evaluation.sample import StudyOptions


def test_both_engines_serve_the_study() -> None:
    release = tabulate({"SEX": ["F", "F", "M"], "AGE": ["1", "2", "2"]}, margins=["SEX", "AGE"])
    found = {}
    for engine in ("cells", "onehot"):
        options = StudyOptions(min_columns=1, time_limit=20.0, engine=engine)
        found[engine] = {(row.values, row.count, row.columns) for row in _audit(options, release).all_rows()}
    assert found["cells"] == found["onehot"]
    assert ((None, "M"), 1, 1) in found["cells"] or (("M", None), 1, 1) in found["cells"]
