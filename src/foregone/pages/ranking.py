"""What an audit found, in the order and the words in which people want to read it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np

from foregone.census.household.sentences import household
from foregone.census.household.tables import household_domain
from foregone.model.audit import Audit
from foregone.model.dataset import Dataset
from foregone.model.domain import Column, Domain
from foregone.model.predicate import Predicate
from foregone.model.sentences import claim_sentence, describe, number, plural
from foregone.questions.baseline import probability

KEYS = 3  # shortest statements shown with a finding


@dataclass(frozen=True, slots=True)
class Finding:
    """A certain fact: exactly `count` records match `predicate`; any of `keys` is enough to know whom it is about."""

    predicate: Predicate
    count: int
    ground: str
    baseline: float | None
    keys: tuple[Predicate, ...]

    @property
    def columns(self) -> int:
        return len(self.predicate)

    @property
    def values(self) -> dict[str, str]:
        return {name: next(iter(codes)) for name, codes in self.predicate.allowed}


def findings(audit: Audit, prior: Dataset | None = None) -> list[Finding]:
    """Every certain fact, most telling first: single records, many attributes, small baseline probability."""
    release = audit.release
    chances = baselines(audit, prior, [(fact.predicate, fact.count) for fact in audit])
    made = []
    for fact, chance in zip(audit, chances, strict=True):
        keys = sorted(fact.shortest, key=lambda key: (len(key), key.text(release.domain)))
        made.append(Finding(fact.predicate, fact.count, str(fact.ground), chance, tuple(keys[:KEYS])))

    def order(finding: Finding) -> tuple[object, ...]:
        values = finding.values
        positions = tuple(c.index[values[c.name]] if c.name in values else -1 for c in release.domain.columns)
        return finding.count, -finding.columns, -1.0 if finding.baseline is None else finding.baseline, positions

    return sorted(made, key=order)


def baselines(audit: Audit, prior: Dataset | None, claims: Sequence[tuple[Predicate, int]]) -> list[float | None]:
    """The chance of each claim among as many records drawn at random from the prior; None without a fixed number of records."""
    records, most = audit.release.size_range
    if prior is None or not len(prior) or records != most:
        return [None] * len(claims)
    columns = audit.release.domain.columns
    codes = np.array([[c.index[v] for c, v in zip(columns, record, strict=True)] for record in prior.records], dtype=np.int64)
    index = audit.release.domain.index
    made: list[float | None] = []
    for predicate, count in claims:
        match = np.ones(len(codes), dtype=bool)
        for name, values in predicate.allowed:
            column = columns[index[name]]
            match &= np.isin(codes[:, index[name]], [column.index[value] for value in values])
        made.append(float(probability(records, Fraction(int(match.sum()), len(codes)), count)))
    return made


@cache
def is_household(domain: Domain) -> bool:
    """Is this the domain of the household study, whose sentences and tables are known?"""
    known = household_domain()
    return [(c.name, c.codes) for c in domain.columns] == [(c.name, c.codes) for c in known.columns]


def sentence(domain: Domain, finding: Finding) -> str:
    if is_household(domain):
        return household(finding.values)
    text = claim_sentence(domain, finding.predicate, finding.count)
    return text if len(text) < 2000 else text[:2000] + " ..."


def redacted_sentence(domain: Domain, finding: Finding) -> str:
    names = [title(domain.column(name)) for name in sorted(finding.values, key=domain.index.__getitem__)]
    its = pronouns(domain, finding.count)[1]
    known = f"{its} {listed(names)} {'are' if len(names) != 1 else 'is'} certain"
    return f"{number(finding.count).capitalize()} {plural(domain.record, finding.count)}: {known}."


def pronouns(domain: Domain, count: int) -> tuple[str, str]:
    """How to speak of records again: a household is an it, a person is not."""
    return ("it", "its") if count == 1 and domain.record in ("household", "record") else ("them", "their")


def title(column: Column) -> str:
    return column.title or column.name


def short(predicate: Predicate, domain: Domain) -> str:
    """Like `describe`, but a long list of values is told by what it leaves out."""
    parts = []
    for name, codes in sorted(predicate.allowed, key=lambda pair: domain.index[pair[0]]):
        column = domain.column(name)
        missing = [code for code in column.codes if code not in codes]
        if len(codes) > 3 and 0 < len(missing) <= 3:
            parts.append(f"{title(column)}: not {' or '.join(column.label_of(code) for code in missing)}")
        else:
            parts.append(describe(Predicate.of({name: codes}), domain))
    return "; ".join(parts)


def listed(words: Sequence[str]) -> str:
    """
    >>> listed(["age", "sex", "town"])
    'age, sex and town'
    """
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else ""
