"""How surprising is a claim? What somebody would guess who has another table and not the release.

A *table* says how often combinations of values occur somewhere else, such as in the state around a block. Three guessers use it:

- `chance`: every record is drawn from the table; the chance that the claim holds by accident, Binomial(N, p) at m;
- `guess`: the proportional guesser draws one record from the table; the chance p that it has the claim's values;
- `modal`: the modal guesser always names the most frequent combination of the claim's columns; is it this one?

A column that the table does not have is taken as uniform and independent of the others.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import comb
from pathlib import Path
from typing import TYPE_CHECKING, Any

from foregone.engine import Case, verify
from foregone.formats.claims import GUESSES
from foregone.formats.frames import dataset as dataset_from
from foregone.formats.rows import read_shares
from foregone.model.audit import Audit, Fact
from foregone.model.claim import Claim, Verdict
from foregone.model.claims_table import ClaimRow, codes_of
from foregone.model.dataset import Dataset, Record
from foregone.model.domain import Domain
from foregone.model.errors import InputError
from foregone.model.predicate import Predicate
from foregone.model.release import Release

if TYPE_CHECKING:
    import pandas as pd


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


@dataclass(frozen=True)
class Guesser:
    """Somebody who knows how often combinations of some columns occur, and nothing of the release."""

    domain: Domain
    columns: tuple[str, ...]
    weights: dict[Record, Fraction]

    @cached_property
    def total(self) -> Fraction:
        return sum(self.weights.values(), Fraction(0))

    @cached_property
    def _margins(self) -> dict[tuple[str, ...], dict[Record, Fraction]]:
        return {}

    def _margin(self, names: tuple[str, ...]) -> dict[Record, Fraction]:
        """The weights of the combinations of some of its columns."""
        if names not in self._margins:
            at = [self.columns.index(name) for name in names]
            made: dict[Record, Fraction] = {}
            for record, weight in self.weights.items():
                key = tuple([record[i] for i in at])
                made[key] = made.get(key, Fraction(0)) + weight
            self._margins[names] = made
        return self._margins[names]

    def share(self, predicate: Predicate) -> Fraction:
        """The chance that a record drawn from the table matches."""
        known = [(name, codes) for name, codes in predicate.allowed if name in self.columns]
        margin = self._margin(tuple(name for name, _ in known))
        sets = [codes for _, codes in known]
        found = sum((w for key, w in margin.items() if all(map(frozenset.__contains__, sets, key))), Fraction(0)) / self.total
        for name, codes in predicate.allowed:
            if name not in self.columns:
                found *= Fraction(len(codes), len(self.domain.column(name).codes))
        return found

    def modal(self, predicate: Predicate) -> bool | None:
        """Does the claim name the most frequent combination of its columns? None where it names a group, or a column the table
        lacks."""
        if not predicate.allowed or any(name not in self.columns or len(codes) > 1 for name, codes in predicate.allowed):
            return None
        margin = self._margin(tuple(name for name, _ in predicate.allowed))
        own = margin.get(tuple(next(iter(codes)) for _, codes in predicate.allowed), Fraction(0))
        return own == max(margin.values())

    def chance(self, predicate: Predicate, records: int, count: int) -> Fraction:
        """The chance that exactly `count` of so many records match if all are drawn from the table."""
        return probability(records, self.share(predicate), count)


def as_guesser(table: Guesser | Dataset | str | Path | Any, domain: Domain) -> Guesser:
    """A table to guess from: the path of a CSV with some of the columns and `weight` or `n` (or a row for each record), a
    dataset, or a data frame of records with all columns."""
    if isinstance(table, Guesser):
        return table
    if isinstance(table, str | Path):
        names, weights = read_shares(Path(table), domain)
        return Guesser(domain, names, weights)
    records = table if isinstance(table, Dataset) else dataset_from(table, domain)
    if not len(records):
        raise InputError("the table to guess from has no records, so nothing can be guessed from it; give at least one")
    return Guesser(domain, domain.names, {record: Fraction(number) for record, number in records.kinds})


Guesses = tuple[float | None, float, bool | None]
"""The chance of a claim, the share of the proportional guesser, and whether the modal guesser names it."""


def guesses(guesser: Guesser, rows: Iterable[ClaimRow], size: tuple[int, int | None]) -> list[Guesses]:
    """For rows of claims: `chance`, `guess` and `modal`. `size` is the least and the greatest number of records."""
    names, (least, most) = guesser.domain.names, size
    made: list[Guesses] = []
    for row in rows:
        named = {name: codes_of(value) for name, value in zip(names, row.values, strict=True) if value is not None}
        predicate = Predicate.of(named)
        chance = float(guesser.chance(predicate, least, row.count)) if least == most else None
        made.append((chance, float(guesser.share(predicate)), guesser.modal(predicate)))
    return made


def survives(audit: Audit, truth: Dataset) -> list[bool | None]:
    """For each certain claim: would it still be certain, of one record fewer, if one of the records that it is about had been left
    out and everything published again, whichever of them that is? Then it is about anybody like them. A claim about exactly one
    record never survives. None where the release has other things than exact counts, so that it is not clear what would be
    published again.
    """
    release, again = audit.release, dict[Record, Case]()
    if release.figures or release.own or any(statistic.low != statistic.high for statistic in release.statistics):
        return [None] * len(audit)
    kinds = dict(truth.kinds)

    def without(record: Record) -> Case:
        if record not in again:
            left = Dataset.of_kinds(release.domain, {**kinds, record: kinds[record] - 1})
            counts = left.counts(statistic.predicate for statistic in release.statistics)
            told = [replace(s, low=n, high=n) for s, n in zip(release.statistics, counts, strict=True)]
            again[record] = Case(Release(release.domain, told, release.rules))
        return again[record]

    def kept(fact: Fact) -> bool:
        places = [(release.domain.index[name], codes) for name, codes in fact.predicate.allowed]
        about = [record for record in kinds if all(record[at] in codes for at, codes in places)]
        fewer = Claim(fact.predicate, fact.count - 1)
        return fact.count > 1 and all(verify(without(record), fewer).verdict == Verdict.VERIFIED for record in about)

    return [kept(fact) for fact in audit]


def baseline(audit: Audit, table: Guesser | Dataset | str | Path | Any, truth: Dataset | Any | None = None) -> pd.DataFrame:
    """The certain claims of an audit with what a guesser would get: `chance`, `guess` and `modal`, see
    `foregone.questions.baseline`.

    `chance` is missing where the number of records is not known, `modal` where a claim names a group or a column that the table
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
        frame["survives"] = survives(audit, truth if isinstance(truth, Dataset) else dataset_from(truth, audit.release.domain))
    return frame
