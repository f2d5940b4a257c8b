"""Generate, then verify: the paper's whole method for a release."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

from foregone.model.audit import Audit, Fact, Printed, in_telling_order
from foregone.model.claim import Claim, Finding, Ground, Possibility, Verdict
from foregone.model.families import Groups, count_forms, families_of
from foregone.model.predicate import Predicate, within
from foregone.model.progress import Progress
from foregone.model.release import Release
from foregone.model.sentences import plural
from foregone.onehot.generate import SOLUTIONS, Solutions, candidates, generate
from foregone.onehot.model import OneHot, encode
from foregone.onehot.verify import SECONDS, Negation, check, possible, verify
from foregone.solvers.ip.outcome import Adapter

PATIENCE = 10  # the generate step may take as long as this many claims


def facts_of(release: Release, claims: list[Claim], groups: Groups = Groups.PUBLISHED) -> tuple[Fact, ...]:
    """Verified claims over all members of the families, the empty one too, as facts.

    When a claim and a narrower one have the same count they are about the same records, and so is every claim between the
    two, even one whose own solve ended without an answer. So a closed claim is a verified one inside which no other
    with the same count is.
    """
    columns, families = release.domain.columns, families_of(release.workload, groups)
    by_count: dict[int, list[dict[int, int]]] = {}
    for claim in claims:
        by_count.setdefault(claim.count, []).append(claim.predicate.box(release.domain))

    def words(box: dict[int, int]) -> Predicate:
        return Predicate.of({columns[c].name: columns[c].codes_of(mask) for c, mask in box.items()})

    printed = Printed(release, groups)
    made = []
    for count, boxes in by_count.items():
        for box in boxes:
            if not box or any(other != box and within(other, box) for other in boxes):
                continue
            alike = [form for form in boxes if within(box, form)]
            shortest = [form for form in alike if not any(other != form and within(form, other) for other in alike)]
            shortest.sort(key=lambda form: (len(form), sum(1 << c for c in form), list(form.values())))
            forms = count_forms(box, shortest, families) or ()
            published = printed.around(words(box), count)
            made.append(Fact(words(box), count, Ground.SOLVER, tuple(map(words, shortest)), forms, published))
    return tuple(made)


def _everyone(model: OneHot, made: Solutions, adapter: Adapter, seconds: float | None, form: Negation) -> list[Claim]:
    """The claim without columns, if it is certain: a fact about all records need not name anything."""
    claims = {Claim(Predicate(), len(dataset)) for dataset in made.datasets}
    if len(claims) > 1 or made.complete or model.least == model.records:
        return list(claims) if len(claims) == 1 else []
    return [claim for claim in claims if check(model, claim, adapter, seconds, form).verdict == Verdict.VERIFIED]


def _method(model: OneHot, made: Solutions, candidates: int, solver: str) -> str:
    """How it was done, for the summary."""
    program = model.program
    early = ""
    if made.reason:
        early = f" Generating stopped early because {made.reason}; that leaves more candidates to verify, nothing else."
    return (
        f"One-hot model with {program.variables:,} variables and {program.rows:,} rows, solved by {solver}:"
        f" {len(made.datasets):,} different {plural('dataset', len(made.datasets))} generated"
        f"{' (there are no more)' if made.complete else ''}; they agree on {candidates:,} {plural('candidate', candidates)}"
        f"{', so each is certain and none had to be verified' if made.complete and candidates else ''}.{early}"
    )


def audit(
    release: Release,
    adapter: Adapter,
    solutions: int = SOLUTIONS,
    time_limit: float | None = SECONDS,
    form: Negation = Negation.DISJUNCTION,
    progress: Progress | None = None,
    groups: Groups = Groups.PUBLISHED,
) -> Audit:
    """Generate `solutions` datasets, intersect their claim lists, and verify each candidate with a solve of its own.

    Where the generated datasets are all there are, what they agree on is certain, and nothing is left to verify.
    `time_limit` is for each claim; the generate step as a whole may take as long as ten claims.
    """
    say = progress or (lambda *_: None)
    begin = perf_counter()
    model = encode(release)
    encoded = perf_counter()
    say("generating datasets", 0, 0)
    made = generate(model, adapter, solutions, None if time_limit is None else PATIENCE * time_limit)
    generated = perf_counter()
    families = None if groups == Groups.NONE else families_of(release.workload, groups)
    proposed = candidates(release.domain, made.datasets, families)
    listed = perf_counter()
    findings = []
    for i, claim in enumerate(proposed):
        say("verifying claims", i, len(proposed))
        if made.complete:  # what holds in all datasets there are is certain
            findings.append(Finding(claim, Verdict.VERIFIED, Ground.SOLVER))
        else:
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
    everyone = _everyone(model, made, adapter, time_limit, form)
    facts = in_telling_order(release, facts_of(release, [*certain, *everyone], groups))
    left = [f for f in findings if f.verdict == Verdict.UNDECIDED and not any(fact.says(f.claim) for fact in facts)]
    open_ = (Fact(f.claim.predicate, f.claim.count, None, (f.claim.predicate,), ()) for f in left)
    reason = next((f"{f.reason} ({adapter.name})" for f in left), "")
    method = _method(model, made, len(findings), adapter.name)
    return Audit(release, facts, in_telling_order(release, open_), reason, method=method, groups=groups, seconds=seconds)


@dataclass(frozen=True, slots=True)
class OneHotEngine:
    """The paper's method as an engine: generate datasets, then verify each claim they agree on with an integer program of its own.

    The answers are a solver's word. A time limit is for each claim, as in the paper.
    """

    adapter: Adapter
    solutions: int = SOLUTIONS
    form: Negation = Negation.DISJUNCTION
    groups: Groups = Groups.PUBLISHED
    proves: bool = False

    def audit(self, release: Release, time_limit: float | None = None, progress: Progress | None = None) -> Audit:
        return audit(release, self.adapter, self.solutions, _seconds(time_limit), self.form, progress, self.groups)

    def verify(self, release: Release, predicate: Predicate, count: int, time_limit: float | None = None) -> Finding:
        return verify(release, predicate, count, self.adapter, _seconds(time_limit), self.form)

    def possible(self, release: Release, predicate: Predicate, count: int, time_limit: float | None = None) -> Possibility:
        return possible(release, predicate, count, self.adapter, _seconds(time_limit))


def _seconds(time_limit: float | None) -> float:
    return SECONDS if time_limit is None else time_limit
