"""From integers back to codes: what buckets, atoms and witnesses stand for in the words of the release."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, product

import numpy as np

from foregone.engine.system.linear import LinearSystem
from foregone.engine.system.witness import Witness
from foregone.model.dataset import Dataset, Record
from foregone.model.predicate import Predicate


def records_of(system: LinearSystem, bucket: int) -> Iterator[Record]:
    """Every record that a bucket stands for."""
    columns, groups = system.release.domain.columns, system.atoms.groups
    rows = system.records[system.bucket_of == bucket].tolist()
    return chain.from_iterable(product(*(columns[c].codes_of(groups[c][a]) for c, a in enumerate(row))) for row in rows)


def unbounded_example(system: LinearSystem) -> str:
    """Some record of which there may be any number, as far as single rows tell."""
    bucket = int(np.flatnonzero(~system.covered)[0])
    record = next(records_of(system, bucket))
    return ", ".join(f"{name}={code}" for name, code in zip(system.release.domain.names, record, strict=True))


def dataset_of(system: LinearSystem, witness: Witness, predicate: Predicate | None = None, match: bool = True) -> Dataset:
    """A witness as a dataset. Records of a bucket, and values of an atom, can be exchanged freely, so each record is the
    first live record of its bucket, or, with a predicate, the first that matches it (or, on request, that does not)."""
    domain, atoms = system.release.domain, system.atoms
    masks = {} if predicate is None else predicate.masks(domain)
    wanted = np.ones(len(system.records), dtype=bool)
    if predicate is not None:
        inside, touching = system.extent(predicate)
        wanted = touching if match else ~inside
    order = np.lexsort((np.arange(len(wanted)), ~wanted))[::-1]
    first = np.full(system.buckets, -1, dtype=np.int64)
    first[system.bucket_of[order]] = order
    kinds: dict[tuple[str, ...], int] = {}
    for row, count in zip(system.records[first[witness.buckets]].tolist(), witness.counts.tolist(), strict=True):
        groups = [atoms.groups[c][atom] for c, atom in enumerate(row)]
        for c, mask in masks.items():
            keep = groups[c] & mask if match else groups[c] & ~mask
            if keep:
                groups[c] = keep
                if not match:
                    break  # one value outside is enough
        record = tuple(domain.columns[c].codes[(g & -g).bit_length() - 1] for c, g in enumerate(groups))
        kinds[record] = kinds.get(record, 0) + count
    return Dataset.of_kinds(domain, kinds)


def witness_of(system: LinearSystem, dataset: Dataset) -> Witness | None:
    """A dataset as counts of buckets; None if one of its records cannot exist. Whoever uses it tabulates it again."""
    atoms = [
        {code: atom for atom, group in enumerate(groups) for code in column.codes_of(group)}
        for column, groups in zip(system.release.domain.columns, system.atoms.groups, strict=True)
    ]
    buckets = {tuple(row): bucket for row, bucket in zip(system.records.tolist(), system.bucket_of.tolist(), strict=True)}
    counts: dict[int, int] = {}
    for record, number in dataset.kinds:
        bucket = buckets.get(tuple(known[code] for known, code in zip(atoms, record, strict=True)))
        if bucket is None:
            return None
        counts[bucket] = counts.get(bucket, 0) + number
    return Witness.of_counts(np.array(list(counts), dtype=np.int64), np.array(list(counts.values()), dtype=np.int64))
