"""Proofs files as data: what a forger takes apart and puts together again."""

from __future__ import annotations

import copy
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

from foregone import Release
from foregone.checker import digest
from tests.checker.cases import Case, Json, Record


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
    return 2 * (release.workload.limited + len(release.rules))


def with_splits(release: Release, document: Json) -> Json:
    """The same proofs in a roundabout way: the count is at most what is claimed, as it says itself, or it is more, and then the
    sum that proved the bound is below 0."""
    document = copy.deepcopy(document)
    free = first_free(release) + sum("bound" in step for step in document["steps"])
    for fact in document["facts"]:
        for way, sign in (("upper", 1), ("lower", -1)):
            leaf = fact[way]
            if "over" in leaf:
                over = {"terms": [*leaf["terms"], [free, leaf["over"]]], "nothing": True}
                below = {"terms": [[free, 1]], "over": 1}
                fact[way] = {"split": [[sign, fact["claim"]]], "at": sign * fact["count"], "below": below, "above": over}
    return sealed(document)


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
            if "terms" in node or "split" in node or "either" in node:
                found.append(node)
            stack += list(node.values())
        elif isinstance(node, list):
            stack += node
    return found
