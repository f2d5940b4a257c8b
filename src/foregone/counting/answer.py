"""The questions: how many datasets fit, and in what share of them does a claim hold?"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from math import comb, inf
from pathlib import Path
from random import Random

from foregone import engine
from foregone.counting.conditional import chance_in
from foregone.counting.counted import CountedRelease, UnboundedRelease, count_out, sizes_of
from foregone.counting.found import COUNTED, SAMPLED, ClaimShare, Likely
from foregone.counting.graph import TooMuchWork
from foregone.counting.heat_bath import Draws, Interval99, heat_bath
from foregone.counting.placing import placed_dataset
from foregone.counting.prior import HISTOGRAMS, UNIFORM, Masses, Prior, as_prior
from foregone.counting.ranking import likely_claims, likely_records
from foregone.engine import MAX_RECORDS, Case
from foregone.model.audit import Printed, PrintedHow
from foregone.model.claim import Claim, Verdict
from foregone.model.dataset import Dataset
from foregone.model.errors import InputError, UndecidedError
from foregone.model.families import Groups
from foregone.model.predicate import Predicate
from foregone.questions.asked import Condition, Source, as_case, as_count, as_predicate
from foregone.questions.baseline import Guesser
from foregone.solvers.deadline import Deadline

NAMED = (UNIFORM, HISTOGRAMS, "polya:10")  # the priors whose shares stand beside each other
SECONDS = 10.0  # of which counting may use half; what is left is for sampling or ranking
SAMPLES = 400  # perfect ones, that propose claims
MOST_RECORDS_DRAWN = 20_000  # in all of them
LISTED = 10  # records, and claims, that are told
PROPOSED = 40  # claims whose shares are worked out
MOST_POSSIBLE = 10_000  # matching records whose shares are told for one claim


def count_datasets(release: Source, *, time_limit: float | None = None, max_records: int = MAX_RECORDS) -> int | float | None:
    """How many datasets fit a release, exactly: multisets of records, so their order does not matter.

    `math.inf` when nothing published limits the number of records; None when counting them was too much work. A release that
    contradicts itself raises `ContradictionError`.

    Parameters
    ----------
    release : Release, Case, str or Path
        A release, a case made of one, or the path of one.
    time_limit : float, optional
        Seconds; without one it takes as long as it takes.
    max_records : int
        Refuse a release that leaves more kinds of record possible.

    Returns
    -------
    int, float or None
        The number, `math.inf`, or None.

    Raises
    ------
    InputError
        A release, a claim or an argument that cannot be understood; it is a ValueError.
    ContradictionError
        The published numbers contradict each other; an InputError, too.
    TooLargeError
        More kinds of record stay possible than `max_records`.

    >>> from foregone import tabulate
    >>> count_datasets(tabulate({"SEX": ["F", "F", "M"], "AGE": ["1", "2", "2"]}, margins=["SEX", "AGE"]))
    2
    """
    deadline = Deadline.after(time_limit)
    try:
        return count_out(as_case(release, deadline, max_records), deadline).datasets
    except UnboundedRelease:
        return inf
    except (TooMuchWork, UndecidedError):
        return None


def likely(
    release: Source,
    claim: Condition | Claim | None = None,
    *,
    prior: str | Path | Prior = UNIFORM,
    count: int | None = None,
    seconds: float | None = SECONDS,
    table: Guesser | None = None,
    seed: int = 0,
    max_records: int = MAX_RECORDS,
    most_states: int | None = None,
) -> Likely:
    """In what share of the datasets that fit, weighted by a prior, do exactly `count` records match (1, unless told otherwise)?

    Without a claim: the most likely records, and the most likely claims that are not certain. All datasets are counted, exactly,
    where that takes less than half of the `seconds`; otherwise they are sampled, which the answer says, with a 99 % interval.
    `prior` is "uniform", "histograms", "polya:A" or the path of a table of shares; `table` is what a guesser would guess from.
    Answers that were counted are the same every time, and so are the claims that are proposed, with the same `seed`.

    Parameters
    ----------
    release : Release, Case, str or Path
        A release, a case made of one, or the path of one.
    claim : dict, str, Predicate or Claim, optional
        What to ask about; without it the most likely records and claims are listed.
    prior : str, Path or Prior
        "uniform", "histograms", "polya:A" or the path of a table of shares.
    count : int, optional
        How many records match; 1 if not given.
    seconds : float, optional
        For all of it.
    table : Guesser, optional
        What a guesser would guess from.
    seed : int
        Of the sampling.
    max_records : int
        Refuse a release that leaves more kinds of record possible.
    most_states : int, optional
        Sample where counting would keep more states than this.

    Returns
    -------
    Likely
        `share` of the claim with `low` and `high`, or `shares` of several; `method` is counted or sampled.

    Raises
    ------
    InputError
        A release, a claim or an argument that cannot be understood; it is a ValueError. Also a release that does not bound its
        records.
    ContradictionError
        The published numbers contradict each other; an InputError, too.
    TooLargeError
        More kinds of record stay possible than `max_records`.

    >>> from foregone import tabulate
    >>> release = tabulate({"SEX": ["F", "F", "M"], "AGE": ["1", "2", "2"]}, margins=["SEX", "AGE"])
    >>> [likely(release, "SEX=F, AGE=1", prior=prior).share for prior in ("histograms", "uniform")]
    [0.5, 0.6666666666666666]
    """
    deadline, random = Deadline.after(seconds), Random(seed)
    case = as_case(release, None, max_records)
    weighed = as_prior(prior, case.release.domain)
    asked = _asked(claim, count, case)
    try:
        limit = Deadline() if seconds is None else deadline.sooner(seconds / 2)
        return _counted(count_out(case, limit, most_states), weighed, asked, table, random, deadline)
    except TooMuchWork as work:
        return _sampled(
            case, weighed, asked, table, random, deadline if seconds is not None else Deadline.after(SECONDS), str(work)
        )


def _asked(claim: Condition | Claim | None, count: int | None, case: Case) -> Claim | None:
    if claim is None:
        if count is not None:
            raise InputError("a count was given without a claim; name the values that so many records have")
        return None
    if isinstance(claim, Claim):
        as_predicate(claim.predicate, case.release)
        return claim
    return Claim(as_predicate(claim, case.release), 1 if count is None else as_count(count))


class _Shares:
    """What is the same for every claim of an answer."""

    def __init__(self, case: Case, prior: Prior, table: Guesser | None) -> None:
        self.case, self.prior, self.table = case, prior, table
        self.printed = Printed(case.release, Groups.PUBLISHED)
        self.said: dict[tuple[str, frozenset[str]], bool] = {}

    def made(
        self, claim: Claim, found: Interval99, method: str, others: tuple[tuple[str, float], ...] = (), fraction: str | None = None
    ) -> ClaimShare:
        """A share with what the audit and a guesser say of the claim. A share below 1 that was counted is a proof that it is
        not certain."""
        ground = None
        if found.share == 1:
            finding = engine.verify(self.case, claim)
            ground = None if finding.verdict != Verdict.VERIFIED or finding.ground is None else finding.ground.value
        idle = self._idle(claim.predicate)
        how = self.printed.how(claim.predicate, claim.count, idle) if ground is not None else PrintedHow.NO
        guess = modal = None
        if self.table is not None:
            guess, modal = float(self.table.share(claim.predicate)), self.table.modal(claim.predicate)
        spread = found.spread if method == SAMPLED else None
        return ClaimShare(
            claim,
            found.share,
            found.low,
            found.high,
            method,
            self.prior.name,
            ground is not None,
            ground,
            how,
            len(claim.predicate) - len(idle),
            others,
            guess,
            modal,
            spread,
            fraction,
        )

    def _idle(self, claim: Predicate) -> frozenset[str]:
        """The columns of a claim that tell nothing, as in an audit: every possible record has what it says there. Said of
        everybody, it is all that can be said."""
        idle = frozenset(name for name, codes in claim.allowed if self._said_by_all(name, codes))
        return idle if len(idle) < len(claim) else frozenset()

    def _said_by_all(self, name: str, codes: frozenset[str]) -> bool:
        """Has every possible record one of these values?"""
        if (name, codes) not in self.said:
            others = [code for code in self.case.release.domain.column(name).codes if code not in codes]
            nobody = self.case.at_most(Predicate.of({name: others}), 0) if others else None
            self.said[name, codes] = not others or isinstance(nobody, engine.AtMost)
        return self.said[name, codes]


def _counted(
    counted: CountedRelease, prior: Prior, asked: Claim | None, table: Guesser | None, random: Random, deadline: Deadline
) -> Likely:
    shares, datasets = _Shares(counted.case, prior, table), counted.datasets
    domain = counted.case.release.domain
    priors = [as_prior(name, domain) for name in NAMED if name != prior.name]

    def share(claim: Claim) -> ClaimShare:
        value = counted.distribution(prior, claim.predicate, claim.count)[claim.count]
        others = [] if deadline.passed() else priors
        beside = tuple((p.name, float(counted.distribution(p, claim.predicate, claim.count)[claim.count])) for p in others)
        return shares.made(claim, _exactly(value), COUNTED, beside, str(value))

    if asked is not None:
        most = min(max(asked.count, counted.sizes[-1]), MOST_POSSIBLE)
        try:
            every = counted.distribution(prior, asked.predicate, most)
        except TooMuchWork:  # no room for all numbers of matching records: up to the one that was asked about
            every = counted.distribution(prior, asked.predicate, asked.count)
        found = [share(asked)]
        return Likely(
            counted.case.release, prior.name, COUNTED, datasets, datasets, datasets, tuple(found), 0, "", tuple(map(float, every))
        )
    number = max(1, min(SAMPLES, MOST_RECORDS_DRAWN // max(1, counted.sizes[-1])))
    samples = counted.datasets_of(prior, number, random)
    records, claims = _ranked(samples, share, deadline)
    return Likely(counted.case.release, prior.name, COUNTED, datasets, datasets, datasets, (*records, *claims), len(records))


def _exactly(value: Fraction) -> Interval99:
    # a share next to 1 or 0 must not become 1 or 0 in floating point: only what is certain is 1
    share = float(value)
    share = min(share, 1 - 2**-53) if value < 1 else share
    share = max(share, 5e-324) if value > 0 else share
    return Interval99(share, share, share, 1.0)


def _ranked(
    samples: list[Dataset], share: Callable[[Claim], ClaimShare], deadline: Deadline
) -> tuple[list[ClaimShare], list[ClaimShare]]:
    """The most likely records and claims, by their shares."""
    proposed = likely_records(samples, LISTED)
    records = sorted((share(claim) for claim in proposed), key=lambda s: -s.share)
    known = {claim.predicate for claim in proposed}
    found = []
    for claim in likely_claims(samples, proposed, 4 * PROPOSED):
        if claim.predicate not in known:
            found.append(share(claim))
        if sum(not s.certain for s in found) >= PROPOSED or deadline.passed():
            break
    open_ = [s for s in found if not s.certain]
    return records, sorted(open_, key=lambda s: (-s.share, -len(s.claim.predicate)))[:LISTED]


def _sampled(
    case: Case, prior: Prior, asked: Claim | None, table: Guesser | None, random: Random, deadline: Deadline, why: str
) -> Likely:
    sizes = sizes_of(case)
    if len(sizes) > 1:
        raise UndecidedError(
            f"counting all datasets was too much work ({why}), and they can only be sampled where the number of records is known;"
            " publish a total, or give more seconds"
        )
    how, shares = Masses(case.system, prior), _Shares(case, prior, table)
    draws = heat_bath(case, how, sizes[0], deadline, random)

    def share(claim: Claim) -> ClaimShare:
        return shares.made(claim, draws.estimate(partial(chance_in, how, how.of(claim.predicate), claim.count)), SAMPLED)

    release, least, most = case.release, draws.different, _most(how, sizes[0])
    checks = f"{draws.checks}; all datasets were not counted ({why})"
    if asked is not None:
        found = share(asked)
        return Likely(release, prior.name, SAMPLED, None, least, most, (found,), 0, checks, (found.share,))
    records, claims = _ranked(_spelled(how, draws, sizes[0], random), share, Deadline())
    return Likely(release, prior.name, SAMPLED, None, least, most, (*records, *claims), len(records), checks)


def _spelled(how: Masses, draws: Draws, size: int, random: Random) -> list[Dataset]:
    """Some of the draws, evenly spread, with every value of every record."""
    every = [placed for chain in draws.chains for placed in chain]
    number = max(1, min(SAMPLES, MOST_RECORDS_DRAWN // max(1, size), len(every)))
    return [placed_dataset(how, every[i * len(every) // number], random) for i in range(number)]


def _most(how: Masses, size: int) -> int:
    """No more datasets of this size can fit than there are multisets of possible records."""
    kinds = sum(Masses(how.system, Prior(HISTOGRAMS)).of(Predicate()))
    return comb(kinds + size - 1, size) if kinds else 1
