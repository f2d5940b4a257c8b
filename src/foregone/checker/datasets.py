"""What a file whose proofs hold says about the whole dataset: is there one, or are there several?"""

from __future__ import annotations

from collections import Counter
from typing import Any

from foregone.checker import parse
from foregone.checker.check import Checked
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
    size, kinds = None, dict[Any, int]()
    for entry in document["facts"]:
        fact = parse.fact_of(domain, entry)
        if not fact.what:
            size = fact.times
        named = dict(fact.what)
        codes = [named.get(c, (1 << len(known)) - 1) for c, known in enumerate(domain.codes)]
        if all(mask.bit_count() == 1 for mask in codes):
            kinds[tuple(codes)] = fact.times
    return ONE if size is not None and sum(kinds.values()) == size else UNTOLD


def _histogram(listed: list[parse.Record]) -> Counter[tuple[int, ...]]:
    counted = Counter[tuple[int, ...]]()
    for n, record in listed:
        counted[record] += n
    return counted
