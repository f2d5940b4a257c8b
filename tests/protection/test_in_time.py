"""A time limit is kept, within what it takes to say what was found; the gap that is left is an honest one."""

from __future__ import annotations

from pathlib import Path
from time import process_time

import pytest

from foregone import Knowledge, Policy, Primary, protect
from foregone.census.sources import RunOptions, open_run_source
from foregone.protection.many import protect_many
from foregone.protection.protect import GRACE
from foregone.protection.search import BOUND_SECONDS
from tests.country import command
from tests.suppressed import suppressed_table

LIMIT = 2.0
SLACK = 3 * GRACE + BOUND_SECONDS  # to judge before and after, and what is still certain; of the processor


@pytest.mark.slow
def test_of_a_large_table() -> None:
    release = suppressed_table((18, 8, 6), 0, 4000)
    begin = process_time()
    found = protect(release, Policy(primary=Primary(1, 3), know=Knowledge(zeros_shown=True)), time_limit=LIMIT)
    assert process_time() - begin < LIMIT + SLACK
    assert not found.optimal
    assert found.reason == "the time limit was reached"
    assert found.lower_bound >= found.primary > 0
    assert found.cost is None or found.lower_bound < found.cost
    assert found.cost is None or f"no choice costs less than {found.lower_bound:,}" in found.summary()


@pytest.mark.slow
def test_of_many_releases(tmp_path: Path) -> None:
    units = tmp_path / "units.csv"
    command("census", "synth", "--states", 1, "--tracts", 1, "--blocks", 40, "--out", units)
    with open_run_source(units, RunOptions()) as opened:
        every = [named for part in opened.parts for named in opened.read(part).releases()]
        named = [(name, release) for name, release, _ in every if not isinstance(release, str)]
    begin = process_time()
    found = protect_many(named, Policy(3), time_limit=LIMIT)
    assert process_time() - begin < LIMIT + SLACK + 5  # to prepare forty releases
    assert (found.optimal, found.reason) == (False, "the time limit was reached")
    assert found.cost is None or found.lower_bound < found.cost
