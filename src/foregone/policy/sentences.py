"""A judgement in words."""

from __future__ import annotations

from collections.abc import Iterable

from foregone.engine import Following
from foregone.model.domain import Domain
from foregone.model.marks import range_text
from foregone.model.policy import Policy
from foregone.model.release import Release
from foregone.model.sentences import claim_sentence, describe, plural
from foregone.policy.judge import Breach, Doubt, Judgement, Narrow, PolicyVerdict, Told

WORKED_OUT = "Hidden, but known exactly"
NARROW = "Primary cells about which too much is known"
SINGLED_OUT = "Facts about too few records"
PRINTED = "Facts about too few records that are printed, at least in part"
FOLLOWS = "Groups whose members all have the same value"


def breach_sentence(domain: Domain, breach: Breach) -> str:
    """How a policy is broken, in a sentence without its full stop."""
    match breach:
        case Told(predicate, count):
            return claim_sentence(domain, predicate, count).removesuffix(".")
        case Narrow(label=label, low=low, high=high, mark=mark, primary=primary, shown=shown):
            if shown:
                return f"{label} is a primary cell and is shown"
            known = f"certainly {range_text(low, high)}" if low == high else f"{range_text(low, high)}, which is too narrow"
            place = f"{label}, printed {mark}," if mark else f"{'The primary cell ' if primary else ''}{label}"
            return f"{place} is {known}"
        case Following(group, column, code):
            people = plural(domain.record, 2)
            who = f"all {people} with {describe(group, domain)}" if group.allowed else f"all {people}"
            return f"{who[0].upper()}{who[1:]} have {domain.column(column).title or column}: {domain.column(column).label_of(code)}"


def placed_sentence(release: Release, breach: Breach) -> str:
    """How a policy is broken, in a sentence; of a cell also where it stands in the files that the release was imported from."""
    where = release.places.get(release.statistics[breach.number].name, "") if isinstance(breach, Narrow) else ""
    return breach_sentence(release.domain, breach) + (f" ({where})" if where else "")


def by_weight(breaches: Iterable[Breach]) -> list[tuple[str, list[Breach]]]:
    """Breaches by kind, those first that weigh most, each kind with its title: what is printed apart from what follows."""
    kinds: dict[str, list[Breach]] = {title: [] for title in (WORKED_OUT, NARROW, SINGLED_OUT, PRINTED, FOLLOWS)}
    for breach in breaches:
        match breach:
            case Narrow(low=low, high=high, shown=shown):
                kinds[WORKED_OUT if low == high and not shown else NARROW].append(breach)
            case Told(printed=printed):
                kinds[PRINTED if printed else SINGLED_OUT].append(breach)
            case Following():
                kinds[FOLLOWS].append(breach)
    return [(title, some) for title, some in kinds.items() if some]


def doubt_sentence(doubt: Doubt) -> str:
    """What could not be judged, and why."""
    return f"{doubt.key} could not be judged: {doubt.reason}"


def verdict_sentence(judgement: Judgement, whose: str) -> str:
    """What was judged, by which policy, and what came out."""
    words = policy_words(judgement.policy)
    match judgement.verdict:
        case PolicyVerdict.KEPT:
            return f"The release keeps the policy ({whose}): {words}."
        case PolicyVerdict.BROKEN:
            number = len(judgement.breaches)
            return f"The release breaks the policy ({whose}) in {number:,} {plural('way', number)}: {words}."
        case PolicyVerdict.UNDECIDED:
            return f"Whether the release keeps the policy ({whose}) is undecided: {words}."


def policy_words(policy: Policy) -> str:
    """What a policy forbids and what it takes a reader to know."""
    words = "; ".join(policy.words) or "it forbids nothing"
    if policy.know is None:
        return words
    known = policy.know.words
    return f"{words}; {f'taken to be known: {known}' if known else 'a reader is taken to know nothing else'}"


def assumed_sentence(policy: Policy) -> str:
    """What a policy takes to be known, as an assumption of everything that is said about the release."""
    return f"{policy.knows.words} (the policy says so)"
