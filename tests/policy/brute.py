"""What a policy means, by brute force: the definitions, over every dataset that fits. Shares no code with the judge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise, product
from math import comb

from foregone import Policy, Release, Statistic
from foregone.model.families import Groups
from tests import oracle

Record = oracle.Record
Box = oracle.Box


def reader(release: Release, policy: Policy) -> Release:
    """What the policy says is known besides, put into the cells that are not shown."""
    tables: dict[str, list[bool]] = {}
    for s in release.statistics:
        tables.setdefault(s.table or s.name.rpartition(".")[0] or s.label, []).append(s.withheld or s.mark != "")
    return release.changed(statistics=[_known(s, policy, tables) for s in release.statistics])


def _known(s: Statistic, policy: Policy, tables: Mapping[str, list[bool]]) -> Statistic:
    cells = tables[s.table or s.name.rpartition(".")[0] or s.label]
    gone = len(cells) > 1 and all(cells)
    know = policy.know
    if know is None or not (s.withheld or s.mark):
        return s
    values = [v for v in range(40) if s.holds(v)]  # no dataset here has so many records
    left = [v for v in values if not (know.zeros_shown and not gone and v == 0)]
    named = policy.primary is not None and s.name in policy.primary.names
    if know.primary_at_most is not None and named:
        left = [v for v in left if v <= know.primary_at_most]
    if not left or left == values:
        return s
    high = None if left[-1] == 39 and s.high is None else left[-1]
    ends = [(a + 1, b - 1) for a, b in pairwise(left) if b > a + 1]
    return Statistic(s.predicate, left[0], high, s.name, s.table, s.withheld, s.mark, tuple(ends))


def members(release: Release, name: str, groups: Groups) -> list[frozenset[str]]:
    if groups == Groups.PUBLISHED:
        return sorted(oracle.family(release, name), key=sorted)
    return [frozenset([code]) for code in release.domain.column(name).codes]


def breaks(
    release: Release,
    policy: Policy,
    largest: int,
    groups: Groups = Groups.PUBLISHED,
    primary: frozenset[int] | None = None,
    true: Mapping[int, int] | None = None,
    prior: Sequence[Record] | None = None,
    kept: Sequence[tuple[Record, ...]] | None = None,
    met: set[Record] | None = None,
) -> bool | None:
    """Is the policy broken? None: a part of it cannot be judged, and the rest is kept. `largest` bounds every dataset that fits.

    `primary` are cells that are known to be, `true` the true counts, and `prior` records that somebody guesses from. `kept` are
    the datasets that a reader takes to be possible, if that is not all that fit. `met` are the records of which one has to be
    outside of what a claim says in a column for that column to count, if that is not the possible ones.
    """
    seen = reader(release, policy)
    fitting = oracle.consistent_datasets(seen, largest) if kept is None else kept
    datasets = [records for records in fitting if oracle.has_figures(records, seen)]
    possible = {record for records in datasets for record in records}
    open_ = False
    by_chance = policy.largest_baseline < 1 and policy.singled_out_columns is not None
    if by_chance and prior is None:
        open_ = True
    else:
        for box, count in _claims(seen, policy, datasets, possible, groups, possible if met is None else met):
            chance = _chance(seen, box, count, possible, groups, prior or ()) if by_chance else 0.0
            if chance is not None and chance <= policy.largest_baseline:
                return True
            open_ = open_ or chance is None
    if policy.primary is not None and primary is None and not {s.name for s in seen.statistics} >= set(policy.primary.names):
        open_ = True
    if policy.primary is not None or policy.stars:
        for i, s in enumerate(seen.statistics):
            values = {sum(oracle.matches(r, s.predicate, seen.domain.names) for r in records) for records in datasets}
            hidden = s.withheld or s.mark != ""
            mine = policy.primary is not None and (_is_primary(policy, s, values) if primary is None else i in primary)
            if len(values) < max(policy.stars if hidden else 0, policy.min_width if mine else 0):
                return True
            if policy.both_sides and mine and true is not None:
                share = policy.both_sides * true[i]
                if 100 * (true[i] - min(values)) < share or 100 * (max(values) - true[i]) < share:
                    return True
        open_ = open_ or bool(policy.both_sides and true is None)
    if any(_follows(seen, name, policy.attribute_from, possible, groups) for name in policy.attribute):
        return True
    return None if open_ else False


def _is_primary(policy: Policy, s: Statistic, values: set[int]) -> bool:
    primary = policy.primary
    assert primary is not None
    if primary.low is None or primary.high is None:
        return s.name in primary.names
    return primary.low <= min(values) and max(values) <= primary.high


def _claims(
    release: Release,
    policy: Policy,
    datasets: list[tuple[Record, ...]],
    possible: set[Record],
    groups: Groups,
    met: set[Record],
) -> Iterator[tuple[Box, int]]:
    """Certain claims about few records with as many columns as the policy forbids. A column in which every possible record has
    what the claim says does not count, unless the claim is about all possible records, or is over single codes only."""
    if policy.singled_out_columns is None:
        return
    names = release.domain.names
    choices = [[None, *members(release, name, groups)] for name in names]
    for parts in product(*choices):
        box = tuple((n, g) for n, g in zip(names, parts, strict=True) if g is not None)
        counts = {sum(_inside(r, box, names) for r in records) for records in datasets}
        if len(counts) != 1 or not 0 < min(counts) < policy.smallest_group or not box:
            continue
        common = [(n, g) for n, g in box if all(r[names.index(n)] in g for r in met)]
        everybody = all(_inside(r, box, names) for r in possible)
        if len(box) - (0 if groups == Groups.NONE or everybody else len(common)) >= policy.singled_out_columns:
            yield box, min(counts)


def _chance(release: Release, box: Box, count: int, possible: set[Record], groups: Groups, prior: Sequence[Record]) -> float | None:
    """How likely it is that so many of the records, drawn at random from the prior, are as the fullest words for the same records
    say. None: it is not published how many records there are."""
    low, high = release.size
    if low != high:
        return None
    names = release.domain.names
    meant = [record for record in possible if _inside(record, box, names)]
    full = []
    for at, name in enumerate(names):
        around = [group for group in members(release, name, groups) if all(record[at] in group for record in meant)]
        full += [(name, min(around, key=len))] if around else []
    share = Fraction(sum(_inside(record, tuple(full), names) for record in prior), len(prior))
    return float(comb(low, count) * share**count * (1 - share) ** (low - count))


def _inside(record: Record, box: Box, names: tuple[str, ...]) -> bool:
    return all(record[names.index(n)] in g for n, g in box)


def _follows(release: Release, column: str, known: tuple[str, ...] | None, possible: set[Record], groups: Groups) -> bool:
    """Is there a group without the column that somebody can be in, with one code of it among possible records, though domain and
    rules alone would allow another?"""
    names = release.domain.names
    at, others = names.index(column), [n for n in (names if known is None else known) if n != column]
    valid = oracle.valid_records(release)
    for parts in product(*([None, *members(release, name, groups)] for name in others)):
        box = tuple((n, g) for n, g in zip(others, parts, strict=True) if g is not None)
        here = {r[at] for r in possible if _inside(r, box, names)}
        if len(here) == 1 and len({r[at] for r in valid if _inside(r, box, names)}) > 1:
            return True
    return False
