"""Whether a dataset is determined is told by the claims of a run, as `unique` would decide it, by both loops."""

from __future__ import annotations

import random
from io import BytesIO
from typing import Any

import numpy as np
import pyarrow.parquet as parquet

from foregone import Dataset, Domain, Verdict, unique
from foregone.batch.part import audit_part
from foregone.batch.part_files import PartJob
from foregone.batch.source import CountedReleases, PartContent, RunQuestions, WholeReleases
from foregone.formats.frames import tabulate_dataset
from foregone.formats.table import Counts
from foregone.model.release import Release
from foregone.questions.ask import audit

DOMAIN = Domain.of({"SEX": ["F", "M"], "AGE": ["young", "middle", "old"], "HERE": ["yes"], "ILL": ["no", "yes"]})
MARGINS = (("SEX", "AGE"), ("AGE", "ILL"))


def releases(number: int) -> list[Release]:
    """Small ones, about one to six records; some of them have one dataset only."""
    chance = random.Random(0)
    made = []
    for _ in range(number):
        records = [tuple(chance.choice(column.codes) for column in DOMAIN.columns) for _ in range(chance.randint(1, 6))]
        made.append(tabulate_dataset(Dataset.of(DOMAIN, records), MARGINS))
    return made


def told(content: PartContent, **given: Any) -> list[str]:
    done = audit_part(PartJob("a", "", content, asked=RunQuestions(unique=True)), **given)
    summary = parquet.read_table(BytesIO(done.summary)).to_pylist()
    assert all((line["variability"] == 0.0) == (line["unique"] == "true") for line in summary)
    return [line["unique"] for line in summary]


def test_it_is_what_unique_decides() -> None:
    some = releases(60)
    expected = [str(unique(release, farthest=False).verdict == Verdict.VERIFIED).lower() for release in some]
    assert {"true", "false"} == set(expected)
    ids = tuple(f"r{i}" for i in range(len(some)))
    counts = np.array([[statistic.low for statistic in release.statistics] for release in some])
    rows = CountedReleases(ids, DOMAIN.names, "", some[0].workload, Counts(ids, counts, counts), "")
    assert told(rows) == expected  # all in one call of the compiled loop, where there is one
    assert told(rows, audit=lambda release, **given: audit(release, **given)) == expected  # one by one
    assert told(WholeReleases(ids, DOMAIN.names, "", tuple(some))) == expected


def test_a_release_without_a_total_is_asked() -> None:
    """Nothing limits the number of records, so that what the claims tell is not enough."""
    kept = [statistic for statistic in releases(1)[0].statistics if statistic.predicate.allowed][:2]
    open_ended = Release(DOMAIN, kept)
    assert told(WholeReleases(("r",), DOMAIN.names, "", (open_ended,))) == ["false"]


def test_any_two_datasets_differ_and_fit() -> None:
    for release in releases(25):
        found = unique(release, farthest=False)
        if found.verdict == Verdict.VERIFIED:
            continue
        assert found.second is not None
        assert not found.first.broken(release)
        assert not found.second.broken(release)
        assert found.first != found.second
        assert 0 < found.distance <= found.limit
