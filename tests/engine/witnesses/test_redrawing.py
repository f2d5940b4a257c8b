"""Datasets made by drawing some records anew: they fit, and have more of what is wanted than those they were made from."""

from __future__ import annotations

import numpy as np
import pytest

from foregone.engine import start
from foregone.engine.bounds import prover
from foregone.engine.bounds.prover import Prover
from foregone.engine.bounds.trees import Exceeds
from foregone.engine.system.decode import dataset_of
from foregone.model.release import Release
from tests import oracle
from tests.engine.witnesses.test_mending import STYLES, published


def asked(release: Release, monkeypatch: pytest.MonkeyPatch) -> Prover:
    """A prover that draws records anew in a small release, too."""
    monkeypatch.setattr(prover, "QUICK", -1)
    monkeypatch.setattr(prover, "LOOSE", 1.0)
    return start(release).prover


@pytest.mark.parametrize("style", STYLES)
def test_what_is_made_fits_and_has_more(style: str, monkeypatch: pytest.MonkeyPatch) -> None:
    release = published(4, STYLES[style], 30, (3, 4, 2, 3), exact=True)
    made = asked(release, monkeypatch)
    found = 0
    for seed in range(5):
        objective = np.random.default_rng(seed).normal(size=made.system.buckets)
        before = [witness.worth(objective) for witness in made.pool]
        for witness in made.redraw(objective, 8):
            found += 1
            assert oracle.fits(dataset_of(made.system, witness).records, release)
            assert witness.worth(objective) > min(before)
    assert found


def test_every_bucket_that_can_be_filled_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is said of each bucket is what the integer solver says of it alone."""
    release = published(5, STYLES["exact"], 12, (3, 3, 2, 3), exact=True)
    made = asked(release, monkeypatch)
    plain = Prover(made.system)
    assert made.redrawing is not None
    monkeypatch.setattr(Prover, "redrawing", None)
    assert plain.first_witness() is True
    for bucket in range(made.system.buckets):
        one = made.system.count_in(bucket)
        assert isinstance(made.at_most(one, 0), Exceeds) == isinstance(plain.at_most(one, 0), Exceeds)


def test_none_where_records_are_too_many_to_list(monkeypatch: pytest.MonkeyPatch) -> None:
    release = published(6, STYLES["exact"], 10, (2, 3), exact=True)
    made = asked(release, monkeypatch)
    assert made.redrawing is not None
    monkeypatch.setattr("foregone.engine.witnesses.redrawing.MOST_SPREAD", 9)
    other = Prover(made.system)
    assert other.first_witness() is True
    assert other.redrawing is None
    assert list(other.redraw(np.ones(other.system.buckets), 3)) == []
