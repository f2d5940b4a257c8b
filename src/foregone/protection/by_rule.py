"""A protection that withstands readers who know the rule by which it was chosen; docs/protect.md, "Who reads it", defines the rule.

Where every dataset can be listed that is possible whatever is withheld, the rule is worked out for all of them (`world`). Elsewhere
the first pattern that protects the true tables is taken, and datasets are sought that cover for them (`covers`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from foregone.checker.verdicts.choice import Clause
from foregone.engine import Case
from foregone.model.dataset import Dataset
from foregone.model.errors import InputError, TooLargeError, option
from foregone.model.policy import Policy
from foregone.model.release import Release
from foregone.protection.actions import Allowed, base_cost, kept_numbers
from foregone.protection.attack import Attacker
from foregone.protection.covering_proof import CoveringProof
from foregone.protection.covers import CoverSearch, FirstPattern, first_pattern
from foregone.protection.patterns import PublicRule
from foregone.protection.problem import Problem, numbers_of
from foregone.protection.search import ChoiceSearch, Found, Watch
from foregone.protection.world import MOST_PATTERNS, SmallWorld, TimeOverError, datasets_of
from foregone.solvers.deadline import Deadline

FEW_CELLS = 15  # that are withheld one by one: every set of them is a pattern
PROOF_SECONDS = 60.0  # for all proofs that no earlier pattern protects cover datasets
MOST_LISTED = 100  # datasets of a small world that are tried as a cover
NEVER = (
    "under no pattern can it be published so that a reader who knows the rule finds out nothing that the policy forbids"
    " (every dataset that is possible was looked at)."
)


@dataclass(frozen=True)
class RuleChoice:
    """What is done, and whether it is shown to withstand readers who know the rule. `covers` are datasets that would have been
    published in the same way, the true tables first; `trees`, for each of them, prove that no earlier pattern protects it, as
    far as such proofs were found.
    """

    found: Found
    shown: bool
    why: str
    impossible: str = ""
    covers: tuple[Dataset, ...] = ()
    firsts: tuple[FirstPattern, ...] = ()
    trees: tuple[list[Any] | None, ...] = ()

    @property
    def proved(self) -> bool:
        """Without a solver's word. A world of which every dataset was listed needs none."""
        return self.shown and all(tree is not None for tree in self.trees)


def check_covered(release: Release, policy: Policy, allowed: Allowed, attacker: str) -> None:
    """Refuse what the rule is not defined for, rather than promise too much."""
    name, problems = option("reader"), []
    if attacker == "linear":
        problems.append(f"{name} knows-the-rule: whoever only adds and subtracts draws no such conclusions; use the exact attacker")
    if release.figures or release.own:
        problems.append(f"{name} knows-the-rule: is for counts; leave out sums, means, medians and percentages")
    if allowed.sizes:
        problems.append(f"{name} knows-the-rule: costs must be public, and {option('cost')} size depends on the counts")
    tables = {s.table for s in release.statistics if s.table}
    if allowed.by == "table" and policy.primary is not None and tables & allowed.costs.keys():
        problems.append(
            f"{name} knows-the-rule: where a table has a cost of its own, what is withheld does not tell what it costs, as primary"
            " cells cost extra; give costs to cells"
        )
    if problems:
        raise InputError(problems)


def in_blocks(release: Release, allowed: Allowed) -> Allowed:
    """What may be done: where there are too many cells to work out the rule for every dataset, they are withheld in blocks."""
    kept = kept_numbers(numbers_of(release), allowed.keep)
    cells = [i for i, s in enumerate(release.statistics) if i not in kept and not s.hidden]
    alone = allowed.by == "cell" and allowed.withhold and not allowed.bases and not allowed.merges
    return replace(allowed, blocks=alone and len(cells) > FEW_CELLS)


def choose_by_rule(
    rule: PublicRule, problem: Problem, attacker: Attacker, deadline: Deadline, watch: Watch | None, max_records: int
) -> RuleChoice:
    """What the rule does with the true tables; where that is not found out, the first pattern that protects them."""
    exact = _in_small_world(rule, problem, deadline)
    if exact is not None:
        return exact
    search = ChoiceSearch(problem, attacker, deadline, watch)
    search.run()
    first = first_pattern(rule, problem, attacker, deadline, search)
    if isinstance(first, str):
        return RuleChoice(search.found, False, first)
    cost = problem.cost(first.taken)
    found = Found(cost, cost, first.taken, list(first.explanations))
    case = Case(rule.release, deadline, max_records)
    if case.first_witness() is not True:
        return RuleChoice(found, False, "no dataset was found that fits the tables")
    covering = CoverSearch(rule, case.dataset(), first, deadline, max_records)
    if not covering.run():
        return RuleChoice(found, False, covering.why)
    end = Deadline.after(PROOF_SECONDS)
    trees = tuple(first_proofs(rule, pattern, end) for pattern in covering.patterns)
    number = len(covering.cover)
    why = f"{number} datasets would all be published in this way, and together they leave it open"
    if None in trees:
        why += "; that no earlier choice protects each of them is reported by a solver, not proved"
    return RuleChoice(found, True, why, covers=tuple(covering.cover), firsts=tuple(covering.patterns), trees=trees)


def _in_small_world(rule: PublicRule, problem: Problem, deadline: Deadline) -> RuleChoice | None:
    """The rule itself, where all datasets can be listed; None where they cannot, or not in half of the time."""
    half = deadline if deadline.at is None else deadline.sooner(deadline.left() / 2)
    if rule.allowed.blocks or rule.ways > MOST_PATTERNS:
        return None
    datasets = datasets_of(rule, half)
    if datasets is None:
        return None
    exact = [(s.predicate, s.low) for s in rule.release.statistics if not s.open]
    try:
        world = SmallWorld(rule, datasets, half)
        true = next(
            y
            for y, dataset in enumerate(datasets)
            if world.problems[y] is not None and dataset.counts(p for p, _ in exact) == [count for _, count in exact]
        )
        world.run(true)
    except (TimeOverError, TooLargeError):
        return None
    if true not in world.published:
        return RuleChoice(Found(reason="no pattern is enough"), False, "", NEVER)
    pattern, cost = world.published[true]
    taken = rule.taken(problem, pattern)
    assert taken is not None
    alike = world.alike(true)
    ways = f"all {len(datasets):,} datasets that are possible were looked at, and {len(alike):,} would be published in this way"
    found = Found(cost - base_cost(problem, rule.allowed), cost - base_cost(problem, rule.allowed), taken)
    return RuleChoice(found, True, ways, covers=_covering(world, true))


def _covering(world: SmallWorld, true: int) -> tuple[Dataset, ...]:
    """A few datasets that would be published in the same way and are a stable list by themselves, every column counted; none if
    there are not a few.
    """
    chosen = [true]
    for y in [y for y in world.alike(true) if y != true][:MOST_LISTED]:
        if world.stable_by_itself(chosen):
            return tuple(world.datasets[y] for y in chosen)
        chosen.append(y)
    return tuple(world.datasets[y] for y in chosen) if world.stable_by_itself(chosen) else ()


def first_proofs(rule: PublicRule, first: FirstPattern, deadline: Deadline) -> list[Any] | None:
    """Proofs that no pattern before this one protects: one that nothing is cheaper, and for every action taken, in the public
    order, one that nothing as cheap agrees with the pattern before it and goes without it. None where one was not found.
    """
    problem, nothing = first.problem, frozenset[int]()
    clauses = [Clause(e.given, e.clause) for e in first.explanations]
    clauses += [Clause(nothing, frozenset({a})) for a in sorted(problem.must)]
    trees = []
    for costs, bound in first_bounds(problem.costs, first.taken, rule.in_order(problem)):
        tree = CoveringProof(costs, clauses, bound, deadline).tree() if bound > 0 else {"pay": [], "over": 1}
        if tree is None:
            return None
        trees.append(tree)
    return trees


def first_bounds(costs: tuple[int, ...], taken: frozenset[int], order: list[int]) -> list[tuple[list[int], int]]:
    """What has to be proved: whoever meets all clauses pays at least so much, at these costs. What is taken before costs nothing
    any more, and what must not be taken costs more than all.
    """
    whole = sum(costs[a] for a in taken)
    made, changed, left = [(list(costs), whole)], list(costs), whole
    for a in order:
        if a in taken:
            without = list(changed)
            without[a] = whole + 1
            made.append((without, left + 1))
            left -= costs[a]
            changed[a] = 0
        else:
            changed[a] = whole + 1
    return made
