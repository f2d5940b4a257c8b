"""What bounds say of many sets at once is what is said of each by itself."""

from __future__ import annotations

import numpy as np
import pytest

from foregone.engine.bounds import prover
from foregone.engine.bounds.prover import Prover
from foregone.engine.bounds.trees import AtMost, Between
from foregone.engine.claims.in_bulk import between_bounds
from foregone.engine.system.linear import compile_release
from tests.engine.witnesses.test_mending import STYLES, published


@pytest.mark.parametrize("style", STYLES)
def test_a_set_is_settled_only_where_its_count_is_certain(style: str, monkeypatch: pytest.MonkeyPatch) -> None:
    settled = ways = 0
    for seed in range(4):
        system = compile_release(published(seed, STYLES[style], 12, (3, 2, 2, 3), exact=True))
        monkeypatch.setattr(prover, "QUICK", -1)
        asked = Prover(system)
        assert asked.first_witness() is True
        witness, rng = asked.pool.witnesses[0], np.random.default_rng(seed)
        some = [np.flatnonzero(rng.random(system.buckets) < share) for share in (0.1, 0.5)]
        sets = [*some, *(np.unique(system.bucket_of_member[system.members == row]) for row in range(system.rows))]
        told = [(buckets, int(witness.inside([buckets], system.buckets)[0])) for buckets in sets if len(buckets)]
        proofs = between_bounds(asked, told)
        assert asked.reaching is not None
        monkeypatch.setattr(prover, "QUICK", 10**9)
        plain = Prover(system)
        assert plain.first_witness() is True
        for buckets, count in told:
            inside, key = system.count_in(buckets), buckets.tobytes()
            if key in proofs:
                settled += 1
                assert isinstance(plain.exactly(inside, inside, count), Between)
            else:
                for way in {1, -1} - set(asked.reaching.ways[key]):
                    ways += 1
                    assert isinstance(plain.at_most(way * inside, way * count), AtMost)
    assert settled
    assert ways


def test_nothing_is_asked_where_tables_are_small() -> None:
    asked = Prover(compile_release(published(1, STYLES["exact"], 12, (3, 2, 2, 3), exact=True)))
    assert asked.first_witness() is True
    assert between_bounds(asked, [(np.arange(asked.system.buckets), 12)]) == {}
