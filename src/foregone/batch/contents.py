"""The releases of a part as plain data that can be sent to a worker process."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from foregone.batch.determined import FARTHEST, Determined, as_determined
from foregone.formats.counts import Counts
from foregone.model.domain import Domain
from foregone.model.errors import ForegoneError, InputError
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.workload import Query, Workload
from foregone.questions.ask import unique

Ints = NDArray[np.int64]
NamedRelease = tuple[str, Release | str, Ints | None]
"""An id; a release, or what is wrong with it; the true records if they are known, one row each: the positions of its codes."""


class PartContent(Protocol):
    """Whatever can list the releases of a part. It is pickled, so its class must be importable where the work is done."""

    @property
    def ids(self) -> tuple[str, ...]:
        """Of the releases, in order."""

    @property
    def names(self) -> tuple[str, ...]:
        """Of the columns, which all of them share."""

    @property
    def counted(self) -> str:
        """The column for the number of true records singled out; empty where the true records are not known."""

    def single(self, index: int) -> PartContent:
        """One of the releases on its own."""

    def releases(self) -> Iterator[NamedRelease]: ...

    def determined(self, release: str, published: Release, time_limit: float | None) -> Determined:
        """Is the whole dataset determined, by what is published and by whatever else is known about this release?"""


@dataclass(frozen=True, slots=True)
class CountedReleases:
    """Rows of a table of releases; `place` says where they are from, should one of them be wrong."""

    workload: Workload
    counts: Counts
    place: str
    counted: str = ""

    @property
    def ids(self) -> tuple[str, ...]:
        return self.counts.ids

    @property
    def names(self) -> tuple[str, ...]:
        return self.workload.domain.names

    def single(self, index: int) -> CountedReleases:
        some = slice(index, index + 1)
        return replace(self, counts=Counts(self.ids[some], self.counts.low[some], self.counts.high[some]))

    def releases(self) -> Iterator[NamedRelease]:
        workload = _shared(self.workload.domain, self.workload.queries, self.workload.rules)
        for i, release in enumerate(self.ids):
            try:
                yield release, self.counts.release(i, workload), None
            except InputError as error:
                yield release, f"{self.place}{release}: {reason_of(error)}", None

    def determined(self, release: str, published: Release, time_limit: float | None) -> Determined:  # noqa: ARG002
        return as_determined(unique(published, FARTHEST if time_limit is None else time_limit), published)


@dataclass(frozen=True, slots=True)
class WholeReleases:
    """Releases with the same columns, each whole, or what is wrong with its files."""

    names: tuple[str, ...]
    published: tuple[tuple[str, Release | str], ...]
    counted: str = ""

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(release for release, _ in self.published)

    def single(self, index: int) -> WholeReleases:
        return replace(self, published=self.published[index : index + 1])

    def releases(self) -> Iterator[NamedRelease]:
        for release, published in self.published:
            yield release, published, None

    def determined(self, release: str, published: Release, time_limit: float | None) -> Determined:  # noqa: ARG002
        return as_determined(unique(published, FARTHEST if time_limit is None else time_limit), published)


@lru_cache(maxsize=4)
def _shared(domain: Domain, queries: tuple[Query, ...], rules: tuple[Predicate, ...]) -> Workload:
    """One object for equal workloads, so that what was worked out for it in an earlier part is found again."""
    return Workload(domain, queries, rules)


def reason_of(error: Exception) -> str:
    """What went wrong in one line; the type too when the package did not raise it on purpose."""
    lines = str(error).splitlines() or [""]
    if isinstance(error, InputError) and len(lines) > 1:
        return f"{lines[0]} (and {len(lines) - 1} more)"
    return lines[0] if isinstance(error, ForegoneError) else f"{type(error).__name__}: {lines[0]}"
