"""Figures shown and withheld, marks with gaps, groups that one row alone names, all at once: every answer against brute force."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from foregone import (
    Domain,
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
from foregone.checker import rows
from foregone.checker.files import read_release
from foregone.engine.system import atoms
from foregone.model.families import families_of
from foregone.model.figure import Figure, Measure
from foregone.questions.ask import possible
from foregone.questions.check import plain
from tests import oracle
from tests.audited import boxes_of, compare
from tests.mixed import Mixed, mixed

AUDITED = range(200)
ASKED = range(1000, 1040)
WRITTEN = range(2000, 2060)


def compared(case: Mixed) -> None:
    """The audit with and without groups, its proofs, and what the checker reads."""
    release = case.release
    result = compare(release, case.datasets)
    said = check(release, proofs(result), complete=True)
    assert (said.accepted, said.rejected, said.complete) == (len(result), [], True), said.reason
    single = {box: m for box, m in oracle.certain_boxes(release, case.datasets).items() if all(len(g) == 1 for _, g in box)}
    result = audit(release, groups="none")
    assert boxes_of(result) == single
    said = check(release, proofs(result), complete=True, groups="none")
    assert (said.rejected, said.complete) == ([], True), said.reason
    read = rows.release_of(plain(release))
    assert read.fingerprint == release.fingerprint()
    for c, column in enumerate(release.domain.columns):
        members = families_of(release.workload).members(c, len(column.codes)) or ()
        named = [mask for mask in (column.mask(group) for group in oracle.family(release, column.name)) if mask & (mask - 1)]
        assert sorted(mask for mask in members if mask & (mask - 1)) == (rows.families(read) or [])[c] == sorted(named)


@pytest.mark.slow
def test_audits_and_proofs_equal_brute_force() -> None:
    for seed in AUDITED:
        compared(mixed(seed))


@pytest.mark.slow
@pytest.mark.parametrize("seed", ASKED)
def test_every_question_equals_brute_force(seed: int) -> None:
    case, random = mixed(seed), Random(seed)
    release, names = case.release, case.release.domain.names

    def counts(predicate: Predicate) -> list[int]:
        return [sum(oracle.matches(record, predicate, names) for record in records) for records in case.datasets]

    columns = random.sample(release.domain.columns, random.randint(0, len(names)))
    predicate = Predicate.of({c.name: random.sample(c.codes, random.randint(1, len(c.codes))) for c in columns})
    found = counts(predicate)
    assert bounds(release, predicate) == (min(found), max(found))
    for count in range(case.most + 1):
        finding = verify(release, predicate, count)
        assert finding.verdict is (Verdict.VERIFIED if set(found) == {count} else Verdict.REFUTED)
        assert finding.witness is None or tuple(sorted(finding.witness.records)) in {tuple(sorted(d)) for d in case.datasets}
        assert finding.proof is None or not check(release, finding.proof).rejected
        assert (possible(release, predicate, count).impossible is True) == (count not in found)
    made = generate(release, 6)
    assert (len(made.datasets), made.complete) == (min(6, len(case.datasets)), len(case.datasets) <= 6)
    assert unique(release).verdict is (Verdict.VERIFIED if len(case.datasets) == 1 else Verdict.REFUTED)
    for interval, statistic in zip(intervals(release, hidden=False), release.statistics, strict=True):
        there = counts(statistic.predicate)
        assert (interval.low, interval.high, interval.proved) == (min(there), max(there), True)
    explained = explain(release, predicate)
    assert (explained.low, explained.high) == (min(found), max(found))
    assert explained.text()


@pytest.mark.slow
def test_files_keep_everything(tmp_path: Path) -> None:
    """The folder, the .json and the .parquet file; what the checker reads of them; and proofs against them."""
    for seed in WRITTEN:
        release = mixed(seed, written=True).release
        document = proofs(audit(release))
        for path in (tmp_path / f"{seed}", tmp_path / f"{seed}.json", tmp_path / f"{seed}.parquet"):
            release.write(path)
            back = Release.read(path)
            assert back == release
            assert dict(back.domain.marks) == dict(release.domain.marks)
            assert back.fingerprint() == release.fingerprint()
            if path.suffix != ".parquet":
                assert read_release(path).fingerprint == release.fingerprint()
                said = check(path, document, complete=True)
                assert (said.rejected, said.complete) == ([], True), said.reason


AGES = Domain.of({"AGE": ["0", "10", "20", "30"]})
young = Predicate.of({"AGE": ["0", "10"]})


@pytest.mark.parametrize("measure", list(Measure))
def test_a_group_that_only_a_withheld_figure_names(measure: Measure) -> None:
    """It says nothing, so nothing is certain of its group; that everybody has some age is."""
    hidden = Figure(measure, "" if measure is Measure.PERCENT else "AGE", young, None, None, "hidden", withheld=True)
    release = Release(AGES, [Statistic.exact(Predicate(), 2, "all")], figures=[hidden])
    result = audit(release)
    assert boxes_of(result) == {}
    assert check(release, proofs(result), complete=True).complete
    release = Release(AGES, [*release.statistics, Statistic.exact(Predicate.of({"AGE": ["20", "30"]}), 0)], figures=[hidden])
    assert [(fact.predicate, fact.count) for fact in audit(release)] == [(young, 2)]


def test_a_sum_tells_nothing_of_those_who_add_nothing() -> None:
    """Of the group 0 or 10 only those who are 10 count, and 0 is in no row of the sum."""
    figure = Figure.exact(Measure.SUM, "AGE", young, 10, "sum")
    release = Release(AGES, [Statistic.exact(Predicate(), 2, "all")], figures=[figure])
    assert boxes_of(audit(release)) == {(("AGE", frozenset({"10"})),): 1}
    assert check(release, proofs(audit(release)), complete=True).complete


def test_planted_atoms_that_do_not_follow_the_families(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(atoms, "nameable", lambda _: iter(()))
    hidden = Figure(Measure.MEAN, "AGE", young, None, None, "hidden", withheld=True)
    with pytest.raises(AssertionError, match="cuts an atom"):
        audit(Release(AGES, [Statistic.exact(Predicate(), 2, "all")], figures=[hidden]))
