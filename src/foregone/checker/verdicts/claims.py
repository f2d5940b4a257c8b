"""A proofs file: does each proof in it hold, and was nothing missed? It is never asked how a proof was found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from foregone.checker.encode.release import families
from foregone.checker.kernel import TERM, Claim, Fails, PlainRelease, State, at_most, build, fact_ok
from foregone.checker.read.proofs import each, fact_of, opened, step_of, tree_of, witness_of
from foregone.checker.read.refusal import Refused, at, said
from foregone.checker.read.values import entries
from foregone.checker.verdicts.datasets import TOO_MANY, Witnesses, complete, consistent


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


def check(release: PlainRelease, document: Any, nothing_missed: bool = False, groups: bool = True) -> Checked:
    """Check every proof of a file against the release; with `nothing_missed`, also that it has every certain claim.

    Claims name single codes and, with `groups`, the groups of codes that the release or its domain names.
    """
    result, domain = Checked(), release.domain
    domain.work.spent = 0
    try:
        file = opened(release, document)
        state = build(release, each(domain, file["steps"], step_of, "step"))
        if "contradiction" in file:
            with at("contradiction"):
                at_most(state, (), -1, tree_of(domain, file["contradiction"]))
            result.contradiction = True
            raise Refused("the release contradicts itself: no dataset fits it")
        datasets = each(domain, file["witnesses"], witness_of, "witness")
        witnesses = Witnesses(domain, datasets)
        wrong = consistent(release, witnesses)
        result.witnesses = [not reason for reason in wrong]
        result.rejected = [f"witness {number}: {reason}" for number, reason in enumerate(wrong, start=1) if reason]
        if not any(result.witnesses):
            raise Refused("the file lists no dataset that fits, so nothing shows that the release does not contradict itself")
        claims = _proved(release, file["facts"], state, witnesses, result)
    except Fails as error:
        result.rejected.append(said(error))
        return result
    if nothing_missed:
        result.complete, result.reason = False, "a listed dataset does not fit the release"
        if all(result.witnesses):
            named = families(release) if groups else []
            result.complete, result.reason = None, TOO_MANY
            if named is not None:
                result.complete, result.reason = complete(domain, claims, datasets, named)
    return result


def _proved(release: PlainRelease, facts: Any, state: State, witnesses: Witnesses, result: Checked) -> list[Claim]:
    """The claims of all facts that hold; one that does not is told in the result, and the others are looked at."""
    claims = list[Claim]()
    for number, entry in enumerate(entries(facts), start=1):
        release.domain.work.spend(64 * TERM)  # outside of `try`: when there was too much, the rest is not looked at
        try:
            with at(f"fact {number}"):
                proved = fact_ok(state, fact_of(release.domain, entry))
                for p, m in proved:  # cannot fail, unless this checker is wrong
                    if any(fits and n != m for fits, n in zip(result.witnesses, witnesses.counts(p), strict=True)):
                        raise Refused("proved, yet a listed dataset that fits has another count; please report this file")
            claims += proved
            result.facts.append(True)
        except Refused as error:
            result.facts.append(False)
            result.rejected.append(str(error))
    result.accepted = sum(result.facts)
    return claims
