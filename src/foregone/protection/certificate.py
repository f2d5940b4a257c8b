"""Write down why a protection is safe and why none is cheaper, for a checker that uses none of this (docs/protect.md)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from foregone.checker import digest
from foregone.checker.verdicts.covers import WORD
from foregone.checker.verdicts.protection import FORMAT, VERSION
from foregone.engine import (
    AtMost,
    Case,
    Following,
    Goal,
    Tree,
    allowed_record,
    following,
    proofs,
    proofs_of_bounds,
    settle_values,
    start,
    steps_of,
)
from foregone.model.dataset import Dataset
from foregone.model.errors import InputError, UndecidedError
from foregone.model.families import Groups
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.statement import Statistic
from foregone.policy.judge import Breach, Narrow, Told
from foregone.protection.actions import Allowed
from foregone.protection.attack import Attacker, BreachExplanation
from foregone.protection.by_rule import RuleChoice
from foregone.protection.exact import ExactAttacker, held_by, zero_goal
from foregone.protection.linear import LinearAttacker, combination
from foregone.protection.problem import Needed, Problem, release_of
from foregone.protection.published import protected_release
from foregone.protection.search import Found
from foregone.questions.ask import audit
from foregone.solvers.deadline import Deadline
from foregone.version import __version__

Json = dict[str, Any]

MOST_DATASETS = 2_000  # that show which records are possible


def check_possible(problem: Problem, linear: bool) -> None:
    """Refuse a certificate that could not be written, before any work is done."""
    if problem.release.own:
        raise InputError("--proofs: a certificate cannot cover weighted sums other than figures; leave them out of the release")
    if linear and problem.release.figures:
        raise InputError("--proofs: a certificate for --attacker linear cannot cover figures; leave them out, or use exact")


def certificate(
    problem: Problem,
    stored: Release,
    allowed: Allowed,
    attacker: Attacker,
    found: Found,
    tree: Json | None,
    base: int,
    reader: Json | None = None,
) -> Json:
    """The whole certificate; it holds the true numbers, so it is as secret as the release it is about, which is `stored` as it is
    given to the checker. Whatever the checker works out by itself is not in it.
    """
    before = _Listed(protected_release(problem, ()))
    if isinstance(attacker, LinearAttacker):
        explanations = [_linear(problem, e, attacker) for e in found.explanations]
    else:
        explanations = [_exact(problem, e, before) for e in found.explanations]
    primary, original = _primary(problem, problem.read)
    content: Json = {
        "format": FORMAT,
        "version": VERSION,
        "tool": f"foregone {__version__}",
        "release": stored.fingerprint(),
        "attacker": "linear" if isinstance(attacker, LinearAttacker) else "exact",
        "policy": problem.policy.json(),
        "groups": problem.groups.value,
        "asked": asked_json(allowed),
        **({"primary": primary} if primary else {}),
        **({"original": original} if original else {}),
        **({"before": before.json} if before.datasets else {}),
        "taken": sorted(found.taken),
        "lower_bound": base + found.lower,
        "explanations": explanations,
        "safe": safe_evidence(problem, attacker, found.taken),
        **({"covering": tree} if tree is not None else {}),
        **({"reader": reader} if reader is not None else {}),
    }
    return {**content, "digest": digest(content)}


def rule_certificate(
    problem: Problem, stored: Release, allowed: Allowed, attacker: Attacker, known: RuleChoice, base: int
) -> Json:
    """The certificate of a protection for readers who know the rule: also the cover datasets, and of each why no earlier pattern
    protects it. Where proofs of that were not found, or all datasets were listed instead, only the program's word stands there.
    """
    policy = problem.policy
    judged = not policy.attribute and not any(s.open for s in problem.read.statistics)  # what the checker can follow
    first: list[Json | str] = [WORD] * len(known.covers)
    for k, (pattern, trees) in enumerate(zip(known.firsts, known.trees, strict=True)):
        if trees is not None and judged:
            before = _Listed(protected_release(pattern.problem, ()))
            explanations = [_exact(pattern.problem, e, before) for e in pattern.explanations]
            first[k] = {"explanations": explanations, "before": before.json, "trees": trees}
    datasets = [_listed(dataset) for dataset in known.covers] if judged else []
    reader = {"shown": "yes" if known.shown else "no", "datasets": datasets, "first": first if judged else []}
    # what is known of all choices is said of each cover dataset, and of the true tables as the first of them
    return certificate(problem, stored, allowed, attacker, replace(known.found, explanations=[], lower=0), None, base, reader)


def asked_json(allowed: Allowed) -> Json:
    """What was asked for: the checker works out from it what may be done and what it costs."""
    return {
        "by": allowed.by,
        "withhold": "yes" if allowed.withhold else "no",
        "keep": list(allowed.keep),
        "cost": "size" if allowed.sizes else [list(pair) for pair in sorted(allowed.costs.items())] or "one",
        "round": list(allowed.bases),
        "merge": [list(merge) for merge in allowed.merges],
        "marks": allowed.marks,
        "mark": allowed.mark,
    }


class _Listed:
    """Datasets that fit a release, found when one is asked for."""

    def __init__(self, release: Release) -> None:
        self.release = release
        self.datasets: list[Dataset] = []

    @property
    def json(self) -> list[Any]:
        return [_listed(dataset) for dataset in self.datasets]

    def has(self, predicate: Predicate) -> bool:
        """Is there a dataset in which somebody matches? Then one is listed."""
        if any(dataset.count(predicate) for dataset in self.datasets):
            return True
        found = _fitting(self.release, Statistic(predicate, 1, None))
        self.datasets += [] if found is None else [found]
        return found is not None


def _primary(problem: Problem, read: Release) -> tuple[list[Json], list[Any]]:
    """Of counts that are not shown exactly: proofs that they are primary, though they do not say so themselves, and datasets which
    show that others are not.
    """
    primary = problem.policy.primary
    if primary is None or primary.low is None or primary.high is None:
        return [], []
    proved, datasets = list[Json](), list[Dataset]()
    case = Case(read)
    for i, s in enumerate(read.statistics):
        if primary.holds(s.name, s.low, s.high) or not s.open:
            continue
        if i in problem.primary:
            trees = _trees(case, [Goal(s.predicate, primary.low, primary.high)])
            if trees is None:
                raise UndecidedError(f"it could not be proved again that {s.label} is primary; no certificate was written")
            steps, written = proofs_of_bounds(case, trees)
            proved.append({"number": i, "low": primary.low, "high": primary.high, "steps": steps, "proofs": written})
        elif not any(d.count(s.predicate) < primary.low or d.count(s.predicate) > primary.high for d in datasets):
            sides = [(primary.high + 1, None), *([(0, primary.low - 1)] if primary.low else [])]
            other = next((d for low, high in sides if (d := _fitting(read, Statistic(s.predicate, low, high))) is not None), None)
            if other is None:
                raise UndecidedError(f"no dataset was found in which {s.label} is not primary; no certificate was written")
            datasets.append(other)
    return proved, [_listed(dataset) for dataset in datasets]


def _where(problem: Problem, predicate: Predicate) -> Json:
    made = {name: problem.release.domain.column(name).ordered(codes) for name, codes in predicate.allowed}
    return {name: codes[0] if len(codes) == 1 else codes for name, codes in made.items()}


def _needs(problem: Problem, needed: Iterable[Needed]) -> list[Json]:
    made = []
    for part in needed:
        ends = {"low": part.low, "high": part.high}
        sources = part.row.sources
        what: Json = {"number": sources[0]} if len(sources) == 1 else {"sum": list(sources)}
        whole = len(sources) == 1 and problem.rows[sources[0]].tells_gaps(part.low, part.high)
        bare: Json = {"bare": True} if whole and not part.row.tells_gaps(part.low, part.high) else {}  # without the gaps of a mark
        made.append(what | {name: end for name, end in ends.items() if end is not None} | bare)
    return made


def _breach(problem: Problem, breach: Breach, missing: tuple[int, ...] = ()) -> tuple[Json, list[Goal]]:
    match breach:
        case Narrow(number=number, low=low, high=high):
            goal = Goal(problem.release.statistics[number].predicate, low, high, missing)
            ends: Json = {"low": low, **({} if high is None else {"high": high})}
            return {"cell": number, **ends, **({"missing": list(missing)} if missing else {})}, [goal]
        case Told(predicate=predicate, count=count, everybody=everybody):
            more: Json = {"everybody": True} if everybody else {}
            return {"claim": _where(problem, predicate), "count": count, **more}, held_by(breach)
        case Following(group=group, column=column, code=code):
            goal = zero_goal(problem.release.domain, breach)
            record = allowed_record(problem.release, goal.predicate)
            assert record is not None
            return {"group": _where(problem, group), "column": column, "code": code, "allowed": list(record)}, [goal]


def _exact(problem: Problem, explanation: BreachExplanation, before: _Listed) -> Json:
    """The needed statements alone, compiled, with a proof of every side that matters.

    If they are not enough, numbers that no action touches stand behind them.
    """
    breach, goals = _breach(problem, explanation.breach, explanation.missing)
    listed = {part.row for part in explanation.needed}
    fixed = [Needed(row, *row.limits) for row in problem.rows if not row.hitters and row not in listed]
    for some in (explanation.needed, (*explanation.needed, *fixed)):
        needed = sorted(some, key=lambda part: part.row.count is None)  # counts first, as a release has them
        release = release_of(problem, needed)
        case = Case(release)
        trees, without = _trees(case, goals), _impossible(release, goals)
        if trees is not None and without is not None:
            steps, written = proofs_of_bounds(case, trees)
            made = {"needs": _needs(problem, needed), "breach": breach, "steps": steps, "proofs": [*written, *without]}
            return made | _given(problem, explanation, before)
    raise UndecidedError("an explanation could not be proved again for the certificate; none was written")


def _impossible(release: Release, goals: Iterable[Goal]) -> list[Json] | None:
    """For every value that a count does not have, why nothing fits if it had; None if something may."""
    made = []
    for goal in goals:
        for value in goal.missing:
            counts = (*release.statistics, Statistic(goal.predicate, value, value))
            case = Case(release.changed(statistics=counts))
            if case.first_witness() is not False or case.prover.refutation is None:
                return None
            steps, (tree,) = proofs_of_bounds(case, [case.prover.refutation])
            made.append({"steps": steps, "proof": tree})
    return made


def _given(problem: Problem, explanation: BreachExplanation, before: _Listed) -> Json:
    """For which choices it holds, and datasets that show what the breach needs besides: that somebody can be in a group, and that
    columns count because somebody may have another value there.
    """
    wanted: list[Predicate] = []
    match explanation.breach:
        case Following(group=group):
            wanted = [group]
        case Told(predicate=predicate, everybody=False) if problem.groups != Groups.NONE:
            for name, codes in predicate.allowed:
                others = [code for code in problem.release.domain.column(name).codes if code not in codes]
                wanted += [Predicate.of({name: others})] if others else []
    made: Json = {"given": sorted(explanation.given)} if explanation.given else {}
    rest = [predicate for predicate in wanted if not before.has(predicate)]
    if rest:
        after = _Listed(protected_release(problem, explanation.given))
        if not explanation.given or not all(after.has(predicate) for predicate in rest):
            raise UndecidedError("no dataset was found that an explanation needs; no certificate was written")
        made["datasets"] = after.json
    return made


def _trees(case: Case, goals: list[Goal]) -> list[Tree] | None:
    """A proof for every side of every goal; None when there is one that has none."""
    trees = []
    for predicate, low, high, _ in goals:
        above = [] if high is None else [case.at_most(predicate, high)]
        for answer in (*above, *([case.at_least(predicate, low)] if low else [])):
            if not isinstance(answer, AtMost):
                return None
            trees.append(answer.proof)
    return trees


def _linear(problem: Problem, explanation: BreachExplanation, attacker: LinearAttacker) -> Json:
    """The sum of numbers shown exactly that is the cell, on every combination of codes."""
    breach, ((predicate, low, high, _),) = _breach(problem, explanation.breach)
    domain = problem.release.domain
    masks = [part.row.count.predicate.masks(domain) for part in explanation.needed if part.row.count is not None]
    *rows, target = map(attacker.place, [*masks, predicate.masks(domain)])
    made = combination(rows, target)
    assert made is not None
    assert low == high
    times, over = made
    sides = [[[2 * r + (sign * n < 0), abs(n)] for r, n in times.items()] for sign in (1, -1)]
    trees = [{"terms": terms, "over": over} for terms in sides][: 2 if low else 1]
    steps = [
        {"columns": column.name, "sets": [list(column.codes_of(group)) for group in groups]}
        for column, groups in zip(domain.columns, attacker.atoms.groups, strict=True)
        if len(groups) > 1
    ]
    return {"needs": _needs(problem, explanation.needed), "breach": breach, "steps": steps, "proofs": trees}


def safe_evidence(problem: Problem, attacker: Attacker, taken: Iterable[int]) -> Any:
    """Why what is left after some actions keeps the policy."""
    if isinstance(attacker, LinearAttacker):
        direction = attacker.direction(taken)
        if direction is None:
            raise UndecidedError("no direction was found in which all primary cells can change; no certificate was written")
        return [[number, list(record)] for number, record in direction]
    assert isinstance(attacker, ExactAttacker)
    policy, made, datasets = problem.policy, Json(), list[Any]()
    cells = attacker.datasets(taken, Deadline())
    if cells is None:
        raise UndecidedError("no datasets were found that show the cells to be unknown; no certificate was written")
    datasets += [_listed(dataset) for dataset in cells]
    left = protected_release(problem, taken, problem.domain)
    audited = audit(left, groups=problem.groups) if policy.about_claims else None
    if audited is not None:
        made["audit"] = proofs(audited)
    if policy.attribute or (audited is not None and problem.groups != Groups.NONE):
        case = start(left)
        for name in policy.attribute:
            following(case, name, policy.attribute_from, problem.groups)
        if audited is not None:
            settle_values(case)
        made["empty"] = steps_of(case)
        datasets += _showing(case) if policy.attribute else []
    return made | ({"datasets": datasets} if datasets else {})


def _showing(case: Case) -> list[Any]:
    """Datasets that have every kind of record that is possible: a record of a bucket can be any that the bucket stands for."""
    system = case.system
    names = [[column.codes_of(group)[0] for group in groups] for column, groups in zip(
        system.release.domain.columns, system.atoms.groups, strict=True
    )]
    order = np.argsort(system.bucket_of, kind="stable")
    rows = np.split(order, np.flatnonzero(np.diff(system.bucket_of[order])) + 1) if len(order) else []
    unseen = {int(system.bucket_of[some[0]]): some.tolist() for some in rows}
    first = {bucket: some[0] for bucket, some in unseen.items()}
    made: list[Any] = []
    for witness in case.pool:
        while any(unseen[bucket] for bucket in witness.buckets.tolist()):
            if len(made) >= MOST_DATASETS:
                raise UndecidedError("more datasets would have to be listed than a certificate holds; none was written")
            kinds: dict[int, int] = {}
            for bucket, count in zip(witness.buckets.tolist(), witness.counts.tolist(), strict=True):
                new, unseen[bucket] = unseen[bucket][:count], unseen[bucket][count:]
                kinds |= dict.fromkeys(new, 1)
                kinds[first[bucket]] = kinds.get(first[bucket], 0) + count - len(new)
            listed = {r: [names[c][a] for c, a in enumerate(system.records[r].tolist())] for r, n in kinds.items() if n}
            made.append([record if kinds[r] == 1 else {"n": kinds[r], "record": record} for r, record in listed.items()])
    return made


def _fitting(release: Release, *more: Statistic) -> Dataset | None:
    """A dataset that fits a release and some more numbers, if there is one."""
    # counts that say nothing tell values apart for no use, and more kinds of record would be listed; percentages may name them
    told = [s for s in release.statistics if s.low or s.high is not None or s.gaps or release.figures]
    try:
        stricter = release.changed(statistics=(*told, *more))
    except InputError:  # the release alone is in order
        return None
    case = Case(stricter)
    return case.dataset() if case.first_witness() is True else None


def _listed(dataset: Dataset) -> list[Any]:
    return [list(record) if n == 1 else {"n": n, "record": list(record)} for record, n in dataset.kinds]
