"""Priors: how datasets are weighed before anything is published. Each is stated so that ten lines of brute force can follow it.

Let K be the kinds of record that the columns allow (all combinations of values; rules are conditions like the published
numbers), and c the number of records of each kind in a dataset of N records. A dataset, a multiset of records, weighs

- `uniform`: N! / product of c!, divided by |K|^N: records are drawn independently, all kinds alike, so ordered lists count alike;
- a table of shares p: N! / product of c! times product of p^c: records are drawn independently with these shares;
- `polya:A`: N! / (A)_N times product of (A/|K|)_c / c!, where (x)_n = x (x+1) ... (x+n-1): an urn in which neighbours are alike,
  and the more so the smaller A is; `polya:A:FILE` has the shares of a table in place of 1/|K|;
- `histograms`: 1. All datasets that fit weigh alike, whatever their size.

Where the number of records is not fixed, all but `histograms` give every possible size the same weight beforehand.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm, perm, prod
from pathlib import Path
from typing import Any

import numpy as np

from foregone.engine import LinearSystem
from foregone.formats.rows import read_shares
from foregone.model.domain import Domain
from foregone.model.errors import InputError
from foregone.model.predicate import Predicate
from foregone.model.shown import shown

UNIFORM, HISTOGRAMS, POLYA = "uniform", "histograms", "polya"
MOST_CONCENTRATION = 10**9


@dataclass(frozen=True, slots=True)
class Shares:
    """How often combinations of values of some columns occur, in whole numbers; all other columns are uniform and independent.

    `floor` is what every combination weighs besides, listed or not.
    """

    columns: tuple[str, ...]
    weights: Mapping[tuple[str, ...], int]
    floor: int = 0


@dataclass(frozen=True, slots=True)
class Prior:
    """A way to weigh datasets: its name, how alike neighbours are (None: independent records), and shares of kinds of record."""

    name: str
    concentration: Fraction | None = None
    shares: Shares | None = None

    @property
    def alike(self) -> bool:
        """Do all datasets weigh alike?"""
        return self.name == HISTOGRAMS


def as_prior(text: str | Path | Prior, domain: Domain) -> Prior:
    """What somebody names: `uniform`, `histograms`, `polya:A`, `polya:A:FILE` or the path of a table of shares."""
    if isinstance(text, Prior):
        return text
    name = str(text)
    if name in (UNIFORM, HISTOGRAMS):
        return Prior(name)
    if name == POLYA or name.startswith(f"{POLYA}:"):
        _, _, rest = name.partition(":")
        number, _, table = rest.partition(":")
        return Prior(name, _concentration(number, name), _shares(Path(table), domain) if table else None)
    if not Path(name).is_file():
        raise InputError(f"the prior {shown(name)} is neither a file nor one of uniform, histograms and polya:A, such as polya:10")
    return Prior(name, None, _shares(Path(name), domain))


def _concentration(number: str, name: str) -> Fraction:
    try:
        found = Fraction(number)
    except (ValueError, ZeroDivisionError):
        found = Fraction(0)
    if not 0 < found <= MOST_CONCENTRATION or found.denominator > MOST_CONCENTRATION:
        raise InputError(f"the prior {shown(name)} needs a concentration above 0 and up to {MOST_CONCENTRATION:,}; write polya:10")
    return found


def _shares(path: Path, domain: Domain) -> Shares:
    columns, weights = read_shares(path, domain)
    scale = lcm(*(weight.denominator for weight in weights.values()))
    whole = {values: int(weight * scale) for values, weight in weights.items()}
    common = gcd(*whole.values())
    return Shares(columns, {values: weight // common for values, weight in whole.items()})


class Masses:
    """Whole numbers for the kinds of record in each bucket of a system, in proportion to their shares, and how a prior uses
    them."""

    def __init__(self, system: LinearSystem, prior: Prior) -> None:
        self.system, self.prior = system, prior
        domain, shares = system.release.domain, prior.shares
        named = shares.columns if shares is not None else ()
        others = prod(len(column.codes) for column in domain.columns if column.name not in named)
        self.whole = others  # of all kinds of record there could be
        if shares is not None:
            kinds = prod(len(domain.column(name).codes) for name in named)
            self.whole = others * (sum(shares.weights.values()) + shares.floor * kinds)
        self.factor, self.unit = 1, 1
        if prior.concentration is not None:
            self.factor, self.unit = prior.concentration.numerator, prior.concentration.denominator * self.whole
            common = gcd(self.factor, self.unit)
            self.factor, self.unit = self.factor // common, self.unit // common
        self.urn = prior.alike or prior.concentration is not None
        self.ordered = not prior.alike
        self._all = self._live(Predicate())
        self._known: dict[int, tuple[list[list[int]], list[int]]] = {}
        self.buckets = self.of(Predicate())

    def of(self, predicate: Predicate) -> list[int]:
        """For each bucket, the mass of its kinds of record that match."""
        made = np.zeros(self.system.buckets, dtype=object)
        np.add.at(made, self.system.bucket_of, self._live(predicate))
        return [self.factor * int(mass) for mass in made]

    def live(self, bucket: int) -> tuple[list[list[int]], list[int]]:
        """The live records of a bucket, as atoms, and their masses."""
        if bucket not in self._known:
            mine = self.system.bucket_of == bucket
            self._known[bucket] = self.system.records[mine].tolist(), [int(mass) for mass in self._all[mine]]
        return self._known[bucket]

    @cached_property
    def listed(self) -> dict[tuple[int, ...], list[tuple[tuple[str, ...], int]]]:
        """The combinations that a table of shares lists, with their weights, by the atoms that their values lie in."""
        made: dict[tuple[int, ...], list[tuple[tuple[str, ...], int]]] = {}
        if self.prior.shares is not None:
            domain, groups = self.system.release.domain, self.system.atoms.groups
            at = [domain.index[name] for name in self.prior.shares.columns]
            atoms = [{code: a for a, group in enumerate(groups[c]) for code in domain.columns[c].codes_of(group)} for c in at]
            for values, weight in self.prior.shares.weights.items():
                if all(code in known for code, known in zip(values, atoms, strict=True)):
                    key = tuple(known[code] for code, known in zip(values, atoms, strict=True))
                    made.setdefault(key, []).append((values, weight))
        return made

    def _live(self, predicate: Predicate) -> Any:
        """For each live record, the mass of its kinds that match."""
        system, domain, shares = self.system, self.system.release.domain, self.prior.shares
        masks = predicate.masks(domain)
        parts = [[group & masks.get(c, group) for group in groups] for c, groups in enumerate(system.atoms.groups)]
        kinds = np.ones(len(system.records), dtype=object)
        named = set() if shares is None else {domain.index[name] for name in shares.columns}
        for c, groups in enumerate(parts):
            if c not in named:
                kinds = kinds * np.array([group.bit_count() for group in groups], dtype=object)[system.records[:, c]]
        if shares is not None:
            kinds = kinds * self._shared(shares, parts)
        return kinds

    def _shared(self, shares: Shares, parts: list[list[int]]) -> Any:
        """The weight of the table's columns for every live record."""
        domain = self.system.release.domain
        at = [domain.index[name] for name in shares.columns]
        allowed = [set(domain.columns[c].codes_of(sum(parts[c]))) for c in at]
        rows = self.system.records[:, at].tolist()
        found = {
            key: sum(weight for values, weight in some if all(map(set.__contains__, allowed, values)))
            for key in set(map(tuple, rows))
            if (some := self.listed.get(key))
        }
        listed = np.array([found.get(tuple(row), 0) for row in rows], dtype=object)
        if not shares.floor:
            return listed
        sizes = [[group.bit_count() for group in parts[c]] for c in at]
        return listed + shares.floor * np.array([prod(s[a] for s, a in zip(sizes, row, strict=True)) for row in rows], dtype=object)

    def of_size(self, size: int) -> Fraction:
        """By what the weights of `weighing.py` are multiplied for datasets of this size, so that every size weighs alike
        beforehand."""
        if self.prior.alike:
            return Fraction(1)
        if not self.urn:
            return Fraction(1, self.whole**size)
        total = self.factor * self.whole  # the masses of all kinds together
        return Fraction(1, prod(total + i * self.unit for i in range(size)))

    def step(self, records: int, number: int) -> int:
        """The factor of a step that places so many records of a bucket while so many are left, beside the bucket's mass."""
        if not self.ordered:
            return 1
        return int(perm(records, number) * self.unit ** (number - 1))
