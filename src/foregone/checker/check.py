"""The checker: does each proof of a file hold? Most functions here have a twin in formal/Checker.v, with a theorem about it.

It uses the standard library, whole numbers and no solver, and it never asks how a proof was found. Rows say that a weighted
sum of counts is at most a number; a cover says where records can be. Steps add rows and make the cover smaller; then each
fact is judged by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar, assert_never

from foregone.checker import parse
from foregone.checker.complete import TOO_MANY, Claim, Witnesses, complete, consistent
from foregone.checker.cover import Cover, above, columns, inside, most, neg, prune, scale, touching
from foregone.checker.refusal import TERM, Refused, Work, at
from foregone.checker.rows import Box, Domain, Form, Release, families, full
from foregone.checker.seal import FORMAT, VERSION, digest

T = TypeVar("T")
Row = tuple[Form, int]  # the value of the form is at most this


@dataclass(slots=True)
class State:
    """The rows so far, None where a number has no row; the cover; and the either-ors, each with a row for either side."""

    rows: list[Row | None]
    cover: Cover
    eithers: Sequence[tuple[Row, Row]]


def start(release: Release) -> State:
    """Statistic k has row 2k (its high) and row 2k + 1 (its low); rules follow on with even numbers; derived rows come next."""
    rows = list[Row | None]()
    for statistic in release.statistics:
        rows.append(None if statistic.high is None else (statistic.about, statistic.high))
        rows.append(None if statistic.low is None else (neg(statistic.about), -statistic.low))
    for box in release.rules:
        rows += [(((1, box),), 0), None]
    domain = release.domain
    return State(rows, Cover([[full(domain, c)] for c in range(len(domain.codes))], domain.work), release.eithers)


def add_up(rows: Sequence[Row | None], terms: parse.Terms, work: Work) -> Row:
    """Rows times positive numbers, added up."""
    form, total = list[tuple[int, Box]](), 0
    for number, times in terms:
        row = rows[number] if number < len(rows) else None
        if row is None:
            raise Refused(f"there is no row {number}")
        work.spend(TERM * len(row[0]))
        form += scale(times, row[0])
        total += times * row[1]
    return tuple(form), total


def never_positive(cover: Cover, form: Form) -> bool:
    """No record of any box makes the form positive."""
    return not above(*most(cover, form), cover.left)


def at_most(state: State, form: Form, goal: int, tree: parse.Tree) -> None:
    """The tree proves that the form is at most the goal, or this raises."""
    match tree:
        case parse.Leaf(terms, over):
            added, total = add_up(state.rows, terms, state.cover.work)
            if total // over > goal:
                raise Refused(f"the bound is {total}/{over}, which allows more than {goal}")
            if not never_positive(state.cover, scale(over, form) + neg(added)):
                raise Refused("the sum of the terms does not dominate the form on every possible record")
        case parse.Nothing(terms):
            added, total = add_up(state.rows, terms, state.cover.work)
            if total >= 0:
                raise Refused(f"the terms add up to {total}, which contradicts nothing")
            if not never_positive(state.cover, neg(added)):
                raise Refused("a possible record makes the sum of the terms negative")
        case parse.Split(split, at, below, above_):
            either_way(state, form, goal, ((split, at), below), ((neg(split), -(at + 1)), above_))
        case parse.Either(number, left, right):
            if number >= len(state.eithers):
                raise Refused(f"there is no either-or {number}")
            one, other = state.eithers[number]
            either_way(state, form, goal, (one, left), (other, right))
        case _:
            assert_never(tree)


def either_way(state: State, form: Form, goal: int, *branches: tuple[Row, parse.Tree]) -> None:
    """In each branch one more row holds, and a tree proves that the form is at most the goal."""
    for row, part in branches:
        state.rows.append(row)
        try:
            at_most(state, form, goal, part)
        finally:
            state.rows.pop()


def build(release: Release, steps: Sequence[parse.Step]) -> State:
    """The state after all steps; the first that fails is named."""
    state = start(release)
    for number, step in enumerate(steps, start=1):
        with at(f"step {number}"):
            match step:
                case parse.Columns(c, sets):
                    state.cover = columns(state.cover, c, sets)
                case parse.Prune(terms):
                    prune(state.cover, *add_up(state.rows, terms, state.cover.work))
                case parse.Bound(form, bound, proof):
                    at_most(state, form, bound, proof)
                    state.rows.append((form, bound))
                case _:
                    assert_never(step)
    state.cover = columns(state.cover, 0, ())  # cuts nothing, forgets the boxes that were dropped
    return state


def same(cover: Cover, p: Box, q: Box) -> bool:
    """On every box of the cover the two have the same records."""
    return not cover.left & (touching(cover, q) & ~inside(cover, p) | touching(cover, p) & ~inside(cover, q))


def fact_ok(state: State, fact: parse.Fact) -> list[Claim]:
    """The claims of a fact that holds: so many records are in the box, and in each of the other ways to say the same."""
    at_most(state, ((1, fact.what),), fact.times, fact.upper)
    at_most(state, ((-1, fact.what),), -fact.times, fact.lower)
    for number, form in enumerate(fact.forms, start=1):
        if not same(state.cover, fact.what, form):
            raise Refused(f"form {number} selects other possible records than the claim")
    return [(box, fact.times) for box in (fact.what, *fact.forms)]


@dataclass
class Checked:
    """What was accepted, and what was rejected for which reason, in one line each."""

    accepted: int = 0
    rejected: list[str] = field(default_factory=list)
    complete: bool | None = None  # with `complete`: was nothing missed? None: not asked, or too much to find out
    reason: str = ""
    contradiction: bool = False  # the file proves that no dataset fits the release
    facts: list[bool] = field(default_factory=list, repr=False)  # verdicts one by one
    witnesses: list[bool] = field(default_factory=list, repr=False)


def check(release: Release, document: Any, nothing_missed: bool = False, groups: bool = True) -> Checked:
    """Check every proof of a file against the release; with `nothing_missed`, also that it has every certain claim.

    Claims name single codes and, with `groups`, the groups of codes that the release or its domain names.
    """
    result, domain = Checked(), release.domain
    domain.work.spent = 0
    try:
        file = opened(release, document)
        state = build(release, _each("step", file["steps"], domain, parse.step_of))
        if "contradiction" in file:
            with at("contradiction"):
                at_most(state, (), -1, parse.tree_of(domain, file["contradiction"]))
            result.contradiction = True
            raise Refused("the release contradicts itself: no dataset fits it")
        datasets = _each("witness", file["witnesses"], domain, parse.witness_of)
        witnesses = Witnesses(domain, datasets)
        wrong = consistent(release, witnesses)
        result.witnesses = [not reason for reason in wrong]
        result.rejected = [f"witness {number}: {reason}" for number, reason in enumerate(wrong, start=1) if reason]
        if not any(result.witnesses):
            raise Refused("the file lists no dataset that fits, so nothing shows that the release does not contradict itself")
        claims = list[Claim]()
        for number, entry in enumerate(parse.entries(file["facts"]), start=1):
            domain.work.spend(64 * TERM)  # outside of `try`: when there was too much, the rest is not looked at
            try:
                with at(f"fact {number}"):
                    proved = fact_ok(state, parse.fact_of(domain, entry))
                    for p, m in proved:  # cannot fail, unless this checker is wrong
                        if any(fits and n != m for fits, n in zip(result.witnesses, witnesses.counts(p), strict=True)):
                            raise Refused("proved, yet a listed dataset that fits has another count; please report this file")
                claims += proved
                result.facts.append(True)
            except Refused as error:
                result.facts.append(False)
                result.rejected.append(str(error))
        result.accepted = sum(result.facts)
    except Refused as error:
        result.rejected.append(str(error))
        return result
    if nothing_missed:
        result.complete, result.reason = False, "a listed dataset does not fit the release"
        if all(result.witnesses):
            named = families(release) if groups else []
            result.complete, result.reason = None, TOO_MANY
            if named is not None:
                result.complete, result.reason = complete(domain, claims, datasets, named)
    return result


def opened(release: Release, document: Any) -> Any:
    """The file, if it is whole, of this version, and made for this release."""
    file = parse.plain(document)
    if file["format"] != FORMAT or type(file["version"]) is not int or file["version"] != VERSION:
        raise Refused(f"not a proofs file of version {VERSION}; write it anew with audit --proofs")
    if file["digest"] != digest(file):
        raise Refused("changed since it was written: the digest does not fit")
    if file["release"] != release.fingerprint:
        raise Refused("made for another release: the fingerprints differ")
    return file


def _each(what: str, values: Any, domain: Domain, read: Callable[[Domain, Any], T]) -> list[T]:
    """The entries of a list; one that cannot be read is named."""
    made = list[T]()
    for number, value in enumerate(parse.entries(values), start=1):
        with at(f"{what} {number}"):
            made.append(read(domain, value))
    return made
