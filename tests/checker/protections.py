"""Certificates of protections, over small releases that brute force judges: random ones, and an enemy who changes them.

Whatever the checker accepts must be true. `python -m tests.checker.protections --seconds 600` goes on for ten minutes and says how
much of each kind was tried.
"""

from __future__ import annotations

import argparse
import copy
import json
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise, product
from time import monotonic
from typing import Any

from foregone import Dataset, Domain, ForegoneError, Knowledge, Policy, Predicate, Primary, Release, Statistic, audit, proofs
from foregone.checker import release_of
from foregone.checker.encode.asked import base_cost as base_of
from foregone.checker.encode.weaker import CertifiedCase as Understood
from foregone.checker.encode.weaker import left_of, left_release
from foregone.checker.kernel import Fails
from foregone.checker.verdicts import protection as checker
from foregone.checker.verdicts.choice import Clause as Meant
from foregone.checker.verdicts.explained import clause_of, possible
from foregone.engine import start
from foregone.formats.policy import conflicts
from foregone.formats.policy import read_knowledge as known_of
from foregone.model.families import Groups
from foregone.policy.reader import as_read
from foregone.protection.actions import Allowed, base_cost, problem_of
from foregone.protection.certificate import certificate
from foregone.protection.covering_proof import CoveringProof
from foregone.protection.exact import ExactAttacker
from foregone.protection.linear import LinearAttacker
from foregone.protection.problem import Problem
from foregone.protection.published import protected_release
from foregone.protection.search import ChoiceSearch
from foregone.questions.check import plain
from foregone.solvers.deadline import Deadline
from tests import oracle
from tests.checker.documents import sealed
from tests.protection import brute

Json = dict[str, Any]
MOST_ACTIONS = 6


def random_release(rng: random.Random) -> Release:
    widths = rng.choice([(2,), (3,), (4,), (2, 2)])
    columns = {name: [f"{name.lower()}{i}" for i in range(width)] for name, width in zip("AB", widths, strict=False)}
    groups = {"A": {"some": rng.sample(columns["A"], 2)}} if widths[0] > 2 and rng.random() < 0.4 else {}
    domain = Domain.of(columns, groups=groups)
    every = list(product(*(column.codes for column in domain.columns)))
    truth = Dataset.of(domain, [rng.choice(every) for _ in range(rng.randint(1, 4))])
    sides: list[list[Json]] = [[*({name: code} for code in codes), {}] for name, codes in columns.items()]
    sides[0] += [{"A": pair} for pair in pairwise(columns["A"])] if len(widths) == 1 else []
    predicates = [Predicate.of({name: codes for part in parts for name, codes in part.items()}) for parts in product(*sides)]
    cells = []
    for i, predicate in enumerate(rng.sample(predicates, min(len(predicates), rng.randint(1, 5)))):
        n = truth.count(predicate)
        name, table = rng.choice([(f"T{len(predicate)}.{i}", ""), (f"T{len(predicate)}.{i}", "T"), ("", "U"), ("", ""), ("x", "T")])
        cell, kind = Statistic.exact(predicate, n, name, table), rng.random()
        if kind < 0.12 and 1 <= n <= 2:
            cell = replace(cell, low=1, high=2, mark="*")
        elif kind < 0.18 and n in (0, 2):
            cell = replace(cell, low=0, high=2, mark="(2)", gaps=((1, 1),))
        elif kind < 0.24 and n != 1:
            cell = replace(cell, low=0, high=None, mark="[0]", gaps=((1, 1),))
        elif kind < 0.3:
            cell = cell.known(0, None)
        elif kind < 0.36:
            cell = replace(cell, low=max(0, n - 1), high=n + 1)
        cells.append(cell)
    meant = {"*": ((1, 2),), "(2)": ((0, 0), (2, 2)), "[0]": ((0, 0), (2, None))}
    domain = replace(domain, marks=tuple((mark, meant[mark]) for mark in dict.fromkeys(s.mark for s in cells) if mark))
    there = {record for record, _ in truth.kinds}
    rules = [Predicate.of(dict(zip(domain.names, r, strict=True))) for r in every if rng.random() < 0.12 and r not in there]
    return Release(domain, [*cells, Statistic(Predicate(), 0, len(truth) + 1, "limit", "limit")], rules)


def random_policy(rng: random.Random, release: Release) -> Policy:
    kinds, made = rng.sample(["claims", "attribute", "primary", "stars"], rng.choice([1, 1, 2])), Json()
    names = tuple(dict.fromkeys(s.name for s in release.statistics if s.name not in ("", "limit")))
    if "claims" in kinds:
        made |= {"singled_out_columns": rng.randint(1, len(release.domain.names)), "smallest_group": rng.randint(2, 3)}
    if "attribute" in kinds:
        made |= {"attribute": (rng.choice(release.domain.names),)}
        made |= {"attribute_from": rng.choice([(), release.domain.names[-1:]])} if rng.random() < 0.4 else {}
    if "primary" in kinds:
        named = [Primary(names=(rng.choice(names),))] if names else []
        made |= {"primary": rng.choice([Primary(1, 1), Primary(1, 2), Primary(0, 1), *named])}
        made |= {"min_width": rng.randint(2, 3), "both_sides": rng.choice([0, 0, 50])}
    if "stars" in kinds:
        made |= {"stars": rng.choice([2, 2, 3])}
    if rng.random() < 0.4:
        most = rng.choice([None, 2]) if "primary" in kinds else None
        made |= {"know": Knowledge(rng.random() < 0.5, most)}
    return Policy(**made)


def random_allowed(rng: random.Random, release: Release) -> Allowed:
    columns = release.domain.columns
    pairs = [(column.name, *pair) for column in columns for pair in pairwise(column.codes)]
    kind = rng.choice(["cell", "cell", "cell", "table", "round", "merge", "all"])
    labels = [s.label for s in release.statistics]
    costs = {label: rng.randint(1, 3) for label in rng.sample(labels, 1)} if rng.random() < 0.4 else {}
    return Allowed(
        "table" if kind == "table" or (kind == "all" and rng.random() < 0.5) else "cell",
        ("limit", *(rng.sample(labels, 1) if rng.random() < 0.2 else ())),
        costs,
        not costs and rng.random() < 0.2,
        rng.random() < 0.9,
        (rng.choice([2, 3]),) if kind in ("round", "all") else (),
        tuple(rng.sample(pairs, 1)) if kind in ("merge", "all") else (),
        rng.choice(["one", "one", "two"]),
        rng.choice(["", "", "..."]),
    )


@dataclass
class World:
    """A release, a policy and what is allowed, as the engine sees it and by brute force."""

    release: Release
    policy: Policy
    allowed: Allowed
    groups: Groups
    linear: bool
    broken: dict[frozenset[int], bool] = field(default_factory=dict)

    @property
    def largest(self) -> int:
        high = self.release.statistics[-1].high
        assert high is not None
        return high

    @cached_property
    def problem(self) -> Problem:
        return problem_of(as_read(self.release, self.policy), self.policy, self.allowed, self.groups, not self.linear)

    @cached_property
    def fits(self) -> bool:
        return next(oracle.consistent_datasets(as_read(self.release, self.policy), self.largest), None) is not None

    def breaks(self, taken: frozenset[int]) -> bool:
        if taken not in self.broken:
            judge = brute.linear_breaks if self.linear else brute.exact_breaks
            self.broken[taken] = judge(self.problem, taken, self.largest)
        return self.broken[taken]

    @cached_property
    def cheapest(self) -> int | None:
        """What the cheapest protection costs, with primary cells."""
        base = base_cost(self.problem, self.allowed)
        return next((base + self.problem.cost(taken) for taken in brute.subsets(self.problem) if not self.breaks(taken)), None)

    def certificate(self) -> Json | None:
        """An honest certificate, if there is a protection."""
        attacker = LinearAttacker(self.problem) if self.linear else ExactAttacker(self.problem)
        found = ChoiceSearch(self.problem, attacker, Deadline()).run()
        if found.upper is None:
            return None
        clauses = [Meant(e.given, e.clause) for e in found.explanations]
        tree = CoveringProof(self.problem.costs, clauses, found.lower).tree()
        base = base_cost(self.problem, self.allowed)
        made: Json = json.loads(json.dumps(certificate(self.problem, self.release, self.allowed, attacker, found, tree, base)))
        return made


def random_world(rng: random.Random) -> World | None:
    """None: it contradicts itself, or is refused, or has too many actions."""
    release = random_release(rng)
    policy, allowed = random_policy(rng, release), random_allowed(rng, release)
    linear = rng.random() < 0.15
    if linear:
        policy = Policy(primary=policy.primary or Primary(1, 1), know=policy.know)
    made = World(release, policy, allowed, rng.choice([Groups.PUBLISHED, Groups.PUBLISHED, Groups.NONE]), linear)
    try:
        if conflicts(policy) or not made.fits or len(made.problem.actions) > MOST_ACTIONS:
            return None
    except ForegoneError:
        return None
    return made


def understood(world: World, document: Json) -> Understood:
    content = plain(world.release)
    return checker._case(content, release_of(content), document)


def differences(rng: random.Random, world: World, case: Understood) -> Iterator[str]:
    """What the checker works out otherwise than the engine: both know what may be done, what is primary and what is left."""
    problem, allowed = world.problem, world.allowed
    mine = [(a.kind, a.name, a.cost, a.numbers, a.base, a.merged) for a in case.actions]
    if mine != [(str(a.kind), a.name, a.cost, a.numbers, a.base, a.merged) for a in problem.actions]:
        yield "actions"
    if case.primary != problem.primary:
        yield "primary"
    marking, other = case.marking, problem.marking
    one = marking.mark, marking.least, marking.zeros, marking.remarks, marking.excluded
    if one != (other.mark, other.least, other.zeros, other.remarks, dict(other.excluded)):
        yield "marking"
    if base_of(case.numbers, case.primary, case.asked) != base_cost(problem, allowed):
        yield "base"
    numbers = range(len(problem.actions))
    for taken in [rng.sample(numbers, rng.randint(0, len(numbers))) for _ in range(6)]:
        left, due = left_of(case, taken).values(), protected_release(problem, taken)
        here = [(n.name, n.entry.get("table", "") or n.table, n.ranges, n.hidden, n.mark, n.label) for n in left]
        there = [(s.name, s.table or s.name.rpartition(".")[0], s.ranges, s.hidden, s.mark, s.label) for s in due.statistics]
        if here != there:
            yield f"left after {taken}: {here} {there}"
        if left_release(case, taken).fingerprint != due.fingerprint():
            yield f"fingerprint after {taken}"


def mutants(rng: random.Random, value: Any, texts: list[str]) -> Iterator[Any]:
    """The same with one thing changed somewhere: one of each place, in a random way."""
    match value:
        case bool():
            yield from ()
        case int():
            yield from (value + 1, value - 1, rng.choice([0, 10**90, -value, str(value)]))
        case str():
            yield rng.choice(texts)
        case list():
            for i, part in enumerate(value):
                yield [*value[:i], *value[i + 1 :]]
                if rng.random() < 0.3:
                    yield [*value[: i + 1], *value[i:]]
                yield from ([*value[:i], other, *value[i + 1 :]] for other in mutants(rng, part, texts))
            if len(value) > 1:
                yield rng.sample(value, len(value))
            yield from ([], value[: len(value) // 2], [*value, 0])
        case dict():
            for key, part in value.items():
                rest = {name: other for name, other in value.items() if name != key}
                yield rest
                yield from ({**value, key: other} for other in mutants(rng, part, texts))
                if rng.random() < 0.2:
                    yield {**rest, rng.choice(texts): part}
            more = rng.choice(["given", "datasets", "missing", "high", "low", "everybody", "know"])
            yield {**value, more: rng.choice([1, [], [0], True])}


def changed(rng: random.Random, world: World, document: Json) -> Iterator[tuple[str, Json]]:
    """Other certificates made of a true one."""
    texts = sorted({text for text in _texts(document) if len(text) < 20}) or ["x"]
    for key in ("taken", "lower_bound", "explanations", "covering", "primary", "original", "before", "asked", "policy", "safe"):
        if key in document:
            every = list(mutants(rng, document[key], texts))
            for other in every if len(every) < 150 else rng.sample(every, 150):
                yield key, {**document, key: other}
            if key in ("explanations", "safe", "covering", "before") and len(every) > 1:
                for other in rng.sample(every, min(6, len(every))):  # two things at once
                    again = list(mutants(rng, other, texts))
                    yield f"{key} twice", {**document, key: rng.choice(again or [other])}
    for _ in range(3):
        policy, allowed = random_policy(rng, world.release), random_allowed(rng, world.release)
        yield "another policy", {**document, "policy": policy.json()}
        asked = {**document["asked"], "marks": allowed.marks, "mark": allowed.mark, "by": allowed.by, "keep": list(allowed.keep)}
        yield "something else asked", {**document, "asked": asked}
    for key, values in (("groups", ("published", "none")), ("attacker", ("exact", "linear"))):
        yield from ((key, {**document, key: value}) for value in values)
    found = document["explanations"]
    for one, other in pairwise(range(len(found))):
        for key in ("proofs", "breach", "needs", "steps"):
            swapped = copy.deepcopy(found)
            swapped[one][key], swapped[other][key] = found[other][key], found[one][key]
            yield "swapped", {**document, "explanations": swapped}
    for size in range(len(document["taken"])):
        yield "less taken", {**document, "taken": document["taken"][:size], "lower_bound": 0}


def elsewhere(rng: random.Random, world: World) -> Iterator[tuple[str, Json]]:
    """Certificates that are true of a release or a policy that differs in one thing, as if they were about this one."""
    release, policy = world.release, world.policy
    k = rng.randrange(len(release.statistics) - 1) if len(release.statistics) > 1 else 0
    cell = release.statistics[k]
    number = replace(cell, low=max(0, cell.low + rng.choice([-1, 1])), high=cell.high, gaps=())
    number = replace(number, high=number.low if cell.low == cell.high else cell.high)
    records = oracle.valid_records(release)
    rule = Predicate.of(dict(zip(release.domain.names, rng.choice(records), strict=True)))
    others: list[tuple[str, Any]] = [
        ("another number", lambda: replace_at(release, k, number)),
        ("one more rule", lambda: Release(release.domain, release.statistics, [*release.rules, rule])),
        ("no rules", lambda: Release(release.domain, release.statistics)),
        ("shown", lambda: replace_at(release, k, Statistic.exact(cell.predicate, cell.low, cell.name, cell.table))),
    ]
    for kind, make in others:
        try:
            made = replace_world(world, release=make())
            document = made.certificate() if made.fits and len(made.problem.actions) <= MOST_ACTIONS else None
        except (ForegoneError, AssertionError):
            continue
        if document is not None:
            yield kind, {**document, "release": release.fingerprint()}
    for other in (replace(policy, know=None), replace(policy, know=Knowledge()), random_policy(rng, release)):
        try:
            document = replace_world(world, policy=other).certificate() if not conflicts(other) and not world.linear else None
        except (ForegoneError, AssertionError):
            continue
        if document is not None:
            yield "for another policy", {**document, "policy": policy.json()}


def replace_at(release: Release, k: int, cell: Statistic) -> Release:
    return Release(release.domain, [*release.statistics[:k], cell, *release.statistics[k + 1 :]], release.rules)


def replace_world(world: World, **changes: Any) -> World:
    given: Json = {"release": world.release, "policy": world.policy} | changes
    return World(given["release"], given["policy"], world.allowed, world.groups, world.linear)


def unsafe(rng: random.Random, world: World, document: Json) -> Iterator[tuple[str, Json]]:
    """The best that can be said for choices that are not safe: true datasets and true proofs, told in a crooked way."""
    problem = world.problem
    for taken in rng.sample(list(brute.subsets(problem)), min(6, 2 ** len(problem.actions))):
        if not world.breaks(taken):
            continue
        chosen = {**document, "taken": sorted(taken), "lower_bound": 0}
        left = protected_release(problem, taken, problem.domain)
        datasets = [[list(record) for record in records] for records in oracle.consistent_datasets(left, world.largest)]
        safe: Json = {"datasets": rng.sample(datasets, rng.choice([len(datasets), len(datasets) // 2]))}
        if world.policy.about_claims:
            safe["audit"] = crooked(rng, json.loads(json.dumps(proofs(audit(left, groups=world.groups)))))
        if world.policy.attribute or world.policy.about_claims:
            session = start(left)
            steps = _steps(session, world)
            safe["empty"] = [step for step in steps if "prune" not in step or rng.random() < 0.7]
        yield "crooked words", {**chosen, "safe": safe}
        yield "no words", {**chosen, "safe": {}}


def _steps(session: Any, world: World) -> list[Any]:
    from foregone.engine import following, settle_values, steps_of

    for name in world.policy.attribute:
        following(session, name, world.policy.attribute_from, world.groups)
    settle_values(session)
    made: list[Any] = json.loads(json.dumps(steps_of(session)))
    return made


def crooked(rng: random.Random, document: Json) -> Json:
    """The same facts in other words: forms that are claims, and between the shortest and the fullest any that say the same."""
    made = []
    for fact in document["facts"]:
        words = [fact["claim"], *fact["forms"]]
        between = [{n: v for n, v in fact["claim"].items() if n in form or rng.random() < 0.5} for form in words for _ in range(2)]
        every = [*words, *between]
        words = [where for i, where in enumerate(every) if where not in every[:i] and (where or rng.random() < 0.3)]
        rng.shuffle(words)
        apart = [{**fact, "claim": where, "forms": []} for where in words]
        made += apart if rng.random() < 0.5 else [{**fact, "claim": words[0], "forms": words[1:]}]
    return sealed({**document, "facts": made})


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for part in value if isinstance(value, list) else [*value, *value.values()] if isinstance(value, dict) else []:
        yield from _texts(part)


def as_told(world: World, document: Json) -> World | None:
    """What an accepted certificate says it is about; None where the engine has no such thing."""
    said, asked = document["policy"], document["asked"]
    primary = said.get("primary")
    meant = None if primary is None else Primary(names=tuple(primary))
    if isinstance(primary, str):
        low, _, high = primary.partition("..")
        meant = Primary(int(low), int(high))
    policy = Policy(
        said.get("singled_out_columns"),
        said.get("smallest_group", 2),
        tuple(said.get("attribute", ())),
        meant,
        said.get("min_width", 2),
        said.get("both_sides", 0),
        known_of(said["know"]) if "know" in said else None,
        2 if said.get("stars") == "unknown" else said.get("stars", 0),
        attribute_from=tuple(said["attribute_from"]) if "attribute_from" in said else None,
    )
    costs, linear = asked["cost"], document["attacker"] == "linear"
    allowed = Allowed(
        asked["by"],
        tuple(asked["keep"]),
        {} if isinstance(costs, str) else dict(costs),
        costs == "size",
        asked["withhold"] == "yes",
        tuple(asked["round"]),
        tuple((a, b, c) for a, b, c in asked["merge"]),
        asked["marks"],
        asked["mark"],
    )
    groups = Groups.PUBLISHED if document["groups"] == "published" else Groups.NONE
    if (policy, allowed, groups, linear) == (world.policy, world.allowed, world.groups, world.linear):
        return world
    made = World(world.release, policy, allowed, groups, linear)
    try:
        return made if len(made.problem.actions) <= MOST_ACTIONS and made.fits else None
    except ForegoneError:
        return None


def faults(world: World, document: Json) -> Iterator[str]:
    """What is wrong with the verdict on a certificate: everything that is accepted must be true, every clause by itself."""
    content = plain(world.release)
    result = checker.check_protection(content, sealed(document))
    if any("\n" in line or not line.isprintable() for line in result.rejected):
        yield "a refusal is not one line"
    if result.case is None:
        return
    told = as_told(world, document)
    if told is None:
        return
    if not result.rejected:
        taken = frozenset(result.taken)
        if told.breaks(taken):
            yield "accepted, but the policy is broken"
        if not result.trusted and told.cheapest is not None and document["lower_bound"] > told.cheapest:
            yield f"accepted, but {told.cheapest} is enough"
        if result.cost != base_cost(told.problem, told.allowed) + told.problem.cost(taken):
            yield "another cost"
    try:
        before = possible(result.case, (), document.get("before", []))
    except Fails:
        return
    for entry in document["explanations"] if isinstance(document["explanations"], list) else ():
        try:
            clause = clause_of(result.case, document["attacker"], entry, before)
        except Fails:
            continue
        free = frozenset(range(len(told.problem.actions))) - clause.items
        if not clause.given & clause.items and not told.breaks(free | clause.given):
            yield f"accepted, but {sorted(clause.given)} does not call for {sorted(clause.items)}"


def tried(seed: int) -> Iterator[tuple[str, str]]:
    """Kinds of certificates that were tried about a random release, each with what was wrong."""
    rng = random.Random(seed)
    world = random_world(rng)
    if world is None:
        return
    document = world.certificate()
    if document is None:
        return
    result = checker.check_protection(plain(world.release), document)
    yield "true", "; ".join(result.rejected or faults(world, document))
    yield "differences", "; ".join(differences(rng, world, understood(world, document)))
    makers = [changed(rng, world, document), elsewhere(rng, world), unsafe(rng, world, document) if not world.linear else iter(())]
    for kind, other in (made for maker in makers for made in maker):
        try:
            wrong = "; ".join(faults(world, other)) if set(checker.KEYS) <= {*other, "digest"} else ""
        except Exception as error:  # to crash is a fault, too
            wrong = f"{type(error).__name__}: {error}"
        yield kind, wrong


def main() -> None:
    parser = argparse.ArgumentParser(description="Change certificates of protections for some time.")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    counts, wrong, seed, end = Counter[str](), list[str](), asked.seed, monotonic() + asked.seconds
    while monotonic() < end and len(wrong) < 20:
        for kind, fault in tried(seed):
            counts[kind] += 1
            wrong += [f"seed {seed}, {kind}: {fault}"] if fault else []
        seed += 1
    for kind, number in sorted(counts.items()):
        print(f"{number:>9,}  {kind}")
    print(f"{counts.total():>9,}  in all, from {seed - asked.seed:,} releases; {len(wrong)} wrong verdicts")
    for line in wrong[:20]:
        print(line[:1000])
    raise SystemExit(1 if wrong else 0)


if __name__ == "__main__":
    main()
