"""What releases are about: everything that pages and runs say or do differently for one kind of data, handed down as data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from foregone.model.domain import Domain
from foregone.model.geography import NOWHERE, Geography
from foregone.model.predicate import Predicate
from foregone.model.release import Release

Sentence = Callable[[Mapping[str, str | frozenset[str]]], str]
"""One record in words, from what is known of it: for some columns its code, or a group of codes of which it has one."""

Republish = Callable[[Path, Iterable[str]], dict[str, Release]]
"""Releases, by id, made again from the file of records that they were once made from."""


@dataclass(frozen=True, slots=True)
class TableLine:
    """One line of a table. `kind`: leaf (finest partition), part (a published piece of a leaf) or total (a sum)."""

    line: int
    label: str
    kind: str
    predicate: Predicate


@dataclass(frozen=True, slots=True)
class TableDefinition:
    """A published table as its publisher defines it."""

    id: str
    title: str
    universe: str
    cells: tuple[TableLine, ...]
    scope: Predicate  # the records the table is about


@dataclass(frozen=True, slots=True)
class Subject:
    """The defaults are what is known of any release: nothing but what it says itself.

    `sentence` and `tables` are for releases over `domain`. `counted` is the column, in the files of a run, with the number of
    true records that are singled out; without it the true records are not known.
    """

    record: str = "record"
    domain: Domain | None = None
    sentence: Sentence | None = None
    tables: tuple[TableDefinition, ...] = ()  # where several have the same id, the first that fits a release is meant
    geography: Geography = NOWHERE
    counted: str = ""
    settings: tuple[str, ...] = ()  # how the releases were made, a few words each
    assumptions: tuple[tuple[str, str], ...] = (("Rules and ranges", "as each release states them"),)
    baseline: str = "not part of a run"  # what a run can say about how surprising its facts are
    republish: Republish | None = None
    publish: tuple[str, ...] = ()  # the command that does the same for one: words, with {source} and {release}

    def knows(self, domain: Domain) -> bool:
        """Are these the columns and codes that the subject has words for?"""
        return self.domain is not None and _codes(domain) == _codes(self.domain)


def _codes(domain: Domain) -> list[tuple[str, tuple[str, ...]]]:
    return [(column.name, column.codes) for column in domain.columns]


ANY = Subject()
"""Releases about anything at all."""
