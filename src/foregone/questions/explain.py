"""The few published numbers that force a claim, as a person would argue it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from foregone.engine.bounds.prover import AtMost, Prover
from foregone.engine.bounds.rowspace import RowSpace
from foregone.model.errors import InputError, UndecidedError
from foregone.model.figure_sentences import said
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.sentences import describe, number, plural
from foregone.questions.asked import Condition, Source, as_count, as_predicate, as_release
from foregone.questions.quickxplain import irreducible, reduced
from foregone.questions.verify import bounds
from foregone.solvers.answer import Undecided

NEEDED = (
    "Each of them is needed in this argument, but other published numbers may force the same: withholding one need not be enough."
)
TOO_LARGE = "the release is too large to be explained in the time allowed; verify and bounds take a time limit of your own"


@dataclass(frozen=True, slots=True)
class Explanation:
    """Between `low` and `high` records match, because of these statistics: among them none can be left out.

    `terms` is the sum that gives the count, when one does: (statistic, coefficient) pairs. `sure` is False when a test
    on the way could not be decided, so that the set may be larger than it need be.
    """

    release: Release
    predicate: Predicate
    low: int
    high: int | None  # None: any number can be reached
    statistics: tuple[int, ...]
    terms: tuple[tuple[int, Fraction], ...]
    sure: bool

    @property
    def table(self) -> str:
        """The one table it can be read off, if there is one."""
        tables = {self.release.everything[i].table for i in self.statistics}
        return next(iter(tables)) if len(tables) == 1 else ""

    def text(self) -> str:
        return explanation_text(self)

    def json(self) -> dict[str, Any]:
        release, stated = self.release, self.release.everything
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
                    "says": _says(release, i),
                }
                for i in self.statistics
            ],
            "sum": [[i, str(coefficient)] for i, coefficient in self.terms],
            "one_table": self.table,
            "smallest": self.sure,
        }


def explain(release: Source, condition: Condition, count: int | None = None) -> Explanation:
    """Why exactly `count` records match; without a count, why their number lies within its exact bounds.

    >>> from foregone import tabulate
    >>> release = tabulate({"SEX": ["F", "F", "M"], "AGE": ["1", "2", "2"]}, margins=["SEX", "AGE"])
    >>> [release.name_of(i) for i in explain(release, {"SEX": "M"}, 1).statistics]
    ['SEX.2']
    """
    release = as_release(release)
    predicate = as_predicate(condition, release)
    low, high = bounds(release, predicate) if count is None else (as_count(count), as_count(count))
    certain = count is None or forced(release, range(len(release.everything)), predicate, low, high)
    if certain is None:
        raise UndecidedError(TOO_LARGE)
    if not certain:
        raise InputError(f"it is not certain that exactly {count} match {predicate.text(release.domain)!r}; verify shows why")

    def enough(chosen: list[int]) -> bool | None:
        return forced(release, chosen, predicate, low, high)

    # which irreducible set is found depends on the order; numbers that count something or zeros first: take the shorter
    found = [irreducible(_likely(release, predicate, enough, zeros), enough) for zeros in (False, True)]
    statistics, sure = min(found, key=lambda pair: (not pair[1], len(pair[0])))
    return Explanation(release, predicate, low, high, tuple(statistics), _terms(release, statistics, predicate, low), sure)


def forced(release: Release, chosen: Sequence[int], predicate: Predicate, low: int, high: int | None) -> bool | None:
    """Do these statistics alone keep the count within low..high? None when that could not be decided."""
    prover = reduced(release, chosen, predicate, (low if high is None else high) + 1)
    if prover is None:
        return None
    found = prover.first_witness()
    if isinstance(found, Undecided):
        return None
    if not found:
        return True
    whole, some = prover.system.footprint(predicate)
    questions = [] if high is None else [(some.astype(np.int64), high)]
    for objective, target in (*questions, (-whole.astype(np.int64), -low)):
        answer = prover.at_most(objective, target)
        if isinstance(answer, Undecided):
            return None
        if not isinstance(answer, AtMost):
            return False
    return True


def _likely(release: Release, predicate: Predicate, enough: Any, zeros: bool) -> list[int]:
    """Statistics in the order in which a person would like to see them used, cut to a beginning that is enough.

    Numbers about the claim's own columns come first, those with fewer other columns before others, and within
    these the ones that count something before the zeros, or the other way round.
    """
    own = set(predicate.masks(release.domain))
    stated = release.everything

    def order(i: int) -> tuple[int, int, int, int]:
        columns = release.columns_of(i)
        return len(columns - own), (stated[i].high == 0) != zeros, len(own - columns), i

    ranked = sorted(range(len(stated)), key=order)
    foreign = sorted({order(i)[0] for i in ranked})
    for most in foreign[:-1]:
        beginning = [i for i in ranked if order(i)[0] <= most]
        if enough(beginning) is True:
            return beginning
    if enough(ranked) is None:
        raise UndecidedError(TOO_LARGE)
    return ranked


def _terms(release: Release, statistics: list[int], predicate: Predicate, low: int) -> tuple[tuple[int, Fraction], ...]:
    """The sum of the chosen statistics that equals the claim on every record they leave possible, if there is one."""
    prover: Prover | None = reduced(release, statistics, predicate, low + 1)
    if prover is None or not statistics:
        return ()
    whole, some = prover.system.footprint(predicate)
    if (whole != some).any():
        return ()
    combination = RowSpace(prover.system, np.ones(prover.system.cells, dtype=bool)).express(whole)
    if combination is None:
        return ()
    sources = prover.system.low_source
    used = np.flatnonzero(combination.multipliers)
    return tuple(
        (statistics[int(sources[i])], Fraction(int(combination.multipliers[i]), combination.denominator)) for i in used
    )


def _says(release: Release, index: int) -> str:
    """What a published number counts, in words; nothing when it counts all records."""
    return said(release, index)


def explanation_text(found: Explanation) -> str:
    """A short derivation in words."""
    release, domain = found.release, found.release.domain
    lines = []
    stated = release.everything
    for i in found.statistics:
        what = _says(release, i) or f"all {plural(domain.record, 2)}"
        named = f" ({stated[i].name})" if stated[i].name else ""
        line = f"  {what}{named}" if release.figure_of(i) else f"  {what}: {stated[i].range_text}{named}"
        lines += [line] if line not in lines else []  # a figure may say several things
    opening = "These published numbers are enough:" if len(lines) != 1 else "One published number is enough:"
    if not lines:
        opening = "The rules alone are enough."
    if found.terms:
        parts = []
        for i, coefficient in found.terms:
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
    if found.sure and found.statistics:
        lines.append(NEEDED if len(found.statistics) > 1 else "")
    elif found.statistics:
        lines.append("Perhaps fewer of them are enough: a test on the way was too large to decide.")
    if found.table:
        lines.append(f"All of it can be read off table {found.table}.")
    return "\n".join(line for line in [opening, *lines] if line)
