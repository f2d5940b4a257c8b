"""Is the whole dataset behind a release determined? The answer as it is kept: shares of records, and a witness."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import Any

from foregone.engine import Uniqueness
from foregone.model.claim import Verdict
from foregone.model.dataset import Dataset
from foregone.model.domain import Domain
from foregone.model.release import Release


@dataclass(frozen=True, slots=True)
class Determined:
    """Is a whole dataset determined (`unique` is true, false or undecided), and in how large a share two can differ.

    `low` is the share that two datasets do differ in, `high` a proved limit. `detail` is JSON: of two datasets, what they share and
    what each has alone.
    """

    unique: str
    low: float | None = None
    high: float | None = None
    detail: str = ""

    @property
    def line(self) -> dict[str, Any]:
        exact = self.low if self.low == self.high else None
        return {"unique": self.unique, "variability": exact, "low": self.low, "high": self.high, "detail": self.detail or None}


UNDETERMINED = Determined("undecided")
DETERMINED = tuple(UNDETERMINED.line)


def as_determined(found: Uniqueness, published: Release) -> Determined:
    """How far apart two datasets can be, as a share of the records where their number is known."""
    size = known_size(published)
    if found.verdict is Verdict.VERIFIED:
        return Determined("true", 0.0, 0.0)
    if found.verdict is Verdict.UNDECIDED or found.second is None:
        most = min(found.limit / size, 1.0) if size and found.limit else 1.0  # 0 here says that no limit was proved
        return Determined("undecided", 0.0, most) if size else Determined("undecided")
    low, high = (None if not size else min(distance / size, 1.0) for distance in (found.distance, found.limit))
    return Determined("false", low, high, pair_text(found.first, found.second))


FARTHEST = 60.0  # seconds spent on how far apart two datasets can be, where no limit is given


def known_size(release: Release) -> int | None:
    """The number of records, where it is published, or cells add up to it."""
    least, most = release.size
    return least if least == most else None


def pair_text(first: Dataset, second: Dataset) -> str:
    """Two datasets in one line of JSON: records with how often they occur, in both, and beyond that in one of the two."""
    one, two = first.histogram(), second.histogram()
    parts = {"both": one & two, "first": one - two, "second": two - one}
    listed = {name: [[*record, n] for record, n in sorted(part.items())] for name, part in parts.items()}
    return json.dumps(listed, separators=(",", ":"))


def read_pair(text: str, domain: Domain) -> tuple[Dataset, Dataset]:
    """The two datasets that `pair_text` wrote down."""
    parts = json.loads(text)
    both, first, second = (Counter({tuple(record): n for *record, n in parts[name]}) for name in ("both", "first", "second"))
    return Dataset.of_kinds(domain, both + first), Dataset.of_kinds(domain, both + second)
