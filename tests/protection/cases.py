"""Random small problems of protection: a release with stars, ranges and rules, a policy of any kind, and what may be done.

Records are few and bounded by a number that is kept, so that `brute` can list every dataset that fits whatever is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import pairwise, product
from random import Random

from foregone import Dataset, Domain, Knowledge, Policy, Predicate, Primary, Release, Statistic
from foregone.formats.policy import conflicts
from foregone.model.errors import ForegoneError, InputError
from foregone.model.families import Groups
from foregone.model.marks import Ranges, gaps_of
from foregone.policy.reader import as_read
from foregone.protection.actions import Allowed, problem_of
from foregone.protection.problem import Problem
from tests import oracle

MOST_ACTIONS = 8
ROOM = 1  # how many more records than there are a dataset may have
MARKS: tuple[tuple[str, Ranges], ...] = (
    ("*", ((1, 2),)),
    ("**", ((1, None),)),
    ("-", ((0, None),)),
    ("~", ((0, 0), (2, 2))),
    ("#", ((0, 0), (2, None))),
)
PARTS = ("claims", "attribute", "primary", "stars")
REFUSED = (  # what `protect` says it cannot do, and why
    "is primary and cannot be kept",
    "both_sides could not be judged",
    "it is not clear what a reader makes of a table",
    "is the mark of cells that were not shown before",
    "a new mark would stand for",
    "may be 0, and zeros stay shown",
    "which know says is the most",
    "is kept and tells",
    "a table stays or goes as a whole",
)


@dataclass(frozen=True, slots=True)
class Case:
    """`release` as it is stored, and the problem that is made of it."""

    release: Release
    policy: Policy
    allowed: Allowed
    problem: Problem

    @property
    def largest(self) -> int:
        """The most records that any dataset has."""
        (limit,) = [s.high for s in self.release.statistics if s.name == "limit"]
        assert limit is not None
        return limit

    @property
    def parts(self) -> tuple[str, ...]:
        policy = self.policy
        asked = (policy.about_claims, bool(policy.attribute), policy.primary is not None, policy.stars > 0)
        return tuple(part for part, there in zip(PARTS, asked, strict=True) if there)


def random_case(
    rng: Random,
    releases: Callable[[Random], Release] | None = None,
    policies: Callable[[Random, Release], Policy] | None = None,
    knowing: bool = True,
) -> Case | str:
    """A problem small enough for brute force, or why there is none."""
    release = (releases or random_release)(rng)
    policy = (policies or random_policy)(rng, release)
    allowed, groups = random_allowed(rng, release), rng.choice([Groups.PUBLISHED, Groups.PUBLISHED, Groups.NONE])
    if conflicts(policy):
        return "conflict"
    try:
        read = as_read(release, policy)
    except InputError:
        return "contradiction"  # a count would be larger than the number of records
    datasets = oracle.consistent_datasets(read, release.statistics[-1].high or 0)
    if not any(oracle.has_figures(dataset, read) for dataset in datasets):
        return "contradiction"  # what the policy says is known is not so
    try:
        problem = problem_of(read, policy, allowed, groups, knowing)
    except ForegoneError as error:
        if not any(words in str(error) for words in REFUSED):
            raise
        return "refused"
    return "large" if len(problem.actions) > MOST_ACTIONS else Case(release, policy, allowed, problem)


def some_cases(
    seeds: range,
    releases: Callable[[Random], Release] | None = None,
    policies: Callable[[Random, Release], Policy] | None = None,
    knowing: bool = True,
) -> list[tuple[int, Case]]:
    """The problems of some seeds, and not fewer than half of them."""
    made = [(seed, random_case(Random(seed), releases, policies, knowing)) for seed in seeds]
    found = [(seed, case) for seed, case in made if isinstance(case, Case)]
    assert 2 * len(found) >= len(seeds)
    return found


def random_release(rng: Random) -> Release:
    """Some cells of a table of one or two columns with margins, in a random order; the number of records has a limit."""
    widths = rng.choice([(2,), (3,), (2, 2), (2, 2), (3, 2)])
    codes = {name: [f"{name.lower()}{i}" for i in range(width)] for name, width in zip("AB", widths, strict=False)}
    domain = Domain.of(codes, groups={"A": {"both": ["a0", "a1"]}} if widths[0] > 2 and rng.random() < 0.3 else {})
    every = list(product(*codes.values()))
    truth = Dataset.of(domain, [rng.choice(every) for _ in range(rng.randint(1, 4))])
    sides = [_sides(name, some) for name, some in codes.items()]
    if widths == (3,):
        sides[0] += [{"A": ["a0", "a1"]}, {"A": ["a1", "a2"]}]
    predicates = [Predicate.of({k: v for part in parts for k, v in part.items()}) for parts in product(*sides)]
    chosen = rng.sample(predicates, min(len(predicates), rng.randint(1, 6)))
    cells = [_cell(rng, Statistic.exact(p, truth.count(p), f"T{len(p)}.{i}", f"T{len(p)}")) for i, p in enumerate(chosen)]
    met = set(truth.records)
    rules = [Predicate.of(dict(zip(codes, record, strict=True))) for record in every if rng.random() < 0.1 and record not in met]
    marks = tuple((mark, ranges) for mark, ranges in MARKS if any(cell.mark == mark for cell in cells))
    return Release(replace(domain, marks=marks), [*cells, _limit(truth)], rules)


def _sides(name: str, codes: list[str]) -> list[dict[str, str | list[str]]]:
    """What a cell can say of a column: one of its codes, or nothing."""
    every: list[dict[str, str | list[str]]] = [{name: code} for code in codes]
    return [*every, {}]


def _limit(truth: Dataset) -> Statistic:
    return Statistic(Predicate(), 0, len(truth) + ROOM, "limit", "limit")


def _cell(rng: Random, shown: Statistic) -> Statistic:
    """One in four is not shown, or as a range."""
    count, drawn = shown.low, rng.random()
    if drawn < 0.14:
        fitting = [(mark, meant) for mark, meant in MARKS if _among(count, meant)]
        mark, ranges = rng.choice(fitting) if rng.random() < 0.5 else fitting[0]
        return replace(shown, low=ranges[0][0], high=ranges[-1][1], mark=mark, gaps=gaps_of(ranges))
    if drawn < 0.2:
        return shown.known(0, None)
    if drawn < 0.26:
        return replace(shown, low=max(0, count - 1), high=count + 1)
    return shown


def _among(count: int, ranges: Ranges) -> bool:
    return any(low <= count and (high is None or count <= high) for low, high in ranges)


def random_policy(rng: Random, release: Release) -> Policy:
    """One part most often, or two together, or three."""
    parts = rng.sample(PARTS, rng.choice([1, 1, 1, 2, 2, 3]))
    policy = Policy()
    if "claims" in parts:
        policy = replace(policy, singled_out_columns=rng.randint(1, 2), smallest_group=rng.randint(2, 3))
    if "attribute" in parts:
        names = release.domain.names
        known = rng.choice([None, None, (), names, names[-1:]])
        policy = replace(policy, attribute=(rng.choice(names),), attribute_from=known)
    if "primary" in parts:
        names = tuple(s.name for s in release.statistics[:-1] if s.name)
        listed = [Primary(names=tuple(rng.sample(names, 1)))] if names else []
        primary = rng.choice([Primary(1, 1), Primary(1, 2), Primary(0, 1), *listed])
        policy = replace(policy, primary=primary, min_width=rng.randint(2, 3), both_sides=rng.choice([0, 0, 0, 50]))
    if "stars" in parts:
        policy = replace(policy, stars=rng.choice([2, 2, 3]))
    return replace(policy, know=_knowledge(rng, policy))


def _knowledge(rng: Random, policy: Policy) -> Knowledge | None:
    if rng.random() < 0.5:
        return None
    most = rng.choice([None, 2, 3]) if policy.primary is not None else None
    return Knowledge(rng.random() < 0.5, most)


def about_cells(rng: Random, release: Release) -> Policy:
    """What somebody who only adds and subtracts can be asked: primary cells, and nothing more."""
    del release
    return Policy(primary=rng.choice([Primary(1, 1), Primary(1, 2), Primary(0, 1)]), know=rng.choice([None, Knowledge()]))


def random_allowed(rng: Random, release: Release) -> Allowed:
    """Single cells most often, or tables, numbers rounded, values merged, and all of it."""
    column, *others = release.domain.columns
    pairs = [(column.name, one, other) for one, other in pairwise(column.codes)]
    pairs += [(other.name, other.codes[0], other.codes[1]) for other in others]
    merges = tuple(rng.sample(pairs, min(len(pairs), rng.randint(1, 2))))
    kind = rng.choice(["cell", "cell", "cell", "table", "round", "merge", "only merge", "table, round", "all"])
    costs = {s.name: rng.randint(1, 3) for s in release.statistics if s.name} if rng.random() < 0.4 else {}
    some = [s.name for s in release.statistics[:-1] if s.name]
    keep = ("limit", rng.choice(some)) if some and rng.random() < 0.15 else ("limit",)
    bare = Allowed(keep=keep, costs=costs, marks=rng.choice(["one", "one", "two"]), mark=rng.choice(["", "", "x"]))
    match kind:
        case "table":
            return replace(bare, by="table")
        case "round":
            return replace(bare, bases=(3,), withhold=rng.random() < 0.5)
        case "merge" | "only merge":
            return replace(bare, merges=merges, withhold=kind == "merge")
        case "table, round":
            return replace(bare, by="table", bases=(2, 3))
        case "all":
            return replace(bare, by=rng.choice(["cell", "table"]), bases=(3,), merges=merges)
        case _:
            return replace(bare, sizes=not costs and rng.random() < 0.15)


def taken_at_random(rng: Random, problem: Problem) -> frozenset[int]:
    chance = rng.choice([0.2, 0.5, 0.8])
    return frozenset(a for a in range(len(problem.actions)) if rng.random() < chance)


def records(datasets: Iterable[tuple[oracle.Record, ...]]) -> list[list[list[str]]]:
    """Datasets as a certificate lists them."""
    return [[list(record) for record in dataset] for dataset in datasets]
