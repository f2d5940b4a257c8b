"""What is asked, without the answers: a domain, a list of conditions and rules that many releases can share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from foregone.model.domain import Domain
from foregone.model.errors import InputError
from foregone.model.predicate import Predicate

if TYPE_CHECKING:
    from foregone.model.release import Release


class Query(NamedTuple):
    """A published cell before anything is counted: its name (P20.6), its table (P20) and its condition."""

    name: str
    table: str
    predicate: Predicate


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)  # known by identity: what it implies is kept with it
class Workload:
    """The tables of every block of a country are one workload; a release adds the numbers.

    What depends on the workload alone is worked out once, however many releases there are.

    >>> domain = Domain.of({"SEX": ["F", "M"]})
    >>> asked = Workload(domain, (Query("records", "", Predicate()), Query("women", "", Predicate.of({"SEX": "F"}))))
    >>> [asked.release(counts).statistics[1].low for counts in ([3, 1], [5, 4])]
    [1, 4]
    """

    domain: Domain
    queries: tuple[Query, ...]
    rules: tuple[Predicate, ...] = ()
    masks: tuple[dict[int, int], ...] = field(init=False, repr=False)
    rule_masks: tuple[dict[int, int], ...] = field(init=False, repr=False)
    whole: tuple[int, ...] = field(init=False, repr=False)  # queries about all records

    def __post_init__(self) -> None:
        masks: list[list[dict[int, int]]] = [[], []]
        problems: list[str] = []
        for kind, predicates in enumerate(([query.predicate for query in self.queries], self.rules)):
            for i, predicate in enumerate(predicates):
                try:
                    masks[kind].append(predicate.masks(self.domain))
                except InputError as error:
                    name = f"rule {i + 1}" if kind else self.name_of(i)
                    problems += [f"{name}: {problem}" for problem in error.problems]
        if problems:
            raise InputError(problems)
        object.__setattr__(self, "whole", tuple(i for i, query in enumerate(self.queries) if not query.predicate.allowed))
        object.__setattr__(self, "masks", tuple(masks[0]))
        object.__setattr__(self, "rule_masks", tuple(masks[1]))

    def name_of(self, index: int) -> str:
        """The published name of a query, or a description when it has none."""
        query = self.queries[index]
        return query.name or query.predicate.text() or "number of records"

    def release(self, low: Sequence[int], high: Sequence[int | None] | None = None) -> Release:
        """The release that publishes these counts, or, with `high`, these ranges."""
        from foregone.model.release import Release

        return Release.of(self, low, low if high is None else high)
