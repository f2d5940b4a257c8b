"""The datasets that a proofs file lists: each fits the release, and together they refute every claim that is not certain."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from foregone.engine.claims.audit_loop import ClosedFact
from foregone.engine.claims.cells_of_claim import agreement
from foregone.engine.claims.closed_sets import closed_sets
from foregone.engine.claims.evidence import Evidence
from foregone.engine.claims.shorter_claims import inside_any, maximal
from foregone.engine.system.decode import dataset_of
from foregone.engine.system.linear import LinearSystem
from foregone.engine.system.witness import MACHINE_LIMIT, Witness
from foregone.model.dataset import Dataset as Microdata
from foregone.model.domain import Domain
from foregone.model.predicate import Predicate

ONE_BY_ONE = 8  # records of a cell whose values are picked one by one; more of them are picked in two parts

Ints = NDArray[np.int64]
Dataset = list[Any]  # as in a proofs file: records, or records with how many there are of each
Sample = dict[tuple[int, ...], int]  # positions of codes -> how many records have them


def one_witness(system: LinearSystem, witness: Witness) -> Dataset:
    """Any dataset that fits shows that the release does not contradict itself."""
    return _written(system.release.domain, _sample(dataset_of(system, witness)))


def separating_witnesses(evidence: Evidence) -> list[Dataset]:
    """Datasets that fit the release and, together, refute every claim about at least one record that is not certain.

    Records of one cell and values of one atom can be exchanged, so each witness picks them anew. A claim that still has
    the same count in all of them gets a dataset of its own that breaks it, and so does a shorter form of a fact that
    selects other records besides.
    """
    rng = np.random.default_rng(0)
    samples = [_random_member(evidence, witness, rng) for witness in evidence.witnesses]
    certain = {tuple(_codes(evidence, fact).tolist()) for fact in evidence.certain}
    for fact in evidence.certain:
        samples += _separating(evidence, fact, samples, rng)
    while True:
        before = len(samples)
        for values, count in _agreed(samples):
            if tuple(values.tolist()) in certain or any(_count(sample, values) != count for sample in samples[before:]):
                continue
            breaking = _breaking(evidence, values, count)
            if breaking is not None:
                samples.append(breaking)
            elif not evidence.open:
                raise AssertionError("a claim that is not certain could not be refuted; please report this release")
        if len(samples) == before:
            return [_written(evidence.system.release.domain, sample) for sample in samples]


def _separating(evidence: Evidence, fact: ClosedFact, samples: list[Sample], rng: np.random.Generator) -> list[Sample]:
    """Datasets with a record for every way in which possible records agree with a fact in part, where none has one yet."""
    system = evidence.system
    columns = fact.extent.columns
    listed = np.array([record for sample in samples for record in sample], dtype=np.int64).reshape(-1, len(fact.closed))
    same = (listed == _codes(evidence, fact))[:, columns]
    seen = np.unique(same @ (1 << np.arange(len(columns), dtype=np.int64)))
    seen = seen[seen != (1 << len(columns)) - 1]
    missing = [mask for mask in maximal(fact.extent.blocked) if not inside_any(np.array([mask]), seen)[0]]
    if not missing:
        return []
    agree = agreement(system, fact.closed, columns)
    occupied = evidence.occupied[system.cell_of]
    made = []
    for mask in missing:
        record = int(np.flatnonzero((agree == mask) & occupied)[0])
        witness = next(witness for witness in evidence.witnesses if system.cell_of[record] in witness.cells)
        made.append(_random_member(evidence, witness, rng, record))
    return made


def _codes(evidence: Evidence, fact: ClosedFact) -> NDArray[np.int16]:
    """A closed claim as positions of codes, -1 where it says nothing."""
    values = np.full(len(fact.closed), -1, dtype=np.int16)
    for c in fact.extent.columns:
        group = evidence.system.atoms.groups[c][fact.closed[c]]
        values[c] = (group & -group).bit_length() - 1
    return values


def _random_member(evidence: Evidence, witness: Witness, rng: np.random.Generator, record: int | None = None) -> Sample:
    """A dataset behind a witness, records and values picked at random; one live record can be asked for."""
    system = evidence.system
    order = rng.permutation(len(system.records))
    first = np.full(system.cells, -1, dtype=np.int64)
    first[system.cell_of[order]] = order
    if record is not None:
        first[system.cell_of[record]] = record
    made: Sample = {}
    for row, count in zip(system.records[first[witness.cells]].tolist(), witness.counts.tolist(), strict=True):
        # the records of a cell need not all have the same values: a claim that names one of several would still agree
        for share in _shares(count, rng):
            values = tuple(_pick(system, c, atom, rng) for c, atom in enumerate(row))
            made[values] = made.get(values, 0) + share
    return made


def _shares(count: int, rng: np.random.Generator) -> list[int]:
    if count <= ONE_BY_ONE:
        return [1] * count
    share = int(rng.integers(1, count))
    return [share, count - share]


def _pick(system: LinearSystem, c: int, atom: int, rng: np.random.Generator) -> int:
    group = system.atoms.groups[c][atom]
    values = [i for i in range(group.bit_length()) if group >> i & 1]
    return values[rng.integers(len(values))]


def _agreed(samples: list[Sample]) -> list[tuple[NDArray[np.int16], int]]:
    """Closed claims with the same count, at least 1, in all datasets."""
    records = sorted({record for sample in samples for record in sample})
    if not records:
        return []
    small = max(sum(sample.values()) for sample in samples) < MACHINE_LIMIT
    times = np.array([[sample.get(record, 0) for record in records] for sample in samples], dtype=np.int64 if small else object)
    closed, counts = closed_sets(np.array(records, dtype=np.int16), times)
    same = (counts == counts[:, :1]).all(axis=1)
    return [(row, int(count)) for row, count in zip(closed[same], counts[same, 0], strict=True) if (row >= 0).any()]


def _count(sample: Sample, values: NDArray[np.int16]) -> int:
    asked = [(c, value) for c, value in enumerate(values.tolist()) if value >= 0]
    return sum(n for record, n in sample.items() if all(record[c] == value for c, value in asked))


def _breaking(evidence: Evidence, values: NDArray[np.int16], count: int) -> Sample | None:
    """A dataset behind some witness in the pool that has another count."""
    columns = evidence.system.release.domain.columns
    predicate = Predicate.of({columns[c].name: columns[c].codes[v] for c, v in enumerate(values) if v >= 0})
    whole, some = evidence.system.footprint(predicate)
    for witness in evidence.witnesses:
        for inside, match in ((some, True), (whole, False)):
            if witness.value(inside) != count:
                return _sample(dataset_of(evidence.system, witness, predicate, match))
    return None


def _sample(data: Microdata) -> Sample:
    columns = data.domain.columns
    return {tuple(c.index[code] for c, code in zip(columns, record, strict=True)): n for record, n in data.kinds}


def _written(domain: Domain, sample: Sample) -> Dataset:
    """Records in the domain's order; those that occur several times with how many there are."""
    rows = []
    for values, n in sorted(sample.items()):
        record = [column.codes[value] for column, value in zip(domain.columns, values, strict=True)]
        rows.append(record if n == 1 else {"n": n, "record": record})
    return rows
