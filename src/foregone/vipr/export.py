"""Steps, trees and witnesses of a proofs file as derivations and solutions of a VIPR certificate.

One certificate proves all facts. A fact, that exactly m records match, has two unknowns: `o`, of which m + 1 each fit into the
records that match, and `u`, which is at most what is missing to m. In a dataset where the fact fails one of them can be 1. The
objective is the sum of all of them; it is proved to be at most 0, and the witnesses reach 0. docs/proofs.md has the formulas.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, assert_never

from foregone.checker.kernel import (
    Bound,
    Form,
    Leaf,
    Nothing,
    PlainEither,
    PlainFact,
    PlainRelease,
    Prune,
    Split,
    Step,
    Terms,
    Tree,
)
from foregone.checker.read.proofs import each, fact_of, step_of, tree_of, witness_of
from foregone.checker.read.refusal import Refused
from foregone.checker.verdicts.datasets import Witnesses
from foregone.vipr.certificate import AT_LEAST, AT_MOST, Number, ViprCertificate, added
from foregone.vipr.model import (
    Cited,
    EitherSides,
    Model,
    Slack,
    either_of,
    model_of,
    only_adding,
    proof_of_ceilings,
    slack_of,
)
from foregone.vipr.unknowns import Unknowns, unknowns_of


@dataclass(frozen=True, slots=True)
class Target:
    """What a tree proves: a form over boxes is at most a number. The line that is derived says it as `line`, at most `right`; it
    follows from the form, `scale` times, and what else is cited, whose right sides add up to `further_right`.
    """

    worth: dict[int, int]
    line: dict[int, int]
    right: int
    scale: Number = 1
    further: dict[int, Number] = field(default_factory=dict)
    further_right: int = 0


@dataclass(frozen=True, slots=True)
class Emptied:
    """Boxes that a step dropped have no records, by this derived constraint."""

    constraint: int
    boxes: range


@dataclass(frozen=True, slots=True)
class Exported:
    """Certificates by file name, and what is needed to read them."""

    certificates: dict[str, ViprCertificate]
    model: Model
    facts: tuple[PlainFact, ...]


class Derivations:
    """Writes derivations into the certificate of a model; rows grow with every lemma, as in the kernel."""

    def __init__(self, model: Model, slacks: dict[Form, Slack], eithers: dict[int, EitherSides]) -> None:
        self.model, self.slacks, self.eithers = model, slacks, eithers
        self.certificate, self.rows = model.certificate, list(model.rows)
        self.emptied = list[Emptied]()

    def steps(self, steps: Sequence[Step]) -> None:
        for number, step in enumerate(steps):
            match step:
                case Prune(terms):
                    self.prune(terms, self.model.unknowns.dropped[number])
                case Bound(form, bound, proof):
                    worth = self.model.unknowns.most(form)
                    proved = self.tree(Target(worth, worth, bound), proof)
                    self.rows.append(Cited({proved: 1}, worth, bound))

    def total(self, terms: Terms) -> Cited:
        """Rows times positive numbers, added up."""
        some = [(row, times) for number, times in terms if (row := self.rows[number]) is not None]
        worth = {box: int(value) for box, value in added((row.worth, times) for row, times in some).items()}
        return Cited(added((row.times, times) for row, times in some), worth, sum(times * row.right for row, times in some))

    def lifted(self, row: Cited, target: dict[int, int]) -> dict[int, Number]:
        """Cite what turns a row into one with this worth of each box: boxes that are empty for what is missing, and that no number
        of records is negative for what is too much.
        """
        worth, parts = dict(row.worth), [(row.times, 1)]
        for empty in reversed(self.emptied):
            times = max((target.get(box, 0) - worth.get(box, 0) for box in empty.boxes), default=0)
            if times > 0:
                parts.append(({empty.constraint: 1}, times))
                for box in empty.boxes:
                    worth[box] = worth.get(box, 0) + times
        surplus = {box: worth.get(box, 0) - target.get(box, 0) for box in {**worth, **target}}
        if min(surplus.values(), default=0) < 0:  # the checker would have refused it
            raise Refused("a sum does not dominate what it proves")
        return added([*parts, (self.model.bounds(surplus), 1)])

    def prune(self, terms: Terms, boxes: range) -> None:
        """The boxes have so much of the sum that a single record would be too many."""
        if not boxes:
            return
        row = self.total(terms)
        if row.right < 0:
            follows, right = dict[int, Number]({self.certificate.absurd(self.lifted(row, {})): 1}), Fraction(0)
        else:
            least = min(row.worth[box] for box in boxes)
            follows = added([(self.lifted(row, dict.fromkeys(boxes, least)), Fraction(1, least))])
            right = Fraction(row.right, least)
        self.emptied.append(Emptied(self.certificate.combine(0, dict.fromkeys(boxes, 1), follows, right), boxes))

    def tree(self, target: Target, tree: Tree) -> int:
        """Derive what a tree proves, or that nothing fits; the number of that constraint."""
        certificate = self.certificate
        match tree:
            case Leaf(terms, over):
                form = {box: over * value for box, value in target.worth.items()}
                total, scale = self.total(terms), Fraction(target.scale) / over
                cited = added([(self.lifted(total, form), scale), (target.further, 1)])
                return certificate.combine(target.right, target.line, cited, total.right * scale + target.further_right)
            case Nothing(terms):
                return certificate.absurd(self.lifted(self.total(terms), {}))
            case Split(form, at, below, above):
                sides, trees = self.split(form, at), (below, above)
            case PlainEither(number, left, right):
                sides, trees = self.either(number), (left, right)
            case _:
                assert_never(tree)
        branches = list[tuple[int, int]]()
        for (assumed, row), under in zip(sides, trees, strict=True):
            self.rows.append(row)
            branches.append((self.tree(target, under), assumed))
            self.rows.pop()
        return certificate.either(target.right, target.line, (branches[0], branches[1]))

    def split(self, form: Form, at: int) -> list[tuple[int, Cited]]:
        """Both assumptions of a split, and the row that each of them gives."""
        least, most = self.model.unknowns.least(form), self.model.unknowns.most(form)
        slack = self.slacks.get(form)
        line = least if slack is None else {slack.unknown: 1}
        below, above = self.certificate.assume(AT_MOST, at, line), self.certificate.assume(AT_LEAST, at + 1, line)
        under: dict[int, Number] = {} if slack is None else {slack.above: -1}
        over: dict[int, Number] = {} if slack is None else {slack.below: -1}
        negative = {box: -value for box, value in most.items()}
        return [(below, Cited({below: 1, **under}, least, at)), (above, Cited({above: -1, **over}, negative, -at - 1))]

    def either(self, number: int) -> list[tuple[int, Cited]]:
        """Both sides of an either-or, each with what is assumed of its unknown."""
        either = self.eithers[number]
        left, right = (self.model.unknowns.least(row.about) for row in either.rows)
        line = {either.unknown: 1}
        zero, one = self.certificate.assume(AT_MOST, 0, line), self.certificate.assume(AT_LEAST, 1, line)
        first = Cited({either.sides[0]: 1, zero: either.gives[0]}, left, either.rows[0].most)
        return [(zero, first), (one, Cited({either.sides[1]: 1, one: -either.gives[1]}, right, either.rows[1].most))]


def exported(release: PlainRelease, document: Any) -> Exported:
    """Certificates of a proofs file that the checker has accepted, or whose contradiction it has confirmed."""
    domain = release.domain
    domain.work.spent = 0
    steps = each(domain, document["steps"], step_of, "step")
    contradiction = tree_of(domain, document["contradiction"]) if "contradiction" in document else None
    facts = each(domain, document["facts"], fact_of, "fact") if contradiction is None else []
    datasets = each(domain, document["witnesses"], witness_of, "witness")
    unknowns = unknowns_of(release, steps)
    model = model_of(release, unknowns)
    certificate = model.certificate
    claims = [_claimed(model, k, fact) for k, fact in enumerate(facts)]
    trees = [*(step.proof for step in steps if isinstance(step, Bound)), *([contradiction] if contradiction else [])]
    trees += [tree for fact in facts for tree in (fact.upper, fact.lower)]
    slacks, eithers = _slacks(model, trees), _eithers(release, model, trees)
    derivations = Derivations(model, slacks, eithers)
    derivations.steps(steps)
    made = {"contradiction.vipr" if contradiction else "facts.vipr": certificate}
    if contradiction is not None:
        last = derivations.tree(Target({}, {}, -1), contradiction)
        certificate.goal = None
        certificate.combine(-1, {}, {last: 1}, -1)
    else:
        _prove(derivations, facts, claims)
        _solve(release, certificate, unknowns, slacks, eithers, datasets)
    if eithers:
        ceilings = [ceiling for either in eithers.values() for ceiling in either.ceilings]
        made["ceilings.vipr"] = proof_of_ceilings(release, unknowns, ceilings)
        _solve(release, made["ceilings.vipr"], unknowns, {}, {}, datasets)
    return Exported(made, model, tuple(facts))


@dataclass(frozen=True, slots=True)
class Claimed:
    """The unknowns of a fact that would tell that it fails, and the constraints that tie them to the matching records."""

    over: int
    under: int
    above: int
    below: int


def _claimed(model: Model, number: int, fact: PlainFact) -> Claimed:
    certificate, form, m = model.certificate, ((1, fact.what),), fact.times
    over, under = certificate.unknown(f"o{number}"), certificate.unknown(f"u{number}")
    above = certificate.constraint(f"o{number}", AT_LEAST, 0, {**model.unknowns.most(form), over: -m - 1})
    below = certificate.constraint(f"u{number}", AT_MOST, m, {**model.unknowns.least(form), over: -m - 1, under: 1})
    return Claimed(over, under, above, below)


def _prove(derivations: Derivations, facts: Sequence[PlainFact], claims: Sequence[Claimed]) -> None:
    """No fact fails: each of its unknowns is at most 0, and so is their sum."""
    certificate, unknowns, zero = derivations.certificate, derivations.model.unknowns, dict[int, int]()
    for fact, claim in zip(facts, claims, strict=True):
        m, part = fact.times, Fraction(1, fact.times + 1)
        upper = Target(unknowns.most(((1, fact.what),)), {claim.over: 1}, 0, part, {claim.above: -part})
        zero[claim.over] = over = derivations.tree(upper, fact.upper)
        lower = Target(unknowns.most(((-1, fact.what),)), {claim.under: 1}, 0, 1, {claim.below: 1, over: m + 1}, m)
        zero[claim.under] = derivations.tree(lower, fact.lower)
    certificate.goal = tuple(zero)
    certificate.conclude(dict.fromkeys(zero.values(), 1))


def _solve(
    release: PlainRelease,
    certificate: ViprCertificate,
    unknowns: Unknowns,
    slacks: dict[Form, Slack],
    eithers: dict[int, EitherSides],
    datasets: list[Any],
) -> None:
    """Every witness is a solution: how many of its records are in each box, and what follows for the other unknowns."""
    witnesses = Witnesses(release.domain, datasets)
    values = [(slack.unknown, witnesses.values(form)) for form, slack in slacks.items()]
    for either in eithers.values():
        left = witnesses.values(either.rows[0].about)
        values.append((either.unknown, [int(value > either.rows[0].most) for value in left]))
    for k, dataset in enumerate(datasets):
        counts = added(({unknowns.box_of(record): record[0]}, 1) for record in dataset)
        solution = {box: int(counts[box]) for box in sorted(counts)} | {unknown: some[k] for unknown, some in values}
        certificate.solution(f"w{k}", solution)


def _nodes(trees: Sequence[Tree]) -> Iterator[Tree]:
    stack = list(reversed(trees))
    while stack:
        tree = stack.pop()
        yield tree
        match tree:
            case Split(_, _, below, above):
                stack += [above, below]
            case PlainEither(_, left, right):
                stack += [right, left]
            case _:
                pass


def _slacks(model: Model, trees: Sequence[Tree]) -> dict[Form, Slack]:
    """An unknown for every form that trees are split by, where boxes do not tell it exactly."""
    forms = dict.fromkeys(tree.form for tree in _nodes(trees) if isinstance(tree, Split))
    some = [form for form in forms if model.unknowns.least(form) != model.unknowns.most(form)]
    return {form: slack_of(model, number, form) for number, form in enumerate(some)}


def _eithers(release: PlainRelease, model: Model, trees: Sequence[Tree]) -> dict[int, EitherSides]:
    """The either-ors that proofs use. The others are left out: a program that says less of the datasets proves no less of them."""
    used = sorted({tree.number for tree in _nodes(trees) if isinstance(tree, PlainEither)})
    plain = only_adding(model) if used else {}
    return {number: either_of(model, plain, number, release.eithers[number]) for number in used}
