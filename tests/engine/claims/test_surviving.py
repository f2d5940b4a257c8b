"""Claims after new datasets: what is worked out again is what has changed, and nothing else."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from foregone.engine.case import Case
from foregone.engine.claims import audit_loop
from foregone.engine.claims.audit_loop import Facts, _Claim, find_facts
from foregone.engine.claims.buckets_of_claim import Extents
from foregone.engine.claims.closed_sets import Candidates
from foregone.engine.system.witness import Witness
from foregone.model.families import Groups
from tests.engine.witnesses.test_mending import STYLES, published

kept = audit_loop._surviving


@pytest.mark.parametrize("groups", [Groups.NONE, Groups.PUBLISHED])
def test_the_same_as_comparing_all_of_them(groups: Groups, monkeypatch: pytest.MonkeyPatch) -> None:
    rounds = 0

    def both(found: Facts, extents: Extents, claims: list[_Claim], witnesses: list[Witness]) -> list[_Claim]:
        nonlocal rounds
        buckets = found.prover.system.buckets
        holding = [c for c in claims if all(w.inside([c.extent.inner], buckets)[0] == c.count for w in witnesses)]
        every = Candidates.of([c.closed for c in holding], [c.count for c in holding])
        fresh = audit_loop._compared(found, Extents(found.prover.system, extents.sides.items), every) if holding else []
        made = kept(found, extents, claims, witnesses)
        assert [c.key for c in made] == [c.key for c in fresh]
        assert all(np.array_equal(one.extent.doubt, other.extent.doubt) for one, other in zip(made, fresh, strict=True))
        rounds += 1
        return made

    monkeypatch.setattr(audit_loop, "_surviving", both)
    for seed, style in product(range(4), STYLES.values()):
        case = Case(published(seed, style, 14, (3, 2, 4, 3), exact=True))
        assert case.first_witness() is True
        find_facts(case, groups=groups)
    assert rounds > 10
