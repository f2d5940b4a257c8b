"""How far apart can two datasets be that fit a release? Two that are listed, and a proof that no two are farther.

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

A proof about this one dataset, with the rows and trees of any other proof, is a proof about every two. formal/Pairs.v has a twin of
all this, with a theorem.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from foregone.checker import parse
from foregone.checker.check import at_most, build
from foregone.checker.complete import Witnesses, consistent
from foregone.checker.refusal import TERM, Refused, at
from foregone.checker.rows import Box, Domain, Form, Limit, Release, Statistic, box_of, full, keyed, whole
from foregone.checker.seal import digest

FORMAT = "foregone-distance"
VERSION = 1
KEYS = ("format", "version", "tool", "release", "steps", "kinds", "witnesses", "limit", "digest")
COLUMN = "DATASET"
MOST_KINDS = 20_000


class Kind(NamedTuple):
    """Every dataset has from `low` to `high` records of one kind."""

    box: Box
    low: int
    high: int


@dataclass
class Apart:
    """What was shown: two datasets that fit are so far apart, and no two are farther. Both are twice the distance."""

    low: int | None = None
    high: int | None = None  # None: the file proves no limit; `unknown` says why
    unknown: str = ""
    records: int = 0  # of the larger one of the two
    rejected: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """What was shown, as sentences; of a file that was rejected nothing was."""
        if self.rejected or self.low is None:
            return ""
        apart = f"Two listed datasets fit and differ in {_half(self.low)} of {self.records:,} records"
        if self.high is None:
            return f"{apart}. No limit is proved; the reason given is {self.unknown!r}."
        if self.high == 0:
            return f"Only one dataset of {self.records:,} records fits."
        return f"{apart}; no two that fit differ in more{'' if self.high == self.low else f' than {_half(self.high)}'}."


def _half(twice: int) -> str:
    return f"{twice // 2:,}{'.5' if twice % 2 else ''}"


def check_distance(release: Release, document: Any) -> Apart:
    """Check the two datasets, and the proof that no two are farther apart."""
    result, domain = Apart(), release.domain
    domain.work.spent = 0
    try:
        file = _opened(release, document)
        result.low, result.records = _pair(release, file["witnesses"])
        with at("limit"):
            if "unknown" in file["limit"]:
                text = keyed(file["limit"], ("unknown",))["unknown"]
                if not isinstance(text, str) or not text or file["steps"] or file["kinds"]:
                    raise Refused("expected a reason, and no steps or kinds")
                result.unknown = str(Refused(text))
                return result
            limit = keyed(file["limit"], ("twice", "steps", "proof"))
            twice = whole(limit["twice"], 0)
        kinds = _kinds(release, file)
        with at("limit"):
            pairs = pair_release(release, kinds)
            state = build(pairs, [parse.step_of(pairs.domain, step) for step in parse.entries(limit["steps"])])
            at_most(state, twice_the_distance(pairs, len(kinds)), twice, parse.tree_of(pairs.domain, limit["proof"]))
        if result.low > twice:  # cannot happen, unless this checker is wrong
            raise Refused("proved, yet the listed datasets are farther apart; please report this file")
        result.high = twice
    except Refused as error:
        result.rejected.append(str(error))
    return result


def _opened(release: Release, document: Any) -> Any:
    """The file, if it is whole, of this version, and made for this release."""
    file = parse.plain(document, KEYS, ())
    if file["format"] != FORMAT or type(file["version"]) is not int or file["version"] != VERSION:
        raise Refused(f"not a file about distances of version {VERSION}; write it anew")
    if file["digest"] != digest(file):
        raise Refused("changed since it was written: the digest does not fit")
    if file["release"] != release.fingerprint:
        raise Refused("made for another release: the fingerprints differ")
    if not isinstance(file["limit"], dict):
        raise Refused("limit: expected an object")
    return file


def _pair(release: Release, listed: Any) -> tuple[int, int]:
    """Twice the distance of the two listed datasets, which both fit, and the size of the larger one."""
    datasets = [parse.witness_of(release.domain, entry) for entry in parse.entries(listed)]
    if len(datasets) != 2:
        raise Refused("expected two datasets")
    for number, reason in enumerate(consistent(release, Witnesses(release.domain, datasets)), start=1):
        if reason:
            raise Refused(f"witness {number}: {reason}")
    counted = [Counter[tuple[int, ...]](), Counter[tuple[int, ...]]()]
    for counts, dataset in zip(counted, datasets, strict=True):
        for n, record in dataset:
            counts[record] += n
    one, other = counted
    return sum(abs(one[record] - other[record]) for record in one | other), max(one.total(), other.total())


def _kinds(release: Release, file: Any) -> list[Kind]:
    """The kinds, each once, with limits that are proved of every dataset that fits."""
    domain, made = release.domain, list[Kind]()
    entries = parse.entries(file["kinds"])
    if len(entries) > MOST_KINDS:
        raise Refused(f"more than {MOST_KINDS:,} kinds, too many for this checker")
    state = build(release, [parse.step_of(domain, step) for step in parse.entries(file["steps"])])
    for number, entry in enumerate(entries, start=1):
        domain.work.spend(64 * TERM)
        with at(f"kind {number}"):
            given = keyed(entry, ("record", "low", "high", "lower", "upper"))
            ((_, record),) = parse.witness_of(domain, [given["record"]])
            box = tuple((c, 1 << code) for c, code in enumerate(record))
            kind = Kind(box, whole(given["low"], 0), whole(given["high"], 0))
            at_most(state, ((-1, box),), -kind.low, parse.tree_of(domain, given["lower"]))
            at_most(state, ((1, box),), kind.high, parse.tree_of(domain, given["upper"]))
            made.append(kind)
    if len({kind.box for kind in made}) < len(made):
        raise Refused("a kind is listed twice")
    return made


def pair_release(release: Release, kinds: Sequence[Kind]) -> Release:
    """What two datasets that fit, taken as one, fit; the rows of kinds come last, in the order of the lines above."""
    old = release.domain
    name = COLUMN
    while name in old.columns:
        name += "_"
    marks = [mark for k, kind in enumerate(kinds, start=1) for mark in [f"both {k}", *([f"more {k}"] if _wide(kind) else [])]]
    codes = {code: i for i, code in enumerate(["first", "second", *marks])}
    here = len(old.codes)
    domain = Domain({**old.columns, name: here}, (*old.codes, codes), old.work)

    def on(code: str, box: Box = ()) -> Box:
        return (*box, (here, 1 << codes[code]))

    def of(form: Form, side: str) -> Form:
        return tuple((weight, on(side, box)) for weight, box in form)

    counts = len(release.names)
    statistics = list[Statistic]()
    for part in (release.statistics[:counts], release.statistics[counts:]):
        statistics += [Statistic(of(s.about, side), s.low, s.high) for side in ("first", "second") for s in part]
    eithers = [
        (Limit(of(one.about, side), one.most), Limit(of(other.about, side), other.most))
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
        statistics += [Statistic(((1, box),), kind.low, kind.high) for box in (x, y, m)]
        statistics.append(Statistic(((1, x), (1, y), (-1, m)), None, kind.high))
        if _wide(kind):
            a, width = on(f"more {k}"), kind.high - kind.low
            statistics.append(Statistic(((1, a),), None, 1))
            statistics.append(Statistic(((1, y), (-1, m), (width, a)), None, width))
            statistics.append(Statistic(((1, x), (-1, m), (-width, a)), None, 0))
    return Release(domain, tuple(statistics), tuple(rules), tuple(eithers), "")


def _wide(kind: Kind) -> bool:
    return kind.high > kind.low + 1


def twice_the_distance(pairs: Release, kinds: int) -> Form:
    """The records of both datasets, less twice those that they share of the kinds listed."""
    (name,) = list(pairs.domain.columns)[-1:]
    both = [(-2, f"both {k}") for k in range(1, kinds + 1)]
    return tuple((weight, box_of(pairs.domain, {name: code})) for weight, code in [(1, "first"), (1, "second"), *both])
