"""How far apart can two datasets be that fit a release? Two that are listed, and a proof that no two are farther."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from foregone.checker.encode.pairs import Kind, pair_release, twice_the_distance
from foregone.checker.kernel import TERM, Fails, PlainRelease, at_most, build
from foregone.checker.read.proofs import Sealed, each, opened, step_of, tree_of, witness_of
from foregone.checker.read.refusal import Refused, at, said
from foregone.checker.read.values import entries, keyed, whole
from foregone.checker.verdicts.datasets import Witnesses, consistent
from foregone.checker.verdicts.determined import histogram

FORMAT, VERSION = "foregone-distance", 1
KEYS = ("format", "version", "tool", "release", "steps", "kinds", "witnesses", "limit", "digest")
DISTANCE = Sealed(FORMAT, VERSION, "a file about distances", "", KEYS)
MOST_KINDS = 20_000


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


def check_distance(release: PlainRelease, document: Any) -> Apart:
    """Check the two datasets, and the proof that no two are farther apart."""
    result, domain = Apart(), release.domain
    domain.work.spent = 0
    try:
        file = opened(release, document, DISTANCE)
        if not isinstance(file["limit"], dict):
            raise Refused("limit: expected an object")
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
            state = build(pairs, each(pairs.domain, limit["steps"], step_of))
            at_most(state, twice_the_distance(pairs, len(kinds)), twice, tree_of(pairs.domain, limit["proof"]))
        if result.low > twice:  # cannot happen, unless this checker is wrong
            raise Refused("proved, yet the listed datasets are farther apart; please report this file")
        result.high = twice
    except Fails as error:
        result.rejected.append(said(error))
    return result


def _pair(release: PlainRelease, listed: Any) -> tuple[int, int]:
    """Twice the distance of the two listed datasets, which both fit, and the size of the larger one."""
    datasets = each(release.domain, listed, witness_of)
    if len(datasets) != 2:
        raise Refused("expected two datasets")
    for number, reason in enumerate(consistent(release, Witnesses(release.domain, datasets)), start=1):
        if reason:
            raise Refused(f"witness {number}: {reason}")
    one, other = map(histogram, datasets)
    return sum(abs(one[record] - other[record]) for record in one | other), max(one.total(), other.total())


def _kinds(release: PlainRelease, file: Any) -> list[Kind]:
    """The kinds, each once, with limits that are proved of every dataset that fits."""
    domain, made = release.domain, list[Kind]()
    listed = entries(file["kinds"])
    if len(listed) > MOST_KINDS:
        raise Refused(f"more than {MOST_KINDS:,} kinds, too many for this checker")
    state = build(release, each(domain, file["steps"], step_of))
    for number, entry in enumerate(listed, start=1):
        domain.work.spend(64 * TERM)
        with at(f"kind {number}"):
            given = keyed(entry, ("record", "low", "high", "lower", "upper"))
            ((_, record),) = witness_of(domain, [given["record"]])
            box = tuple((c, 1 << code) for c, code in enumerate(record))
            kind = Kind(box, whole(given["low"], 0), whole(given["high"], 0))
            at_most(state, ((-1, box),), -kind.low, tree_of(domain, given["lower"]))
            at_most(state, ((1, box),), kind.high, tree_of(domain, given["upper"]))
            made.append(kind)
    if len({kind.box for kind in made}) < len(made):
        raise Refused("a kind is listed twice")
    return made
