"""Kinds of forgeries: each takes a release with its genuine proofs and makes a file that should prove nothing false."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable

from tests.checker.cases import Case, Json, random_where, where_of
from tests.checker.documents import first_free, listed, renumbered, rewritten, sealed, silenced, term_lists, trees
from tests.checker.lies import lie_about, lie_that_empty


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


def one_side_believed(rng: random.Random, case: Case) -> tuple[str, Json] | None:
    """A genuine proof in a world where one side of an either-or holds, given for both sides, or for one with a lie beside it."""
    if not case.sides:
        return None
    k, right, row, other = rng.choice(case.sides)
    document, first = rewritten(case, other), first_free(case.release)
    lying, turned, number_of = rng.random() < 0.4, rng.random() < 0.2, rng.choice([k, k, k, k + 1])

    def moved(tree: Json, free: int) -> Json:
        """The tree below an either-or, whose row is `free`; the row of the side was one of two that this release does not have."""
        copied: Json = {"facts": copy.deepcopy(tree), "steps": []}

        def number(old: int) -> int:
            new = old if old < row & ~1 else old - 2
            return free if old == row else new + 1 if new >= free else new

        made: Json = renumbered(copied, number)["facts"]
        return made

    def both(tree: Json, free: int) -> Json:
        proved = moved(tree, free)
        beside = {"terms": [[free, 1]], "nothing": True} if lying else proved
        sides = (beside, proved) if right != turned else (proved, beside)
        return {"either": number_of, "left": sides[0], "right": sides[1]}

    bounds = 0
    for step in document["steps"]:
        if "bound" in step:
            step["proof"] = both(step["proof"], first + bounds)
            bounds += 1
        elif "prune" in step:
            step["prune"] = [[old if old < row & ~1 else old - 2, times] for old, times in step["prune"]]
    for fact in document["facts"]:
        for way in ("upper", "lower"):
            fact[way] = both(fact[way], first + bounds)
    return "one side of an either-or", silenced(rng, case, document)


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
            splits = [node for node in nodes if "split" in node or "either" in node]
            if not splits:
                return None
            node = rng.choice(splits)
            if "either" in node:
                return "either-ors", silenced(rng, case, _other_either(rng, node, document))
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


def _other_either(rng: random.Random, node: Json, document: Json) -> Json:
    """An either-or in a proof with one thing changed."""
    change = rng.randrange(4)
    if change == 0:
        node["either"] = rng.choice([node["either"] + 1, max(0, node["either"] - 1), 10**6, -1])
    elif change == 1:
        node["left"], node["right"] = node["right"], node["left"]
    elif change == 2:
        side = rng.choice(["left", "right"])
        node[side] = copy.deepcopy(node["right" if side == "left" else "left"])
    else:
        only = node[rng.choice(["left", "right"])]
        node.clear()
        node.update(only)
    return document


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
    one_side_believed,
    other_claims,
    tampered,
    tampered,
    wrong_datasets,
    contradiction,
    broken_seal,
]
