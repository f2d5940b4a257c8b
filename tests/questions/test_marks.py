"""Cells printed as a mark that stands for some counts and not for those between them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from foregone import (
    ContradictionError,
    Domain,
    InputError,
    Predicate,
    Release,
    Statistic,
    Verdict,
    audit,
    bounds,
    check,
    explain,
    generate,
    intervals,
    proofs,
    unique,
    verify,
)
from foregone.checker.files import read_release
from foregone.engine import fits

DOMAIN = Domain.of({"A": ["0", "1"], "B": ["0", "1"]}, marks={"[c]": ((0, 0), (5, None)), "*": ((1, 4),), "-": ((0, 0),)})


def hidden(name: str, **where: str) -> Statistic:
    """None, or at least five."""
    return Statistic(Predicate.of(where), 0, None, name, mark="[c]", gaps=((1, 4),))


def test_nothing_limits_a_count_from_above() -> None:
    """From nobody there is no single step to somebody: five at once have to come."""
    release = Release(DOMAIN, [hidden("t.1", A="0"), hidden("t.2", A="1")])
    assert bounds(release, {"A": "0"}) == bounds(release, {}) == (0, None)
    finding = verify(release, {"A": "0"}, 0)
    assert finding.verdict is Verdict.REFUTED
    assert finding.witness is not None
    assert finding.witness.count(Predicate.of({"A": "0"})) >= 5
    assert unique(release).verdict is Verdict.REFUTED
    assert all(not dataset.broken(release) for dataset in generate(release, 8).datasets)
    assert [(found.low, found.high, found.proved) for found in intervals(release)] == [(0, None, True)] * 2


def test_one_record_brings_four_others() -> None:
    release = Release(DOMAIN, [hidden("t.1", A="0"), Statistic(Predicate.of({"A": "0", "B": "0"}), 1, None, "t.2")])
    assert bounds(release, {"A": "0"}) == (5, None)
    assert fits(release, [0, 1]) is True
    found = explain(release, {"A": "0"})
    assert (found.low, found.high, set(found.statistics)) == (5, None, {0, 1})
    assert "A: 0: 0 or at least 5 (t.1)" in found.text()
    assert str(intervals(release)["t.1"]) == "t.1: published 0 or at least 5, certainly at least 5"


def test_few_cannot_be() -> None:
    release = Release(DOMAIN, [hidden("t.1", A="0"), Statistic(Predicate(), 1, 4, "all"), Statistic(Predicate(), 0, 6, "t.2")])
    assert bounds(release, {"A": "0"}) == (0, 0)
    result = audit(release)
    assert check(release, proofs(result), complete=True).complete
    with pytest.raises(ContradictionError, match=r"t\.1 = 0 or at least 5 \(table t\)"):
        audit(Release(DOMAIN, [hidden("t.1", A="0"), Statistic(Predicate.of({"A": "0"}), 2, 4, "t.2")]))


def test_a_cell_can_be_known_to_be_less_than_its_mark_says(tmp_path: Path) -> None:
    """In memory that is checked like any other; a file would lose it, so there is none."""
    known = replace(hidden("t.1", A="0"), high=9)
    release = Release(DOMAIN, [known, Statistic(Predicate(), 1, 4, "all")])
    result = audit(release)
    said = check(release, proofs(result), complete=True)
    assert (said.rejected, said.complete) == ([], True)
    with pytest.raises(InputError, match=r"t\.1 is 0 or 5 to 9, which its mark does not mean"):
        release.write(tmp_path / "release")
    nameless = Release(DOMAIN, [replace(known, mark=""), Statistic(Predicate(), 1, 4, "all")])
    assert check(nameless, proofs(audit(nameless)), complete=True).complete


def test_an_upper_limit_that_is_none_says_nothing_beside_a_mark(tmp_path: Path) -> None:
    path = tmp_path / "release.json"
    Release(DOMAIN, [hidden("t.1", A="0"), Statistic(Predicate(), 1, 9, "all")]).write(path)
    content = json.loads(path.read_text())
    content["statistics"][0]["high"] = None
    path.write_text(json.dumps(content))
    release = Release.read(path)
    assert release.statistics[0].gaps == ((1, 4),)
    assert read_release(path).fingerprint == release.fingerprint()


def test_what_is_not_shown_is_not_rounded() -> None:
    nobody = Statistic(Predicate.of({"A": "0"}), 0, 0, "t.1", mark="-")
    release = Release(DOMAIN, [nobody, Statistic.exact(Predicate(), 7, "all")])
    shown, total = release.round(5).statistics
    assert shown == release.statistics[0]
    assert (total.low, total.high) == (3, 7)
    assert [found.hidden for found in intervals(release)] == [True]
    assert intervals(release).summary().startswith("Of 1 cell withheld or given as a range, 1 is exactly known.")
