"""Write down of which kinds of record there are equally many in every dataset, and datasets that differ in all others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from foregone.engine.bounds.trees import Between
from foregone.engine.case import Case
from foregone.engine.pairs import lonely_buckets
from foregone.engine.system.decode import dataset_of, records_of
from foregone.engine.system.linear import LinearSystem
from foregone.engine.system.witness import Witness
from foregone.engine.writing.datasets import listed_dataset
from foregone.engine.writing.proofs import Json, proof_of_claims
from foregone.model.claim import Claim, Ground
from foregone.model.dataset import Dataset
from foregone.model.predicate import Predicate

Proved = tuple[Claim, Ground, Between]


def proof_of_kinds(case: Case) -> Json:
    """A proofs document: every kind of record that has the same number, at least 1, in all datasets. The case knows a dataset.

    Of every other kind that a listed dataset has two of them have different numbers, so that it is seen not to be certain.
    What time left open is not mentioned.
    """
    prover = case.prover
    system, first = prover.system, prover.pool.witnesses[0]
    names, lonely = system.release.domain.names, lonely_buckets(system)
    proved, differing, crowded = list[Proved](), set[int](), False
    for bucket, count in zip(first.buckets.tolist(), first.counts.tolist(), strict=True):
        if not lonely[bucket]:  # another record of the bucket would do as well
            crowded = True
            continue
        single = system.count_in(bucket)
        found = None if len(set(prover.pool.counts(single))) > 1 else prover.exactly(single, single, count)
        if len(set(prover.pool.counts(single))) > 1:  # a dataset in which it is another number is in the pool by now
            differing.add(bucket)
        elif isinstance(found, Between):
            (record,) = records_of(system, bucket)
            claim = Claim(Predicate.of(dict(zip(names, record, strict=True))), count)
            proved.append((claim, found.ground, found))
    datasets = [dataset_of(system, witness) for witness in (first, *_few(prover.pool.witnesses[1:], first, differing))]
    datasets += [_exchanged(system, first)] if crowded else []
    return proof_of_claims(system, proved, prover.lemmas, [listed_dataset(dataset) for dataset in datasets])


def _few(witnesses: Sequence[Witness], first: Witness, left: set[int]) -> Iterator[Witness]:
    """Some of the witnesses, such that in each of these buckets one differs from the first; those that do in most first."""
    own = _counts(first)
    differ = [{bucket for bucket in left if there.get(bucket, 0) != own[bucket]} for there in map(_counts, witnesses)]
    while left:
        best = max(range(len(differ)), key=lambda i: len(left & differ[i]))
        left = left - differ[best]
        yield witnesses[best]


def _exchanged(system: LinearSystem, witness: Witness) -> Dataset:
    """A witness as a dataset with other records than `dataset_of` chooses, wherever a bucket has others."""
    chosen = dataset_of(system, witness).histogram()
    records = [[*islice(records_of(system, bucket), 2)] for bucket in witness.buckets.tolist()]
    return Dataset.of_kinds(
        system.release.domain,
        {next((r for r in some if r not in chosen), some[0]): n for some, n in zip(records, witness.counts.tolist(), strict=True)},
    )


def _counts(witness: Witness) -> dict[int, int]:
    return dict(zip(witness.buckets.tolist(), witness.counts.tolist(), strict=True))
