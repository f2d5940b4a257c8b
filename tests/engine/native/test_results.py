"""What the compiled loop returns beside the facts: datasets that fit, and numbers of a release and its true records."""

from __future__ import annotations

import pickle
import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from foregone import Case, Ground, Predicate, Verdict, audit, proofs, report
from foregone.census.household.kind import household_release
from foregone.census.synthetic.households import block
from foregone.engine import unique
from foregone.engine.native.audit import LaterEvidence, datasets_of, only_dataset
from foregone.engine.native.plan import LINE, plan_of
from foregone.loop import CHOICE
from foregone.model.families import Groups
from tests.engine.native.comparing import blocks, random_releases, told, with_ranges


def test_datasets_fit() -> None:
    releases = list(blocks(4, (3, 20), 5))
    plan = plan_of(releases[0].workload, Groups.PUBLISHED)
    assert plan is not None
    found = plan.run(np.array([release.low for release in releases]), datasets=True)
    of_releases = list(datasets_of(releases[0].workload, found))
    assert [len(datasets) for datasets in of_releases] == found.line("datasets").tolist()
    for release, datasets in zip(releases, of_releases, strict=True):
        assert len({frozenset(dataset.kinds) for dataset in datasets}) == len(datasets)
        for dataset in datasets:
            assert tuple(dataset.count(query.predicate) for query in release.workload.queries) == release.low


def test_true_records_are_counted() -> None:
    """Numbers by number of columns, compared with what a look at each fact and each record says."""
    truths = [block(households, seed) for households, seed in ((9, 1), (15, 2), (4, 3))]
    releases = [household_release(truth) for truth in truths]
    plan = plan_of(releases[0].workload, Groups.PUBLISHED)
    assert plan is not None
    columns = releases[0].domain.columns
    rows = [[[c.index[code] for c, code in zip(columns, record, strict=True)] for record in truth.records] for truth in truths]
    starts = np.cumsum([0, *map(len, rows)])
    found = plan.run(np.array([release.low for release in releases]), truth=(starts, np.concatenate(rows).astype(np.uint8)))
    for line, release, truth in zip(found.summary.tolist(), releases, truths, strict=True):
        result = audit(release)
        blocks_of_numbers = [line[LINE + i * len(columns) : LINE + (i + 1) * len(columns)] for i in range(5)]
        sizes = range(1, len(columns) + 1)
        assert blocks_of_numbers[0] == [result.claims_by_columns().get(size, 0) for size in sizes]
        assert blocks_of_numbers[1] == [result.claims_by_columns(1).get(size, 0) for size in sizes]
        people = [
            [fact for fact in result if fact.count == 1 and _matches(record, fact.predicate, release.domain.names)]
            for record in truth.records
        ]
        assert line[11:13] == [0, sum(map(bool, people))]
        assert blocks_of_numbers[2] == [sum(any(fact.forms[k : k + 1] > (0,) for fact in own) for own in people) for k in sizes]
        assert blocks_of_numbers[3] == [sum(any(fact.attributes >= k for fact in own) for own in people) for k in sizes]
        assert blocks_of_numbers[4] == [sum(any(fact.exact_attributes >= k for fact in own) for own in people) for k in sizes]


def test_a_claim_that_is_false_in_the_true_records_is_counted() -> None:
    release, other = household_release(block(9, 1)), block(9, 2)
    plan = plan_of(release.workload, Groups.PUBLISHED)
    assert plan is not None
    rows = [[c.index[code] for c, code in zip(release.domain.columns, record, strict=True)] for record in other.records]
    found = plan.run(np.array([release.low]), truth=(np.array([0, len(rows)]), np.array(rows, dtype=np.uint8)))
    assert found.line("wrong")[0] > 0


def test_the_audit_of_a_release_has_proofs_and_pickles() -> None:
    """Evidence is worked out when somebody asks, and is that of the Python engine."""
    release = household_release(block(12, 4))
    found = audit(release)
    assert isinstance(found.evidence, LaterEvidence)
    again = pickle.loads(pickle.dumps(found))
    assert told(again) == told(found)
    document = proofs(again)
    assert len(document["facts"]) == len(found)
    assert {fact.ground for fact in found} == {Ground.PUBLISHED, Ground.LINEAR, Ground.BOUND}
    assert again.singled_out == found.singled_out
    assert [fact.count for fact in found.told] == [fact.count for fact in again.told]
    assert told(pickle.loads(pickle.dumps(again))) == told(found)


def test_the_only_dataset() -> None:
    """Where the compiled loop names one it is the only one; where it does not, it may be all the same."""
    seen = Counter[tuple[bool, Verdict]]()
    rng = random.Random(1)
    for exact in random_releases(80, 3):
        release = with_ranges(exact, rng) if rng.random() < 0.4 else exact
        found, answer = only_dataset(release), unique(Case(release))
        seen[found is not None, answer.verdict] += 1
        assert found is None or found == answer.first
    assert seen[True, Verdict.VERIFIED] >= 10
    assert seen[True, Verdict.REFUTED] == 0
    assert seen[False, Verdict.VERIFIED] <= 1


def test_a_case_is_audited_alike_and_so_is_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(2)
    for release in (next(blocks(1, (9, 9), 7)), *(with_ranges(exact, rng) for exact in random_releases(3, 8))):
        made = []
        for loop in ("native", "pure"):
            monkeypatch.setenv(CHOICE, loop)
            case = Case(release)
            result = audit(case)
            assert result.loop == loop
            assert bool(len(case.pool)) == (loop == "pure")
            page = tmp_path / "page.html"
            report(case, page, date="2026-01-01", explain=1 if len(release.statistics) < 100 else 0)
            made.append((told(result), page.read_bytes()))
        assert made[0] == made[1]


def _matches(record: tuple[str, ...], predicate: Predicate, names: tuple[str, ...]) -> bool:
    return all(record[names.index(name)] in codes for name, codes in predicate.allowed)
