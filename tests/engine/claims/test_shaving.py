"""Doubtful buckets asked one by one: the same facts, and proofs in which each lemma rests on those before it."""

from __future__ import annotations

from itertools import combinations
from random import Random

import numpy as np
import pytest

from foregone import Dataset, Domain, Ground, Release, audit, check, proofs
from foregone.checker import digest
from foregone.engine import Evidence, start
from foregone.engine.bounds.trees import Between, Form, Lemma, TreeSplit
from foregone.engine.claims import audit_loop, doubtful_buckets
from foregone.engine.writing.cover import cover_steps
from foregone.formats.frames import tabulate_dataset


def dense(seed: int, records: int = 30) -> tuple[Release, Dataset]:
    """All two-way margins of random records: few zeros, many doubtful buckets."""
    rng = Random(seed)
    domain = Domain.of({name: [str(v) for v in range(width)] for name, width in zip("ABCDE", (2, 3, 3, 4, 4), strict=True)})

    def record() -> tuple[str, ...]:
        return tuple(rng.choice(column.codes[: 1 + rng.randrange(len(column.codes))]) for column in domain.columns)

    truth = Dataset.of(domain, [record() for _ in range(records)])
    return tabulate_dataset(truth, [",".join(pair) for pair in combinations(domain.names, 2)]), truth


@pytest.mark.parametrize("seed", range(6))
def test_one_by_one_says_the_same_as_all_at_once(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    release, truth = dense(seed)
    together = audit(release)
    monkeypatch.setattr(doubtful_buckets, "AT_ONCE", False)
    alone = audit(release)
    assert [(f.predicate, f.count, f.shortest) for f in alone] == [(f.predicate, f.count, f.shortest) for f in together]
    assert not alone.open
    assert not alone.broken_by(truth)
    checked = check(release, proofs(alone), complete=True)
    assert (checked.accepted, checked.rejected, checked.complete) == (len(alone), [], True)


@pytest.mark.slow
def test_lemmas_rest_on_earlier_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some seed must have lemmas that are not provable in another order: the first one taken away, a later one fails."""
    monkeypatch.setattr(doubtful_buckets, "AT_ONCE", False)
    lemmas = leaning = 0
    for seed in range(12):
        release, _ = dense(seed, 22)
        result = audit(release)
        assert isinstance(result.evidence, Evidence)
        document = proofs(result)
        steps, first = document["steps"], len(cover_steps(result.evidence.system))
        lemmas += len(steps) - first
        if len(steps) == first or "prune" not in steps[first]:
            continue
        forged = {**document, "steps": steps[:first] + steps[first + 1 :]}
        forged["digest"] = digest(forged)
        leaning += bool(check(release, forged).rejected)
    assert lemmas > 20
    assert leaning


def test_a_bound_beside_a_lemma_by_search_is_called_a_search() -> None:
    """Bounds leave out what lemmas show to be empty: their ground is never better than that of the lemmas."""
    session = start(dense(0)[0])
    found = audit_loop.Facts(session, dead=np.zeros(session.system.buckets, dtype=bool))
    everything, records = np.ones(session.system.buckets, dtype=np.int64), session.pool.witnesses[0].size
    alone = audit_loop._bounded(found, everything, records)
    assert alone is not None
    assert alone.ground == Ground.BOUND
    assert isinstance(alone.evidence, Between)
    leaf = alone.evidence.upper
    bucket = Form.count(np.array([0]))
    found.lemmas.append(Lemma(bucket, 0, TreeSplit(bucket, 0, leaf, leaf)))
    beside = audit_loop._bounded(found, everything, records)
    assert beside is not None
    assert beside.ground == Ground.SEARCH
