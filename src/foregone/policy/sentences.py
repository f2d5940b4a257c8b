"""A judgement in words."""

from __future__ import annotations

from foregone.model.domain import Domain
from foregone.model.policy import Policy
from foregone.model.sentences import claim_sentence, describe, plural
from foregone.model.statement import range_text
from foregone.policy.judge import Breach, Doubt, Judgement, Narrow, Told, PolicyVerdict
from foregone.questions.following import Following


def breach_sentence(domain: Domain, breach: Breach) -> str:
    """How a policy is broken, in a sentence without its full stop."""
    match breach:
        case Told(predicate, count, printed):
            how = " (printed)" if printed else ""
            return f"{claim_sentence(domain, predicate, count).rstrip('.')}{how}"
        case Narrow(label=label, low=low, high=high, mark=mark, primary=primary, shown=shown):
            if shown:
                return f"{label} is a primary cell and is shown"
            known = f"certainly {range_text(low, high)}" if low == high else f"{range_text(low, high)}, which is too narrow"
            place = f"{label}, printed {mark}," if mark else f"{'The primary cell ' if primary else ''}{label}"
            return f"{place} is {known}"
        case Following(group, column, code):
            people = plural(domain.record, 2)
            who = f"all {people} with {describe(group, domain)}" if group.allowed else f"all {people}"
            return f"{domain.column(column).title or column} of {who} is {domain.column(column).label_of(code)}"


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
    words = "; ".join(policy.words) or "nothing is forbidden"
    known = policy.knows.words
    said = f"; taken to be known: {known}" if known else "; a reader is taken to know nothing else" if policy.know is not None else ""
    return words + said
