"""Generate, then verify: the paper's whole method for a release."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from time import perf_counter

from foregone.model.audit import Audit, Fact, in_telling_order
from foregone.model.claim import Claim, Ground, Verdict
from foregone.model.domain import Domain
from foregone.model.predicate import Predicate
from foregone.model.progress import Progress
from foregone.model.release import Release
from foregone.model.sentences import plural
from foregone.onehot.generate import SOLUTIONS, Generated, candidates, generate
from foregone.onehot.model import OneHot, encode
from foregone.onehot.verify import SECONDS, Form, check
from foregone.solvers.ip.outcome import Adapter

PATIENCE = 10  # the generate step may take as long as this many claims


def facts_of(domain: Domain, claims: list[Claim]) -> tuple[Fact, ...]:
    """Verified claims over all column subsets, the empty one too, as facts.

    A closed claim is a verified one to which no column can be added at the same count. When a claim and a fuller one have
    the same count they are about the same records, and so is every claim between the two, even one whose own solve
    ended without an answer; looking one column ahead is therefore enough.
    """
    position = domain.index
    verified = {(frozenset(claim.predicate.allowed), claim.count) for claim in claims}
    shorter = {(conditions - {one}, count) for conditions, count in verified for one in conditions}
    made = []
    for conditions, count in verified - shorter - {(frozenset(), count) for _, count in verified}:
        alike = [form for form, number in verified if number == count and form <= conditions]
        shortest = [form for form in alike if not any(other < form for other in alike)]
        sizes = [0] * (len(conditions) + 1)
        for size in range(len(conditions) + 1):
            sizes[size] = sum(any(form <= set(some) for form in shortest) for some in combinations(conditions, size))
        shortest.sort(key=lambda form: (len(form), sum(1 << position[name] for name, _ in form)))
        words = tuple(Predicate(tuple(sorted(form))) for form in shortest)
        made.append(Fact(Predicate(tuple(sorted(conditions))), count, Ground.SOLVER, words, tuple(sizes)))
    return tuple(made)


def between(facts: Iterable[Fact], claim: Claim) -> bool:
    """Does the claim follow because it lies between a shortest form and the full form of a fact?"""
    asked = set(claim.predicate.allowed)
    return any(
        fact.count == claim.count
        and asked <= set(fact.predicate.allowed)
        and any(set(form.allowed) <= asked for form in fact.shortest)
        for fact in facts
    )


def _everyone(model: OneHot, made: Generated, adapter: Adapter, seconds: float | None, form: Form) -> list[Claim]:
    """The claim without columns, if it is certain: a fact about all records need not name anything."""
    claims = {Claim(Predicate(), len(dataset)) for dataset in made.datasets}
    if len(claims) > 1 or model.least == model.records:
        return list(claims) if len(claims) == 1 else []
    return [claim for claim in claims if check(model, claim, adapter, seconds, form).verdict == Verdict.VERIFIED]


def _method(model: OneHot, made: Generated, candidates: int, solver: str) -> str:
    """How it was done, for the summary."""
    program = model.program
    early = ""
    if made.reason:
        early = f" Generating stopped early because {made.reason}; that leaves more candidates to verify, nothing else."
    return (
        f"One-hot model with {program.variables:,} variables and {program.rows:,} rows, solved by {solver}:"
        f" {len(made.datasets):,} different {plural('dataset', len(made.datasets))} generated"
        f"{' (there are no more)' if made.complete else ''}; they agree on {candidates:,} {plural('candidate', candidates)}.{early}"
    )


def audit(
    release: Release,
    adapter: Adapter,
    solutions: int = SOLUTIONS,
    time_limit: float | None = SECONDS,
    form: Form = Form.DISJUNCTION,
    progress: Progress | None = None,
) -> Audit:
    """Generate `solutions` datasets, intersect their claim lists, and verify each candidate with a solve of its own.

    `time_limit` is for each claim; the generate step as a whole may take as long as ten claims.
    """
    say = progress or (lambda *_: None)
    begin = perf_counter()
    model = encode(release)
    encoded = perf_counter()
    say("generating datasets", 0, 0)
    made = generate(model, adapter, solutions, None if time_limit is None else PATIENCE * time_limit)
    generated = perf_counter()
    proposed = candidates(release.domain, made.datasets)
    listed = perf_counter()
    findings = []
    for i, claim in enumerate(proposed):
        say("verifying claims", i, len(proposed))
        findings.append(check(model, claim, adapter, time_limit, form))
    end = perf_counter()
    seconds = {
        "encode": encoded - begin,
        "generate": generated - encoded,
        "candidates": listed - generated,
        "verify": end - listed,
        "total": end - begin,
    }
    certain = [f.claim for f in findings if f.verdict == Verdict.VERIFIED]
    facts = in_telling_order(release, facts_of(release.domain, [*certain, *_everyone(model, made, adapter, time_limit, form)]))
    left = [f for f in findings if f.verdict == Verdict.UNDECIDED and not between(facts, f.claim)]
    open_ = (Fact(f.claim.predicate, f.claim.count, None, (f.claim.predicate,), ()) for f in left)
    reason = next((f"{f.reason} ({adapter.name})" for f in left), "")
    method = _method(model, made, len(findings), adapter.name)
    return Audit(release, facts, in_telling_order(release, open_), reason, method=method, seconds=seconds)
