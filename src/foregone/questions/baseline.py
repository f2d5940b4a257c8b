"""How surprising is a claim? What somebody would guess who has another table and not the release.

A *table* says how often combinations of values occur somewhere else, such as in the state around a block. Three guessers use it:

- `chance`: every record is drawn from the table; the chance that the claim holds by accident, Binomial(N, p) at m;
- `guess`: the proportional guesser draws one record from the table; the chance p that it has the claim's values;
- `modal`: the modal guesser always names the most frequent combination of the claim's columns; is that right?

A column that the table does not have is taken as uniform and independent of the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import comb, lcm, prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from foregone.engine import Case, verify
from foregone.formats.claims import GUESSES, SURVIVES
from foregone.formats.frames import dataset as dataset_from
from foregone.formats.rows import read_shares
from foregone.model.audit import Audit
from foregone.model.claim import Claim, Verdict
from foregone.model.claims_table import ClaimRow, codes_of
from foregone.model.dataset import Dataset, Record
from foregone.model.domain import Domain
from foregone.model.errors import InputError
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.solvers.arrays import Ints
from foregone.solvers.deadline import Deadline

if TYPE_CHECKING:
    import pandas as pd


Guesses = tuple[float | None, float, bool | None]
"""The chance of a claim, the share of the proportional guesser, and whether the modal guesser is right."""


def probability(records: int, share: Fraction, count: int) -> Fraction:
    """The chance of exactly `count` matches among `records` independent draws with this share: Binomial(n, p) at m.

    >>> probability(10, Fraction(1, 2), 10)
    Fraction(1, 1024)
    """
    if not 0 <= count <= records:
        return Fraction(0)
    return comb(records, count) * share**count * (1 - share) ** (records - count)


def surprise(prior: Dataset, predicate: Predicate, records: int, count: int) -> Fraction:
    """The chance of the claim if the records were drawn from the prior."""
    return probability(records, Fraction(prior.count(predicate), len(prior)), count)


@dataclass(frozen=True, eq=False)
class Guesser:
    """Somebody who knows how often combinations of some columns occur, and nothing of the release.

    `codes` has a row for each combination, the places of its codes in these columns; `weights` are whole numbers.
    """

    domain: Domain
    columns: tuple[str, ...]
    codes: Ints
    weights: NDArray[Any]

    @staticmethod
    def of(domain: Domain, columns: tuple[str, ...], weights: Mapping[Record, Fraction]) -> Guesser:
        """From combinations of codes with their weights, of which at least one is above 0."""
        places = [domain.column(name).index for name in columns]
        codes = [[index[code] for index, code in zip(places, record, strict=True)] for record in weights]
        scale = lcm(*(weight.denominator for weight in weights.values()))
        whole = [int(weight * scale) for weight in weights.values()]
        kind = np.int64 if sum(whole) < 1 << 62 else object  # sums are exact, however long the numbers
        return Guesser(
            domain, columns, np.array(codes, dtype=np.int64).reshape(len(codes), len(columns)), np.array(whole, dtype=kind)
        )

    @cached_property
    def total(self) -> int:
        return int(self.weights.sum())

    @cached_property
    def _margins(self) -> dict[tuple[str, ...], tuple[Ints, NDArray[Any]]]:
        return {}

    def _margin(self, names: tuple[str, ...]) -> tuple[Ints, NDArray[Any]]:
        """The combinations of some of its columns, and their weights."""
        if names not in self._margins:
            codes = self.codes[:, [self.columns.index(name) for name in names]]
            sizes = [len(self.domain.column(name).codes) for name in names]
            if prod(sizes) < 1 << 62:  # one number for each combination is sorted much faster
                key = np.zeros(len(codes), dtype=np.int64)
                for c, size in enumerate(sizes):
                    key = key * size + codes[:, c]
                _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
            else:
                _, first, inverse = np.unique(codes, axis=0, return_index=True, return_inverse=True)
            weights = np.zeros(len(first), dtype=self.weights.dtype)
            np.add.at(weights, inverse.reshape(-1), self.weights)
            self._margins[names] = codes[first], weights
        return self._margins[names]

    def _matching(self, predicate: Predicate) -> tuple[NDArray[np.bool_], NDArray[Any]]:
        """Of the combinations of the columns that a claim names and the table has: which match, and what they weigh."""
        known = [(name, allowed) for name, allowed in predicate.allowed if name in self.columns]
        codes, weights = self._margin(tuple(name for name, _ in known))
        match = np.ones(len(codes), dtype=bool)
        for c, (name, allowed) in enumerate(known):
            index = self.domain.column(name).index
            match &= np.isin(codes[:, c], [index[code] for code in allowed])
        return match, weights

    def share(self, predicate: Predicate) -> Fraction:
        """The chance that a record drawn from the table matches."""
        match, weights = self._matching(predicate)
        found = Fraction(int(weights[match].sum()), self.total)
        for name, codes in predicate.allowed:
            if name not in self.columns:
                found *= Fraction(len(codes), len(self.domain.column(name).codes))
        return found

    def modal(self, predicate: Predicate) -> bool | None:
        """Would somebody be right who names the most frequent combination of the claim's columns (any of these, if there are
        several)? None where the claim names a column that the table lacks."""
        if not predicate.allowed or any(name not in self.columns for name, _ in predicate.allowed):
            return None
        match, weights = self._matching(predicate)
        return bool(match[weights == weights.max()].any())

    def chance(self, predicate: Predicate, records: int, count: int) -> Fraction:
        """The chance that exactly `count` of so many records match if all are drawn from the table."""
        return probability(records, self.share(predicate), count)

    def guesses(self, predicate: Predicate, count: int, records: int | None) -> Guesses:
        """What the three guessers get of a claim; no chance without a known number of records."""
        share = self.share(predicate)
        chance = None if records is None else float(probability(records, share, count))
        return chance, float(share), self.modal(predicate)


def as_guesser(table: Guesser | Dataset | str | Path | Any, domain: Domain) -> Guesser:
    """A table to guess from: the path of a CSV with some of the columns and `weight` or `n` (or a row for each record), a
    dataset, or a data frame of records with all columns."""
    if isinstance(table, Guesser):
        return table
    if isinstance(table, str | Path):
        names, weights = read_shares(Path(table), domain)
        return Guesser.of(domain, names, weights)
    records = table if isinstance(table, Dataset) else dataset_from(table, domain)
    if not len(records):
        raise InputError("the table to guess from has no records, so nothing can be guessed from it; give at least one")
    return Guesser.of(domain, domain.names, {record: Fraction(number) for record, number in records.kinds})


def guesses(guesser: Guesser, rows: Iterable[ClaimRow], size: tuple[int, int | None]) -> list[Guesses]:
    """For rows of claims: `chance`, `guess` and `modal`. `size` is the least and the greatest number of records."""
    least, most = size
    return [guesser.guesses(_named(guesser.domain, row), row.count, least if least == most else None) for row in rows]


def survives(
    release: Release, truth: Dataset, claims: Iterable[tuple[Predicate, int]], time_limit: float | None = None
) -> list[bool | None]:
    """For each certain claim: would it still be certain, of one record fewer, if one of the records that it is about had been left
    out and everything published again, whichever of them that is? Then it is about anybody like them. A claim about exactly one
    record never survives. None where the release has other things than exact counts, so that it is not clear what would be
    published again, and what was not decided in time.
    """
    asked, again, deadline = list(claims), dict[Record, Case](), Deadline.after(time_limit)
    if release.figures or release.own or any(statistic.low != statistic.high for statistic in release.statistics):
        return [None] * len(asked)
    kinds = dict(truth.kinds)

    def without(record: Record) -> Case:
        if record not in again:
            left = Dataset.of_kinds(release.domain, {**kinds, record: kinds[record] - 1})
            counts = left.counts(statistic.predicate for statistic in release.statistics)
            told = [replace(s, low=n, high=n) for s, n in zip(release.statistics, counts, strict=True)]
            again[record] = Case(Release(release.domain, told, release.rules))
        return again[record]

    def kept(predicate: Predicate, count: int) -> bool | None:
        if count <= 1:
            return False
        places = [(release.domain.index[name], codes) for name, codes in predicate.allowed]
        about = [record for record in kinds if all(record[at] in codes for at, codes in places)]
        found = set[Verdict]()
        for record in about:
            if deadline.passed():
                found.add(Verdict.UNDECIDED)
                break
            found.add(verify(without(record), Claim(predicate, count - 1)).verdict)
            if Verdict.REFUTED in found:
                return False
        return None if Verdict.UNDECIDED in found else True

    return [kept(predicate, count) for predicate, count in asked]


def survivors(rows: Sequence[ClaimRow], release: Release, truth: Dataset, time_limit: float | None = None) -> list[bool | None]:
    """For each row of a claims file: is its claim still certain if a record that it is about is left out?"""
    return survives(release, truth, [(_named(release.domain, row), row.count) for row in rows], time_limit)


def _named(domain: Domain, row: ClaimRow) -> Predicate:
    return Predicate.of({name: codes_of(value) for name, value in zip(domain.names, row.values, strict=True) if value is not None})


def baseline(audit: Audit, table: Guesser | Dataset | str | Path | Any, truth: Dataset | Any | None = None) -> pd.DataFrame:
    """The certain claims of an audit with what a guesser would get: `chance`, `guess` and `modal`, see
    `foregone.questions.baseline`.

    `chance` is missing where the number of records is not known, `modal` where a claim names a column that the table
    lacks. With the true records (`truth`) there is a column `survives`: would the claim still be certain, of one record fewer, if a
    record that it is about had been left out and the tables published again? Then it is about anybody like them.

    Parameters
    ----------
    audit : Audit
        What `audit` returned.
    table : dict, data frame, Dataset, str or Path
        What a guesser has: records, or how often combinations of values occur.
    truth : dict, data frame or Dataset, optional
        The true records, for the column `survives`.

    Returns
    -------
    pandas.DataFrame
        The claims of the audit with `chance`, `guess` and `modal`.

    Raises
    ------
    InputError
        A release, a claim or an argument that cannot be understood; it is a ValueError.

    >>> from foregone import audit, tabulate
    >>> found = audit(tabulate({"SEX": ["F", "F", "M"]}, margins=["SEX"]))
    >>> baseline(found, {"SEX": ["F", "M", "M", "M"]})[["SEX", "count", "chance", "guess", "modal"]].values.tolist()
    [['M', 1, 0.140625, 0.75, True], ['F', 2, 0.140625, 0.25, False]]
    """
    guesser, frame = as_guesser(table, audit.release.domain), audit.claims.copy()
    found = guesses(guesser, audit.rows(), audit.size)
    for at, name in enumerate(GUESSES):
        frame[name] = [row[at] for row in found]
    if truth is not None:
        records = truth if isinstance(truth, Dataset) else dataset_from(truth, audit.release.domain)
        frame[SURVIVES] = survivors(audit.rows(), audit.release, records)
    return frame
