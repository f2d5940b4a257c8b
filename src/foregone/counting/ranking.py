"""Which records and which claims are the most likely ones: proposed by samples, for exact shares to decide."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from foregone.model.claim import Claim
from foregone.model.dataset import Dataset, Record
from foregone.model.domain import Domain
from foregone.model.predicate import Predicate
from foregone.solvers.arrays import Bools, Floats, Ints

ALL_SUBSETS = 10  # columns up to which every subset is looked at; of more columns, those with few or nearly all
AROUND = 20  # records around which claims are looked for
FEW = 2


def likely_records(samples: Sequence[Dataset], most: int) -> list[Claim]:
    """Full records with the number in which they occur most often, those first that do so in most samples."""
    seen: Counter[tuple[Record, int]] = Counter(kind for sample in samples for kind in sample.kinds)
    best: dict[Record, tuple[int, int]] = {}
    for (record, number), times in seen.items():
        best[record] = max(best.get(record, (0, 0)), (times, -number))
    order = sorted(best, key=lambda record: (-best[record][0], record))
    names = samples[0].domain.names if samples else ()
    return [Claim(Predicate.of(dict(zip(names, record, strict=True))), -best[record][1]) for record in order[:most]]


def likely_claims(samples: Sequence[Dataset], around: Sequence[Claim], most: int) -> list[Claim]:
    """Claims that exactly one record has some of the values of a likely record, best first by how often they hold in the samples.

    One that says less than another about the same record without holding more often is left out.
    """
    if not samples:
        return []
    domain = samples[0].domain
    codes, begins = _packed(samples, domain)
    subsets = _subsets(len(domain.columns))
    found: dict[Predicate, float] = {}
    for claim in around[:AROUND]:
        values = dict(claim.predicate.allowed)
        record = np.array([domain.columns[c].index[next(iter(values[name]))] for c, name in enumerate(domain.names)])
        same = codes == record
        shares = _shares_of_one(same, begins) if len(domain.columns) <= ALL_SUBSETS else _each_share(same, begins, subsets)
        for at in _telling(subsets, shares):
            predicate = Predicate.of({domain.names[c]: values[domain.names[c]] for c in subsets[at]})
            found[predicate] = float(shares[at])
    order = sorted((p for p in found if found[p]), key=lambda p: (-found[p], -len(p), p.positions(domain)))
    return [Claim(predicate, 1) for predicate in order[:most]]


def _packed(samples: Sequence[Dataset], domain: Domain) -> tuple[Ints, Ints]:
    """Every record of every sample as places of its codes, and where each sample begins."""
    rows = [[c.index[v] for c, v in zip(domain.columns, r, strict=True)] for s in samples for r, n in s.kinds for _ in range(n)]
    sizes = [len(sample) for sample in samples]
    return np.array(rows, dtype=np.int64).reshape(-1, len(domain.columns)), np.cumsum([0, *sizes])


def _each_share(same: Bools, begins: Ints, subsets: Sequence[tuple[int, ...]]) -> Floats:
    """For each subset of columns, the share of samples with exactly one record that is the same in all of them."""
    sums = [np.concatenate([[0], np.cumsum(same[:, list(subset)].all(axis=1))]) for subset in subsets]
    return np.array([(s[begins[1:]] - s[begins[:-1]] == 1).mean() for s in sums])


def _shares_of_one(same: Bools, begins: Ints) -> Floats:
    """For every subset of columns, in the order of `_subsets`, the share of samples with exactly one record that is the same in all
    of them: records are counted by the columns in which they are, then sums go down to all subsets at once."""
    columns = same.shape[1]
    masks = same @ (1 << np.arange(columns))
    sample = np.repeat(np.arange(len(begins) - 1), np.diff(begins))
    counts = np.zeros((len(begins) - 1, 1 << columns), dtype=np.int64)
    np.add.at(counts, (sample, masks), 1)
    for c in range(columns):
        halves = counts.reshape(len(counts), -1, 2, 1 << c)
        halves[:, :, 0] += halves[:, :, 1]
    shares = (counts == 1).mean(axis=0)
    return np.asarray(shares[[sum(1 << c for c in subset) for subset in _subsets(columns)]])


def _subsets(columns: int) -> list[tuple[int, ...]]:
    sizes = range(1, columns + 1) if columns <= ALL_SUBSETS else [*range(1, FEW + 1), *range(columns - FEW, columns + 1)]
    return [subset for size in sizes for subset in combinations(range(columns), size)]


def _telling(subsets: Sequence[tuple[int, ...]], shares: Floats) -> list[int]:
    """The subsets that no larger one beats: none says more and holds as often."""
    bits = np.array([sum(1 << c for c in subset) for subset in subsets], dtype=object)
    if len(subsets) <= 1 << ALL_SUBSETS:
        bits = bits.astype(np.int64)
    kept = []
    for at in np.argsort(-shares, kind="stable").tolist():
        if not shares[at] > 0:
            break
        larger = (bits & bits[at] == bits[at]) & (bits != bits[at])
        if not (larger & (shares >= shares[at])).any():
            kept.append(at)
    return kept
