"""What a file whose proofs hold says about the whole dataset: is there one, or are there several?"""

from __future__ import annotations

from collections import Counter
from typing import Any

from foregone.checker import parse
from foregone.checker.check import Checked
from foregone.checker.refusal import Refused
from foregone.checker.rows import Release

ONE, SEVERAL, UNTOLD = "one", "several", ""


def datasets_left(release: Release, document: Any, checked: Checked) -> str:
    """SEVERAL: two listed datasets fit and differ. ONE: the facts name so many records of single kinds that there are no others.

    Only facts that were accepted and datasets that fit are looked at; `checked` is what `check` said about this file.
    """
    if checked.rejected or checked.contradiction:
        return UNTOLD
    domain = release.domain
    different = {frozenset(_histogram(parse.witness_of(domain, listed)).items()) for listed in document["witnesses"]}
    if len(different) > 1:
        return SEVERAL
    size = next((fact.times for fact in _facts(release, document) if not fact.what), None)
    return ONE if size is not None and sum(_kinds(release, document).values()) == size else UNTOLD


def parts_left(release: Release, document: Any, checked: Checked, column: str) -> dict[str, tuple[str, int]]:
    """The same for each value of a column, such as a block: what is left of its records, and how many of them are of a kind
    of which the facts say how many there are."""
    domain = release.domain
    if column not in domain.columns:
        raise Refused(f"there is no column {column}")
    at, whole = domain.columns[column], checked.rejected or checked.contradiction
    listed = [_histogram(parse.witness_of(domain, dataset)) for dataset in document["witnesses"]]
    certain, made = _kinds(release, document), dict[str, tuple[str, int]]()
    sizes = {statistic.about: statistic.low for statistic in release.statistics if statistic.low == statistic.high}
    for code, number in domain.codes[at].items():
        size = sizes.get(((1, ((at, 1 << number),)),))
        told = sum(n for codes, n in certain.items() if codes[at] == 1 << number)
        here = {frozenset((record, n) for record, n in dataset.items() if record[at] == number) for dataset in listed}
        left = UNTOLD if whole else SEVERAL if len(here) > 1 else ONE if told == size else UNTOLD
        made[code] = left, told
    return made


def _facts(release: Release, document: Any) -> list[parse.Fact]:
    return [parse.fact_of(release.domain, entry) for entry in document["facts"]]


def _kinds(release: Release, document: Any) -> dict[tuple[int, ...], int]:
    """Of single kinds of record, how many there are."""
    kinds = dict[tuple[int, ...], int]()
    for fact in _facts(release, document):
        named = dict(fact.what)
        codes = tuple(named.get(c, (1 << len(known)) - 1) for c, known in enumerate(release.domain.codes))
        if all(mask.bit_count() == 1 for mask in codes):
            kinds[codes] = fact.times
    return kinds


def _histogram(listed: list[parse.Record]) -> Counter[tuple[int, ...]]:
    counted = Counter[tuple[int, ...]]()
    for n, record in listed:
        counted[record] += n
    return counted
