"""Limits, interruption and input that nobody should give: the loop stops or refuses, and never answers then."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from foregone import Domain, Predicate, Release, Statement, Statistic, audit
from foregone.engine.native import plan as plans
from foregone.engine.native.audit import audit_natively
from foregone.engine.native.library import LoopWorkload, Status, library
from foregone.engine.native.plan import LoopPlan, plan_of, why_not
from foregone.loop import CHOICE
from foregone.model.errors import InputError
from foregone.model.families import Groups
from foregone.model.workload import Workload
from tests.engine.native.comparing import blocks


def planned(release: Release) -> LoopPlan:
    plan = plan_of(release.workload, Groups.PUBLISHED)
    assert plan is not None
    return plan


@pytest.mark.parametrize(
    ("name", "limit", "status"),
    [("WORK", 3_000_000, Status.WORK), ("MEMORY", 500_000, Status.MEMORY)],
)
def test_work_and_memory_are_limited(monkeypatch: pytest.MonkeyPatch, name: str, limit: int, status: Status) -> None:
    (release,) = blocks(1, (70, 70), 1)
    monkeypatch.setattr(plans, name, limit)
    found = planned(release).run(np.array([release.low]), forms=True, datasets=True)
    assert found.statuses == [status]
    assert found.summary[0, 1] > limit
    assert (len(found.facts), len(found.forms), len(found.datasets)) == (0, 0, 0)


def test_time_and_records_are_limited() -> None:
    releases = list(blocks(2, (70, 70), 1))
    counts = np.array([release.low for release in releases])
    assert planned(releases[0]).run(counts, seconds=1e-4).statuses == [Status.TIME, Status.TIME]
    assert planned(releases[0]).run(counts, max_records=10).statuses == [Status.TOO_MANY_RECORDS] * 2


def test_one_release_that_falls_back_leaves_the_others_alone() -> None:
    releases = list(blocks(3, (5, 12), 1))
    counts = np.array([release.low for release in releases])
    alone = planned(releases[0]).run(counts, forms=True, datasets=True)
    wrong = counts.copy()
    wrong[1] = -1
    found = planned(releases[0]).run(wrong, forms=True, datasets=True)
    assert found.statuses == [Status.DONE, Status.BAD_COUNT, Status.DONE]
    assert found.facts.tolist() == alone.facts[alone.facts[:, 0] != 1].tolist()


INTERRUPTED = """
import os, signal
from threading import Timer
import numpy as np
from tests.engine.native.comparing import blocks
from tests.engine.native.test_limits import planned

(release,) = blocks(1, (60, 60), 1)
counts = np.repeat(np.array([release.low]), 3000, axis=0)
plan = planned(release)
Timer(0.2, os.kill, [os.getpid(), signal.SIGINT]).start()
try:
    plan.run(counts)
except KeyboardInterrupt:
    print("stopped")
"""


def test_ctrl_c_stops_it() -> None:
    """In a process of its own: whoever runs the tests would be stopped, too. Without a stop it takes much longer."""
    ran = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=100)
    assert (ran.stdout, ran.returncode) == ("stopped\n", 0), ran.stderr


@pytest.mark.parametrize("count", [1 << 62, (1 << 63) - 1, 20_001, -1, -(1 << 63)])
def test_counts_out_of_all_proportion(count: int) -> None:
    (release,) = blocks(1, (5, 5), 1)
    counts = np.array([release.low])
    for at in range(0, counts.shape[1], 7):
        changed = counts.copy()
        changed[0, at] = count
        status = Status.BAD_COUNT if count < 0 else Status.LARGE_DATASET
        assert planned(release).run(changed).statuses == [status]


def test_random_counts_do_no_harm() -> None:
    """Most contradict each other; none may bring it down, and none may be answered where nothing fits."""
    (release,) = blocks(1, (5, 5), 1)
    rng = np.random.default_rng(1)
    counts = np.repeat(np.array([release.low]), 300, axis=0)
    for row in counts:
        some = rng.integers(0, counts.shape[1], 3)
        row[some] += rng.integers(-1, 3, 3)
    found = planned(release).run(counts, forms=True, datasets=True)
    unchanged = (counts == counts[0]).all(axis=1)
    for same, row, status in zip(unchanged, counts.tolist(), found.statuses, strict=True):
        if status == Status.DONE and not same:
            assert audit(Release.of(release.workload, row, row)).facts


def test_a_column_of_64_values() -> None:
    codes = [f"{i:02}" for i in range(64)]
    domain = Domain.of({"A": codes, "B": ["0", "1"]})
    stated = [Statistic.exact(Predicate(), 64, "N")]
    stated += [Statistic.exact(Predicate.of({"A": code}), 1, f"a{code}") for code in codes]
    stated += [Statistic.exact(Predicate.of({"B": "0"}), 64, "b0")]
    found = audit(Release(domain, stated))
    assert len(found) == 65
    assert found.kinds == 64
    wider = Domain.of({"A": [*codes, "64"], "B": ["0", "1"]})
    assert why_not(Release(wider, stated).workload, Groups.PUBLISHED) == "a column with many values"


def test_what_is_no_count_is_left_to_the_python_engine() -> None:
    domain = Domain.of({"A": ["0", "1"]})
    whole, some = Statistic.exact(Predicate(), 3, "N"), Statement(((2, Predicate.of({"A": "0"})),), 6, 7)
    release = Release(domain, [whole], statements=[some])
    assert audit_natively(release, Groups.PUBLISHED) is None
    assert [fact.count for fact in audit(release)] == [3]


def test_ranges_that_make_no_sense_and_records_without_limit() -> None:
    domain = Domain.of({"A": ["0", "1"]})
    release = Release(domain, [Statistic(Predicate.of({"A": "0"}), 1, None, "a"), Statistic(Predicate.of({"A": "1"}), 0, 3, "b")])
    assert planned(release).run(np.array([[1, 0]]), np.array([[np.iinfo(np.int64).max, 3]])).statuses == [Status.NO_TOTAL]
    assert planned(release).run(np.array([[1, 1], [1, 0]]), np.array([[3, 0], [2, 3]])).statuses == [Status.BAD_COUNT, Status.DONE]


def test_workloads_with_many_columns_or_overlapping_groups() -> None:
    many = Domain.of({f"C{i}": ["0", "1"] for i in range(32)})
    assert why_not(Release(many, [Statistic.exact(Predicate(), 1, "N")]).workload, Groups.PUBLISHED) == "many columns"
    codes = [f"{i:02}" for i in range(40)]
    spans = [Statistic.exact(Predicate.of({"A": [code for code in codes if code != left_out]}), 1, left_out) for left_out in codes]
    overlapping = Release(Domain.of({"A": codes}), spans).workload
    assert why_not(overlapping, Groups.PUBLISHED) == "many groups of values that overlap"
    assert why_not(overlapping, Groups.NONE) == ""


@pytest.mark.parametrize(
    "sizes",
    [
        {"columns": 0},
        {"columns": -1},
        {"columns": 32},
        {"columns": 1 << 40},
        {"queries": -1},
        {"queries": 1 << 40},
        {"boxes": 0},
        {"boxes": 1 << 40},
        {"layers": 33},
        {"layers": -1},
        {"crowded": 99},
    ],
)
def test_sizes_that_make_no_sense_are_refused(sizes: dict[str, int]) -> None:
    loaded = library()
    assert loaded is not None
    workload = _workload(next(blocks(1, (2, 2), 1)).workload)
    for name, size in sizes.items():
        setattr(workload, name, size)
    assert loaded.plan(workload) is None


@pytest.mark.parametrize(
    ("name", "value"), [("widths", 65), ("widths", 0), ("layer_items", 65), ("layer_columns", 9), ("family_sizes", -1)]
)
def test_arrays_that_make_no_sense_are_refused(name: str, value: int) -> None:
    loaded = library()
    assert loaded is not None
    workload = _workload(next(blocks(1, (2, 2), 1)).workload)
    getattr(workload, name)[0] = value
    assert loaded.plan(workload) is None


def test_nothing_published_falls_back() -> None:
    loaded = library()
    assert loaded is not None
    of = next(blocks(1, (2, 2), 1)).workload
    workload = _workload(of)
    workload.queries = workload.boxes = 0
    handle = loaded.plan(workload)
    assert handle is not None
    plan = LoopPlan(loaded, handle, of)
    plan.queries = 0
    assert plan.run(np.zeros((2, 0), dtype=np.int64)).statuses == [Status.TOO_MANY_RECORDS] * 2
    assert plan.run(np.zeros((2, 0), dtype=np.int64), max_records=1 << 40).statuses == [Status.NO_TOTAL] * 2
    assert plan.run(np.zeros((0, 0), dtype=np.int64)).statuses == []


def test_the_choice_between_the_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    assert library() is not None
    monkeypatch.setenv(CHOICE, "pure")
    assert library() is None
    monkeypatch.setenv(CHOICE, "native")
    assert library() is not None
    monkeypatch.setenv(CHOICE, "compiled")
    with pytest.raises(InputError, match="pure or native"):
        library()


def _workload(workload: Workload) -> LoopWorkload:
    return plans._numbers(workload, Groups.PUBLISHED)
