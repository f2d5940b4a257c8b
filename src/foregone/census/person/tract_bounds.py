"""Is a block determined when its tract's tables bound it from above? Every cell of a tract bounds its part in a block.

The block tables know groups of ages, the tract's know years; datasets are compared by groups. So a dataset by groups is possible
when its persons can be given years that fit the tract. The question is put over groups, with what the bounds of all years
imply for a group; a dataset that comes out is then given years, exactly. One to which no years can be given breaks a further
limit, which is added, and the question put again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import combinations
from math import inf
from time import monotonic

import numpy as np

from foregone.batch.plan import Ints
from foregone.census.person.tables import (
    CLASSES,
    HISPANIC,
    RaceGroup,
    capacity,
    groups,
    person_domain,
    table_parts,
    years_of,
)
from foregone.engine import Uniqueness, fits
from foregone.model.claim import Verdict
from foregone.model.dataset import Dataset
from foregone.model.domain import Domain
from foregone.model.errors import UndecidedError
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.statement import Statement, Statistic
from foregone.questions.ask import unique

FIRST = 0.5  # share of the time for the block tables alone; how far apart two datasets are without bounds can take all of it
ROUNDS = 30  # limits that are added one after the other before a block is left undecided
MOST_KINDS = 12  # classes and origins at one sex and age of which all combinations are looked at

Limit = tuple[int, int, RaceGroup, int]
"""At most so many persons of a sex, a group of ages, and some classes and origins."""


def unique_in_tract(published: Release, tract: Ints, time_limit: float) -> tuple[Uniqueness, Release]:
    """As `unique`, with every cell of the tract tables as an upper bound; `tract` counts persons in the shape of these tables.

    Beside it the release that was asked about last: the block tables, and what was used of the bounds.
    """
    until = monotonic() + time_limit
    found = unique(published, time_limit=time_limit * FIRST)
    if found.verdict is Verdict.VERIFIED:
        return found, published  # what block tables determine, bounds leave determined
    known, limits = published, dict.fromkeys(_implied(histogram(found.first), tract))
    most = found.limit if found.verdict is Verdict.REFUTED else inf
    fitting, reason = dict[Dataset, None](), "the years of age that the tract tables tell apart were not settled"
    for turn in range(ROUNDS):
        fresh, broken = dict[Limit, None](), 0
        for dataset in (found.first, found.second):
            if dataset is not None:
                exceeded = list(_broken(dataset, tract))
                fresh |= dict.fromkeys(limit for limit in exceeded if limit is not None and limit not in limits)
                broken += bool(exceeded)
                fitting |= {} if exceeded else {dataset: None}
        if not broken and (turn or most == found.distance or not limits):
            break  # the farthest pair without further limits fits the tract, so it is the farthest with them
        if turn and not fresh:
            break
        limits |= fresh
        try:
            known = bounded(published, limits)
            found = unique(known, time_limit=max(0.0, until - monotonic()))
        except UndecidedError as error:
            reason = str(error)
            break
        if found.verdict is Verdict.VERIFIED:
            return found, known
        if found.verdict is Verdict.UNDECIDED:
            break
        most = min(most, found.limit)
    return _farthest(fitting, most, replace(found, reason=found.reason or reason)), known


def _farthest(fitting: Iterable[Dataset], most: float, found: Uniqueness) -> Uniqueness:
    """The two datasets farthest apart among those to which years can be given, if there are two; `most` is proved."""
    pairs = [(one.distance(other), one, other) for one, other in combinations(fitting, 2)]
    if not pairs:
        return replace(found, verdict=Verdict.UNDECIDED, second=None, distance=0.0, limit=0.0 if most == inf else most)
    apart, first, second = max(pairs, key=lambda pair: pair[0])
    reason = "" if apart == most else found.reason
    return Uniqueness(Verdict.REFUTED, first, second, apart, most, reason)


def histogram(dataset: Dataset) -> Ints:
    """Persons by sex, group of ages, class of race and origin."""
    columns = dataset.domain.columns
    made = np.zeros((2, len(years_of()), CLASSES, 2), dtype=np.int64)
    for record, n in dataset.kinds:
        sex, age, race, origin = (column.index[code] for column, code in zip(columns, record, strict=True))
        made[sex, age, min(race, CLASSES - 1), origin] += n
    return made


def _implied(persons: Ints, tract: Ints) -> Iterator[Limit]:
    """What all years together imply for a group of ages, where it says more than the number of persons of that sex and age.

    That number is published (P12, P14), so it is the same in every dataset.
    """
    here = persons.sum(axis=(2, 3))
    hispanic = [RaceGroup(frozenset([(race, HISPANIC)])) for race in range(CLASSES)]
    for sex, age in groups(here):
        for part in (*table_parts().values(), *hispanic):
            most = capacity(tract, sex, age, part)
            if most < here[sex, age]:
                yield sex, age, part, most


def bounded(published: Release, limits: Iterable[Limit]) -> Release:
    statistics, sums = list(published.statistics), list(published.workload.sums)
    for number, (sex, age, part, most) in enumerate(limits, start=1):
        name, predicates = f"tract.{number}", part.predicate(sex, age)
        if len(predicates) == 1:
            statistics.append(Statistic(predicates[0], 0, most, name, "tract"))
        else:
            sums.append(Statement(tuple((1, predicate) for predicate in predicates), None, most, name, "tract"))
    return Release(published.domain, statistics, published.rules, sums)


def _broken(dataset: Dataset, tract: Ints) -> Iterator[Limit | None]:
    """A limit for every sex and age at which no years can be given to the persons; None where none was found to be broken."""
    persons = histogram(dataset)
    for sex, age in groups(persons.sum(axis=(2, 3))):
        here, years = persons[sex, age], tract[sex, years_of()[age]]
        if _in_one_year(here, years):
            continue
        limit = _exceeded(sex, age, here, tract)
        if limit is not None:
            yield limit
        elif not _can_be_given_years(here, years):
            yield None


def _in_one_year(here: Ints, years: Ints) -> bool:
    """Can all of them be of the same age? Then that is that."""
    fits = (here[:, 0] <= years[:, :, 0]).all(axis=1) & (here.sum(axis=1) <= years.sum(axis=2)).all(axis=1)
    return bool((fits & (here[:, HISPANIC].sum() <= years[:, :, HISPANIC].sum(axis=1))).any())


def _exceeded(sex: int, age: int, here: Ints, tract: Ints) -> Limit | None:
    """The first combination of classes and origins of which there are more than the tract's years allow together."""
    present = [(int(race), int(origin)) for race, origin in zip(*np.nonzero(here), strict=True)][:MOST_KINDS]
    for size in range(1, len(present) + 1):
        for chosen in combinations(present, size):
            part = RaceGroup(frozenset(chosen))
            most = capacity(tract, sex, age, part)
            if sum(int(here[one]) for one in chosen) > most:
                return sex, age, part, most
    return None


def _can_be_given_years(here: Ints, years: Ints) -> bool:
    """Asked exactly, as a small release: so many of each class and origin, and in every year at most what the tract has."""
    domain = Domain.of(
        {
            "YEAR": [str(year) for year in range(len(years))],
            "CLASS": [str(race) for race in range(CLASSES)],
            "HISPANIC": list(person_domain().column("HISPANIC").codes),
        }
    )
    origins = domain.column("HISPANIC").codes
    stated = [
        Statistic.exact(Predicate.of({"CLASS": str(race), "HISPANIC": origins[origin]}), int(here[race, origin]))
        for race in range(CLASSES)
        for origin in (0, HISPANIC)
    ]
    for part in table_parts().values():
        races = sorted({str(race) for race, _ in part.members})
        which = sorted({origins[origin] for _, origin in part.members})
        for year, there in enumerate(years):
            where = {"YEAR": [str(year)], "CLASS": races, "HISPANIC": which}
            stated.append(Statistic(Predicate.of(where), 0, sum(int(there[one]) for one in part.members)))
    return fits(Release(domain, stated), list(range(len(stated)))) is True
