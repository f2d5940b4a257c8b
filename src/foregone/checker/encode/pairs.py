"""Two datasets that fit a release, seen as one dataset that fits another release, the release of pairs. formal/Pairs.v has a twin.

The distance is the number of records that would have to change: half of |x - y|, added up over all kinds of record, of
which one dataset has x and the other y. As |x - y| = x + y - 2 min(x, y), twice the distance is the number of records of both,
less twice the number that they share, which is at least what they share of some kinds.

So two datasets are seen as one, over one more column, DATASET: its code "first" is for the records of the first, "second" for
those of the second, and of each kind k that the file lists there are as many records "both k" as the two share. What holds
of every dataset holds of each of the two. And where every dataset has between l and u records of a kind, which the file has to
prove before, then for the shared m = min(x, y)

    l <= x <= u,  l <= y <= u,  l <= m <= u                     as m is one of the two
    x + y - m <= u                                              as x + y - m is the greater one of the two
    y - m <= (u - l) (1 - a),  x - m <= (u - l) a,  a <= 1      with one record "more k", a = 1, where x >= y, and none elsewhere:
                                                                one side of each is 0 or the difference, which is at most u - l

A proof about this one dataset, with the rows and trees of any other proof, is a proof about every two.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from foregone.checker.kernel import TERM, Box, Form, PlainDomain, PlainRelease, PlainStatistic, Row, full
from foregone.checker.read.values import box_of

COLUMN = "DATASET"


class Kind(NamedTuple):
    """Every dataset has from `low` to `high` records of one kind."""

    box: Box
    low: int
    high: int


def pair_release(release: PlainRelease, kinds: Sequence[Kind]) -> PlainRelease:
    """What two datasets that fit, taken as one, fit; the rows of kinds come last, in the order of the lines above."""
    old = release.domain
    name = COLUMN
    while name in old.columns:
        name += "_"
    marks = [mark for k, kind in enumerate(kinds, start=1) for mark in [f"both {k}", *([f"more {k}"] if _wide(kind) else [])]]
    codes = {code: i for i, code in enumerate(["first", "second", *marks])}
    here = len(old.codes)
    domain = PlainDomain({**old.columns, name: here}, (*old.codes, codes), old.work)

    def on(code: str, box: Box = ()) -> Box:
        return (*box, (here, 1 << codes[code]))

    def of(form: Form, side: str) -> Form:
        return tuple((weight, on(side, box)) for weight, box in form)

    counts = len(release.names)
    statistics = list[PlainStatistic]()
    for part in (release.statistics[:counts], release.statistics[counts:]):
        statistics += [PlainStatistic(of(s.about, side), s.low, s.high) for side in ("first", "second") for s in part]
    eithers = [
        (Row(of(one.about, side), one.most), Row(of(other.about, side), other.most))
        for side in ("first", "second")
        for one, other in release.eithers
    ]
    rules = [(*box, (here, 0b11)) for box in release.rules]
    marked = full(domain, here) & ~0b11
    # a record "both k" or "more k" only counts something: of the other columns it has the first code
    rules += [((c, full(old, c) & ~1), (here, marked)) for c in range(here) if marked and full(old, c) > 1]
    for k, kind in enumerate(kinds, start=1):
        old.work.spend(16 * TERM)
        x, y, m = on("first", kind.box), on("second", kind.box), on(f"both {k}")
        statistics += [PlainStatistic(((1, box),), kind.low, kind.high) for box in (x, y, m)]
        statistics.append(PlainStatistic(((1, x), (1, y), (-1, m)), None, kind.high))
        if _wide(kind):
            a, width = on(f"more {k}"), kind.high - kind.low
            statistics.append(PlainStatistic(((1, a),), None, 1))
            statistics.append(PlainStatistic(((1, y), (-1, m), (width, a)), None, width))
            statistics.append(PlainStatistic(((1, x), (-1, m), (-width, a)), None, 0))
    return PlainRelease(domain, tuple(statistics), tuple(rules), tuple(eithers), "")


def _wide(kind: Kind) -> bool:
    return kind.high > kind.low + 1


def twice_the_distance(pairs: PlainRelease, kinds: int) -> Form:
    """The records of both datasets, less twice those that they share of the kinds listed."""
    (name,) = list(pairs.domain.columns)[-1:]
    both = [(-2, f"both {k}") for k in range(1, kinds + 1)]
    return tuple((weight, box_of(pairs.domain, {name: code})) for weight, code in [(1, "first"), (1, "second"), *both])
