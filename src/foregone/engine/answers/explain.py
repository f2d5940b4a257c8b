"""The few published numbers that force a claim, as a person would argue it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from foregone.engine.answers.ways import MOST_WAYS, Ways, find_ways, ways_of_part, ways_sentences
from foregone.engine.bounds.rowspace import RowSpace
from foregone.engine.case import Case
from foregone.engine.explain.explorer import Explorer
from foregone.engine.explain.own_part import own_part
from foregone.engine.explain.part import part_prover
from foregone.engine.explain.subsets import Forced, Open, Subsets
from foregone.engine.explain.switches import Question, Statements, members, set_of, switches_of
from foregone.engine.system.linear import LinearSystem, compile_release
from foregone.model.errors import InputError, TooLargeError, UndecidedError, option
from foregone.model.figure import Figure
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.sentences import describe, number, plural, published_text, said
from foregone.model.shown import paragraphs
from foregone.solvers.deadline import Deadline

TESTS = 400  # subsets of the published numbers that are tested where no time limit is given
WORK = 2_000  # programs that the prover may then solve for all of these tests: some seconds where it needs search trees
EASY = 100  # programs that one test may take for there to be time for the tests that make explanations easier to read
FIRST_RECORDS = 200_000  # possible records up to which a release is compiled to begin with


@dataclass(frozen=True, slots=True)
class Explanation:
    """Between `low` and `high` records match, because of these statistics: among them none can be left out.

    `terms` is the sum that gives the count, when one does: (statistic, coefficient) pairs. `sure` is False when a test
    on the way was not decided or not made in time: then they are enough, and perhaps some can be left out. `ways` are this and
    all other explanations that were found, and what would have to be withheld.
    """

    release: Release
    predicate: Predicate
    low: int
    high: int | None  # None: any number can be reached
    statistics: tuple[int, ...]
    terms: tuple[tuple[int, Fraction], ...]
    sure: bool
    ways: Ways

    @property
    def table(self) -> str:
        """The one table it can be read off, if there is one."""
        tables = {self.release.statements[i].table for i in self.statistics}
        return next(iter(tables)) if len(tables) == 1 else ""

    @property
    def named(self) -> frozenset[str]:
        """The names of all published numbers that its text names."""
        return frozenset(self.release.name_of(i) for i in (*self.statistics, *self.ways.named))

    def text(self) -> str:
        """The explanation in words, as the command prints it."""
        return explanation_text(self)

    def _repr_html_(self) -> str:
        return paragraphs(self.text())

    def json(self) -> dict[str, Any]:
        """The explanation for machines."""
        release, stated = self.release, self.release.statements
        return {
            "claim": {name: sorted(codes) for name, codes in self.predicate.allowed},
            "low": self.low,
            "high": self.high,
            "because": [
                {
                    "statistic": i,
                    "name": release.name_of(i),
                    "table": stated[i].table,
                    "low": stated[i].low,
                    "high": stated[i].high,
                    "says": said(release, i, self.statistics),
                }
                for i in self.statistics
            ],
            "sum": [[i, str(coefficient)] for i, coefficient in self.terms],
            "one_table": self.table,
            "irreducible": self.sure,
            "smallest": self.ways.shortest,
            "explanations": self.ways.json(),
        }


def explanation_of(
    source: Release | Case,
    predicate: Predicate,
    bounds: tuple[int, int | None],
    limit: float | Deadline | None = None,
    *,
    most: int = MOST_WAYS,
    tests: int | None = None,
    work: int | None = None,
) -> Explanation:
    """Why the number of records that match lies within these bounds. A release need not be compiled whole for that.

    Up to `most` different explanations are looked for; the first is the shortest found. Without a time limit a fixed number of
    `tests` is made, with a fixed amount of `work` for those that need search trees, so that the answer is always the same; with one
    they are limits besides, where they are given.
    """
    release = source if isinstance(source, Release) else source.release
    deadline = Deadline.of(limit)
    low, high = bounds
    if deadline.seconds is None:
        tests, work = TESTS if tests is None else tests, WORK if work is None else work
    question, part = Question.about(predicate, low, high), own_part(release, [predicate])
    own = None if part is None else _begun(part.own, question, deadline, work)
    if part is not None and own is not None:
        every = explorer_of(part.release, question, deadline)
        every.subsets.most_work = own.subsets.most_work
        ways, explorer = ways_of_part(part, own, every, most, tests), own
    else:
        begun = _begun(source, question, deadline, work)
        if begun is None:
            raise InputError(f"it is not certain that exactly {low} match {predicate.text(release.domain)!r}; verify shows why")
        ways, explorer = find_ways(begun, most, tests), begun
    chosen = ways.sets[0]
    sure = not explorer.unsure or len(explorer.unsure) < len(explorer.cores)
    return Explanation(release, predicate, low, high, chosen, _terms(release, chosen, predicate, low), sure, ways)


def _begun(source: Release | Case, question: Question, deadline: Deadline, work: int | None) -> Explorer | None:
    """An explorer that knows an explanation; None where the published numbers are not enough."""
    explorer = explorer_of(source, question, deadline)
    subsets = explorer.subsets
    certain = subsets.verdict(subsets.everything)
    if isinstance(certain, Open):
        return None
    if not isinstance(certain, Forced):
        raise UndecidedError(f"not explained: {certain.reason}; {_remedy(deadline.seconds)}")
    if work is not None:
        subsets.most_work = subsets.work + work
    if subsets.work > EASY:
        explorer.core_within(subsets.everything)  # from what the proof rests on
    else:
        _first(explorer)
    if not explorer.cores:  # time ran out before anything was tried
        explorer.core_within(subsets.everything)
    return explorer


def explorer_of(source: Release | Case, question: Question, deadline: Deadline) -> Explorer:
    """Ready to look for explanations, and to prefer those that a person would."""
    if isinstance(source, Case):
        switches = source.switches
    else:
        system: LinearSystem | None = None
        with suppress(TooLargeError):  # a good start only; kinds of record are else met one by one
            system = compile_release(source, FIRST_RECORDS, deadline)
        switches = switches_of(source, system)
    subsets = Subsets(switches, question, deadline)
    return Explorer(subsets, _ranks(subsets, False))


def forced(release: Release, chosen: Sequence[int], predicate: Predicate, low: int, high: int | None) -> bool | None:
    """Do these statistics alone keep the count within low..high? None when that could not be decided."""
    explorer, kept, _ = _among(release, chosen, Question.about(predicate, low, high))
    verdict = explorer.subsets.verdict(kept)
    return True if isinstance(verdict, Forced) else False if isinstance(verdict, Open) else None


def support(
    release: Release, pool: Sequence[int], predicate: Predicate, count: int, deadline: Deadline | None = None
) -> tuple[int, ...]:
    """Numbers from a pool, the first of them if possible, that are enough for a count; the pool as a whole must be, and is returned
    where time is over before fewer are found.
    """
    explorer, kept, named = _among(release, pool, Question.about(predicate, count, count))
    explorer.subsets.deadline = deadline or explorer.subsets.deadline
    explorer.subsets.most_work = WORK
    places = {i: place for place, i in enumerate(pool)}
    explorer.rank = [places.get(i, len(pool)) for i in named]
    core = explorer.preferred(kept)
    return tuple(pool) if core is None else tuple(named[k] for k in members(core))


def _among(release: Release, chosen: Sequence[int], question: Question) -> tuple[Explorer, Statements, Sequence[int]]:
    """The question for the chosen numbers and the rules; which they are, and what the numbers are called in the release."""
    if release.figures:  # what they say depends on each other: the whole release, with the rest switched off
        subsets = Subsets(switches_of(release), question)
        named: Sequence[int] = subsets.items.named
        return Explorer(subsets, range(len(named))), set_of(k for k, i in enumerate(named) if i in set(chosen)), named
    numbers = sorted(chosen)
    subsets = Subsets(switches_of(release.only(numbers)), question)
    return Explorer(subsets, range(len(numbers))), subsets.everything, numbers


def _remedy(time_limit: float | None) -> str:
    return f"raise {option('time_limit')}" if time_limit is not None else "leave out columns or tables you do not need"


def _order(subsets: Subsets, zeros: bool) -> list[tuple[int, int, int, int]]:
    """What makes a number a likely part of an argument: that it is about the claim's own columns and few others."""
    release, predicate = subsets.release, subsets.question.predicates[0]
    own = set(predicate.masks(release.domain))
    known: dict[tuple[str, frozenset[str]], int] = {}
    made = []
    for k, part in enumerate(subsets.items.parts):
        counted = [predicate for i in part for predicate in release.statements[i].predicates]
        columns = {column for predicate in counted for column in predicate.masks(release.domain, known)}
        zero = k < len(release.high) and release.high[k] == 0
        made.append((len(columns - own), int(zero != zeros), len(own - columns), k))
    return made


def _ranks(subsets: Subsets, zeros: bool) -> list[int]:
    """Places of the statements in that order; those that count something come before the zeros, or the other way round."""
    order = _order(subsets, zeros)
    ranks = [0] * len(order)
    for place, i in enumerate(sorted(range(len(order)), key=order.__getitem__)):
        ranks[i] = place
    return ranks


def _first(explorer: Explorer) -> None:
    """Explanations as a person would look for them: among numbers about the claim's own columns before all others."""
    order = _order(explorer.subsets, False)
    for most in sorted({key[0] for key in order}):
        beginning = set_of(i for i, key in enumerate(order) if key[0] <= most)
        if isinstance(explorer.subsets.verdict(beginning), Forced):
            break
    else:
        beginning = explorer.subsets.everything
    usual = explorer.rank
    for zeros in (False, True):
        explorer.rank = _ranks(explorer.subsets, zeros)
        explorer.preferred(beginning)
    explorer.rank = usual


def _terms(release: Release, statistics: Sequence[int], predicate: Predicate, low: int) -> tuple[tuple[int, Fraction], ...]:
    """The sum of the chosen statistics that equals the claim on every record they leave possible, if there is one."""
    numbers = sorted(statistics)
    if not numbers or any(isinstance(release.statements[i].source, Figure) for i in numbers):
        return ()
    prover = part_prover(release, numbers, predicate, low + 1)
    if prover is None:
        return ()
    whole, some = prover.system.footprint(predicate)
    if (whole != some).any():
        return ()
    combination = RowSpace(prover.system, np.ones(prover.system.buckets, dtype=bool)).express(whole)
    if combination is None:
        return ()
    sources = prover.system.low_source
    used = np.flatnonzero(combination.multipliers)
    return tuple(
        (numbers[int(sources[i])], Fraction(int(combination.multipliers[i]), combination.denominator)) for i in used
    )


def explanation_text(found: Explanation) -> str:
    """A short derivation in words."""
    release, domain = found.release, found.release.domain
    lines = []
    stated = release.statements
    for i in found.statistics:
        what = said(release, i, found.statistics) or f"all {plural(domain.record, 2)}"
        named = f" ({stated[i].name})" if stated[i].name else ""
        printed = stated[i].printed
        lines.append(f"  {what}{named}" if isinstance(printed, Figure) else f"  {what}: {printed.range_text}{named}")
    opening = "These published numbers are enough:" if len(lines) != 1 else "One published number is enough:"
    if not found.sure:
        opening = f"Of {published_text(release)}, these {number(len(lines))} are enough; fewer may be enough, too:"
    if not lines:
        opening = "The rules alone are enough."
    if found.terms:
        parts = []
        for i, coefficient in sorted(found.terms, key=lambda term: term[1] < 0):  # a sum begins with what is added
            size = "" if abs(coefficient) == 1 else f"{abs(coefficient)} x "
            parts.append(f"{'-' if coefficient < 0 else '+'} {size}{stated[i].low} [{release.name_of(i)}]")
        sum_ = " ".join(parts).removeprefix("+ ")
        others = [i for i in found.statistics if i not in {i for i, _ in found.terms}]
        rest = f"; the other numbers leave no room for any other kind of {domain.record} to matter" if others else ""
        lines.append(f"Added up, {sum_} = {found.low}{rest}.")
    noun = plural(domain.record, 2 if found.high is None else found.high)
    what = describe(found.predicate, domain) or "any values"
    if found.low == found.high:
        lines.append(f"So exactly {number(found.low)} {noun} {'has' if found.low == 1 else 'have'} {what}.")
    else:
        most = "" if found.high is None else f" and at most {number(found.high)}"
        lines.append(f"So at least {number(found.low)}{most} {noun} have {what}.")
    if found.table:
        lines.append(f"All of it can be read off table {found.table}.")
    lines += ways_sentences(release, found.ways, sure=found.sure)
    return "\n".join(line for line in [opening, *lines] if line)
