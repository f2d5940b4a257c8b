"""What a file whose proofs hold says about the whole dataset: is there one, or are there several?"""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

from foregone.checker.kernel import PlainFact, PlainRelease, Record, full
from foregone.checker.read.proofs import fact_of, witness_of
from foregone.checker.read.refusal import Refused
from foregone.checker.verdicts.claims import Checked

ONE, SEVERAL, UNTOLD = "one", "several", ""


class PartLeft(NamedTuple):
    """What is shown about the records that have one value in a column, such as a block."""

    left: str
    records: int | None  # how many there are, where that is published
    told: int  # records of kinds of which the facts say how many there are in every dataset
    others: int  # records of other kinds, equally many in all listed datasets: nothing shows that these are not certain, too


def datasets_left(release: PlainRelease, document: Any, checked: Checked) -> str:
    """SEVERAL: two listed datasets fit and differ. ONE: the facts name so many records of single kinds that there are no others.

    Only facts that were accepted and datasets that fit are looked at; `checked` is what `check` said about this file.
    """
    if checked.rejected or checked.contradiction:
        return UNTOLD
    domain = release.domain
    different = {frozenset(histogram(witness_of(domain, listed)).items()) for listed in document["witnesses"]}
    if len(different) > 1:
        return SEVERAL
    size = _size(release, document)
    return ONE if size is not None and sum(_kinds(release, document).values()) == size else UNTOLD


def records_in_all(release: PlainRelease, document: Any) -> int | None:
    """How many records every dataset has, where that is published or a fact; `document` is a file whose facts were all accepted."""
    published = next((s.low for s in release.statistics if s.about == ((1, ()),) and s.low == s.high), None)
    return _size(release, document) if published is None else published


def parts_left(release: PlainRelease, document: Any, checked: Checked, column: str) -> dict[str, PartLeft]:
    """For each value of a column, such as a block, what a file proves about its records and what it leaves open."""
    domain = release.domain
    if column not in domain.columns:
        raise Refused(f"there is no column {column}")
    at, whole = domain.columns[column], checked.rejected or checked.contradiction
    listed = [histogram(witness_of(domain, dataset)) for dataset in document["witnesses"]]
    told, others = Counter[int](), Counter[int]()
    parts, made = dict[int, list[frozenset[Any]]](), dict[str, PartLeft]()
    kinds = {} if whole else _kinds(release, document)
    for record, n in kinds.items():
        told[record[at]] += n
    for dataset in listed:  # record by record, as there may be many codes
        here = dict[int, list[Any]]()
        for record, n in dataset.items():
            here.setdefault(record[at], []).append((record, n))
        for number, part in here.items():
            parts.setdefault(number, []).append(frozenset(part))
    for record, n in listed[0].items() if listed else ():
        if record not in kinds and all(dataset[record] == n for dataset in listed):
            others[record[at]] += n
    several = {number for number, some in parts.items() if len(some) < len(listed) or len(set(some)) > 1}
    sizes = {statistic.about: statistic.low for statistic in release.statistics if statistic.low == statistic.high}
    for code, number in domain.codes[at].items():
        size = sizes.get(((1, ((at, 1 << number),)),))
        left = UNTOLD if whole else SEVERAL if number in several else ONE if told[number] == size else UNTOLD
        made[code] = PartLeft(left, size, told[number], others[number])
    return made


def _facts(release: PlainRelease, document: Any) -> list[PlainFact]:
    return [fact_of(release.domain, entry) for entry in document["facts"]]


def _size(release: PlainRelease, document: Any) -> int | None:
    """How many records there are in all, as a fact."""
    return next((fact.times for fact in _facts(release, document) if not fact.what), None)


def _kinds(release: PlainRelease, document: Any) -> dict[tuple[int, ...], int]:
    """Of single kinds of record, how many there are."""
    kinds = dict[tuple[int, ...], int]()
    for fact in _facts(release, document):
        named = dict(fact.what)
        codes = [named.get(c, full(release.domain, c)) for c in range(len(release.domain.codes))]
        if all(side.bit_count() == 1 for side in codes):
            kinds[tuple(side.bit_length() - 1 for side in codes)] = fact.times
    return kinds


def histogram(dataset: list[Record]) -> Counter[tuple[int, ...]]:
    """How many records there are of each kind."""
    counted = Counter[tuple[int, ...]]()
    for n, record in dataset:
        counted[record] += n
    return counted
