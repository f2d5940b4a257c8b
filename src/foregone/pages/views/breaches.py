"""What breaks a policy, and marks that can be worked out: the first thing that a page tells."""

from __future__ import annotations

from dataclasses import dataclass

from foregone.pages.outcome import Outcome
from foregone.pages.ranking import AuditedRelease
from foregone.policy.judge import Breach, pierced
from foregone.policy.sentences import by_weight, placed_sentence

SHOWN = 300  # of each kind on the page


@dataclass(frozen=True, slots=True)
class BreachList:
    """Breaches of one kind, a sentence each; all of them, and those that stand on the page."""

    title: str
    all: tuple[str, ...]

    @property
    def shown(self) -> tuple[str, ...]:
        return self.all[:SHOWN]

    @property
    def left(self) -> int:
        return len(self.all) - len(self.shown)


def view_breaches(audited: AuditedRelease, outcome: Outcome, redact: bool) -> list[BreachList]:
    """Marks that are pierced, whether or not a policy forbids it, and then what breaks the policy. Redacted, nothing is named."""
    found: tuple[Breach, ...] = outcome.judgement.breaches if outcome.judgement is not None else ()
    marks = pierced(audited.judged).breaches
    every = dict.fromkeys((*marks, *found))
    release = audited.release
    return [] if redact else [
        BreachList(title, tuple(placed_sentence(release, breach) for breach in some)) for title, some in by_weight(every)
    ]
