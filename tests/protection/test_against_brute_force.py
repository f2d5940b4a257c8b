"""Every protection of a tiny release is as cheap as the cheapest of all sets of actions, safe, and proved."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from foregone import Domain, Figure, Knowledge, Measure, Policy, Predicate, Primary, Release, Statistic, audit, proofs, protect
from foregone.checker.verdicts.explained import clause_of, possible
from foregone.checker.verdicts.protection import Protected, check_protection
from foregone.engine import following, settle_values, start, steps_of
from foregone.policy.reader import as_read
from foregone.protection import certificate as writing
from foregone.protection.actions import Allowed, base_cost, problem_of
from foregone.protection.attack import Attacker, BreachExplanation
from foregone.protection.certificate import certificate
from foregone.protection.covering_proof import bound_proof
from foregone.protection.exact import ExactAttacker
from foregone.protection.linear import LinearAttacker
from foregone.protection.problem import Problem
from foregone.protection.published import protected_release
from foregone.protection.search import ChoiceSearch, Found
from foregone.questions.check import plain
from foregone.solvers.deadline import Deadline
from tests import oracle
from tests.policy.brute import breaks
from tests.protection import brute
from tests.protection.cases import PARTS, Case, about_cells, random_policy, records, some_cases, taken_at_random
from tests.protection.measured import measured_release

MOST_SETS = 64  # of actions; of more, explanations are compared with one set each


def compare(case: Case, attacker: Attacker, name: str) -> tuple[str, Found]:
    """A search with brute force over all sets of actions, and its certificate with the checker. Tells what came out."""
    made, largest, breaks = case.problem, case.largest, brute.breaks_of(name)
    found = ChoiceSearch(made, attacker, Deadline()).run()
    if 1 << len(made.actions) <= MOST_SETS:
        enough = brute.protections(made, name, largest)
        for explanation in found.explanations:  # whoever takes what it is given, and none of its clause, is broken into
            assert not any(explanation.given <= taken and not explanation.clause & taken for taken in enough), explanation
    else:
        least = brute.cheapest(made, name, largest)
        cheap = (taken for taken in brute.subsets(made) if made.cost(taken) == least)
        enough = [taken for taken in cheap if not breaks(made, taken, largest)]
        for explanation in found.explanations:
            taken = _without(made, explanation)
            assert explanation.given & explanation.clause or breaks(made, taken, largest), explanation
    if not enough:
        assert found.impossible is not None
        assert found.upper is None
        return "impossible", found
    cost = min(map(made.cost, enough))
    assert found.impossible is None
    assert (found.lower, found.upper, found.reason) == (cost, cost, "")
    assert not breaks(made, found.taken, largest)
    assert attacker.breaches(found.taken, Deadline()) == 0
    assert made.weight(found.taken) == min(made.weight(taken) for taken in enough if made.cost(taken) == cost)
    check(case, attacker, name, found)
    return ("protected" if found.taken else "nothing to do"), found


def _without(made: Problem, explanation: BreachExplanation) -> frozenset[int]:
    return frozenset(range(len(made.actions))) - explanation.clause | explanation.given


def check(case: Case, attacker: Attacker, name: str, found: Found) -> None:
    """The checker accepts the certificate, and finds out by itself which actions take an explanation's ground away."""
    tree = bound_proof(case.problem.costs, found)
    assert tree is not None
    document = written(case, attacker, found, tree)
    judged = check_protection(plain(case.release), document)
    assert (judged.rejected, judged.trusted) == ([], [])
    assert judged.accepted == len(found.explanations) + 1
    assert judged.cost == base_cost(case.problem, case.allowed) + case.problem.cost(found.taken)
    assert judged.case is not None
    before = possible(judged.case, (), document.get("before", []))
    for explanation, entry in zip(found.explanations, document["explanations"], strict=True):
        assert clause_of(judged.case, name, entry, before) == (explanation.given, explanation.clause)


def written(case: Case, attacker: Attacker, found: Found, tree: Any) -> Any:
    """A certificate as it is read from a file."""
    base = base_cost(case.problem, case.allowed)
    return json.loads(json.dumps(certificate(case.problem, case.release, case.allowed, attacker, found, tree, base)))


@pytest.mark.slow
def test_exact() -> None:
    met: Counter[tuple[str, str]] = Counter()
    for seed, case in some_cases(range(450)):
        try:
            outcome, found = compare(case, ExactAttacker(case.problem), "exact")
        except Exception as error:
            raise AssertionError(f"seed {seed}: {case.policy}") from error
        kinds = [*case.parts, *({"given"} if any(e.given for e in found.explanations) else ())]
        kinds += ["zero withheld"] if any(_withholds_zero(case.problem, a) for a in found.taken) else []
        met.update((kind, outcome) for kind in (*kinds, *{case.problem.actions[a].kind.value for a in found.taken}))
    rare = {kind for kind in (*PARTS, "given", "zero withheld", "cell", "table", "round", "merge") if met[kind, "protected"] < 8}
    assert not rare, met
    assert min(met[part, "impossible"] for part in PARTS) >= 2, met
    assert min(met[part, "nothing to do"] for part in PARTS) >= 20, met


def _withholds_zero(problem: Problem, action: int) -> bool:
    return any(problem.true.get(i) == 0 for i in problem.actions[action].numbers)


TWO = [
    Statistic(Predicate.of({"A": "a0"}), 0, None, "T1.0", "T1", mark="#", gaps=((1, 1),)),
    Statistic.exact(Predicate(), 2, "T2.0", "T2"),
]
THREE = [
    Statistic.exact(Predicate.of({"A": "a0"}), 3, "T1.0", "T1"),
    Statistic(Predicate.of({"A": "a0"}), 2, 4, "T2.0", "T2"),
]


ONE_EACH = [
    Statistic.exact(Predicate(), 2, "T1.0", "T1"),
    *(Statistic(Predicate.of({"A": f"a{i}"}), 0, None, f"{t}.a{i}", t, withheld=True) for t in ("T1", "T2") for i in (0, 1)),
]


@pytest.mark.parametrize(
    ("by", "counts", "policy", "withheld"),
    [
        ("cell", ONE_EACH, Policy(stars=2, know=Knowledge(True)), {"T1.0"}),
        ("table", TWO, Policy(stars=3, know=Knowledge()), {"T1"}),
        # T1 holds nothing else, and costs nothing
        ("table", THREE, Policy(primary=Primary(names=("T1.0",)), min_width=3, know=Knowledge(True, 3)), {"T1", "T2"}),
    ],
)
def test_the_checker_knows_what_a_withheld_table_leaves(
    by: str, counts: list[Statistic], policy: Policy, withheld: set[str]
) -> None:
    """Where zeros are known to be shown, that does not change with a table of which nothing is shown. Of two records none or both
    are a0; once that table is withheld, nobody knows that it is not one. And a cell that the policy names is known to be at most 3,
    whether its table is withheld or not.
    """
    domain = replace(Domain.of({"A": ["a0", "a1"]}), marks=(("#", ((0, 0), (2, None))),))
    allowed = Allowed(by, ("limit",), {"T2": 9} if by == "table" else {})
    release = Release(domain, [*counts, Statistic(Predicate(), 0, 4, "limit")])
    made = problem_of(as_read(release, policy), policy, allowed)
    case, attacker = Case(release, policy, allowed, made), ExactAttacker(made)
    found = ChoiceSearch(made, attacker, Deadline()).run()
    assert {made.actions[a].name for a in found.taken} == withheld
    assert found.upper == brute.cheapest(made, "exact", case.largest)
    check(case, attacker, "exact", found)


@pytest.mark.slow
def test_exact_with_figures() -> None:
    """Sums, means, medians and percentages are withheld, too, and what they are of."""
    met: Counter[str] = Counter()
    for seed, case in some_cases(range(130), measured_release):
        if case.release.figures:
            try:
                met[compare(case, ExactAttacker(case.problem), "exact")[0]] += 1
            except Exception as error:
                raise AssertionError(f"seed {seed}: {case.policy}") from error
    assert met["protected"] >= 20, met


@pytest.mark.slow
def test_linear() -> None:
    met: Counter[str] = Counter()
    for seed, case in some_cases(range(300), policies=about_cells, knowing=False):
        try:
            met[compare(case, LinearAttacker(case.problem), "linear")[0]] += 1
        except Exception as error:
            raise AssertionError(f"seed {seed}: {case.policy}") from error
    assert met["protected"] >= 20, met


def all_evidence(case: Case, taken: Iterable[int]) -> dict[str, Any]:
    """Everything that could speak for what is left after some actions, in the form of `safe_evidence`: all datasets that fit, every
    proof of an audit, and every kind of record that cannot be there.
    """
    made = case.problem
    left = protected_release(made, taken, made.domain)
    fitting = [some for some in oracle.consistent_datasets(left, case.largest) if oracle.has_figures(some, left)]
    session = start(left)
    for name in made.policy.attribute:
        following(session, name, made.policy.attribute_from, made.groups)
    settle_values(session)
    said: dict[str, Any] = {"datasets": records(fitting), "empty": steps_of(session)}
    return said | ({"audit": proofs(audit(left, groups=made.groups))} if made.policy.about_claims else {})


def judged_with_everything(case: Case, taken: frozenset[int], monkeypatch: pytest.MonkeyPatch) -> Protected:
    evidence = all_evidence(case, taken)
    monkeypatch.setattr(writing, "safe_evidence", lambda *_: evidence)
    found = Found(0, case.problem.cost(taken), taken)
    return check_protection(plain(case.release), written(case, ExactAttacker(case.problem), found, None))


@pytest.mark.slow
@pytest.mark.parametrize("releases", [None, measured_release])
def test_a_certificate_is_accepted_exactly_when_what_is_left_is_safe(releases: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is taken, and though everything is listed that could speak for it."""
    met: Counter[tuple[str, bool]] = Counter()
    for seed, case in some_cases(range(5000, 5350 if releases is None else 5160), releases):
        taken = taken_at_random(Random(seed), case.problem)
        judged, safe = judged_with_everything(case, taken, monkeypatch), not brute.exact_breaks(case.problem, taken, case.largest)
        assert (judged.rejected == []) == safe, (seed, case.policy, taken, judged.rejected)
        met.update((part, safe) for part in case.parts)
    assert min(met[part, safe] for part in PARTS for safe in (True, False)) >= 5, met


def test_what_a_figure_costs_counts() -> None:
    """Half of ten: whoever withholds the percentage need not withhold the ten, which is dearer."""
    figure = Figure.exact(Measure.PERCENT, "", Predicate.of({"A": "a"}), 50, "T.1")
    release = Release(Domain.of({"A": ["a", "b"]}), [Statistic.exact(Predicate(), 10, "T.0")], figures=[figure])
    found = protect(release, Policy(1, 6), costs={"T.0": 5})
    assert (found.withheld, found.cost, found.lower_bound) == (("T.1",), 1, 1)
    assert protect(release, Policy(1, 6), keep=["T.0"]).impossible == ""


def attribute_only(rng: Random, release: Release) -> Policy:
    while not (policy := random_policy(rng, release)).attribute:
        pass
    return Policy(attribute=policy.attribute, attribute_from=policy.attribute_from, know=policy.know)


@pytest.mark.slow
def test_nobodys_attribute_follows_after_a_protection() -> None:
    """Over all datasets that fit what is published: in every group that somebody can be in, people differ."""
    met: Counter[bool] = Counter()
    for seed, case in some_cases(range(20_000, 20_210), policies=attribute_only):
        allowed = case.allowed
        found = protect(
            case.release,
            case.policy,
            by=allowed.by,
            keep=allowed.keep,
            costs="size" if allowed.sizes else allowed.costs,
            withhold=allowed.withhold,
            round_to=allowed.bases,
            merge=allowed.merges,
            groups=case.problem.groups,
            marks=allowed.marks,
            mark=allowed.mark,
        )
        if found.release is not None:
            declared = replace(case.problem.domain, marks=found.release.domain.marks)
            left = Release(declared, found.release.statistics, found.release.rules)
            assert not breaks(left, case.policy, case.largest, case.problem.groups), seed
            met[bool(found.before)] += 1
    assert met.total() >= 120, met
    assert met[True] >= 20, met


OVERLAPPING = Allowed(keep=("limit",), withhold=False, merges=(("A", "a0", "a1"), ("A", "a1", "a2")))


def test_a_merge_more_shows_no_sum_that_a_merge_less_hides() -> None:
    """a0 and a1 or a2 add up once all three are one; so their sum is there as soon as a0 and a1 are."""
    domain = Domain.of({"A": ["a0", "a1", "a2"]})
    cells = [({"A": ["a0"]}, "T.0"), ({"A": ["a1", "a2"]}, "T.1")]
    counts = [Statistic.exact(Predicate.of(where), 1, name) for where, name in cells]
    made = problem_of(Release(domain, [*counts, Statistic(Predicate(), 0, 3, "limit")]), Policy(3), OVERLAPPING)
    shown = [{s.name for s in protected_release(made, taken).statistics} for taken in ((0,), (1,), (0, 1))]
    assert shown == [{"limit", "T.0 + T.1"}, {"limit", "T.0", "T.1"}, {"limit", "T.0 + T.1"}]


def test_a_sum_of_three() -> None:
    """Two merges make three values one; where one of them is enough to hide a value, the sum of all three follows from the rest."""
    domain = Domain.of({"A": ["a0", "a1", "a2", "a3"]})
    counts = [Statistic.exact(Predicate.of({"A": code}), 1, f"T.{code}") for code in ("a0", "a1", "a2")]
    made = problem_of(Release(domain, counts), Policy(3), replace(OVERLAPPING, keep=()))
    shown = [{s.name: s.low for s in protected_release(made, taken).statistics} for taken in ((0,), (0, 1))]
    assert shown == [{"T.a0 + T.a1": 2, "T.a2": 1}, {"T.a0 + T.a1 + T.a2": 3}]


def test_a_merge_that_cuts_a_sum_takes_it_away() -> None:
    """The sum of a0 and a1 stays certain under their merge; merging a1 with a2 as well is what takes it away."""
    domain = Domain.of({"A": ["a0", "a1", "a2"]}, groups={"A": {"both": ["a0", "a1"]}})
    counts = [Statistic.exact(Predicate.of({"A": code}), 1, f"T.{code}") for code in ("a0", "a1")]
    allowed = replace(OVERLAPPING, keep=(), costs={"A=a1 with a2": 9})
    made = problem_of(Release(domain, counts), Policy(1, 3), allowed)
    attacker = ExactAttacker(made)
    found = ChoiceSearch(made, attacker, Deadline()).run()
    summed = [e for e in found.explanations if any(len(part.row.sources) > 1 for part in e.needed)]
    assert [e.clause for e in summed] == [{1}]
    check(Case(made.release, made.policy, allowed, made), attacker, "exact", found)


def test_a_sum_is_gone_when_a_part_is_rounded() -> None:
    """7 and 1 are 8: the sum rounded to 5 would say 8 to 12, but 7 rounded says 3 to 7, so 4 to 8. It is not shown at all, as an
    empty cell in its place would have to be told from those that a protection withholds.
    """
    domain = Domain.of({"A": ["a0", "a1", "a2"]})
    counts = [Statistic.exact(Predicate.of({"A": code}), n, f"T.{code}") for code, n in (("a0", 7), ("a1", 1))]
    made = problem_of(Release(domain, counts), Policy(3), Allowed(bases=(5,), merges=(("A", "a0", "a1"),)))
    for first in ("round T.a0", "withhold T.a1"):
        taken = [a for a, action in enumerate(made.actions) if action.kind == "merge" or action.words.startswith(first)]
        assert len(taken) == 2
        assert protected_release(made, taken).statistics == ()


@pytest.mark.slow
def test_more_actions_leave_less() -> None:
    """Whatever fits what some actions leave also fits what more actions leave; else an explanation could lose its ground."""
    for seed, case in some_cases(range(9000, 9300)):
        some = taken_at_random(Random(seed), case.problem)
        more = some | taken_at_random(Random(-seed), case.problem)
        left = [protected_release(case.problem, taken) for taken in (some, more)]
        fewer, rest = (set(oracle.consistent_datasets(release, case.largest)) for release in left)
        assert fewer <= rest, seed
