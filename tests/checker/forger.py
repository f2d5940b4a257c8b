"""A forger: writes proofs of false claims on purpose, over small releases that brute force judges.

Nothing false may be accepted, and nothing genuine rejected. `python -m tests.checker.forger --seconds 600` hunts for ten
minutes and says how many forgeries of each kind were tried.

The forger knows the checker. It lists a single dataset that fits and claims what is true there but not everywhere, so that
no listed dataset gives it away. Most of its proofs are genuine ones about a slightly different world (with one more rule, or
with a number changed), in which the claim is certain; what makes the world different is then justified by a lie.
"""

from __future__ import annotations

import argparse
import copy
import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import combinations, product
from time import monotonic
from typing import Any

import numpy as np

from foregone import Dataset, Domain, ForegoneError, Predicate, Release, Statistic, audit
from foregone.checker.check import check
from foregone.checker.rows import Release as Rows
from foregone.checker.rows import release_of
from foregone.checker.seal import digest
from foregone.engine.bounds.prover import Prover
from foregone.engine.system.linear import compile_release
from foregone.model.statement import Statement
from foregone.questions import proofs as proofs_module
from foregone.questions.check import plain
from tests import oracle

Json = dict[str, Any]
Record = tuple[str, ...]
Where = dict[str, Any]

WORLDS = 6  # of each kind, about each release


@dataclass
class Case:
    """A release, all datasets that fit it, and genuine proofs about it."""

    release: Release
    rows: Rows
    datasets: list[tuple[Record, ...]]
    document: Json
    worlds: list[tuple[Where, Json]] = field(default_factory=list)  # one more rule, and proofs in the world that has it
    numbers: list[tuple[int, int, Json]] = field(default_factory=list)  # a statistic, another value, and proofs in that world
    unruled: list[tuple[Record, ...]] = field(default_factory=list)  # datasets with the right counts that break a rule
    _counts: dict[str, set[int]] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        return self.release.domain.names

    def count(self, where: Where, records: tuple[Record, ...]) -> int:
        allowed = [(self.names.index(name), [codes] if isinstance(codes, str) else codes) for name, codes in where.items()]
        return sum(all(record[c] in codes for c, codes in allowed) for record in records)

    def counts(self, where: Where) -> set[int]:
        """How many records can match."""
        key = repr(sorted(where.items()))
        if key not in self._counts:
            self._counts[key] = {self.count(where, records) for records in self.datasets}
        return self._counts[key]

    def certain(self) -> list[tuple[Where, int]]:
        """Every conjunction of single values with the same count, at least 1, in all datasets."""
        found = []
        for size in range(1, len(self.names) + 1):
            for chosen in combinations(self.release.domain.columns, size):
                for codes in product(*(column.codes for column in chosen)):
                    where = {column.name: code for column, code in zip(chosen, codes, strict=True)}
                    if self.datasets and len(self.counts(where)) == 1 and self.counts(where) != {0}:
                        found.append((where, min(self.counts(where))))
        return found


def random_release(rng: random.Random) -> tuple[Release, Dataset]:
    """Two or three small columns, a hidden truth, some tables, some counts blurred, some rules."""
    widths = rng.choice([(2, 2), (2, 3), (3, 3), (2, 2, 2), (2, 2, 3)])
    domain = Domain.of({name: [f"{name.lower()}{i}" for i in range(width)] for name, width in zip("ABC", widths, strict=False)})
    everything = list(product(*(column.codes for column in domain.columns)))
    truth = Dataset.of(domain, rng.choices(everything, k=rng.randint(1, 4)))
    chosen = [Predicate()]
    for _ in range(rng.randint(1, 3)):
        names = rng.sample(domain.names, rng.randint(1, 2))
        cells = product(*(domain.column(name).codes for name in names))
        chosen += [Predicate.of(dict(zip(names, codes, strict=True))) for codes in cells]
    for _ in range(rng.randint(0, 3)):
        chosen.append(Predicate.of(random_where(rng, domain)))
    statistics = []
    for number, predicate in enumerate(chosen):
        count = truth.count(predicate)
        blur = rng.random() < (0.1 if number == 0 else 0.25)
        low, high = max(0, count - blur * rng.randint(0, 2)), count + blur * rng.randint(0, 2)
        statistics.append(Statistic(predicate, min(low, len(truth)), min(high, 4) if number == 0 else high))
    rules = [Predicate.of(where) for _ in range(rng.randint(0, 2)) if (where := random_where(rng, domain))]
    ruled = [rule for rule in rules if truth.count(rule) == 0]
    sums = [random_sum(rng, truth) for _ in range(rng.choice([0, 0, 1, 2]))]
    return Release(domain, statistics, ruled, sums), truth


def random_sum(rng: random.Random, truth: Dataset) -> Statement:
    """A weighted sum of counts with limits around its true value; either end may be open."""
    weights = rng.choices([-2, -1, 1, 2, 3], k=rng.randint(1, 3))
    terms = tuple((weight, Predicate.of(random_where(rng, truth.domain))) for weight in weights)
    value = truth.value(terms)
    low, high = (rng.choice([None, value, value + sign * rng.randint(0, 2)]) for sign in (-1, 1))
    return Statement(terms, low, high)


def with_parts(release: Release, statistics: Any = None, rules: Any = None) -> Release:
    """A release with other statistics or rules."""
    kept = release.statistics if statistics is None else statistics
    return Release(release.domain, kept, release.rules if rules is None else rules, release.statements)


def fitting(release: Release) -> list[tuple[Record, ...]]:
    """Every dataset that fits, by brute force."""
    found = oracle.consistent_datasets(release, 6)
    if not release.statements:
        return list(found)
    made = ((records, Dataset.of(release.domain, records)) for records in found)
    return [records for records, data in made if all(s.holds(data.value(s.terms)) for s in release.statements)]


def random_where(rng: random.Random, domain: Domain, single: bool = False) -> Where:
    columns = rng.sample(domain.columns, rng.randint(1, len(domain.columns)))
    return {c.name: [rng.choice(c.codes)] if single else rng.sample(c.codes, rng.randint(1, len(c.codes))) for c in columns}


def make_case(rng: random.Random) -> Case | None:
    release, _ = random_release(rng)
    document = proofs_or_none(release, complete=True)
    if document is None:
        return None
    if rng.random() < 0.1:  # numbers changed after the proofs were written: often nothing fits any more
        k = rng.randrange(len(release.statistics))
        changed = Statistic.exact(release.statistics[k].predicate, rng.randint(0, 4))
        try:
            release = with_parts(release, (*release.statistics[:k], changed, *release.statistics[k + 1 :]))
        except ForegoneError:
            return None
    case = Case(release, release_of(plain(release)), fitting(release), document)
    if release.rules:
        free = set(fitting(with_parts(release, rules=()))) - set(case.datasets)
        case.unruled = sorted(free)[:20]
    for _ in range(WORLDS):
        case.worlds += other_world(rng, case)
        case.numbers += other_number(rng, case)
    return case


def other_world(rng: random.Random, case: Case) -> Iterator[tuple[Where, Json]]:
    """A world with one more rule, which some but not all datasets that fit obey."""
    where = random_where(rng, case.release.domain)
    where = {n: codes for n, codes in where.items() if len(codes) < len(case.release.domain.column(n).codes)}
    if where and case.counts(where) not in ({0}, set()):
        other = proofs_or_none(with_parts(case.release, rules=(*case.release.rules, Predicate.of(where))))
        if other is not None:
            yield where, other


def other_number(rng: random.Random, case: Case) -> Iterator[tuple[int, int, Json]]:
    """A world in which a statistic has one value, which it may or may not have in this one."""
    k = rng.randrange(len(case.release.statistics))
    predicate = case.release.statistics[k].predicate
    seen = sorted(case.counts(where_of(predicate))) or [1]
    value = rng.choice([*seen, *seen, max(0, seen[0] - 1), seen[-1] + 1])
    numbers = (*case.release.statistics[:k], Statistic(predicate, value, value), *case.release.statistics[k + 1 :])
    try:
        other = proofs_or_none(with_parts(case.release, numbers))
    except ForegoneError:
        return
    if other is not None:
        yield k, value, other


def proofs_or_none(release: Release, complete: bool = False) -> Json | None:
    try:
        return proofs_module.proofs(audit(release), complete)
    except ForegoneError:
        return None


def where_of(predicate: Predicate) -> Where:
    return {name: sorted(codes) for name, codes in predicate.allowed}


# What a forgery starts from


def sealed(document: Json) -> Json:
    return {**document, "digest": digest(document)}


def rewritten(case: Case, document: Json) -> Json:
    """A document about another release, as if it were about this one."""
    return {**copy.deepcopy(document), "release": case.rows.fingerprint}


def listed(records: tuple[Record, ...]) -> list[Any]:
    return [{"n": n, "record": list(record)} if n > 1 else list(record) for record, n in sorted(Counter(records).items())]


def silenced(rng: random.Random, case: Case, document: Json) -> Json:
    """Only datasets that do not give the claims away stay: one that most claims of the file agree with."""
    some = rng.sample(case.datasets, min(8, len(case.datasets)))

    def broken(records: tuple[Record, ...]) -> int:
        return sum(case.count(fact["claim"], records) != fact["count"] for fact in document["facts"])

    document["witnesses"] = [listed(min(some, key=broken))] if some else []
    return document


def first_free(release: Release) -> int:
    return 2 * (len(release.all_statements) + len(release.rules))


def term_lists(document: Json) -> list[list[Any]]:
    """Every list of terms in steps and trees."""
    found: list[list[Any]] = []
    stack: list[Any] = [document["steps"], document["facts"]]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            found += [node[key] for key in ("terms", "prune") if isinstance(node.get(key), list)]
            stack += list(node.values())
        elif isinstance(node, list):
            stack += node
    return [terms for terms in found if terms]


def renumbered(document: Json, move: Callable[[int], int]) -> Json:
    for terms in term_lists(document):
        for term in terms:
            term[0] = move(term[0])
    return document


def trees(document: Json) -> list[Json]:
    found: list[Json] = []
    stack: list[Any] = [document["steps"], document["facts"]]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            if "terms" in node or "split" in node:
                found.append(node)
            stack += list(node.values())
        elif isinstance(node, list):
            stack += node
    return found


# Lies that make a box look empty, or a number smaller: each gives steps and how many rows they add


def lie_about(rng: random.Random, case: Case, form: list[Any], bound: int) -> tuple[str, list[Json]]:
    """A derived row 'form <= bound' with a proof that does not hold."""
    free, rows = first_free(case.release), range(first_free(case.release) + 3)
    some = [[row, rng.choice([1, 1, 2, 10**30])] for row in rng.sample(rows, min(len(rows), rng.randint(0, 3)))]
    lows = [[2 * k + 1, 1] for k, s in enumerate(case.release.statistics) if s.low]
    highs = [[2 * k, 1] for k, s in enumerate(case.release.statistics)]
    below = {"terms": [[free, 1]], "over": 1}
    kind, tree = rng.choice(
        [
            ("no terms", {"terms": [], "over": 1}),
            ("random terms", {"terms": some, "over": rng.choice([1, 2, 10**9])}),
            ("divided away", {"terms": rng.sample(highs, min(len(highs), rng.randint(1, 3))), "over": 10**9}),
            ("own row", {"terms": [[free, 1]], "over": 1}),
            ("nothing fits", {"terms": rng.sample(lows, min(len(lows), 2)), "nothing": True}),
            ("negative multiplier", {"terms": [[row, -1] for row, _ in highs[:2]], "over": 1}),
            ("multiplier zero", {"terms": [[row, 0] for row, _ in highs[:2]], "over": 1}),
            ("negative over", {"terms": highs[:1], "over": -1}),
            ("over zero", {"terms": highs[:1], "over": 0}),
            ("half a split", {"split": form, "at": bound, "below": below, "above": below}),
            ("other branch", {"split": form, "at": bound, "below": below, "above": {"terms": [[free, 1]], "nothing": True}}),
            ("gap", {"split": form, "at": bound, "below": below, "above": {"terms": [[free, 1], [2 * len(highs), 1]], "over": 1}}),
            ("split row outside", {"terms": [[free, 1], [free + 1, 1]], "nothing": True}),
            ("high and low swapped", {"terms": [[row ^ 1, 1] for row, _ in highs[:2]], "over": 1}),
        ]
    )
    return kind, [{"bound": form, "at_most": bound, "proof": tree}]


def lie_that_empty(rng: random.Random, case: Case, where: Where) -> tuple[str, list[Json], int]:
    """Steps after which no record of a box is possible; none of them is justified."""
    column = rng.choice(list(where))
    codes = case.release.domain.column(column).codes
    rest = [code for code in codes if code not in where[column]]
    cut = [{"columns": name, "sets": [[c] for c in case.release.domain.column(name).codes]} for name in where]
    free = first_free(case.release)
    statistics = range(len(case.release.statistics))
    choice = rng.randrange(6)
    if choice == 0 and rest:
        return "sets that do not cover", [{"columns": column, "sets": rng.choice([[rest], [[code] for code in rest]])}], 0
    if choice == 1:
        some = rng.sample(statistics, min(len(statistics), 2))
        terms = [[rng.choice([2 * k, 2 * k, 2 * k + 1]), rng.choice([1, 1, 2])] for k in some]
        return "prune by a count that is not 0", [*cut, {"prune": terms}], 0
    if choice == 2:  # container less parts that overlap, stick out, or are dead and counted several times
        parts = rng.sample(statistics, min(len(statistics), rng.randint(1, 4)))
        terms = [[2 * rng.choice(statistics), 1], *([2 * k + 1, rng.choice([1, 1, 2, 3])] for k in parts)]
        return "container with wrong parts", [*cut, {"prune": terms}], 0
    if choice == 3:
        return "row that is not there", [*cut, {"prune": [[rng.choice([free, free + 1, 10**6, -1]), 1]]}], 0
    if choice == 4:
        return "not refined", [{"prune": [[rng.choice(range(free)), 1] for _ in range(1)]}], 0
    kind, steps = lie_about(rng, case, [[1, where]], 0)
    return f"empty: {kind}", [*steps, *cut, {"prune": [[free, 1]]}], 1


# Kinds of forgeries


def another_world(rng: random.Random, case: Case) -> tuple[str, Json] | None:
    """A genuine proof in a world with one more rule; the rule is replaced by a lie."""
    if not case.worlds:
        return None
    where, other = rng.choice(case.worlds)
    kind, steps, added = lie_that_empty(rng, case, where)
    document, rule = rewritten(case, other), first_free(case.release)
    # the rule's own row goes; rows derived after it move
    kept = [{"prune": [t for t in step["prune"] if t[0] != rule]} if "prune" in step else step for step in document["steps"]]
    document["steps"] = [step for step in kept if step != {"prune": []}]
    renumbered(document, lambda row: row if row < rule else row - 2 + added)
    document["steps"] = steps + document["steps"]
    return kind, silenced(rng, case, document)


def another_number(rng: random.Random, case: Case) -> tuple[str, Json] | None:
    """A genuine proof in a world with one number changed; that number is replaced by a lie, or just believed."""
    if not case.numbers:
        return None
    k, value, other = rng.choice(case.numbers)
    document = rewritten(case, other)
    if rng.random() < 0.3:
        return "another number believed", silenced(rng, case, document)
    free, upper = first_free(case.release), rng.random() < 0.5
    sign, moved = (1, 2 * k) if upper else (-1, 2 * k + 1)
    kind, steps = lie_about(rng, case, [[sign, where_of(case.release.statistics[k].predicate)]], sign * value)
    renumbered(document, lambda row: free if row == moved else row if row < free else row + 1)
    document["steps"] = steps + document["steps"]
    return f"number: {kind}", silenced(rng, case, document)


def other_claims(rng: random.Random, case: Case) -> tuple[str, Json] | None:
    """Genuine trees under claims that they do not prove."""
    document = rewritten(case, case.document)
    if not document["facts"] or not case.datasets:
        return None
    records = rng.choice(case.datasets)
    kind = rng.choice(["another claim", "another count", "a wider claim", "a narrower claim", "a false form", "trees of two facts"])
    for fact in document["facts"]:
        match kind:
            case "another claim" | "trees of two facts":
                fact["claim"], fact["forms"] = random_where(rng, case.release.domain), []
                if kind == "trees of two facts":
                    fact["upper"], fact["lower"] = (rng.choice(case.document["facts"])[side] for side in ("upper", "lower"))
            case "another count":
                fact["count"] = max(0, fact["count"] + rng.choice([-1, 1]))
            case "a wider claim":
                fact["claim"] = {n: rng.choice([v, [*case.release.domain.column(n).codes]]) for n, v in fact["claim"].items()}
            case "a narrower claim":
                fact["claim"] = {**random_where(rng, case.release.domain, single=True), **fact["claim"]}
            case "a false form":
                fact["forms"] = [random_where(rng, case.release.domain, single=True), *fact["forms"]]
        if kind != "another count" and rng.random() < 0.8:
            fact["count"] = case.count(fact["claim"], records)
    document["witnesses"] = [listed(records)]
    return kind, document if rng.random() < 0.5 else silenced(rng, case, document)


def tampered(rng: random.Random, case: Case) -> tuple[str, Json] | None:
    """One thing of a genuine proof changed; all datasets stay."""
    document = rewritten(case, case.document)
    terms = term_lists(document)
    steps = document["steps"]
    nodes = trees(document)
    kind = rng.choice(["terms", "trees", "steps", "sets", "forms", "splits"])
    match kind:
        case "terms" if terms:
            some = rng.choice(terms)
            term = rng.choice(some)
            change = rng.randrange(7)
            if change == 0:
                term[0] ^= 1
            elif change == 1:
                term[0] = rng.randrange(first_free(case.release) + 3)
            elif change == 2:
                term[1] = rng.choice([0, -1, -term[1], term[1] + 1, term[1] - 1, 10**40, True, float(term[1])])
            elif change == 3:
                some.append(list(term))
            elif change == 4:
                some.remove(term)
            elif change == 5:
                some.append([rng.randrange(first_free(case.release) + 3), rng.randint(1, 3)])
            else:
                term[0] = first_free(case.release) + rng.randrange(3)
        case "trees" if nodes:
            node = rng.choice(nodes)
            if "over" in node and rng.random() < 0.5:
                node["over"] = rng.choice([0, -1, node["over"] + 1, 10**30, True, 1.0])
            elif "over" in node:
                del node["over"]
                node["nothing"] = True
            elif "nothing" in node:
                node["nothing"] = rng.choice([1, "true", False])
        case "steps" if steps:
            at = rng.randrange(len(steps))
            change = rng.randrange(5)
            if change == 0:
                del steps[at]
            elif change == 1:
                rng.shuffle(steps)
            elif change == 2:
                steps.insert(at, copy.deepcopy(rng.choice(steps)))
            elif change == 3:
                steps[at] = copy.deepcopy(rng.choice(steps))
            else:
                steps.reverse()
        case "sets":
            cuts = [step for step in steps if "columns" in step]
            if not cuts:
                return None
            step = rng.choice(cuts)
            change = rng.randrange(4)
            if change == 0:
                step["sets"].remove(rng.choice(step["sets"]))
            elif change == 1:
                some_set = rng.choice(step["sets"])
                some_set.append(rng.choice(case.release.domain.column(step["columns"]).codes))
            elif change == 2:
                step["sets"].append(copy.deepcopy(rng.choice(step["sets"])))
            else:
                step["sets"] = []
        case "forms":
            for fact in document["facts"]:
                change = rng.randrange(4)
                if change == 0:
                    fact["forms"] = []
                elif change == 1 and fact["forms"]:
                    fact["claim"] = dict(fact["forms"][0])
                elif change == 2 and len(fact["forms"]) > 1:
                    fact["forms"] = fact["forms"][:1]
                elif change == 3 and fact["claim"]:
                    name = rng.choice(list(fact["claim"]))
                    fact["claim"] = {n: v for n, v in fact["claim"].items() if n != name}
            if rng.random() < 0.3 and document["facts"]:
                document["facts"].remove(rng.choice(document["facts"]))
        case "splits":
            splits = [node for node in nodes if "split" in node]
            if not splits:
                return None
            node = rng.choice(splits)
            change = rng.randrange(4)
            if change == 0:
                node["at"] += rng.choice([-1, 1])
            elif change == 1:
                node["below"], node["above"] = node["above"], node["below"]
            elif change == 2:
                side = node[rng.choice(["below", "above"])]
                node.clear()
                node.update(side)
            else:
                node["split"] = [[rng.choice([-1, 0, 1, 2]), random_where(rng, case.release.domain)]]
    return kind, document if rng.random() < 0.5 else silenced(rng, case, document)


def wrong_datasets(rng: random.Random, case: Case) -> tuple[str, Json] | None:
    document = rewritten(case, case.document)
    kinds = ["no datasets", "an empty dataset", "a record changed", "a count changed", "all but one left out", "half left out"]
    kind = rng.choice([*kinds, "a record against a rule"] if case.unruled else kinds)
    datasets = document["witnesses"]
    codes = [column.codes for column in case.release.domain.columns]
    match kind:
        case "no datasets":
            document["witnesses"] = []
        case "an empty dataset":
            document["witnesses"] = rng.choice([[[]], [*datasets, []]])
        case "a record changed" if datasets and datasets[0]:
            datasets[0][rng.randrange(len(datasets[0]))] = [rng.choice(values) for values in codes]
        case "a count changed" if datasets and datasets[0]:
            datasets[0][0] = {"n": rng.choice([0, -1, 2, 3, 10**20]), "record": [rng.choice(values) for values in codes]}
        case "a record against a rule":
            document["witnesses"] = [listed(rng.choice(case.unruled))]
        case "all but one left out":
            document["witnesses"] = datasets[:1]
        case _:
            document["witnesses"] = datasets[::2]
    if rng.random() < 0.5 and document["facts"]:
        document["facts"].remove(rng.choice(document["facts"]))
    return kind, document


def contradiction(rng: random.Random, case: Case) -> tuple[str, Json] | None:
    document = rewritten(case, case.document)
    kind, steps = lie_about(rng, case, [], -1)
    document["contradiction"] = steps[0]["proof"]
    return f"contradiction: {kind}", document


def broken_seal(rng: random.Random, case: Case) -> tuple[str, Json] | None:
    document = rewritten(case, case.document)
    key = rng.choice(["digest", "release", "version", "format", "facts"])
    document[key] = rng.choice(["0" * 64, 2.0, True, None, 3])
    if key == "digest":
        return "wrong digest", document
    return f"wrong {key}", sealed(document)


KINDS: list[Callable[[random.Random, Case], tuple[str, Json] | None]] = [
    another_world,
    another_world,
    another_number,
    other_claims,
    tampered,
    tampered,
    wrong_datasets,
    contradiction,
    broken_seal,
]


def faults(case: Case, kind: str, document: Json) -> Iterator[str]:
    """What is wrong with the checker's verdict on a document."""
    result = check(case.rows, document, True)
    if kind == "genuine" and (result.rejected or result.complete is not True or result.accepted != len(document["facts"])):
        yield f"genuine proofs: {result.rejected[:1]} {result.reason}"
    if kind == "genuine contradiction" and not result.contradiction:
        yield f"a genuine contradiction: {result.rejected[:1]}"
    if kind.startswith("wrong ") and (result.accepted or not result.rejected):
        yield "a broken file was accepted"
    if result.contradiction and (case.datasets or result.accepted or not result.rejected):
        yield "a contradiction was accepted, but a dataset fits"
    if result.accepted and not case.datasets:
        yield "something was accepted, but no dataset fits"
    if result.accepted != sum(result.facts) or any("\n" in line or not line.isprintable() for line in result.rejected):
        yield "the result does not fit together"
    if result.witnesses:
        known = {tuple(sorted(records)) for records in case.datasets}
        fits = [spelled_out(dataset) in known for dataset in document["witnesses"]]
        if result.witnesses != fits:
            yield f"datasets: {result.witnesses}, but {fits}"
        if not any(fits) and result.accepted:
            yield "accepted without a dataset that fits"
    claims = []
    for fact, verdict in zip(document["facts"] if result.facts else [], result.facts, strict=False):
        if verdict:
            claims += [(where, fact["count"]) for where in (fact["claim"], *fact["forms"])]
    for where, count in claims:
        if case.counts(where) != {count}:
            yield f"accepted: {where} has count {count}, but it can have {sorted(case.counts(where))}"
    if result.complete:
        for where, count in case.certain():
            inner = any(count == m and _inside(case, claim, where) for claim, m in claims)
            outer = any(count == m and _inside(case, where, claim) for claim, m in claims)
            if not inner or not outer:
                yield f"complete, but {where} with count {count} does not follow"


def spelled_out(dataset: list[Any]) -> tuple[Record, ...]:
    """A listed dataset, record by record; one with very many records fits nothing here."""
    entries = [(1, entry) if isinstance(entry, list) else (min(entry["n"], 100), entry["record"]) for entry in dataset]
    return tuple(sorted(tuple(record) for n, record in entries for _ in range(n)))


def _inside(case: Case, small: Where, large: Where) -> bool:
    for column in case.release.domain.columns:
        parts = [set(column.codes if column.name not in where else _codes(where[column.name])) for where in (small, large)]
        if not parts[0] <= parts[1]:
            return False
    return True


def _codes(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value)


def forgeries(seed: int, number: int = 300) -> Iterator[tuple[Case, str, Json]]:
    """Documents about a release: a genuine one first, then forged ones."""
    rng = random.Random(seed)
    case = make_case(rng)
    if case is None:
        return
    if case.document["release"] == case.rows.fingerprint:
        yield case, "genuine", case.document
    refuted = refutation(case)
    if refuted is not None:
        yield case, "genuine contradiction", refuted
    for _ in range(number):
        made = rng.choice(KINDS)(rng, case)
        if made is not None:
            kind, document = made
            yield case, kind, document if kind.startswith("wrong ") else sealed(document)


def refutation(case: Case) -> Json | None:
    """A proof that nothing fits, if nothing does and the engine finds it."""
    if case.datasets:
        return None
    prover = Prover(compile_release(case.release))
    if prover.first_witness() is not False or prover.refutation is None:
        return None
    system = prover.system
    tree = proofs_module._tree(system, prover.refutation, np.zeros(system.cells, dtype=np.int64), first_free(case.release), {})
    return sealed({**proofs_module._document(system, [], [], []), "contradiction": tree})


def hunt(seconds: float, seed: int = 0) -> tuple[Counter[str], list[str]]:
    """Forge for some time; how many of each kind were tried, and what was wrong."""
    tried: Counter[str] = Counter()
    wrong: list[str] = []
    end = monotonic() + seconds
    while monotonic() < end and not wrong:
        for case, kind, document in forgeries(seed):
            tried[kind] += 1
            wrong += [f"seed {seed}, {kind}: {fault}" for fault in all_faults(case, kind, document)]
        seed += 1
    return tried, wrong


def all_faults(case: Case, kind: str, document: Json) -> list[str]:
    """To crash is a fault too."""
    try:
        return list(faults(case, kind, document))
    except Exception as error:
        return [f"{type(error).__name__}: {error}"]


def main() -> None:
    parser = argparse.ArgumentParser(description="Forge proofs for some time.")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    tried, wrong = hunt(asked.seconds, asked.seed)
    for kind, number in sorted(tried.items()):
        print(f"{number:>9,}  {kind}")
    print(f"{tried.total():>9,}  in all, {tried.total() - tried['genuine']:,} forged; {len(wrong)} wrong verdicts")
    for line in wrong[:20]:
        print(line)
    raise SystemExit(1 if wrong else 0)


if __name__ == "__main__":
    main()
