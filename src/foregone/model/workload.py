"""What is asked, without the answers: a domain, a list of conditions and rules that many releases can share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from foregone.model.domain import UNWRITABLE, Domain
from foregone.model.errors import InputError, refuse
from foregone.model.predicate import Predicate
from foregone.model.shown import shown
from foregone.model.statement import Either, Statement, Terms

if TYPE_CHECKING:
    from foregone.model.release import Release


class Query(NamedTuple):
    """A published cell before anything is counted: its name (P20.6), its table (P20) and its condition."""

    name: str
    table: str
    predicate: Predicate

    @property
    def label(self) -> str:
        """Its name, or what it is about when it has none."""
        return self.name or self.predicate.text() or "number of records"


Masks = dict[int, int]
"""Column position -> bit mask of the values allowed, where a column is restricted."""

WeightedMasks = tuple[tuple[int, Masks], ...]
"""A weighted sum of counts, with masks in place of predicates."""


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)  # known by identity: what it implies is kept with it
class Workload:
    """The tables of every block of a country are one workload; a release adds the counts.

    What depends on the workload alone is worked out once, however many releases there are. `sums` and `alternatives` are what is
    said beside the counts, limits included: weighted sums, and either-ors.

    >>> domain = Domain.of({"SEX": ["F", "M"]})
    >>> asked = Workload(domain, (Query("records", "", Predicate()), Query("women", "", Predicate.of({"SEX": "F"}))))
    >>> [asked.release(counts).statistics[1].low for counts in ([3, 1], [5, 4])]
    [1, 4]
    """

    domain: Domain
    queries: tuple[Query, ...]
    rules: tuple[Predicate, ...] = ()
    sums: tuple[Statement, ...] = ()
    alternatives: tuple[Either, ...] = ()
    figures: tuple[Predicate, ...] = ()  # what means, medians and the like are about
    masks: tuple[Masks, ...] = field(init=False, repr=False)
    rule_masks: tuple[Masks, ...] = field(init=False, repr=False)
    sum_masks: tuple[WeightedMasks, ...] = field(init=False, repr=False)
    side_masks: tuple[tuple[WeightedMasks, WeightedMasks], ...] = field(init=False, repr=False)  # of the alternatives
    figure_masks: tuple[Masks, ...] = field(init=False, repr=False)
    whole: tuple[int, ...] = field(init=False, repr=False)  # queries about all records

    def __post_init__(self) -> None:
        asked: tuple[Query | Statement | Either, ...] = (*self.queries, *self.further)
        problems = [
            f"{what} {shown(text)} holds a line break or another control character; remove it"
            for what, texts in (("the name", [a.name for a in asked]), ("the table", [a.table for a in asked]))
            if UNWRITABLE.search("".join(texts))
            for text in dict.fromkeys(texts)
            if UNWRITABLE.search(text)
        ]
        known: dict[tuple[str, frozenset[str]], int] = {}

        def read(predicate: Predicate, name: Callable[[], str]) -> Masks:
            try:
                return predicate.masks(self.domain, known)
            except InputError as error:
                problems.extend(f"{name()}: {problem}" for problem in error.problems)
                return {}

        def weighted(terms: Terms, stated: Statement | Either) -> WeightedMasks:
            return tuple((weight, read(predicate, lambda: stated.label)) for weight, predicate in terms)

        masks = tuple(read(query.predicate, partial(getattr, query, "label")) for query in self.queries)
        rules = tuple(read(rule, partial("rule {}".format, i)) for i, rule in enumerate(self.rules, start=1))
        sums = tuple(weighted(stated.terms, stated) for stated in self.sums)
        sides = tuple((weighted(e.left.terms, e), weighted(e.right.terms, e)) for e in self.alternatives)
        figures = tuple(read(predicate, partial("figure {}".format, i)) for i, predicate in enumerate(self.figures, start=1))
        refuse(problems)
        whole = tuple(i for i, query in enumerate(self.queries) if not query.predicate.allowed)
        made: dict[str, object] = {"masks": masks, "rule_masks": rules, "sum_masks": sums, "side_masks": sides}
        made |= {"figure_masks": figures, "whole": whole}
        for attribute, value in made.items():
            object.__setattr__(self, attribute, value)

    def __repr__(self) -> str:
        sizes = f"{len(self.queries):,} queries, {len(self.sums):,} sums, {len(self.rules):,} rules"
        sizes += f", {len(self.alternatives):,} either-ors" if self.alternatives else ""
        return f"Workload({sizes} over {self.domain!r})"

    @property
    def further(self) -> tuple[Statement | Either, ...]:
        """What is said beside the counts."""
        return (*self.sums, *self.alternatives)

    @property
    def limited(self) -> int:
        """How many statements limit a sum; the either-ors, which do not, are numbered from there on."""
        return len(self.queries) + len(self.sums)

    def release(self, low: Sequence[int], high: Sequence[int | None] | None = None) -> Release:
        """The release that publishes these counts, or, with `high`, these ranges."""
        from foregone.model.release import Release

        return Release.of(self, low, low if high is None else high)
