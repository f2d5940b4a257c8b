"""Pass, review or fail: what a page says of two policies, that of what must not be and that of what a person has to look at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from foregone.model.audit import Audit
from foregone.model.policy import Policies, whose
from foregone.model.sentences import plural
from foregone.pages.collection import Collection
from foregone.pages.ranking import AuditedRelease
from foregone.policy.judge import Doubt, Judged, Judgement, Narrow, PolicyVerdict, judge
from foregone.policy.rows import not_in_rows
from foregone.policy.sentences import breach_sentence, doubt_sentence, policy_words

NAMED = 12  # cells that a reason names


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came out for both policies, and why: `reasons` in the order of weight, those to fail first.

    `fail` and `review` tell whether each policy is kept; `broken` is in how many ways they are not. `judgement` has the ways in
    which one release breaks the policy of what must not be; of many releases it is not known.
    """

    policies: Policies
    fail: PolicyVerdict
    review: PolicyVerdict
    broken: tuple[int, int]
    doubts: tuple[Doubt, ...]
    reasons: tuple[str, ...]
    judgement: Judgement | None = None

    @property
    def verdict(self) -> str:
        """What is undecided is no pass: somebody has to look at it."""
        if self.fail == PolicyVerdict.BROKEN:
            return "fail"
        return "pass" if self.fail == self.review == PolicyVerdict.KEPT and not self.doubts else "review"

    @property
    def why(self) -> str:
        """The first reason; of a pass, what was judged and by which policy."""
        _, (_, review, origin) = self.policies.both
        return self.reasons[0] if self.reasons else f"nothing is over a limit: {policy_words(review)} ({whose(origin)})"

    @property
    def limits(self) -> list[tuple[str, str]]:
        """What each policy says and where it comes from."""
        both = self.policies.both
        return [(f"{name.capitalize()} limit", f"{policy_words(policy)} ({whose(origin)})") for name, policy, origin in both]


def outcome_of_release(audited: AuditedRelease, policies: Policies, redact: bool = False) -> Outcome:
    """Judge one release. The reasons name cells, unless they are redacted, and no values."""
    return judged_outcome(audited.judged, policies, redact)


def judged_outcome(judged: Judged, policies: Policies, redact: bool = False) -> Outcome:
    """The same for an audit, with what else is known for judging it."""
    audit = judged.audit
    fail, review = (judge(policy, judged) for _, policy, _ in policies.both)
    doubts = list(dict.fromkeys((*fail.doubts, *review.doubts)))
    if audit.open and not any(doubt.key == "singled_out_columns" for doubt in doubts):
        number = len(audit.open)
        doubts.append(Doubt("claims", f"{number:,} {plural('fact', number)} undecided: {audit.reason or 'a limit was reached'}"))
    reasons = [
        reason
        for found, (name, _, origin) in zip((fail, review), policies.both, strict=True)
        for reason in _reasons(audit, found, name, whose(origin), redact)
    ]
    said = (*reasons, *map(doubt_sentence, doubts))
    numbers = len(fail.breaches), len(review.breaches)
    return Outcome(policies, fail.verdict, review.verdict, numbers, tuple(doubts), said, fail)


def outcome_of_collection(collection: Collection, policies: Policies) -> Outcome:
    """Judge what is known of many releases: their certain facts."""
    doubts = [doubt for _, policy, _ in policies.both for doubt in not_in_rows(policy)]
    if collection.undecided:
        number = collection.undecided
        doubts.append(Doubt("claims", f"{number:,} {plural('fact', number)} undecided: nobody knows yet whether they are certain"))
    if collection.failed:
        nouns = plural(collection.noun, collection.failed)
        them = "it" if collection.failed == 1 else "them"
        doubts.append(Doubt("claims", f"{collection.failed:,} {nouns} failed: nothing is known about {them}"))
    if collection.unfinished:
        doubts.append(Doubt("claims", "the run is not finished"))
    numbers = collection.over_fail, collection.over_review
    reasons = [
        f"{number:,} certain {_are('fact', number)} over the {name} limit ({policy_words(policy)}; {whose(origin)})"
        for number, (name, policy, origin) in zip(numbers, policies.both, strict=True)
        if number
    ]
    fail, review = (_verdict(number, doubts) for number in numbers)
    said = (*reasons, *map(doubt_sentence, dict.fromkeys(doubts)))
    return Outcome(policies, fail, review, numbers, tuple(dict.fromkeys(doubts)), said)


def _verdict(number: int, doubts: Sequence[Doubt]) -> PolicyVerdict:
    return PolicyVerdict.BROKEN if number else PolicyVerdict.UNDECIDED if doubts else PolicyVerdict.KEPT


def _reasons(audit: Audit, found: Judgement, name: str, whose_policy: str, redact: bool) -> list[str]:
    """Cells first, then who is singled out, what is printed apart from what follows, then values that follow of groups."""
    policy = found.policy
    about_cells = "; ".join(replace(policy, singled_out_columns=None, attribute=()).words)
    about_claims = "; ".join(replace(policy, primary=None, stars=0, attribute=()).words)
    about_values = "; ".join(replace(policy, singled_out_columns=None, primary=None, stars=0).words)
    told, printed = ([breach for breach in found.told if breach.printed == shown] for shown in (False, True))
    limit, made = f"over the {name} limit", []
    if found.narrow:
        number = len(found.narrow)
        cells = "" if redact else f": {named_cells(audit, found.narrow)}"
        made.append(f"{number:,} {_are('cell', number)} {limit} ({about_cells}; {whose_policy}){cells}")
    if told:
        made.append(f"{len(told):,} certain {_are('fact', len(told))} {limit} ({about_claims}; {whose_policy})")
    if printed:
        which = "fact that is printed, at least in part," if len(printed) == 1 else "facts that are printed, at least in part,"
        are = "is" if len(printed) == 1 else "are"
        made.append(f"{len(printed):,} certain {which} {are} {limit} ({about_claims}; {whose_policy})")
    if found.followed:
        number = len(found.followed)
        made.append(f"what follows about {number:,} {_are('group', number)} {limit} ({about_values}; {whose_policy})")
    return made


def named_cells(audit: Audit, cells: Sequence[Narrow]) -> str:
    """What is known of the first of some cells, and how many more there are."""
    domain = audit.release.domain
    more = f"; and {len(cells) - NAMED:,} more, all on the page" if len(cells) > NAMED else ""
    return "; ".join(breach_sentence(domain, cell) for cell in cells[:NAMED]) + more


def _are(noun: str, count: int) -> str:
    return f"{plural(noun, count)} {'is' if count == 1 else 'are'}"
