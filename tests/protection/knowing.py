"""What a reader concludes who knows how a protection is chosen, by brute force over every dataset of a small world.

Such a reader runs the same program on every dataset, and keeps those that would have been published exactly as this one was.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import combinations_with_replacement, product
from typing import NamedTuple

from foregone import Dataset, Domain, Knowledge, Policy, Predicate, Release, Statistic
from foregone.model.dataset import Record
from foregone.model.families import Groups
from foregone.protection.actions import Allowed, problem_of
from foregone.protection.exact import ExactAttacker
from foregone.protection.patterns import PublicRule
from foregone.protection.published import protected_release
from foregone.protection.search import ChoiceSearch
from foregone.protection.world import SmallWorld
from foregone.solvers.deadline import Deadline
from tests.policy.brute import breaks
from tests.protection.brute import exact_breaks

TOTAL = "all"  # always kept, so that only datasets of this world fit what is published


class World(NamedTuple):
    """Every dataset of so many records; a column has as many values as its width. A table for each column, one for all columns
    together, and the number of records are published.
    """

    widths: tuple[int, ...]
    records: int

    @property
    def domain(self) -> Domain:
        widths = zip("AB", self.widths, strict=False)
        return Domain.of({name: [f"{name.lower()}{i + 1}" for i in range(width)] for name, width in widths})

    def datasets(self) -> Iterator[Dataset]:
        domain = self.domain
        everything = list(product(*(column.codes for column in domain.columns)))
        for records in combinations_with_replacement(everything, self.records):
            yield Dataset.of(domain, records)

    def release(self, truth: Dataset) -> Release:
        names = truth.domain.names
        cells = [Statistic.exact(Predicate(), len(truth), TOTAL, TOTAL)]
        for columns in dict.fromkeys([*((name,) for name in names), names]):
            for codes in product(*(truth.domain.column(name).codes for name in columns)):
                predicate, table = Predicate.of(dict(zip(columns, codes, strict=True))), " x ".join(columns)
                cells.append(Statistic.exact(predicate, truth.count(predicate), f"{table}.{' '.join(codes)}", table))
        return Release(truth.domain, cells)


class Published(NamedTuple):
    """A dataset, the release that is published of it, and the cells that the policy is about."""

    records: tuple[Record, ...]
    release: Release
    primary: frozenset[int]

    @property
    def withheld(self) -> int:
        """How many cells are not shown."""
        return sum(s.hidden for s in self.release.statistics)


class Measured(NamedTuple):
    """Over all datasets of a world."""

    impossible: int  # datasets that nothing allowed protects, with the number of records kept
    protected: int  # datasets of which something is withheld
    broken: int  # of these, those of which a reader who knows the rule finds out what the policy forbids
    withheld: int  # cells not shown, over all protected datasets


def publish(world: World, truth: Dataset, policy: Policy, by: str) -> Published | None:
    """As `protect` would publish it; None when nothing allowed is enough."""
    problem = problem_of(world.release(truth), policy, Allowed(by, (TOTAL,)))
    found = ChoiceSearch(problem, ExactAttacker(problem), Deadline()).run()
    assert found.optimal or found.impossible is not None, found.reason
    if found.impossible is not None:
        return None
    return Published(tuple(truth.records), protected_release(problem, found.taken, problem.domain), problem.primary)


@lru_cache(maxsize=1)
def published_alike(world: World, policy: Policy, by: str) -> tuple[int, list[list[Published]]]:
    """How many datasets cannot be protected, and all others, those together that are published in the same way."""
    impossible, alike = 0, defaultdict[tuple[Statistic, ...], list[Published]](list)
    for truth in world.datasets():
        one = publish(world, truth, policy, by)
        if one is None:
            impossible += 1
        else:
            alike[tuple(one.release.statistics)].append(one)
    return impossible, list(alike.values())


def measure(world: World, policy: Policy, by: str, judged: Policy | None = None) -> Measured:
    """What knowing the rule tells; broken is the policy, or another one that it is `judged` by."""
    impossible, alike = published_alike(world, policy, by)
    protected = broken = withheld = 0
    for together in alike:
        if not together[0].withheld:
            continue
        kept = [one.records for one in together]
        told = {
            primary: breaks(together[0].release, judged or policy, world.records, primary=primary, kept=kept)
            for primary in {one.primary for one in together}
        }
        assert None not in told.values()
        protected += len(together)
        broken += sum(bool(told[one.primary]) for one in together)
        withheld += sum(one.withheld for one in together)
    return Measured(impossible, protected, broken, withheld)


def measure_by_rule(world: World, policy: Policy, allowed: Allowed, groups: Groups = Groups.PUBLISHED) -> Measured:
    """The same for the rule of `--reader knows-the-rule`; protected are the datasets to which something is done."""
    datasets = list(world.datasets())
    rule = PublicRule(world.release(datasets[0]), policy, allowed, groups)
    known = SmallWorld(rule, datasets)
    known.run()
    broken = broken_by_rule(known, world.records)
    withheld = protected = 0
    for y, (pattern, _) in known.published.items():
        problem = known.problems[y]
        protected += pattern > 0 or (problem is not None and bool(problem.primary))
        withheld += sum(s.hidden for s in known.after(pattern, y).statistics)
    return Measured(len(datasets) - len(known.published), protected, len(broken), withheld)


def broken_by_rule(known: SmallWorld, largest: int) -> list[Dataset]:
    """The datasets of which the policy is broken among those that are published in exactly the same way."""
    alike = defaultdict[tuple[Statistic, ...], list[int]](list)
    for y, (pattern, _) in known.published.items():
        alike[known.after(pattern, y).statistics].append(y)
    found = []
    for together in alike.values():
        kept = [known.datasets[y].records for y in together]
        told: dict[object, bool] = {}  # datasets with the same primary cells, and the same true counts of these if they matter
        for y in together:
            problem = known.problems[y]
            assert problem is not None
            taken = known.rule.taken(problem, known.published[y][0])
            assert taken is not None
            true = [problem.true.get(i) for i in sorted(problem.primary)] if problem.policy.both_sides else []
            same = problem.primary, tuple(true)
            if same not in told:
                told[same] = exact_breaks(problem, taken, largest, kept) or exact_breaks(problem, taken, largest)
            found += [known.datasets[y]] if told[same] else []
    return found


def readers(world: World, policy: Policy, by: str) -> dict[str, Policy]:
    """The policy for a reader who sees that zeros are shown, and for one taken to know nothing but what a mark can stand for;
    one policy where both know the same.
    """
    release = world.release(next(world.datasets()))
    sees, nothing = replace(policy, know=None), replace(policy, know=Knowledge())
    alike = problem_of(release, sees, Allowed(by)).marking == problem_of(release, nothing, Allowed(by)).marking
    return {"either": sees} if alike else {"default": sees, "know = []": nothing}
