"""Random small releases with every kind of number and mark, and random policies of every kind to judge them by.

`random_case` draws one. Records are few and bounded, so that `brute` can list every dataset that fits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from random import Random

from foregone import Dataset, Domain, Knowledge, Policy, Predicate, Primary, Release, Statistic
from foregone.model.figure import Figure, Measure
from foregone.model.marks import Ranges, gaps_of
from tests import oracle

LARGEST = 6  # records
MARKS: tuple[tuple[str, Ranges], ...] = (
    ("*", ((1, 2),)),
    ("**", ((1, 4),)),
    ("[c]", ((1, None),)),
    ("[x]", ((0, None),)),
    ("low", ((0, 2),)),
    ("#", ((0, 0), (2, None))),
    ("~", ((0, 1), (3, None))),
    ("%", ((0, 0), (2, 2))),
)
KINDS = (
    "singled_out_columns",
    "smallest_group",
    "attribute",
    "attribute_from",
    "primary range",
    "primary names",
    "min_width",
    "both_sides",
    "stars",
    "know zeros-shown",
    "know primary<=n",
    "know nothing",
    "largest_baseline",
)


@dataclass(frozen=True, slots=True)
class Case:
    """A release, a policy, what else is known for judging it, and the most records that any dataset can have."""

    release: Release
    policy: Policy
    truth: Mapping[int, int] | None  # the true number of each published count
    largest: int
    records: Dataset
    prior: Dataset | None = None  # records to guess from

    @property
    def kinds(self) -> tuple[str, ...]:
        """Which parts of a policy it tries out."""
        policy, know = self.policy, self.policy.know
        primary = policy.primary
        asked = {
            "singled_out_columns": policy.about_claims,
            "smallest_group": policy.about_claims and policy.smallest_group > 2,
            "attribute": bool(policy.attribute),
            "attribute_from": policy.attribute_from is not None,
            "primary range": primary is not None and not primary.names,
            "primary names": primary is not None and bool(primary.names),
            "min_width": primary is not None and policy.min_width > 2,
            "both_sides": policy.both_sides > 0,
            "stars": policy.stars > 0,
            "know zeros-shown": know is not None and know.zeros_shown,
            "know primary<=n": know is not None and know.primary_at_most is not None,
            "know nothing": know == Knowledge(),
            "largest_baseline": policy.largest_baseline < 1,
        }
        assert tuple(asked) == KINDS
        return tuple(kind for kind, there in asked.items() if there)


def random_case(rng: Random) -> tuple[Release, Policy, Mapping[int, int] | None, int]:
    """A release that some dataset fits, a policy, the true counts or None, and the most records of any dataset."""
    case = random_world(rng)
    return case.release, case.policy, case.truth, case.largest


def random_world(rng: Random) -> Case:
    """The same, with records to guess from in some cases."""
    while True:
        truth, release = _release(rng)
        policy = _policy(rng, release)
        true = [sum(oracle.matches(r, s.predicate, release.domain.names) for r in truth.records) for s in release.statistics]
        if _known_of(policy, release, true):
            break
    told = None if policy.both_sides and rng.random() < 0.2 else dict(enumerate(true))
    prior = None
    if policy.largest_baseline < 1 and rng.random() < 0.85:
        prior = Dataset.of(release.domain, [_record(rng, release.domain) for _ in range(rng.randint(3, 9))])
    return Case(release, policy, told, LARGEST, truth, prior)


def _record(rng: Random, domain: Domain) -> tuple[str, ...]:
    return tuple(rng.choice(column.codes) for column in domain.columns)


def _release(rng: Random) -> tuple[Dataset, Release]:
    widths = rng.choice([(2, 2), (2, 3), (2, 2, 2), (3, 2), (4, 2)])
    codes = {name: [str(i + 1) for i in range(width)] for name, width in zip("ABC", widths, strict=False)}
    groups = {"A": {"some": rng.sample(codes["A"], 2)}} if widths[0] > 2 and rng.random() < 0.3 else {}
    domain = replace(Domain.of(codes, groups=groups), marks=MARKS)
    truth = Dataset.of(domain, [_record(rng, domain) for _ in range(rng.choice([1, 2, 3, 4, 5, 6, 6]))])
    drawn = [_rule(rng, domain) for _ in range(rng.choice([0, 0, 1, 1]))]
    rules = [rule for rule in drawn if rule.allowed and not truth.count(rule)]
    cells = [_all(rng, truth)]
    style, hide = rng.choice(["marks", "mixed", "zeros shown", "zeros shown"]), rng.choice([0.0, 0.3, 0.6, 0.9, 1.0, 1.0])
    for t, columns in enumerate(rng.sample(_tables(domain), rng.choice([1, 1, 2, 3]))):
        totals = rng.random() < 0.5
        choices = [[*([""] if totals else []), *domain.column(name).codes] for name in columns]
        for at, values in enumerate(product(*choices)):
            predicate = Predicate.of({name: code for name, code in zip(columns, values, strict=True) if code})
            cells.append(_cell(rng, truth, predicate, f"t{t}.{at}", f"t{t}", style, hide))
    if rng.random() < 0.3:
        cells.append(_cell(rng, truth, _predicate(rng, domain), "more", "", style, hide))
    figures = [figure for figure in [_figure(rng, truth, cells)] if figure is not None] if rng.random() < 0.2 else []
    return truth, Release(domain, cells, rules, figures=figures)


def _tables(domain: Domain) -> list[Sequence[str]]:
    names = domain.names
    return [*((name,) for name in names), *((a, b) for i, a in enumerate(names) for b in names[i + 1 :]), names]


def _all(rng: Random, truth: Dataset) -> Statistic:
    size = len(truth)
    low, high = (size, size) if rng.random() < 0.75 else (size - rng.randint(0, size), rng.randint(size, LARGEST))
    return Statistic(Predicate(), low, high, "all")


def _predicate(rng: Random, domain: Domain) -> Predicate:
    named = rng.sample(domain.columns, rng.randint(0, 2))
    return Predicate.of({c.name: rng.sample(c.codes, rng.randint(1, len(c.codes) - 1)) for c in named})


def _rule(rng: Random, domain: Domain) -> Predicate:
    """Often one that leaves a single code of a column beside one of another."""
    if rng.random() < 0.5:
        return _predicate(rng, domain)
    one, other = rng.sample(domain.columns, 2)
    return Predicate.of({one.name: rng.choice(one.codes), other.name: rng.sample(other.codes, len(other.codes) - 1)})


def _cell(rng: Random, truth: Dataset, predicate: Predicate, name: str, table: str, style: str, hide: float) -> Statistic:
    count = truth.count(predicate)
    shown = Statistic.exact(predicate, count, name, table)
    if rng.random() >= hide or (count == 0 and style == "zeros shown"):
        return shown
    if style == "zeros shown":
        mark = rng.choice(["", "[x]"])
        return replace(shown, low=0, high=None, mark=mark, withheld=not mark)
    drawn = rng.random()
    fitting = [(mark, ranges) for mark, ranges in MARKS if any(a <= count and (b is None or count <= b) for a, b in ranges)]
    if style == "marks" or drawn < 0.5:
        if count == 0 and style == "marks" and rng.random() < 0.4:
            return shown
        gapped = [pair for pair in fitting if len(pair[1]) > 1]
        mark, ranges = rng.choice(gapped if gapped and rng.random() < 0.4 else fitting)
        return replace(shown, low=ranges[0][0], high=ranges[-1][1], mark=mark, gaps=gaps_of(ranges))
    if drawn < 0.85:
        low, high = rng.choice([(0, None), (0, None), (min(count, 1), None), (0, count + 1)])
        return replace(shown, low=low, high=high, withheld=True)
    return replace(shown, low=max(0, count - rng.randint(0, 2)), high=count + rng.randint(0, 1))


def _figure(rng: Random, truth: Dataset, cells: Sequence[Statistic]) -> Figure | None:
    measure = rng.choice(list(Measure))
    base = rng.choice(["", *(cell.name for cell in cells)])
    of = base if measure is Measure.PERCENT else rng.choice(truth.domain.names)
    asked = Figure(measure, of, _predicate(rng, truth.domain), None, None, "figure", withheld=True)
    value = oracle.measure([*truth.records], Release(truth.domain, cells), asked)
    if value is None or any(codes for _, codes in asked.predicate.allowed if len(codes) > 1):
        return None  # that a figure's groups are named by claims is tried elsewhere
    return Figure.printed(measure, of, asked.predicate, f"{float(value):.1f}", "figure")


def _policy(rng: Random, release: Release) -> Policy:
    """One to three kinds of parts together."""
    parts = rng.sample(["claims", "attribute", "primary", "stars"], rng.choice([1, 1, 1, 1, 2, 3]))
    policy = Policy()
    if "claims" in parts:
        policy = replace(policy, singled_out_columns=rng.randint(1, 3), smallest_group=rng.choice([2, 2, 3]))
        if rng.random() < 0.4:
            policy = replace(policy, largest_baseline=rng.choice([0.0, 0.1, 0.3, 0.4, 0.7]))
    if "attribute" in parts:
        names = release.domain.names
        chosen = tuple(rng.sample(names, rng.choice([1, 1, 2])))
        known = tuple(rng.sample(names, rng.randint(0, len(names)))) if rng.random() < 0.5 else None
        policy = replace(policy, attribute=chosen, attribute_from=known)
    if "primary" in parts:
        primary = _primary(rng, release)
        sides = rng.choice([0, 0, 20] if primary.names else [0, 20])
        if sides and rng.random() < 0.6:  # alone, so that it is what decides
            return Policy(primary=primary, both_sides=rng.choice([20, 50]))
        policy = replace(policy, primary=primary, min_width=rng.choice([2, 3]), both_sides=sides)
    if "stars" in parts:
        policy = replace(policy, stars=2 if policy.primary is not None else rng.choice([2, 3]))  # as a file can say it
    return replace(policy, know=_knowledge(rng, policy))


def _primary(rng: Random, release: Release) -> Primary:
    """Mostly such that no primary cell is shown, or there is nothing to find out."""
    hidden = [s.name for s in release.statistics if s.hidden]
    shown = {s.low for s in release.statistics if s.low == s.high and not s.hidden}
    if hidden and rng.random() < 0.6:
        names = rng.sample(hidden, min(len(hidden), rng.choice([1, 1, 1, 2])))
        odd = ["nowhere"] if rng.random() < 0.05 else ["all"] if rng.random() < 0.05 else []
        return Primary(names=(*names, *odd))
    every = [(low, high) for low in range(5) for high in range(low, low + 4)]
    unseen = [(low, high) for low, high in every if shown.isdisjoint(range(low, high + 1))]
    return Primary(*rng.choice(unseen if unseen and rng.random() < 0.7 else every))


def _knowledge(rng: Random, policy: Policy) -> Knowledge | None:
    drawn = rng.random()
    if drawn < 0.3:
        return None
    primary = policy.primary
    zeros = drawn < 0.8 and not (primary is not None and primary.low == 0)
    most = None if primary is None or rng.random() < 0.3 else (primary.high or 1) + rng.randint(0, 2)
    return Knowledge(zeros, most)


def _known_of(policy: Policy, release: Release, true: Sequence[int]) -> bool:
    """Is what the policy says is known true of the counts that are not shown? With a table of which nothing is shown zeros go."""
    know = policy.know or Knowledge()
    named = () if policy.primary is None else policy.primary.names
    tables: dict[str, list[bool]] = {}
    for statistic in release.statistics:
        tables.setdefault(statistic.table or statistic.name, []).append(statistic.hidden)
    for statistic, count in zip(release.statistics, true, strict=True):
        cells = tables[statistic.table or statistic.name]
        if statistic.hidden and know.zeros_shown and count == 0 and not (len(cells) > 1 and all(cells)):
            return False
        if statistic.hidden and know.primary_at_most is not None and statistic.name in named and count > know.primary_at_most:
            return False
    return True
