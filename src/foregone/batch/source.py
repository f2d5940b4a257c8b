"""Where the releases of a run come from, what is asked about each, and the answer to whether its whole dataset is determined."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from foregone.batch.plan import Ints, RunPart
from foregone.engine import MAX_RECORDS, Uniqueness
from foregone.formats.table import OPEN, Counts
from foregone.model.claim import Verdict
from foregone.model.dataset import Dataset
from foregone.model.domain import Domain
from foregone.model.errors import ContradictionError, ForegoneError, InputError
from foregone.model.families import Groups
from foregone.model.predicate import Predicate
from foregone.model.progress import Progress
from foregone.model.release import Release
from foregone.model.workload import Query, Workload
from foregone.questions.ask import unique
from foregone.solvers.deadline import Deadline

if TYPE_CHECKING:
    from foregone.batch.guessing import GuessPlaces

FARTHEST = 60.0  # seconds of processor time spent on how far apart two datasets can be, where no limit is given
CHUNK = 1 << 24  # bytes hashed between two reports


@dataclass(frozen=True, slots=True)
class RunQuestions:
    """What is asked about every release: which claims are certain, whether the whole dataset is determined, or both.

    `farthest` are the seconds of processor time for two datasets that are as far apart as possible. Without them, whether a dataset
    is determined follows from the claims: it is when those that name a single code in every column are about all records.
    """

    claims: bool = True
    unique: bool = False
    groups: Groups = Groups.PUBLISHED  # of values that claims may name
    farthest: float | None = None
    max_records: int = MAX_RECORDS  # kinds of record that may be possible
    guess: str = ""  # from which table guessers guess: a level of the source's places, such as state, or the path of a file

    @property
    def words(self) -> list[str]:
        """As run.json says it."""
        given = {"claims": self.claims, "unique": self.unique, "farthest": self.farthest is not None}
        return [name for name, asked in given.items() if asked]

    @property
    def by_claims(self) -> bool:
        """Is it told by the claims whether a dataset is determined?"""
        return self.unique and self.claims and self.farthest is None


CLAIMS = RunQuestions()


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


def told_by_claims(told: int, records: int, undecided: bool) -> Determined:
    """Is a dataset determined? `told` of its records have claims about them that name a single code in every column.

    All claims that hold in every dataset are known, unless some are `undecided`. If one dataset fits, its kinds of record are such
    claims; if such claims are about all records, they are the dataset.
    """
    if told == records:
        return Determined("true", 0.0, 0.0)
    return UNDETERMINED if undecided else Determined("false")


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


NamedRelease = tuple[str, Release | str, Ints | None]
"""An id; a release, or what is wrong with it; the true records if they are known, one row each: the positions of its codes."""


@dataclass(frozen=True, slots=True, eq=False)
class CountRows:
    """Releases as rows of counts about one workload, or, with `highs`, of least and of greatest numbers (OPEN: any).

    `truth` are the true records, where they are known: where those of each release begin, and one after the last; and of each
    record the positions of its codes.
    """

    workload: Workload
    counts: Ints
    truth: tuple[Ints, NDArray[np.uint8]] | None = None
    highs: Ints | None = None

    def some(self, first: int, last: int) -> CountRows:
        """Those from `first` to `last` - 1."""
        highs, kept = None if self.highs is None else self.highs[first:last], None
        if self.truth is not None:
            starts, records = self.truth
            kept = starts[first : last + 1] - starts[first], records[starts[first] : starts[last]]
        return CountRows(self.workload, self.counts[first:last], kept, highs)

    def sizes(self) -> list[int | None]:
        """The number of records of each release, where it is known."""
        if self.truth is not None:
            return list(np.diff(self.truth[0]).tolist())
        if self.highs is None and self.workload.whole:
            return list(self.counts[:, self.workload.whole[0]].tolist())
        highs = self.counts if self.highs is None else self.highs
        pairs = zip(self.counts.tolist(), highs.tolist(), strict=True)
        return [_size(self.workload, low, [None if number == OPEN else number for number in high]) for low, high in pairs]


def _size(workload: Workload, low: list[int], high: list[int | None]) -> int | None:
    """The number of records, where it is known; of what cannot be a release nothing is."""
    try:
        return known_size(workload.release(low, high))
    except InputError:
        return None


@dataclass(frozen=True, slots=True)
class PartContent:
    """The releases of a part. It is pickled, so its class must be importable where the work is done.

    `names` are those of the columns, which all releases share. `counted` is the column for the number of true records singled out;
    empty where the true records are not known.
    """

    ids: tuple[str, ...]
    names: tuple[str, ...]
    counted: str

    def single(self, index: int) -> Self:
        """One of the releases on its own."""
        raise NotImplementedError

    def releases(self) -> Iterator[NamedRelease]:
        raise NotImplementedError

    def domains(self) -> Iterator[tuple[str, Domain]]:
        """The columns of each release that can be read."""
        raise NotImplementedError

    def rows(self) -> CountRows | None:
        """All releases as rows of counts, where they are about one workload; else None."""
        return None

    def determined(self, release: str, published: Release, time_limit: float | None) -> Determined:
        """Is the whole dataset determined, by what is published and by whatever else is known about this release?"""
        return as_determined(self.answer(release, published, FARTHEST if time_limit is None else time_limit)[0], published)

    def answer(self, _release: str, published: Release, time_limit: float) -> tuple[Uniqueness, Release]:
        """Is it, and by which numbers and limits? Unless a subclass knows more, what is published is all that is known."""
        return unique(published, time_limit=Deadline.working(time_limit)), published


@dataclass(frozen=True, slots=True)
class CountedReleases(PartContent):
    """Rows of a table of releases; `place` says where they are from, should one of them be wrong."""

    workload: Workload
    counts: Counts
    place: str

    def single(self, index: int) -> CountedReleases:
        some = slice(index, index + 1)
        ids = self.ids[some]
        return replace(self, ids=ids, counts=Counts(ids, self.counts.low[some], self.counts.high[some]))

    def domains(self) -> Iterator[tuple[str, Domain]]:
        return ((release, self.workload.domain) for release in self.ids)

    def rows(self) -> CountRows | None:
        low, high = self.counts.low, self.counts.high
        highs = None if np.array_equal(low, high) else high
        return CountRows(_shared(self.workload.domain, self.workload.queries, self.workload.rules), low, highs=highs)

    def releases(self) -> Iterator[NamedRelease]:
        workload = _shared(self.workload.domain, self.workload.queries, self.workload.rules)
        for i, release in enumerate(self.ids):
            try:
                yield release, self.counts.release(i, workload), None
            except InputError as error:
                yield release, f"{self.place}{release}: {reason_of(error)}", None


@dataclass(frozen=True, slots=True)
class WholeReleases(PartContent):
    """Releases with the same columns, each whole, or what is wrong with its files."""

    published: tuple[Release | str, ...]

    def single(self, index: int) -> WholeReleases:
        return replace(self, ids=(self.ids[index],), published=(self.published[index],))

    def domains(self) -> Iterator[tuple[str, Domain]]:
        return ((r, one.domain) for r, one in zip(self.ids, self.published, strict=True) if isinstance(one, Release))

    def releases(self) -> Iterator[NamedRelease]:
        for release, published in zip(self.ids, self.published, strict=True):
            yield release, published, None


@lru_cache(maxsize=4)
def _shared(domain: Domain, queries: tuple[Query, ...], rules: tuple[Predicate, ...]) -> Workload:
    """One object for equal workloads, so that what was worked out for it in an earlier part is found again."""
    return Workload(domain, queries, rules)


def reason_of(error: Exception) -> str:
    """What went wrong in one line; the type too when the package did not raise it on purpose."""
    lines = str(error).splitlines() or [""]
    if isinstance(error, ContradictionError):  # with the numbers that contradict each other
        return " ".join(line.strip() for line in lines)
    if isinstance(error, InputError) and len(lines) > 1:
        return f"{lines[0]} (and {len(lines) - 1} more)"
    return lines[0] if isinstance(error, ForegoneError) else f"{type(error).__name__}: {lines[0]}"


@dataclass(frozen=True, slots=True)
class RunSource:
    """An opened source: its parts, and how the releases of one of them are read."""

    noun: str  # what a release is
    releases: int
    parts: tuple[RunPart, ...]
    read: Callable[[RunPart], PartContent]
    names: tuple[str, ...] = ()  # of the columns, where all releases have the same
    synthetic: bool = False
    guess: GuessPlaces | None = None  # tables to guess from, of the places that the releases of a part lie in: by level


OpenSource = Callable[[Path], AbstractContextManager[RunSource]]


def fingerprint(path: Path, progress: Progress | None = None) -> dict[str, Any]:
    """Name, size and hash of the input, so that a run is never continued with another."""
    hashed, size = hashlib.sha256(), 0
    files = [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file())
    total = sum(file.stat().st_size for file in files)
    for file in files:
        if file != path:
            hashed.update(f"{file.relative_to(path).as_posix()}\0{file.stat().st_size}\0".encode())
        try:
            with file.open("rb") as opened:
                while chunk := opened.read(CHUNK):
                    hashed.update(chunk)
                    size += len(chunk)
                    if progress:
                        progress("fingerprint of the input", size, total)
        except OSError as error:
            raise InputError(f"{file}: cannot be read ({error.strerror}); check its permissions") from None
    return {"name": path.name or str(path.resolve().name), "size": size, "sha256": hashed.hexdigest()}
