"""Every protection of a tiny release is as cheap as the cheapest of all sets of actions, and safe."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise, product
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from foregone import (
    Dataset,
    Domain,
    Figure,
    Knowledge,
    Measure,
    Policy,
    Predicate,
    Primary,
    Release,
    Statistic,
    audit,
    proofs,
    protect,
)
from foregone.checker.explained import clause_of
from foregone.checker.protection import FORMAT, VERSION, check_protection
from foregone.checker.seal import digest
from foregone.model.families import Groups
from foregone.protection.actions import Allowed, base_cost, problem_of
from foregone.protection.attack import Attacker
from foregone.protection.certificate import asked_json, certificate
from foregone.protection.covering_proof import CoveringProof
from foregone.protection.exact import ExactAttacker
from foregone.protection.linear import LinearAttacker
from foregone.protection.problem import Problem
from foregone.protection.published import protected_release
from foregone.protection.search import Search
from foregone.questions.check import plain
from foregone.solvers.deadline import Deadline
from tests import oracle
from tests.protection import brute
from tests.protection.measured import measured

MOST_ACTIONS = 8
ROOM = 1  # how many more records than there are a dataset may have


@st.composite
def tables(draw: st.DrawFn) -> Release:
    """A table of one or two columns with margins, in a random order and with holes; the number of records has a limit."""
    widths = draw(st.sampled_from([(2,), (3,), (2, 2)]))
    domain = Domain.of({name: [f"{name.lower()}{i}" for i in range(width)] for name, width in zip("AB", widths, strict=False)})
    everything = list(product(*(column.codes for column in domain.columns)))
    truth = Dataset.of(domain, draw(st.lists(st.sampled_from(everything), min_size=1, max_size=4)))
    sides: list[list[dict[str, str | list[str]]]] = [
        [*[dict[str, str | list[str]]({column.name: code}) for code in column.codes], {}] for column in domain.columns
    ]
    if widths == (3,):
        sides[0] += [{"A": ["a0", "a1"]}, {"A": ["a1", "a2"]}]
    predicates = [Predicate.of({k: v for part in parts for k, v in part.items()}) for parts in product(*sides)]
    some = draw(st.lists(st.sampled_from(predicates), min_size=1, max_size=7, unique=True))
    cells = [Statistic.exact(p, truth.count(p), f"T{len(p)}.{i}", f"T{len(p)}") for i, p in enumerate(some)]
    return Release(domain, [*cells, Statistic(Predicate(), 0, len(truth) + ROOM, "limit", "limit")])


KNOWN = st.sampled_from([Knowledge(), Knowledge(zeros_shown=True)])
CLAIMS = st.builds(Policy, singled_out_columns=st.integers(1, 2), smallest_group=st.integers(2, 3))
ATTRIBUTE = st.just(Policy(attribute=("A",)))
CELLS = st.builds(
    Policy,
    primary=st.sampled_from([Primary(1, 1), Primary(1, 2)]),
    min_width=st.integers(2, 3),
    both_sides=st.sampled_from([0, 50]),
    know=KNOWN,
)
BOTH = st.just(Policy(2, primary=Primary(1, 1)))


@st.composite
def permissions(draw: st.DrawFn, release: Release) -> Allowed:
    column, others = release.domain.columns[0], release.domain.columns[1:]
    pairs = [(column.name, one, other) for one, other in pairwise(column.codes)]
    pairs += [(other.name, other.codes[0], other.codes[1]) for other in others]
    merges = tuple(draw(st.lists(st.sampled_from(pairs), min_size=1, max_size=2, unique=True)))
    kind = draw(st.sampled_from(["cell", "cell", "table", "round", "merge", "only merge", "table, round", "all"]))
    costs = {s.name: draw(st.integers(1, 3)) for s in release.statistics} if draw(st.booleans()) else {}
    match kind:
        case "round":
            return Allowed(keep=("limit",), bases=(3,), costs=costs, withhold=draw(st.booleans()))
        case "merge":
            return Allowed(keep=("limit",), merges=merges, costs=costs)
        case "only merge":
            return Allowed(keep=("limit",), merges=merges, costs=costs, withhold=False)
        case "table, round":
            return Allowed("table", ("limit",), costs, bases=(2, 3))
        case "all":
            return Allowed(draw(st.sampled_from(["cell", "table"])), ("limit",), costs, bases=(3,), merges=merges)
        case _:
            return Allowed(kind, ("limit",), costs)


class Asked(NamedTuple):
    allowed: Allowed
    problem: Problem


@st.composite
def problems(
    draw: st.DrawFn, policies: st.SearchStrategy[Policy], releases: st.SearchStrategy[Release] | None = None
) -> Asked:
    policy = draw(policies)
    release = draw(tables() if releases is None else releases)
    if policy.primary is not None and policy.primary.names == ():
        assume(any(policy.primary.of(s) for s in release.statistics))
    allowed = draw(permissions(release))
    made = problem_of(release, policy, allowed, draw(st.sampled_from(Groups)))
    assume(len(made.actions) <= MOST_ACTIONS)
    return Asked(allowed, made)


def check(asked: Asked, attacker: Attacker, name: str) -> None:
    made = asked.problem
    largest = made.release.statistics[-1].high
    assert largest is not None
    expected = brute.cheapest(made, name, largest)
    found = Search(made, attacker, Deadline()).run()
    if expected is None:
        assert found.impossible is not None
        assert found.upper is None
        return
    assert found.impossible is None
    assert (found.lower, found.upper, found.reason) == (expected, expected, "")
    breaks = brute.linear_breaks if name == "linear" else brute.exact_breaks
    assert not breaks(made, found.taken, largest)
    assert attacker.breaches(found.taken, Deadline()) == 0
    tree = CoveringProof(made.costs, [e.clause for e in found.explanations], found.lower).tree()
    assert tree is not None
    document = certificate(made, asked.allowed, attacker, found, base_cost(made, asked.allowed), tree)
    judged = check_protection(plain(made.release), json.loads(json.dumps(document)))
    # what `protect` refuses before it begins: cells withheld before of which the attacker knows more than the release says
    assume(not any("was withheld before, and zeros are shown" in why for why in judged.rejected))
    assert (judged.rejected, judged.trusted) == ([], [])
    assert judged.accepted == len(found.explanations) + 1
    assert judged.case is not None  # the checker finds out by itself which actions take an explanation's ground away
    assert [clause_of(judged.case, name, e) for e in document["explanations"]] == [e.clause for e in found.explanations]
    for explanation in found.explanations:  # whoever leaves out all of its actions is broken into
        rest = frozenset(range(len(made.actions))) - explanation.clause
        assert breaks(made, rest, largest)


@pytest.mark.slow
@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(problems(st.one_of(CLAIMS, ATTRIBUTE, CELLS, BOTH)))
def test_exact(asked: Asked) -> None:
    check(asked, ExactAttacker(asked.problem), "exact")


@pytest.mark.slow
@settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))
@given(problems(st.one_of(CLAIMS, st.just(Policy(attribute=("SEX",))), CELLS), measured()))
def test_exact_with_figures(asked: Asked) -> None:
    """Sums, means, medians and percentages are withheld, too, and what they are of."""
    assume(asked.problem.release.figures)
    check(asked, ExactAttacker(asked.problem), "exact")


def test_what_a_figure_costs_counts() -> None:
    """Half of ten: whoever withholds the percentage need not withhold the ten, which is dearer."""
    figure = Figure.exact(Measure.PERCENT, "", Predicate.of({"A": "a"}), 50, "T.1")
    release = Release(Domain.of({"A": ["a", "b"]}), [Statistic.exact(Predicate(), 10, "T.0")], figures=[figure])
    found = protect(release, Policy(1, 6), costs={"T.0": 5})
    assert (found.withheld, found.cost, found.lower_bound) == (("T.1",), 1, 1)
    assert protect(release, Policy(1, 6), keep=["T.0"]).impossible == ""


@pytest.mark.slow
@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(problems(st.builds(Policy, primary=st.sampled_from([Primary(1, 1), Primary(1, 2), Primary(0, 1)]))))
def test_linear(asked: Asked) -> None:
    check(asked, LinearAttacker(asked.problem), "linear")


@pytest.mark.slow
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(problems(st.one_of(CLAIMS, ATTRIBUTE, CELLS, BOTH)), st.data())
def test_a_certificate_is_accepted_exactly_when_what_is_left_is_safe(asked: Asked, data: st.DataObject) -> None:
    """Whatever is taken, and though everything is listed that could speak for it."""
    made = asked.problem
    taken = data.draw(st.sets(st.integers(0, len(made.actions) - 1))) if made.actions else set()
    left, largest = protected_release(made, taken), made.release.statistics[-1].high
    assert largest is not None
    safe: dict[str, Any] = {}
    if made.primary:
        safe["datasets"] = [[list(record) for record in records] for records in oracle.consistent_datasets(left, largest)]
    if made.policy.about_claims or made.policy.attribute:
        safe["audit"] = proofs(audit(protected_release(made, taken, made.domain), groups=made.groups))
    actions = [
        {"kind": a.kind.value, "name": a.name, "cost": a.cost, "numbers": sorted(a.numbers)} | ({"base": a.base} if a.base else {})
        for a in made.actions
    ]
    document = {
        "format": FORMAT,
        "version": VERSION,
        "tool": "",
        "release": made.release.fingerprint(),
        "attacker": "exact",
        "policy": made.policy.json(),
        "groups": made.groups.value,
        "asked": asked_json(asked.allowed),
        "primary": sorted(made.primary),
        "actions": actions,
        "taken": sorted(taken),
        "cost": base_cost(made, asked.allowed) + made.cost(taken),
        "lower_bound": 0,
        "explanations": [],
        "safe": safe,
    }
    document["digest"] = digest(document)
    judged = check_protection(plain(made.release), json.loads(json.dumps(document)))
    assert (judged.rejected == []) == (not brute.exact_breaks(made, frozenset(taken), largest)), judged.rejected


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
    found = Search(made, attacker, Deadline()).run()
    summed = [e for e in found.explanations if any(len(part.row.sources) > 1 for part in e.needed)]
    assert [e.clause for e in summed] == [{1}]
    tree = CoveringProof(made.costs, [e.clause for e in found.explanations], found.lower).tree()
    document = json.loads(json.dumps(certificate(made, allowed, attacker, found, 0, tree)))
    judged = check_protection(plain(made.release), document)
    assert judged.rejected == []
    assert judged.case is not None
    assert {1} in [clause_of(judged.case, "exact", e) for e in document["explanations"]]


def test_a_sum_is_hidden_when_a_part_is_rounded() -> None:
    """7 and 1 are 8: the sum rounded to 5 would say 8 to 12, but 7 rounded says 3 to 7, so 4 to 8."""
    domain = Domain.of({"A": ["a0", "a1", "a2"]})
    counts = [Statistic.exact(Predicate.of({"A": code}), n, f"T.{code}") for code, n in (("a0", 7), ("a1", 1))]
    made = problem_of(Release(domain, counts), Policy(3), Allowed(bases=(5,), merges=(("A", "a0", "a1"),)))
    taken = [a for a, action in enumerate(made.actions) if action.kind == "merge" or action.words.startswith("round T.a0")]
    (left,) = protected_release(made, taken).statistics
    assert (left.name, left.low, left.high, left.withheld) == ("T.a0 + T.a1", 0, None, True)


@pytest.mark.slow
@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(problems(st.one_of(CLAIMS, CELLS)), st.data())
def test_more_actions_leave_less(asked: Asked, data: st.DataObject) -> None:
    """Whatever fits what some actions leave also fits what more actions leave; else an explanation could lose its ground."""
    made = asked.problem
    assume(made.actions)
    numbers = st.sets(st.integers(0, len(made.actions) - 1))
    some = data.draw(numbers)
    more = some | data.draw(numbers)
    largest = made.release.statistics[-1].high
    assert largest is not None
    fewer, rest = (set(oracle.consistent_datasets(protected_release(made, taken), largest)) for taken in (some, more))
    assert fewer <= rest
