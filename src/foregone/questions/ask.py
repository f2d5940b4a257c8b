"""The questions that people ask of a release, each as one function: what they hand over is understood here, the engine answers.

Wherever a release is expected, its path will do, or a `Case`: a release compiled once, which remembers what was found out about it,
so that many questions about one release cost little more than the first.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import Any

from foregone import engine as cells
from foregone.engine import MAX_RECORDS, MOST_WAYS, Case, Explanation, Generated, Uniqueness
from foregone.model.audit import Audit, Engine
from foregone.model.claim import Finding, Possibility
from foregone.model.dataset import Dataset
from foregone.model.errors import InputError
from foregone.model.families import Groups
from foregone.model.intervals import Intervals
from foregone.model.predicate import Predicate
from foregone.model.progress import Progress
from foregone.model.release import Release
from foregone.model.shown import shown
from foregone.questions.asked import Condition, Source, as_case, as_claim, as_count, as_groups, as_predicate, as_release
from foregone.solvers.deadline import Deadline

ENGINES = ("cells", "onehot")


def audit(
    release: Source,
    *,
    time_limit: float | None = None,
    max_records: int = MAX_RECORDS,
    progress: Progress | None = None,
    groups: Groups | str = Groups.PUBLISHED,
    truth: Dataset | None = None,
    engine: str = "cells",
    solver: str = "highs",
    solutions: int | None = None,
    big_m: bool = False,
) -> Audit:
    """Find every claim about at least one record that is true in every dataset matching the release.

    Parameters
    ----------
    release : Release, Case, str or Path
        A release, or the path of one.
    time_limit : float, optional
        Seconds. Without a limit nothing stays undecided; with one, what does is in `open`, never among the facts. With the engine
        "onehot" it is for each claim, 180 if not given.
    max_records : int
        Refuse a release that leaves more kinds of record possible.
    progress : callable, optional
        Called with what is being done, how much of it is done, and how much there is.
    groups : {"published", "none"}
        Claims name single values and, unless this is "none", the groups of values that the tables use or the domain declares.
    truth : Dataset, optional
        The microdata, which only save the search for a first dataset where that takes long; the claims are the same without.
    engine : {"cells", "onehot"}
        "cells" decides exactly and proves; "onehot" is the paper's method, one integer program per claim, on a solver's word.
    solver, solutions, big_m
        For "onehot": the solver, how many datasets to generate first (100), and whether "not equal" is written as in the paper.

    Returns
    -------
    Audit

    Raises
    ------
    InputError
        A release, a claim or an argument that cannot be understood; it is a ValueError.
    ContradictionError
        The published numbers contradict each other; an InputError, too.
    TooLargeError
        More kinds of record stay possible than `max_records`.

    >>> from foregone import tabulate
    >>> release = tabulate({"SEX": ["F", "F", "M"], "AGE": ["1", "2", "2"]}, margins=["SEX", "AGE"])
    >>> [fact.sentence for fact in audit(release) if fact.count == 1]
    ['Exactly one record has AGE: 1.', 'Exactly one record has SEX: M.']
    """
    begin, named = perf_counter(), as_groups(groups)
    if engine not in ENGINES:
        raise InputError(f"--engine {shown(engine)}: use {' or '.join(ENGINES)}")
    if engine == "onehot":
        return onehot_engine(solver, solutions, big_m, named).audit(as_release(release), time_limit, progress)
    if solver != "highs" or solutions is not None or big_m:
        raise InputError("--solver, --solutions, --big-m: are for --engine onehot; set that, or leave them out")
    if isinstance(release, Case):
        return cells.audit_case(release.until(time_limit), groups=named, progress=progress, truth=truth, begin=begin)
    return cells.audit_release(as_release(release), time_limit, max_records, groups=named, progress=progress, truth=truth)


def onehot_engine(solver: str, solutions: int | None, big_m: bool, groups: Groups) -> Engine:
    """The paper's method as an engine."""
    from foregone.onehot.audit import OneHotEngine
    from foregone.onehot.generate import SOLUTIONS
    from foregone.onehot.verify import Negation
    from foregone.solvers.ip.registry import load

    return OneHotEngine(load(solver), solutions or SOLUTIONS, Negation.BIG_M if big_m else Negation.DISJUNCTION, groups)


def verify(
    release: Source, condition: Condition, count: int, *, time_limit: float | None = None, max_records: int = MAX_RECORDS
) -> Finding:
    """Is it certain that exactly `count` records match? The finding is verified, refuted by a witness, or undecided.

    What follows by addition and subtraction, or from one bound, is verified even where no dataset that fits the release is
    found soon; the finding's `reason` then says so, and there is no proof in it, for a proof has to show that some dataset fits.
    `release` may be a path; `condition` a dict, a text such as 'SEX=F, AGE=65-74|75-84', or a Predicate.

    Parameters
    ----------
    release : Release, Case, str or Path
        A release, a case made of one, or the path of one.
    condition : dict, str or Predicate
        Which records: `{"SEX": "F"}` or 'SEX=F, AGE=65-74|75-84'.
    count : int
        How many records are claimed to match.
    time_limit : float, optional
        Seconds; without one it takes as long as it takes. A claim that is not decided by then is undecided.
    max_records : int
        Refuse a release that leaves more kinds of record possible.

    Returns
    -------
    Finding
        `verdict` is verified, refuted (then `witness` is a dataset that breaks the claim) or undecided.

    Raises
    ------
    InputError
        A release, a claim or an argument that cannot be understood; it is a ValueError.
    ContradictionError
        The published numbers contradict each other; an InputError, too.
    TooLargeError
        More kinds of record stay possible than `max_records`.

    >>> from foregone import Domain, Predicate, Release, Statistic
    >>> domain = Domain.of({"SEX": ["F", "M"], "AGE": ["young", "old"]})
    >>> release = Release(domain, (Statistic.exact(Predicate(), 3), Statistic.exact(Predicate.of({"SEX": "F"}), 2)))
    >>> verify(release, {"SEX": "M"}, 1).verdict.value
    'verified'
    >>> verify(release, {"AGE": "old"}, 1).verdict.value
    'refuted'
    """
    deadline, claim = Deadline.after(time_limit), as_claim(release, condition, count)
    return cells.verify(as_case(release, deadline, max_records), claim)


def bounds(
    release: Source, condition: Condition, *, time_limit: float | None = None, max_records: int = MAX_RECORDS
) -> tuple[int, int | None]:
    """The least and the greatest number of records that can match, both attained and both proved.

    The greatest is None when there is none: nothing published limits it, and any number can be reached.

    Parameters
    ----------
    release : Release, Case, str or Path
        A release, a case made of one, or the path of one.
    condition : dict, str or Predicate
        Which records: `{"SEX": "F"}` or 'SEX=F, AGE=65-74|75-84'.
    time_limit : float, optional
        Seconds; without one it takes as long as it takes.
    max_records : int
        Refuse a release that leaves more kinds of record possible.

    Returns
    -------
    tuple
        The least number and the greatest, which is None when there is none.

    Raises
    ------
    InputError
        A release, a claim or an argument that cannot be understood; it is a ValueError.
    ContradictionError
        The published numbers contradict each other; an InputError, too.
    TooLargeError
        More kinds of record stay possible than `max_records`.
    UndecidedError
        It was not decided, for example within `time_limit`.
    """
    deadline, predicate = Deadline.after(time_limit), as_predicate(condition, as_release(release))
    return cells.limits_of(as_case(release, deadline, max_records), predicate)


def possible(
    release: Source, condition: Condition, count: int, *, time_limit: float | None = None, max_records: int = MAX_RECORDS
) -> Possibility:
    """Is there a consistent dataset in which exactly `count` records match?

    Parameters
    ----------
    release : Release, Case, str or Path
        A release, a case made of one, or the path of one.
    condition : dict, str or Predicate
        Which records: `{"SEX": "F"}` or 'SEX=F, AGE=65-74|75-84'.
    count : int
        How many records are claimed to match.
    time_limit : float, optional
        Seconds; without one it takes as long as it takes.
    max_records : int
        Refuse a release that leaves more kinds of record possible.

    Returns
    -------
    Possibility
        `witness` is such a dataset; `impossible` tells that there is none.

    Raises
    ------
    InputError
        A release, a claim or an argument that cannot be understood; it is a ValueError.
    ContradictionError
        The published numbers contradict each other; an InputError, too.
    TooLargeError
        More kinds of record stay possible than `max_records`.
    """
    deadline, claim = Deadline.after(time_limit), as_claim(release, condition, count)
    return cells.possible(as_case(release, deadline, max_records), claim, max_records)


def unique(
    release: Source, *, time_limit: float | Deadline | None = 60.0, max_records: int = MAX_RECORDS, farthest: bool = True
) -> Uniqueness:
    """Does only one dataset fit the release? If not, look for two that are as far apart as possible.

    Whether only one fits is decided exactly. The search for the farthest pair ends when it is proved, or when time runs out. With
    `farthest=False` any two datasets will do, which is much faster.

    Parameters
    ----------
    release : Release, Case, str or Path
        A release, a case made of one, or the path of one.
    time_limit : float, optional
        Seconds; None: as long as it takes.
    max_records : int
        Refuse a release that leaves more kinds of record possible.
    farthest : bool
        Look for two datasets that are as far apart as possible, not for any two.

    Returns
    -------
    Uniqueness
        `verdict` is verified (one dataset), refuted (`first` and `second` both fit, `distance` apart) or undecided.

    Raises
    ------
    InputError
        A release, a claim or an argument that cannot be understood; it is a ValueError.
    ContradictionError
        The published numbers contradict each other; an InputError, too.
    TooLargeError
        More kinds of record stay possible than `max_records`.
    """
    if isinstance(release, Case):
        return cells.unique(release.until(time_limit), farthest)
    return cells.unique_release(as_release(release), time_limit, max_records, farthest)


def uniqueness_proof(release: Source, time_limit: float | None = None, max_records: int = MAX_RECORDS) -> dict[str, Any] | None:
    """A proofs document that the dataset is determined: how many records there are of each kind, and in all. None if it is not."""
    return cells.uniqueness_proof(as_case(release, time_limit, max_records))


def generate(release: Source, k: int, *, time_limit: float | None = None, max_records: int = MAX_RECORDS) -> Generated:
    """Up to k different datasets that fit the release: some that are far apart first, then one after the other.

    `complete` tells whether these are all there are.

    Parameters
    ----------
    release : Release, Case, str or Path
        A release, a case made of one, or the path of one.
    k : int
        How many datasets at most.
    time_limit : float, optional
        Seconds; without one it takes as long as it takes.
    max_records : int
        Refuse a release that leaves more kinds of record possible.

    Returns
    -------
    Generated
        `datasets`, and `complete`: are these all there are?

    Raises
    ------
    InputError
        A release, a claim or an argument that cannot be understood; it is a ValueError.
    ContradictionError
        The published numbers contradict each other; an InputError, too.
    TooLargeError
        More kinds of record stay possible than `max_records`.
    UndecidedError
        It was not decided, for example within `time_limit`.
    """
    wanted = as_count(k)
    if wanted < 0:
        raise InputError(f"the number of datasets to look for is {wanted}; give a number from 1 up")
    return cells.generate(as_case(release, time_limit, max_records), wanted)


def intervals(
    release: Source,
    *,
    hidden: bool = True,
    time_limit: float | None = None,
    max_records: int = MAX_RECORDS,
    progress: Progress | None = None,
    truth: Dataset | None = None,
) -> Intervals:
    """The least and the greatest number of records of each published cell that is withheld or given as a range.

    With `hidden=False`, of every published count. Both ends are reached by some dataset and proved to be the ends; where a limit
    was reached before that (`proved` is false) the numbers still hold: nothing outside them is possible. `truth` is only
    copied beside the answers.

    Parameters
    ----------
    release : Release, Case, str or Path
        A release, a case made of one, or the path of one.
    hidden : bool
        Only cells that are withheld or given as a range; else every published count.
    time_limit : float, optional
        Seconds; without one it takes as long as it takes.
    max_records : int
        Refuse a release that leaves more kinds of record possible.
    progress : callable, optional
        Called with what is being done, how much of it is done, and how much there is.
    truth : Dataset, optional
        The microdata, copied beside the answers and used for nothing else.

    Returns
    -------
    Intervals
        One interval for each cell, in the order of the release.

    Raises
    ------
    InputError
        A release, a claim or an argument that cannot be understood; it is a ValueError.
    ContradictionError
        The published numbers contradict each other; an InputError, too.
    TooLargeError
        More kinds of record stay possible than `max_records`.

    >>> from foregone import Domain, Predicate, Release, Statistic
    >>> women, men = Predicate.of({"SEX": "F"}), Predicate.of({"SEX": "M"})
    >>> domain = Domain.of({"SEX": ["F", "M"]})
    >>> total, hidden = Statistic.exact(Predicate(), 5), [Statistic(women, 1, 4, "women"), Statistic(men, 3, None, "men")]
    >>> [str(interval) for interval in intervals(Release(domain, [total, *hidden]))]
    ['women: published 1 to 4, certainly 1 to 2', 'men: published at least 3, certainly 3 to 4']
    """
    return cells.intervals(as_case(release, time_limit, max_records), hidden, progress, truth)


def explain(
    release: Source,
    condition: Condition,
    count: int | None = None,
    *,
    time_limit: float | None = None,
    most: int = MOST_WAYS,
    tests: int | None = None,
    work: int | None = None,
) -> Explanation:
    """Why exactly `count` records match; without a count, why their number lies within its exact bounds.

    Up to `most` different explanations are looked for; the first is the shortest found. Without a time limit a fixed number of
    `tests` is made, with a fixed amount of `work` for those that need search trees, so that the answer is always the same; with one
    they are limits besides, where they are given.

    Parameters
    ----------
    release : Release, Case, str or Path
        A release, a case made of one, or the path of one.
    condition : dict, str or Predicate
        Which records: `{"SEX": "F"}` or 'SEX=F, AGE=65-74|75-84'.
    count : int, optional
        How many records match for certain; without it, the exact bounds are explained.
    time_limit : float, optional
        Seconds; without one it takes as long as it takes.
    most : int
        How many different explanations to look for.
    tests, work : int, optional
        How much may be tried, instead of a time, so that the answer is always the same.

    Returns
    -------
    Explanation
        The published numbers that force it, and how they do.

    Raises
    ------
    InputError
        A release, a claim or an argument that cannot be understood; it is a ValueError. Also a claim that is not certain.
    ContradictionError
        The published numbers contradict each other; an InputError, too.
    TooLargeError
        More kinds of record stay possible than `max_records`.
    UndecidedError
        It was not decided, for example within `time_limit`.

    >>> from foregone import tabulate
    >>> release = tabulate({"SEX": ["F", "F", "M"], "AGE": ["1", "2", "2"]}, margins=["SEX", "AGE"])
    >>> found = explain(release, {"SEX": "M"}, 1)
    >>> [[release.name_of(i) for i in numbers] for numbers in found.ways.sets]
    [['SEX.2'], ['records', 'SEX.1'], ['SEX.1', 'AGE.1', 'AGE.2']]
    >>> [release.name_of(i) for i in found.ways.withhold]
    ['SEX.1', 'SEX.2']
    """
    source = release if isinstance(release, Case) else as_release(release)
    predicate, deadline = as_predicate(condition, as_release(release)), Deadline.after(time_limit)
    limits = bounds(release, predicate, time_limit=time_limit) if count is None else (as_count(count), as_count(count))
    return cells.explanation_of(source, predicate, limits, deadline, most=most, tests=tests, work=work)


def proof_of_kinds(release: Source, time_limit: float | None = None, max_records: int = MAX_RECORDS) -> dict[str, Any]:
    """A proofs document: every kind of record that has the same number, at least 1, in all datasets."""
    case = as_case(release, time_limit, max_records)
    cells.need_witness(case)
    return cells.proof_of_kinds(case)


@dataclass(frozen=True, slots=True)
class CellsEngine:
    """Records that no statistic tells apart are one cell; exact arithmetic over cells decides every claim."""

    max_records: int = MAX_RECORDS
    groups: Groups = Groups.PUBLISHED
    proves: bool = True
    truth: Dataset | None = None  # the microdata, if they are at hand: a dataset to begin with, never a reason

    def audit(self, release: Release, time_limit: float | None = None, progress: Progress | None = None) -> Audit:
        return audit(
            release,
            time_limit=time_limit,
            max_records=self.max_records,
            progress=progress,
            groups=self.groups,
            truth=self.truth,
        )

    def verify(self, release: Release, predicate: Predicate, count: int, time_limit: float | None = None) -> Finding:
        return verify(release, predicate, count, time_limit=time_limit, max_records=self.max_records)

    def possible(self, release: Release, predicate: Predicate, count: int, time_limit: float | None = None) -> Possibility:
        return possible(release, predicate, count, time_limit=time_limit, max_records=self.max_records)
