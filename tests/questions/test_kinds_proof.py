"""Kinds of record that have the same number in every dataset: all are proved, by brute force, and others differ in listed ones."""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import Any

from hypothesis import assume, given, settings

from foregone import Dataset, Release
from foregone.checker.check import check
from foregone.checker.datasets import ONE, SEVERAL, UNTOLD, datasets_left, parts_left
from foregone.checker.rows import release_of
from foregone.checker.seal import digest
from foregone.questions.ask import proof_of_kinds
from foregone.questions.check import plain
from tests import oracle
from tests.strategies import LARGEST, releases


@settings(max_examples=60, deadline=None)
@given(releases())
def test_all_certain_kinds_are_proved_and_places_told(pair: tuple[Release, Dataset]) -> None:
    release, _ = pair
    found = [Counter(records) for records in oracle.consistent_datasets(release, LARGEST)]
    assume(len(found) <= 150)
    column = release.domain.columns[0]
    document = proof_of_kinds(release)
    rows = release_of(plain(release))
    result = check(rows, document)
    assert not result.rejected
    kinds = list(product(*(c.codes for c in release.domain.columns)))
    certain = {kind: n for kind in kinds if (n := found[0][kind]) and all(counts[kind] == n for counts in found)}
    assert len(document["facts"]) == result.accepted == len(certain)
    parts = parts_left(rows, document, result, column.name)
    for code, (left, _, told, others) in parts.items():
        assert not others  # whatever is not certain is seen not to be
        here = {frozenset((kind, n) for kind, n in counts.items() if kind[0] == code) for counts in found}
        assert told == sum(n for kind, n in certain.items() if kind[0] == code)
        assert len(here) > 1 if left == SEVERAL else len(here) == 1 or left == UNTOLD
    assert datasets_left(rows, document, result) in ((SEVERAL,) if len(document["witnesses"]) > 1 else (ONE, UNTOLD))


def test_a_rejected_file_tells_nothing() -> None:
    from foregone import tabulate

    release = tabulate({"A": list("0011"), "B": list("0101")}, margins=["A,B"])
    document: Any = proof_of_kinds(release)
    rows = release_of(plain(release))
    # A alone has no count
    assert {part.left for part in parts_left(rows, document, check(rows, document), "A").values()} == {UNTOLD}
    release = tabulate({"A": list("0011"), "B": list("0101")}, margins=["A", "A,B"])
    document, rows = proof_of_kinds(release), release_of(plain(release))
    assert {part.left for part in parts_left(rows, document, check(rows, document), "A").values()} == {ONE}
    document["facts"][0]["count"] = 2
    content = {key: value for key, value in document.items() if key != "digest"}
    forged = {**content, "digest": digest(content)}
    assert {part.left for part in parts_left(rows, forged, check(rows, forged), "A").values()} == {UNTOLD}
