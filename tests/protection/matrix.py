"""Every kind of policy with every kind of action, for readers who know the rule: all datasets of a small world, one by one.

The judge below knows what docs/protect.md says of policies, and nothing of the program: it gets the datasets that a reader is left
with, as lists of records, and which cells are not shown.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, NamedTuple

from foregone import Dataset, Knowledge, Policy, Predicate, Primary, Release, protect
from foregone.formats.folder import release_texts
from foregone.model.dataset import Record
from foregone.model.errors import ForegoneError, InputError
from foregone.model.families import Groups
from foregone.policy.reader import as_read
from foregone.protection.actions import Allowed
from foregone.protection.patterns import PublicRule
from foregone.protection.world import SmallWorld, datasets_of
from foregone.solvers.deadline import Deadline
from tests.protection.knowing import TOTAL, World

Cell = dict[str, str]  # what a cell says of columns
LINE, SQUARE = World((3,), 5), World((2, 2), 3)
NOTHING, ZEROS = Knowledge(), Knowledge(True)
SMALL, FIRST = Primary(1, 2), Primary(names=("A.a1",))

POLICIES: dict[str, Policy] = {
    "by 1 column": Policy(singled_out_columns=1),
    "by 1 column, know = []": Policy(singled_out_columns=1, know=NOTHING),
    "by 1 column, zeros known": Policy(singled_out_columns=1, know=ZEROS),
    "by 2 columns": Policy(singled_out_columns=2),
    "groups of 3": Policy(singled_out_columns=1, smallest_group=3),
    "groups of 3 by 2 columns": Policy(singled_out_columns=2, smallest_group=3),
    "stars": Policy(stars=2),
    "the default": Policy(singled_out_columns=2, stars=2),
    "the default, know = []": Policy(singled_out_columns=2, stars=2, know=NOTHING),
    "the default, zeros known": Policy(singled_out_columns=2, stars=2, know=ZEROS),
    "attribute": Policy(attribute=("A",)),
    "attribute from nothing": Policy(attribute=("A",), attribute_from=()),
    "attribute from B": Policy(attribute=("A",), attribute_from=("B",)),
    "attribute, by 2 columns": Policy(attribute=("A",), singled_out_columns=2),
    "primary 1..2": Policy(primary=SMALL),
    "primary 1..2, know = []": Policy(primary=SMALL, know=NOTHING),
    "primary 1..2, zeros known": Policy(primary=SMALL, know=ZEROS),
    "primary 1..2, at most 2 known": Policy(primary=SMALL, know=Knowledge(False, 2)),
    "primary 0..1": Policy(primary=Primary(0, 1)),
    "primary 1..2, min_width 3": Policy(primary=SMALL, min_width=3),
    "primary 2..2, both_sides 30": Policy(primary=Primary(2, 2), both_sides=30),
    "primary by name": Policy(primary=FIRST),
    "primary by name, zeros known": Policy(primary=FIRST, know=ZEROS),
    "primary by name, at most 3 known": Policy(primary=FIRST, know=Knowledge(False, 3)),
    "primary by name, min_width 3": Policy(primary=FIRST, min_width=3),
    "primary 1..1, by 2 columns, stars": Policy(primary=Primary(1, 1), singled_out_columns=2, stars=2),
    "primary 1..2, attribute": Policy(primary=SMALL, attribute=("A",)),
}
MERGE = [("A", "a1", "a2")]
ACTIONS: dict[str, dict[str, Any]] = {
    "cells": {},
    "cells with costs": {"costs": {"A.a1": 3}},
    "tables": {"by": "table"},
    "rounding": {"round_to": [3], "withhold": False},
    "cells or rounding": {"round_to": [3]},
    "tables or rounding": {"by": "table", "round_to": [3]},
    "merging": {"merge": MERGE, "withhold": False},
    "cells or merging": {"merge": MERGE},
    "tables or merging": {"by": "table", "merge": MERGE},
    "one mark beside a star": {"marks": "one"},
    "two marks beside a star": {"marks": "two"},
    "cells, single values": {"groups": "none"},
}


class Outcome(NamedTuple):
    """Of all datasets of a world."""

    datasets: int = 0
    none: int = 0  # of which nothing is published
    touched: int = 0  # of which something is not printed as it is
    broken: int = 0
    less: int = 0  # cells that are not printed as they are, over all datasets that are published

    @property
    def mean(self) -> float:
        return self.less / max(1, self.datasets - self.none)


class Printed(NamedTuple):
    """A dataset, its tables, and what is printed of them; nothing may be."""

    dataset: Dataset
    before: Release
    release: Release | None

    @property
    def text(self) -> str:
        """Every byte of the folder that is published."""
        return "" if self.release is None else json.dumps(release_texts(self.release))


def starred(release: Release) -> Release | None:
    """The last count was not shown before, and its star says 1 to 2; None where that would be wrong."""
    *others, last = release.statistics
    star = replace(last, low=1, high=2, mark="*")
    return Release(replace(release.domain, marks=(("*", ((1, 2),)),)), [*others, star]) if 1 <= last.low <= 2 else None


def releases(world: World, options: dict[str, Any]) -> list[tuple[Dataset, Release]]:
    """Every dataset with its tables; one cell of them is starred where marks are asked for."""
    made = ((d, starred(world.release(d)) if "marks" in options else world.release(d)) for d in world.datasets())
    return [(dataset, release) for dataset, release in made if release is not None]


def one_by_one(
    some: Sequence[tuple[Dataset, Release]], policy: Policy, options: dict[str, Any], reader: str = "knows-the-rule"
) -> list[Printed]:
    """As the program protects each. Where it was not shown that a reader who knows the rule is withstood, nothing is published."""
    made = []
    for dataset, release in some:
        try:
            found = protect(release, policy, keep=[TOTAL], reader=reader, **options)
        except ForegoneError:
            found = None
        made.append(Printed(dataset, release, None if found is None or found.reader == "not shown" else found.release))
    return made


def all_at_once(some: Sequence[tuple[Dataset, Release]], policy: Policy, options: dict[str, Any]) -> list[Printed]:
    """What the program does with each of them, worked out once for all."""
    changed = {"round_to": "bases", "merge": "merges"}
    asked: dict[str, Any] = {changed.get(name, name): v for name, v in options.items() if name != "groups"}
    allowed, groups = Allowed(keep=(TOTAL,), **asked), Groups(options.get("groups", "published"))
    rules = (PublicRule(as_read(release, policy), policy, allowed, groups) for _, release in some)
    rule = next(rule for rule in rules if _accepted(rule))
    datasets = datasets_of(rule, Deadline())
    assert datasets is not None
    known, places = SmallWorld(rule, datasets), {dataset: y for y, dataset in enumerate(datasets)}
    known.run()
    published = {y: known.after(pattern, y) for y, (pattern, _) in known.published.items()}
    return [Printed(dataset, release, published.get(places[dataset])) for dataset, release in some]


def _accepted(rule: PublicRule) -> bool:
    """Some datasets may be refused, as a mark beside theirs would be misunderstood."""
    try:
        return bool(rule.problem_as_it_is)
    except ForegoneError:
        return False


def refused(some: Sequence[tuple[Dataset, Release]], policy: Policy, options: dict[str, Any]) -> str:
    """Why this is not done for readers who know the rule, whatever the dataset; empty if it is done."""
    why = ""
    for _, release in some:
        try:
            protect(release, policy, keep=[TOTAL], reader="knows-the-rule", **options)
        except InputError as error:
            why = str(error)
        else:
            return ""
    return why


def outcome(world: World, policy: Policy, printed: Sequence[Printed], literally: bool = False) -> Outcome:
    """What a reader finds out who keeps the datasets of which exactly the same is printed."""
    alike: dict[str, list[Printed]] = defaultdict(list)
    for one in printed:
        alike[one.text].append(one)
    none = len(alike.pop("", []))
    touched = broken = less = 0
    for text, together in alike.items():
        kept = [one.dataset.records for one in together]
        for one in together:
            assert one.release is not None
            shown = set(one.release.statistics)
            less += sum(s not in shown for s in one.before.statistics)
            touched += text != Printed(one.dataset, one.before, one.before).text
            broken += told(policy, world, kept, one, literally)
    return Outcome(len(printed), none, touched, broken, less)


def told(policy: Policy, world: World, kept: Sequence[Sequence[Record]], one: Printed, literally: bool = False) -> bool:
    """Is something certain that the policy of one dataset forbids, if these datasets are all that is possible?"""
    columns = {column.name: column.codes for column in world.domain.columns}
    assert one.release is not None
    hidden = [_cell(s.predicate) for s in one.release.statistics if s.hidden]
    if any(len(counts(world, kept, cell)) < policy.stars for cell in hidden):
        return True
    if policy.primary is not None:
        for name, cell in _cells(columns):
            true = count(world, one.dataset.records, cell)
            values = counts(world, kept, cell)
            if policy.primary.holds(name, true, true) and (len(values) < policy.min_width or _one_sided(policy, true, values)):
                return True
    return _claimed(policy, world, kept, columns, literally) or any(
        _attribute(policy, world, kept, columns, name) for name in policy.attribute
    )


def count(world: World, records: Sequence[Record], cell: Cell) -> int:
    names = list(world.domain.names)
    return sum(all(record[names.index(name)] == code for name, code in cell.items()) for record in records)


def counts(world: World, kept: Sequence[Sequence[Record]], cell: Cell) -> set[int]:
    return {count(world, records, cell) for records in kept}


def _cells(columns: dict[str, tuple[str, ...]]) -> Iterator[tuple[str, Cell]]:
    """Every count of the release by its name, but for the number of records."""
    for names in dict.fromkeys([*((name,) for name in columns), tuple(columns)]):
        for codes in product(*(columns[name] for name in names)):
            yield f"{' x '.join(names)}.{' '.join(codes)}", dict(zip(names, codes, strict=True))


def _cell(predicate: Predicate) -> Cell:
    return {name: code for name, codes in predicate.allowed for code in codes}


def _one_sided(policy: Policy, true: int, values: set[int]) -> bool:
    share = policy.both_sides * true
    return 100 * (true - min(values)) < share or 100 * (max(values) - true) < share


def _claimed(
    policy: Policy, world: World, kept: Sequence[Sequence[Record]], columns: dict[str, tuple[str, ...]], literally: bool
) -> bool:
    """Does a claim hold in all of them? A column that all records agree in does not count, unless the claim is about all."""
    if policy.singled_out_columns is None:
        return False
    for _, cell in _cells(columns):
        values = counts(world, kept, cell)
        everybody = all(count(world, records, cell) == len(records) for records in kept)
        same = [name for name, code in cell.items() if all(count(world, d, {name: code}) == len(d) for d in kept)]
        counted = len(cell) - (0 if everybody or literally else len(same))
        if len(values) == 1 and 0 < min(values) < policy.smallest_group and counted >= policy.singled_out_columns:
            return True
    return False


def _attribute(
    policy: Policy, world: World, kept: Sequence[Sequence[Record]], columns: dict[str, tuple[str, ...]], name: str
) -> bool:
    """Is there a group in which everybody who can be in it has the same value?"""
    names = list(world.domain.names)
    known = [n for n in names if n != name and (policy.attribute_from is None or n in policy.attribute_from)]
    possible = {record for records in kept for record in records}
    for codes in product(*(["", *columns[n]] for n in known)):
        group = [r for r in possible if all(c in ("", r[names.index(n)]) for n, c in zip(known, codes, strict=True))]
        if len({record[names.index(name)] for record in group}) == 1:
            return True
    return False
