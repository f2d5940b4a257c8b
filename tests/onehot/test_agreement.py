"""Two engines, one answer: on random small releases with every solver, and on claims of full census blocks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foregone import Claim, Dataset, Predicate, Release, Verdict
from foregone.census.household.kind import household_release
from foregone.census.synthetic.households import block
from foregone.onehot.audit import audit
from foregone.onehot.generate import claim_list
from foregone.onehot.model import encode
from foregone.onehot.verify import Negation, check, possible
from foregone.questions.ask import audit as cells
from foregone.questions.ask import possible as possible_by_cells
from foregone.questions.ask import verify as verify_by_cells
from foregone.solvers.ip.registry import load
from tests.solvers.adapters import NAMES
from tests.strategies import LARGEST, predicates, releases

pytestmark = pytest.mark.slow
Pair = tuple[Release, Dataset]


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=40, deadline=None)
@given(pair=releases(), solutions=st.integers(1, 8), form=st.sampled_from(Negation))
def test_both_engines_verify_the_same_claims(name: str, pair: Pair, solutions: int, form: Negation) -> None:
    release, truth = pair
    theirs, ours = audit(release, load(name), solutions, 60, form), cells(release)
    assert not theirs.open
    # why it is certain is not told here; which columns tell nothing only an engine knows that lists all possible records
    for found, expected in ((theirs.all_rows(), ours.all_rows()), (theirs.rows(), ours.rows())):
        told, known = ([replace(row, ground="", printed="", attributes=0) for row in rows] for rows in (found, expected))
        assert told == known
    assert theirs.broken_by(truth) == []


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=25, deadline=None)
@given(pair=releases(), count=st.integers(0, LARGEST), data=st.data())
def test_both_engines_agree_on_what_is_possible(name: str, pair: Pair, count: int, data: st.DataObject) -> None:
    release, _ = pair
    predicate = data.draw(predicates(release.domain))
    theirs, ours = possible(release, predicate, count, load(name), 60), possible_by_cells(release, predicate, count)
    assert not theirs.reason
    assert not ours.reason
    assert theirs.impossible == ours.impossible


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_full_blocks_get_the_same_verdicts(seed: int) -> None:
    """Claims of the truth of a block of ten households, certain ones and others; benchmarks/paper.py takes 30 of each block."""
    pytest.importorskip("ortools", reason="cpsat is not installed: pip install 'foregone[cpsat]'")
    truth = block(10, seed)
    release = household_release(truth)
    model, adapter = encode(release), load("cpsat")
    for claim in mixed_claims(release, truth, 2, seed):
        theirs = check(model, claim, adapter, 120)
        assert theirs.verdict != Verdict.UNDECIDED
        assert theirs.verdict == verify_by_cells(release, claim.predicate, claim.count).verdict


def mixed_claims(release: Release, truth: Dataset, number: int, seed: int) -> list[Claim]:
    """`number` claims that are certain and `number` that merely hold in the truth."""
    rng = np.random.default_rng(seed)
    names = release.domain.names
    certain = [
        Claim(Predicate.of({n: v for n, v in zip(names, row.values, strict=True) if v is not None}), row.count)
        for row in cells(release, groups="none").all_rows()
    ]
    known = set(certain)
    true = [
        Claim(Predicate.of({names[c]: v for c, v in zip(columns, values, strict=True)}), count)
        for (columns, values), count in claim_list(truth).items()
    ]
    merely = [claim for claim in true if claim not in known]
    return [group[i] for group in (certain, merely) for i in rng.choice(len(group), number, replace=False)]
