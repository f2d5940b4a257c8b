"""The datasets that a proofs file lists: each fits the release, and together they refute every claim that is not certain."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from foregone.engine.claims.audit_loop import ClosedFact
from foregone.engine.claims.closed_sets import closed_sets
from foregone.engine.claims.evidence import Evidence
from foregone.engine.claims.items import BLANK, LayerItems, Values, code_items
from foregone.engine.system.atoms import positions
from foregone.engine.system.decode import dataset_of
from foregone.engine.system.linear import LinearSystem
from foregone.engine.system.witness import MACHINE_LIMIT, Witness
from foregone.model.dataset import Dataset as Microdata
from foregone.model.domain import Domain

ONE_BY_ONE = 8  # records of a bucket whose values are picked one by one; more of them are picked in two parts

Dataset = list[Any]  # as in a proofs file: records, or records with how many there are of each
Sample = dict[tuple[int, ...], int]  # positions of codes -> how many records have them


def one_witness(system: LinearSystem, witness: Witness) -> Dataset:
    """Any dataset that fits shows that the release does not contradict itself."""
    return listed_dataset(dataset_of(system, witness))


def listed_dataset(data: Microdata) -> Dataset:
    """As a proofs file lists it."""
    return _written(data.domain, _sample(data))


def separating_witnesses(evidence: Evidence) -> list[Dataset]:
    """Datasets that fit the release and, together, refute every claim about at least one record that is not certain.

    Records of one bucket and values of one atom can be exchanged, so each witness picks them anew. A claim that still has
    the same count in all of them gets a dataset of its own that breaks it, and so does a shorter form of a fact that
    selects other records besides.
    """
    rng = np.random.default_rng(0)
    samples = [_random_member(evidence, witness, rng) for witness in evidence.witnesses]
    certain = {tuple(evidence.box(fact).items()) for fact in evidence.certain}
    for fact in evidence.certain:
        samples += _separating(evidence, fact, samples, rng)
    items = code_items(evidence.system.release.workload, evidence.families)
    while True:
        before = len(samples)
        for box, count in _agreed(samples, items):
            if tuple(box.items()) in certain or any(_count(sample, box) != count for sample in samples[before:]):
                continue
            breaking = _breaking(evidence, box, count)
            if breaking is not None:
                samples.append(breaking)
            elif not evidence.open:
                raise AssertionError("a claim that is not certain could not be refuted; please report this release")
        if len(samples) == before:
            return [_written(evidence.system.release.domain, sample) for sample in samples]


def _separating(evidence: Evidence, fact: ClosedFact, samples: list[Sample], rng: np.random.Generator) -> list[Sample]:
    """Datasets with a record for every way in which possible records agree with a fact in part, where none has one yet."""
    system = evidence.system
    listed = np.array([record for sample in samples for record in sample], dtype=np.int64).reshape(-1, len(system.atoms.groups))
    atoms = np.stack([_atom_of(system, c)[column] for c, column in enumerate(listed.T)], axis=1)
    seen = {had for had in _had(evidence.items, fact.closed, atoms) if had != _all(fact.closed)}
    missing = [mask for mask in fact.blocked if not any(not mask & ~had for had in seen)]
    if not missing:
        return []
    had = _had(evidence.items, fact.closed, system.records)
    occupied = evidence.occupied[system.bucket_of]
    made = []
    for mask in missing:
        record = next(i for i, found in enumerate(had) if found == mask and occupied[i])
        witness = next(witness for witness in evidence.witnesses if system.bucket_of[record] in witness.buckets)
        made.append(_random_member(evidence, witness, rng, record))
    return made


def _had(items: LayerItems, closed: Values, rows: NDArray[Any]) -> list[int]:
    """The items of a claim that each record, given by its atoms, has: bit = layer."""
    found = np.zeros(len(rows), dtype=object)
    for layer in np.flatnonzero(closed != BLANK).tolist():
        found += (items.of_rows(rows, layer) == closed[layer]).astype(object) * (1 << layer)
    return list(found)


def _all(closed: Values) -> int:
    return sum(1 << layer for layer in np.flatnonzero(closed != BLANK).tolist())


def _atom_of(system: LinearSystem, c: int) -> NDArray[np.int16]:
    """For each code of a column the atom that holds it."""
    found = np.zeros(len(system.release.domain.columns[c].codes), dtype=np.int16)
    for atom, group in enumerate(system.atoms.groups[c]):
        found[positions(group)] = atom
    return found


def _random_member(evidence: Evidence, witness: Witness, rng: np.random.Generator, record: int | None = None) -> Sample:
    """A dataset behind a witness, records and values picked at random; one live record can be asked for."""
    system = evidence.system
    order = rng.permutation(len(system.records))
    first = np.full(system.buckets, -1, dtype=np.int64)
    first[system.bucket_of[order]] = order
    if record is not None:
        first[system.bucket_of[record]] = record
    made: Sample = {}
    for row, count in zip(system.records[first[witness.buckets]].tolist(), witness.counts.tolist(), strict=True):
        # the records of a bucket need not all have the same values: a claim that names one of several would still agree
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


def _agreed(samples: list[Sample], items: LayerItems) -> list[tuple[dict[int, int], int]]:
    """Closed claims (what they allow in each column) with the same count, at least 1, in all datasets."""
    records = sorted({record for sample in samples for record in sample})
    if not records:
        return []
    small = max(sum(sample.values()) for sample in samples) < MACHINE_LIMIT
    times = np.array([[sample.get(record, 0) for record in records] for sample in samples], dtype=np.int64 if small else object)
    rows = np.array(records, dtype=np.int64)
    values = np.stack([items.of_rows(rows, layer) for layer in range(len(items))], axis=1)
    closed, counts = closed_sets(values, times)
    same = (counts == counts[:, :1]).all(axis=1)
    found = []
    for row, count in zip(closed[same], counts[same, 0], strict=True):
        if box := items.box(row.tolist()):
            found.append((box, int(count)))
    return found


def _count(sample: Sample, box: dict[int, int]) -> int:
    return sum(n for record, n in sample.items() if all(mask >> record[c] & 1 for c, mask in box.items()))


def _breaking(evidence: Evidence, box: dict[int, int], count: int) -> Sample | None:
    """A dataset behind some witness in the pool that has another count."""
    predicate = evidence.predicate(box)
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
