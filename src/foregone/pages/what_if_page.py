"""The page about a what-if: the same numbers before and after, what would stay certain, and the tables side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from foregone.batch.subject import Subject
from foregone.formats.outputs import write_text
from foregone.model.audit import Audit, Fact
from foregone.model.claim import Claim
from foregone.model.sentences import plural
from foregone.pages.outcome import Outcome
from foregone.pages.ranking import rank_facts
from foregone.pages.sentences import Words, fact_words
from foregone.pages.template import fill
from foregone.pages.views.tables import side_by_side
from foregone.questions.compare import Comparison, measures

LISTED = 50  # facts of each kind that are spelled out


@dataclass(frozen=True, slots=True)
class FactList:
    title: str
    about: str
    facts: tuple[tuple[int, tuple[Words, ...]], ...]  # how many records, and the sentence
    left: int


def render_what_if(
    found: Comparison, change: str, subject: Subject, outcomes: tuple[Outcome, Outcome], name: str, date: str
) -> str:
    """The page as text, with the outcomes before and after. It shows numbers that would be withheld, and says so."""
    before, after = found.before, found.after
    numbers = [(words, f"{one:,}", f"{other:,}") for words, one, other in measures(before, after)]
    ones = [sum(fact.count == 1 for fact in facts) for facts in (found.vanish, found.stay)]
    return fill(
        "what_if.html",
        before.release.domain,
        [],
        headline=_headline(found, ones),
        change=change,
        name=name,
        rows=[*numbers, ("outcome", *(outcome.verdict for outcome in outcomes))],
        limits=outcomes[0].limits,
        lists=[made for made in _lists(found, subject) if made.facts],
        sides=side_by_side(before.release, after.release, subject),
        date=date,
    )


def write_what_if_page(
    found: Comparison, change: str, subject: Subject, outcomes: tuple[Outcome, Outcome], name: str, date: str, out: Path
) -> None:
    write_text(out, render_what_if(found, change, subject, outcomes, name, date))


def _headline(found: Comparison, ones: Sequence[int]) -> str:
    """What becomes of the facts about a single record; where there are none, of all facts."""
    noun = found.before.release.domain.record
    vanish, stay = ones if any(ones) else (len(found.vanish), len(found.stay))
    about = f" about exactly one {noun}" if any(ones) else ""
    whole = vanish + stay
    what = f"{vanish:,} of {whole:,} {plural('fact', whole)}{about} would vanish"
    open_ = f", {len(found.open):,} would be undecided" if found.open else ""
    return f"{what}, {stay:,} would stay{open_}"


def _lists(found: Comparison, subject: Subject) -> list[FactList]:
    before, after = found.before, found.after
    known = {fact.claim for fact in before.facts}
    weaker = sum(fact.claim not in known for fact in after.facts)
    less = f" {weaker:,} of them say less than before about the same records." if weaker else ""
    still = f"Everything that would be certain then, fewest records first.{less}"
    gone = "A shorter statement about the same records may still be certain: it is then among those below."
    return [
        _list("No longer certain", gone, before, found.vanish, subject),
        _list("Still certain", still, after, after.facts, subject),
        _list("Not decided", "Nobody knows whether these would still be certain.", before, found.open, subject),
    ]


def _list(title: str, about: str, audit: Audit, facts: Sequence[Fact], subject: Subject) -> FactList:
    claims = {fact.claim for fact in facts}
    ranked = [fact for fact in rank_facts(audit) if Claim(fact.predicate, fact.count) in claims]
    shown = tuple((fact.count, fact_words(subject, audit.release.domain, fact)) for fact in ranked[:LISTED])
    return FactList(title, about, shown, len(facts) - len(shown))
