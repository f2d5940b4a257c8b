"""From numbers of records by bucket to records with values: within a bucket nothing published tells kinds apart, but a prior
may."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from math import prod
from random import Random

from foregone.counting.prior import Masses
from foregone.model.dataset import Dataset, Record


def placed_dataset(how: Masses, placed: dict[int, int], random: Random) -> Dataset:
    """A dataset with so many records in each bucket, their kinds drawn as the prior says."""
    kinds: dict[Record, int] = {}
    for bucket, number in placed.items():
        drawn: list[Record] = []
        mass = how.buckets[bucket]
        for already in range(number):  # an urn: as likely as not to be like one that is there
            at = random.randrange(mass + already * how.unit) if how.urn else 0
            drawn.append(drawn[(at - mass) // how.unit] if at >= mass else _kind(how, bucket, random))
        for record in drawn:
            kinds[record] = kinds.get(record, 0) + 1
    return Dataset.of_kinds(how.system.release.domain, kinds)


def _kind(how: Masses, bucket: int, random: Random) -> Record:
    """One kind of record of a bucket, in proportion to its mass."""
    system, shares = how.system, how.prior.shares
    domain, groups = system.release.domain, system.atoms.groups
    rows, masses = how.live(bucket)
    row = rows[_drawn(masses, random)]
    codes = [list(domain.columns[c].codes_of(groups[c][atom])) for c, atom in enumerate(row)]
    named = {} if shares is None else {domain.index[name]: i for i, name in enumerate(shares.columns)}
    made = ["" if c in named else random.choice(values) for c, values in enumerate(codes)]
    if shares is not None:
        fits = how.listed.get(tuple(row[c] for c in named), [])
        spread = shares.floor * prod(len(codes[c]) for c in named)  # over all that there could be
        at = _drawn([*(weight for _, weight in fits), spread], random)
        for c, i in named.items():
            made[c] = fits[at][0][i] if at < len(fits) else random.choice(codes[c])
    return tuple(made)


def _drawn(masses: list[int], random: Random) -> int:
    sums = list(accumulate(masses))
    return bisect_right(sums, random.randrange(sums[-1]))
