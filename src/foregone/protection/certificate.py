"""Write down why a protection is safe and why none is cheaper, for a checker that uses none of this (docs/protect.md)."""

from __future__ import annotations

from collections.abc import Iterable
from math import lcm
from typing import Any

import numpy as np

from foregone.checker.protection import FORMAT, VERSION
from foregone.checker.seal import digest
from foregone.engine.bounds.prover import Prover
from foregone.engine.bounds.trees import AtMost, Tree
from foregone.engine.system.atoms import atomise
from foregone.engine.system.decode import dataset_of
from foregone.engine.system.linear import compile_release
from foregone.model.dataset import Dataset
from foregone.model.errors import InputError, UndecidedError
from foregone.model.families import Groups
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.statement import Statistic
from foregone.protection.actions import Allowed
from foregone.protection.attack import Attacker, Explanation, Goal, Needed
from foregone.protection.claims import held_by
from foregone.protection.exact import ExactAttacker
from foregone.protection.linear import LinearAttacker, places_of
from foregone.protection.problem import Problem, release_of
from foregone.protection.published import protected_release
from foregone.protection.search import Found

from foregone.protection.span import combination
from foregone.questions.audit import audit
from foregone.questions.proofs import proofs, proofs_of_bounds
from foregone.solvers.deadline import Deadline
from foregone.version import __version__

Json = dict[str, Any]


def check_possible(problem: Problem, linear: bool) -> None:
    """Refuse a certificate that could not be written, before any work is done."""
    if any(problem.release.loose):
        raise InputError("--proofs: a certificate cannot cover weighted sums other than figures; leave them out of the release")
    if linear and problem.release.figures:
        raise InputError("--proofs: a certificate for --attacker linear cannot cover figures; leave them out, or use exact")


def certificate(problem: Problem, allowed: Allowed, attacker: Attacker, found: Found, base: int, tree: Json | None) -> Json:
    """The whole certificate; it holds the true numbers, so it is as secret as the release it is about."""
    linear = isinstance(attacker, LinearAttacker)
    content: Json = {
        "format": FORMAT,
        "version": VERSION,
        "tool": f"foregone {__version__}",
        "release": problem.release.fingerprint(),
        "attacker": "linear" if linear else "exact",
        "policy": problem.policy.json(),
        "groups": problem.groups.value,
        "asked": asked_json(allowed),
        "primary": sorted(problem.primary),
        "actions": [
            {"kind": a.kind.value, "name": a.name, "cost": a.cost, "numbers": sorted(a.numbers)}
            | ({"base": a.base} if a.base else {})
            for a in problem.actions
        ],
        "taken": sorted(found.taken),
        "cost": base + (found.upper or 0),
        "lower_bound": base + found.lower,
        **({"before": before} if (before := _before(problem, found.explanations)) else {}),
        "explanations": [_linear(problem, e) if linear else _exact(problem, e) for e in found.explanations],
        "safe": _safe(problem, attacker, found.taken),
        **({"covering": tree} if tree is not None else {}),
    }
    return {**content, "digest": digest(content)}


def asked_json(allowed: Allowed) -> Json:
    """What was asked for: the checker works out from it what may be done and what it costs."""
    return {
        "by": allowed.by,
        "withhold": "yes" if allowed.withhold else "no",
        "keep": list(allowed.keep),
        "cost": "size" if allowed.sizes else [list(pair) for pair in sorted(allowed.costs.items())] or "one",
        "round": list(allowed.bases),
        "merge": [list(merge) for merge in allowed.merges],
    }


def _where(problem: Problem, predicate: Predicate) -> Json:
    columns = {column.name: column for column in problem.release.domain.columns}
    made = {name: sorted(codes, key=columns[name].index.__getitem__) for name, codes in predicate.allowed}
    return {name: codes[0] if len(codes) == 1 else codes for name, codes in made.items()}


def _needs(needed: Iterable[Needed]) -> list[Json]:
    made = []
    for part in needed:
        ends = {"low": part.low, "high": part.high}
        sources = part.row.sources
        what: Json = {"number": sources[0]} if len(sources) == 1 else {"sum": list(sources)}
        made.append(what | {name: end for name, end in ends.items() if end is not None})
    return made


def _breach(problem: Problem, explanation: Explanation) -> tuple[Json, list[Goal]]:
    match explanation.breach:
        case Cell(number, low, high):
            predicate = problem.release.statistics[number].predicate
            return {"cell": number, "low": low, **({} if high is None else {"high": high})}, [(predicate, low, high)]
        case Certain(predicate, count, group, everybody):
            more: Json = {} if group is None else {"group": _where(problem, group)}
            more |= {"everybody": True} if everybody else {}
            return {"claim": _where(problem, predicate), "count": count, **more}, held_by(explanation.breach)


def _exact(problem: Problem, explanation: Explanation) -> Json:
    """The needed statements alone, compiled, with a proof of every side that matters.

    If they are not enough, numbers that no action touches stand behind them.
    """
    breach, goals = _breach(problem, explanation)
    listed = {part.row for part in explanation.needed}
    fixed = [Needed(row, *row.limits) for row in problem.rows if not row.hitters and row not in listed]
    for some in (explanation.needed, (*explanation.needed, *fixed)):
        needed = sorted(some, key=lambda part: part.row.count is None)  # counts first, as a release has them
        prover = Prover(compile_release(release_of(problem, [(part.row, part.low, part.high) for part in needed])), Deadline())
        trees = _trees(prover, goals)
        if trees is not None:
            steps, written = proofs_of_bounds(prover.system, prover.lemmas, trees)
            return {"needs": _needs(needed), "breach": breach, "steps": steps, "proofs": written}
    raise UndecidedError("an explanation could not be proved again for the certificate; none was written")


def _trees(prover: Prover, goals: list[Goal]) -> list[Tree] | None:
    """A proof for every side of every goal; None when there is one that has none."""
    trees = []
    for predicate, low, high in goals:
        whole, some = prover.system.footprint(predicate)
        sides = [] if high is None else [(some.astype(np.int64), high)]
        for objective, target in (*sides, *([(-whole.astype(np.int64), -low)] if low else [])):
            answer = prover.at_most(objective, target)
            if not isinstance(answer, AtMost):
                return None
            trees.append(answer.proof)
    return trees


def _linear(problem: Problem, explanation: Explanation) -> Json:
    """The sum of numbers shown exactly that is the cell, on every combination of codes."""
    breach, ((predicate, low, high),) = _breach(problem, explanation)
    domain, atoms = problem.release.domain, atomise(problem.release.workload)
    masks = [part.row.count.predicate.masks(domain) for part in explanation.needed if part.row.count is not None]
    *rows, target = places_of(atoms, [*masks, predicate.masks(domain)])
    made = combination([row.tolist() for row in rows], target.tolist())
    assert made is not None
    assert low == high
    over = lcm(*(number.denominator for number in made.values()), 1)
    times = {r: int(number * over) for r, number in made.items() if number}
    sides = [[[2 * r + (sign * n < 0), abs(n)] for r, n in times.items()] for sign in (1, -1)]
    trees = [{"terms": terms, "over": over} for terms in sides][: 2 if low else 1]
    steps = [
        {"columns": column.name, "sets": [list(column.codes_of(group)) for group in groups]}
        for column, groups in zip(domain.columns, atoms.groups, strict=True)
        if len(groups) > 1
    ]
    return {"needs": _needs(explanation.needed), "breach": breach, "steps": steps, "proofs": trees}


def _safe(problem: Problem, attacker: Attacker, taken: Iterable[int]) -> Json:
    if isinstance(attacker, LinearAttacker):
        direction = attacker.direction(taken)
        if direction is None:
            raise UndecidedError("no direction was found in which all primary cells can change; no certificate was written")
        return {"direction": [[number, list(record)] for number, record in direction]}
    assert isinstance(attacker, ExactAttacker)
    made: Json = {}
    if problem.primary:
        datasets = attacker.datasets(taken, Deadline())
        if datasets is None:
            raise UndecidedError("no datasets were found that show the primary cells to be unknown; no certificate was written")
        made["datasets"] = [_listed(dataset) for dataset in datasets]
    if problem.policy.about_claims or problem.policy.attribute:
        made["audit"] = proofs(audit(protected_release(problem, taken, problem.domain), groups=problem.groups))
    return made


def _before(problem: Problem, explanations: Iterable[Explanation]) -> list[Any]:
    """Datasets that fit before anything is done, and show that the columns of claims count: in each somebody has another value than
    the claim says, or it is not certain how many records there are.
    """
    domain, release, made = problem.release.domain, protected_release(problem, ()), list[Dataset]()
    claims = [e.breach for e in explanations if isinstance(e.breach, Certain) and e.breach.group is None and not e.breach.everybody]
    sides = dict.fromkeys(side for claim in claims for side in claim.predicate.allowed) if problem.groups != Groups.NONE else {}
    for name, codes in sides:
        others = [code for code in domain.columns[domain.names.index(name)].codes if code not in codes]
        beyond = Predicate.of({name: others}) if others else None
        if beyond is None or any(dataset.count(beyond) for dataset in made):
            continue
        some = _fitting(release, Statistic(beyond, 1, None))
        if some is None:  # then the column counts because the number of records is open
            first = made[0] if made else _fitting(release)
            assert first is not None
            ends = [(first.size + 1, None), *([(0, first.size - 1)] if first.size else [])]
            other = next((found for low, high in ends if (found := _fitting(release, Statistic(Predicate(), low, high)))), None)
            if other is None:
                raise UndecidedError("no dataset was found that shows a column of a claim to count; no certificate was written")
            return [_listed(first), _listed(other)]
        made.append(some)
    return [_listed(dataset) for dataset in made]


def _fitting(release: Release, *more: Statistic) -> Dataset | None:
    """A dataset that fits a release and some more numbers, if there is one."""
    try:
        statistics = (*release.statistics, *more)
        stricter = Release(release.domain, statistics, release.rules, release.statements, release.alternatives)
    except InputError:  # the release alone is in order
        return None
    prover = Prover(compile_release(stricter), Deadline())
    return dataset_of(prover.system, prover.pool.witnesses[0]) if prover.first_witness() is True else None


def _listed(dataset: Dataset) -> list[Any]:
    return [list(record) if n == 1 else {"n": n, "record": list(record)} for record, n in dataset.kinds]
