"""Pages with tables before and after side by side: about a what-if, with what would stay certain, and about a protection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from foregone.batch.subject import Subject
from foregone.model.audit import Audit, Fact
from foregone.model.claim import Claim
from foregone.model.intervals import Interval
from foregone.model.marks import Ranges
from foregone.model.protection import RECORD, Protection, other_choice, protection_summary
from foregone.model.release import Release
from foregone.model.sentences import plural
from foregone.model.shown import and_more
from foregone.pages.outcome import Outcome
from foregone.pages.ranking import rank_facts
from foregone.pages.sentences import Words, counted, fact_words, placed
from foregone.pages.template import fill
from foregone.pages.views.tables import side_by_side
from foregone.questions.compare import Comparison, measures

MOST_NAMES = 20_000  # of cells that were changed
MOST_CELLS = 5_000  # that are not shown, each with what it can be
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


def render_protection(found: Protection, subject: Subject, date: str, possible: Sequence[Interval] = ()) -> str:
    """The page as text. It holds numbers that are withheld, and says so. `possible`: what the cells that are not shown can be."""
    assert found.release is not None
    _, *lines = protection_summary(found, MOST_NAMES, others=False).splitlines()  # the policy stands above
    return fill(
        "protection.html",
        found.original.domain,
        [],
        headline=_protected_headline(found),
        lead=f"{'; '.join(found.policy.words)}.",
        badge="Proved smallest" if found.optimal else "Protected, not proved smallest",
        verdict="pass" if found.optimal else "review",
        # the next best choices have a section of their own; lists are complete, as people follow them cell by cell
        lines=lines,
        alternatives=[(other_choice(found, other, MOST_NAMES), other.cost) for other in found.alternatives if other.actions],
        possible=[
            (cell, placed(found.original, cell.name, counted(cell.predicate, found.original.domain)))
            for cell in possible[:MOST_CELLS]
        ],
        more=and_more(len(possible) - MOST_CELLS, "foregone bounds --hidden").strip(),
        sides=side_by_side(found.original, found.release, subject),
        prints=[_printed(release) for release in (found.original, found.release)],
        figure_prints=[_figures_printed(release, found.marks) for release in (found.original, found.release)],
        record=RECORD,
        date=date,
    )


def _printed(release: Release) -> dict[int, str]:
    """What stands in place of counts that are not shown."""
    return {i: count.mark or "withheld" for i, count in enumerate(release.statistics) if count.hidden}


def _figures_printed(release: Release, marks: Mapping[str, Ranges]) -> dict[int, str]:
    """What stands in place of percentages that are not shown: the mark, if there is one."""
    mark = next(iter(marks)) if len(marks) == 1 else "withheld"
    return {i: mark for i, figure in enumerate(release.figures) if figure.withheld}


def _protected_headline(found: Protection) -> str:
    what = "table" if found.by == "table" else "cell"
    number = len(found.withheld)
    some = f"{number:,} {plural(what, number)} withheld"
    return f"{some}, and nothing less would do" if found.optimal else f"{some}, perhaps more than needed"
