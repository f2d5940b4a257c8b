"""Write down of which kinds of record there are equally many in every dataset, and datasets that differ in all others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from foregone.engine.bounds.prover import AtMost, Prover
from foregone.engine.claims.audit_loop import Between
from foregone.engine.pairs import lonely_cells
from foregone.engine.system.decode import dataset_of, records_of
from foregone.engine.system.linear import MAX_RECORDS
from foregone.engine.system.witness import Witness
from foregone.model.claim import Claim, Ground
from foregone.model.predicate import Predicate
from foregone.questions.asked import Source, as_release
from foregone.questions.proofs import Json, proof_of_claims
from foregone.questions.start import start
from foregone.questions.witnesses_listed import listed_dataset

Ints = NDArray[np.int64]
Proved = tuple[Claim, Ground, Between]


def proof_of_kinds(release: Source, column: str, time_limit: float | None = None, max_records: int = MAX_RECORDS) -> Json:
    """A proofs document: every kind of record that has the same number, at least 1, in all datasets.

    For each value of the column, such as a block, for which this is not all, two of the listed datasets differ there. What time
    left open is not mentioned.
    """
    prover = start(as_release(release), time_limit, max_records).prover
    system, first = prover.system, prover.pool.witnesses[0]
    names, lonely = system.release.domain.names, lonely_cells(system)
    at = system.release.domain.index[column]
    proved, differing = list[Proved](), dict[str, set[int]]()
    for cell, count in zip(first.cells.tolist(), first.counts.tolist(), strict=True):
        if not lonely[cell]:
            continue  # another record of the cell would do as well
        single = np.zeros(system.cells, dtype=np.int64)
        single[cell] = 1
        (record,) = records_of(system, cell)
        found = None if len(set(prover.pool.counts(single))) > 1 else _settled(prover, single, count)
        if len(set(prover.pool.counts(single))) > 1:
            differing.setdefault(record[at], set()).add(cell)
        elif found is not None:
            claim = Claim(Predicate.of(dict(zip(names, record, strict=True))), count)
            ground = max((answer.ground for answer in found), key=lambda ground: ground.rank)
            proved.append((claim, ground, Between(found[0].proof, found[1].proof)))
    listed = [first, *_few(prover.pool.witnesses[1:], first, list(differing.values()))]
    return proof_of_claims(system, proved, prover.lemmas, [listed_dataset(dataset_of(system, witness)) for witness in listed])


def _few(witnesses: Sequence[Witness], first: Witness, places: Sequence[set[int]]) -> Iterator[Witness]:
    """Some of the witnesses, such that in each of these sets of cells one differs from the first; those that do in most first."""
    own = _counts(first)
    differ = [{cell for cell in set[int]().union(*places) if there.get(cell, 0) != own[cell]} for there in map(_counts, witnesses)]
    left = list(places)
    while left:
        best = max(range(len(differ)), key=lambda i: sum(not cells.isdisjoint(differ[i]) for cells in left))
        left = [cells for cells in left if cells.isdisjoint(differ[best])]
        yield witnesses[best]


def _counts(witness: Witness) -> dict[int, int]:
    return dict(zip(witness.cells.tolist(), witness.counts.tolist(), strict=True))


def _settled(prover: Prover, single: Ints, count: int) -> list[AtMost] | None:
    """Proofs that the count is never more and never fewer; if it is in some dataset, that one is in the pool afterwards."""
    answers = []
    for sign in (1, -1):
        answer = prover.at_most(sign * single, sign * count)
        if not isinstance(answer, AtMost):
            return None
        answers.append(answer)
    return answers
