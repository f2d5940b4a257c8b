"""The five screens, each drawn from what lies on the desk. Python makes words and numbers; the templates lay them out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from shlex import join
from typing import Any

from jinja2 import Environment

from foregone.census.subjects import subject_of_release
from foregone.engine import Explanation
from foregone.formats.beside import place_rows, read_left_out
from foregone.model.audit import Fact
from foregone.model.errors import ForegoneError, InputError, UndecidedError
from foregone.model.intervals import Interval
from foregone.model.marks import range_text
from foregone.model.policy import DEFAULT, Policies
from foregone.model.release import Release
from foregone.model.sentences import plural, said
from foregone.pages.commands import explain_command
from foregone.pages.derivation import derive
from foregone.pages.outcome import judged_outcome
from foregone.pages.ranking import RankedFact
from foregone.pages.release_page import PageOptions, headline
from foregone.pages.sentences import counted, placed, singled_out_means
from foregone.pages.template import page_environment, page_texts
from foregone.pages.views.derivation import Reference, view_derivation
from foregone.pages.views.facts import FactView, view_fact
from foregone.pages.views.tables import TableViews, number_text
from foregone.policy.judge import Judgement, judge
from foregone.policy.sentences import by_weight, doubt_sentence, placed_sentence
from foregone.questions.ask import explain
from foregone.solvers.deadline import Deadline
from foregone.tables.readers.registry import read_file
from foregone.tables.reading.question import TableQuestion
from foregone.tables.reading.sentences import choice_text
from foregone.tables.table import Grid
from foregone.workbench.desk import FILES, PROTECTED, Desk, DeskAudit, Listener
from foregone.workbench.folder import MADE
from foregone.workbench.hands import Answered
from foregone.workbench.protecting import (
    PROTECTION,
    PUBLISHED,
    current,
    policy_of,
    private_files,
    protect_command,
    protect_task,
    protected_release,
    publish_task,
    review_command,
    sign_off_task,
)
from foregone.workbench.sheets import known_cells, marked, sheet_of
from foregone.workbench.state import WorkState
from foregone.workbench.trying import told_first, try_command, try_out

TEMPLATES = ("sheet.html", "read.html", "exposed.html", "why.html", "try.html", "protect.html", "publish.html")
MOST_FACTS = 60  # people on a screen
MOST_TOLD = 12  # sentences in a list
WHY_SECONDS = 20.0
TIGHT = 3  # as few values left are nearly known


@dataclass(frozen=True, slots=True)
class MarkView:
    """What a cell that is not shown must be: `text` stands behind it, `lit` when only one number is possible."""

    text: str
    lit: bool
    tight: bool
    words: str


@cache
def environment() -> Environment:
    """The templates of the workbench above those of the pages."""
    own = {name: files("foregone.workbench").joinpath("templates", name).read_text("utf-8") for name in TEMPLATES}
    made = page_environment({**page_texts(), **own})
    made.globals |= {"plural": plural}
    return made


def draw(template: str, **values: Any) -> str:
    return environment().get_template(template).render(redact=False, **values)


def begin(root: str) -> Callable[[str, dict[str, Any], Listener], Answered]:
    """A desk that does what it is asked, and says in sentences why it cannot."""
    desk = Desk(Path(root))
    environment()

    def do(task: str, asked: dict[str, Any], listener: Listener) -> Answered:
        try:
            return Answered(TASKS[task](desk, listener, **asked))
        except InputError as error:
            return Answered(problems=error.problems)
        except ForegoneError as error:
            return Answered(problems=(str(error),))
        except MemoryError:
            return Answered(problems=("There is not enough memory for this release; leave out tables you do not need.",))

    return do


def read_screen(desk: Desk, listener: Listener, state: WorkState) -> str:
    """1 READ: how the tables were read, what is asked, and what signs mean."""
    listener("Reading the tables")
    found = desk.reading(state)
    release = found.release
    return draw(
        "read.html",
        state=state,
        found=found,
        files=[(name, name in state.files) for name in desk.folder.tables()] if not desk.folder.is_release else [],
        links=desk.folder.links(),
        questions=[question_view(question) for question in found.questions],
        noun="record" if release is None else release.domain.record,
        numbers=0 if release is None else len(release.published),
    )


def question_view(question: TableQuestion) -> dict[str, Any]:
    """A question with a button for each reading."""
    choices = [
        {
            "words": choice_text(choice),
            "answer": {
                "table": question.table,
                "words": choice_text(choice),
                "settings": dict(choice.settings),
                "whole": dict(choice.whole),
            },
        }
        for choice in question.choices
    ]
    return {"where": question.source, "table": question.table, "place": question.place, "choices": choices}


def exposed_screen(desk: Desk, listener: Listener, state: WorkState) -> str:
    """2 EXPOSED: marks that are pierced, and who is singled out."""
    found = desk.audit(state, listener)
    audited = found.audited
    release = found.release
    options = PageOptions("", name=found.reading.path.name or "release")
    outcome = judged_outcome(audited.judged, Policies(fail=DEFAULT))
    tables = TableViews(release, found.subject)
    items = [
        view_fact(found.subject, release.domain, i, fact, None, False, tables) for i, fact in enumerate(audited.listed[:MOST_FACTS])
    ]
    ones = [item for item in items if item.fact.count == 1]
    return draw(
        "exposed.html",
        sheets=found.reading.sheets,
        marks=marks_of(audited.hidden),
        headline=headline(audited, options),
        meaning=singled_out_means(release.domain),
        outcome=outcome,
        rule="; ".join(DEFAULT.words),
        items=ones or items[:10],
        ones=len([fact for fact in audited.listed if fact.count == 1]),
        noun=release.domain.record,
        nouns=plural(release.domain.record, 2),
        pierced=[cell for cell in audited.hidden if cell.known],
        hidden=len(audited.hidden),
        command=join(["foregone", "audit", str(found.reading.path)]),
        left_out=found.reading.left_out,
    )


def marks_of(hidden: Iterable[Interval]) -> dict[str, MarkView]:
    """For the names of cells that are not shown, what they must be."""
    made = {}
    for cell in hidden:
        doubt = "" if cell.proved else " (perhaps fewer: a limit was reached)"
        words = f"{cell.published_text}; {cell.certain_text}{doubt}"
        text = f"{cell.low:,}" if cell.known else range_text(cell.low, cell.high)
        made[cell.name] = MarkView(text, cell.known, cell.width is not None and cell.width <= TIGHT, words)
    return made


def why_part(desk: Desk, listener: Listener, state: WorkState, cell: str, fact: int) -> str:
    """Why a cell that is not shown must be what it is, or why a fact is certain: steps, and the numbers that force it."""
    found = desk.audit(state, listener)
    listener("Looking for the few numbers that force it")
    if cell:
        return _why_cell(found, cell)
    if not 0 <= fact < len(found.audited.listed):
        raise InputError("this fact is not among those any more; reload the page")
    told = found.audited.listed[fact]
    return _why_fact(found, told, view_fact(found.subject, found.release.domain, fact, told, None, False).sentence)


def _why_cell(found: DeskAudit, name: str) -> str:
    interval = next((cell for cell in found.audited.hidden if cell.name == name), None)
    if interval is None:
        raise InputError(f"{name}: is shown, so there is nothing to explain")
    about = placed(found.release, name, counted(interval.predicate, found.release.domain))
    if interval.known:
        fact = RankedFact(interval.predicate, interval.low, "bound", None, ())
        return _why_fact(found, fact, f"{about} is certainly {interval.low:,}.", name)
    if interval.high is None and not interval.low:
        return draw("why.html", title=f"{about} can be any number.", opening="", steps=[], closing=[], names=[], target=name,
                    command="")  # fmt: skip
    shown = explain(found.case, interval.predicate, time_limit=WHY_SECONDS)
    title = f"{about} is certainly {range_text(interval.low, interval.high)}."
    amount = len(shown.statistics)
    return draw(
        "why.html",
        title=title,
        opening=f"{amount} published {plural('number', amount)} {'is' if amount == 1 else 'are'} enough.",
        steps=[
            {
                "text": "Together they leave nothing outside this range, and each end is possible.",
                "references": _named(shown),
                "earlier": 0,
            }
        ],
        closing=[],
        names=[found.release.name_of(i) for i in shown.statistics],
        target=name,
        command=join(["foregone", "explain", str(found.reading.path), interval.predicate.text(found.release.domain)]),
    )


def _named(shown: Explanation) -> list[Reference]:
    release = shown.release
    tables = TableViews(release, subject_of_release(release.domain))
    return [Reference(i, release.name_of(i), said(release, i, shown.statistics), tables.amount(i)) for i in shown.statistics]


def _why_fact(found: DeskAudit, fact: RankedFact, title: str, target: str = "") -> str:
    release = found.release
    try:
        derivation = derive(found.case, fact.telling, fact.count, deadline=Deadline.after(WHY_SECONDS))
    except UndecidedError as error:
        raise InputError(f"why it is certain was not found in {WHY_SECONDS:g} seconds ({error})") from None
    view = view_derivation(TableViews(release, found.subject), fact, derivation, False)
    return draw(
        "why.html",
        title=title,
        opening=view.opening,
        steps=view.sentences,
        closing=view.closing,
        names=[release.name_of(i) for i in derivation.statistics],
        target=target or _standing(release, fact),
        command=explain_command(str(found.reading.path), release.domain, fact.telling, fact.count),
    )


def _standing(release: Release, fact: RankedFact) -> str:
    """The cell that a fact is about, if there is one."""
    return next((count.name for count in release.statistics if count.predicate in (fact.predicate, fact.telling)), "")


def try_screen(desk: Desk, listener: Listener, state: WorkState, patient: bool = False) -> str:
    """3 TRY: numbers withheld or rounded by a click, and what would be certain then."""
    found = desk.audit(state, listener)
    listener("Looking at what would change")
    tried = try_out(found, desk.resting(state, listener), state.trying, patient)
    domain = found.release.domain

    def sentences(facts: tuple[Fact, ...]) -> list[FactView]:
        return [
            view_fact(found.subject, domain, i, fact, None, False) for i, fact in enumerate(told_first(found, facts, MOST_TOLD))
        ]

    shown = {count.name: number_text(count) for count in tried.changed.statistics}
    return draw(
        "try.html",
        sheets=found.reading.sheets,
        trying=dict(state.trying),
        shown=shown,
        marks=marks_of(tried.cells.values()),
        before=marks_of(found.audited.hidden),
        tried=tried,
        vanish=sentences(tried.vanish),
        stay=sentences(tuple(fact for fact in tried.stay if fact.count == 1)),
        staying=sum(fact.count == 1 for fact in tried.stay),
        facts=len(found.audited.audit.facts),
        at=state.at,
        last=len(state.tries) - 1,
        noun=domain.record,
        nouns=plural(domain.record, 2),
        command=try_command(str(found.reading.path), state.trying),
    )


def protect_screen(desk: Desk, listener: Listener, state: WorkState, running: bool, problems: tuple[str, ...]) -> str:
    """4 PROTECT: a rule in words, what it forbids and what it leaves possible, numbers that stay, and the least to withhold."""
    found = desk.audit(state, listener)
    wanted, release = state.wanted, found.release
    judged: Judgement | None = None
    try:
        policy, path = policy_of(wanted, desk.folder.policies())
        judged = judge(policy, found.audited.judged)
        command = protect_command(found.reading.path, path, wanted)
    except InputError as error:
        policy, command, problems = None, "", (*problems, *error.problems)
    facts = [fact for fact in found.audited.facts if fact.count == 1]
    allowed = [fact for fact in facts if policy is not None and not policy.over(fact.attributes, 1)]
    record = current(desk, state, PROTECTION)
    after = protected_release() if record else None
    return draw(
        "protect.html",
        sheets=found.reading.sheets,
        wanted=wanted,
        policies=desk.folder.policies(),
        words=() if policy is None else policy.words,
        breaches=[] if judged is None else _listed(judged, release),
        broken=0 if judged is None else len(judged.breaches),
        undecided=() if judged is None else tuple(doubt_sentence(doubt) for doubt in judged.doubts),
        allowed=[view_fact(found.subject, release.domain, i, fact, None, False) for i, fact in enumerate(allowed[:5])],
        leaves=len(allowed),
        running=running,
        problems=problems,
        record=record,
        withheld=frozenset() if not record else frozenset(record["cells"]),
        prints={} if after is None else {count.name: count.mark or "withheld" for count in after.statistics if count.hidden},
        marks=marks_of(found.audited.hidden),
        noun=release.domain.record,
        nouns=plural(release.domain.record, 2),
        command=command,
    )


def _listed(judged: Judgement, release: Release) -> list[tuple[str, int, list[str]]]:
    """How a policy is broken: for each kind its title, how many, and the first of them."""
    return [
        (title, len(some), [placed_sentence(release, breach) for breach in some[:MOST_TOLD]])
        for title, some in by_weight(judged.breaches)
    ]


def publish_screen(desk: Desk, listener: Listener, state: WorkState, running: bool, problems: tuple[str, ...], today: str) -> str:
    """5 PUBLISH: the files as a reader sees them, the sheet to sign, and what stays private."""
    reading = desk.reading(state)
    protection, published = current(desk, state, PROTECTION), current(desk, state, PUBLISHED)
    listener("Reading the files again")
    sheets = []
    places = place_rows(reading.path) if published else []
    known = {} if reading.release is None else known_cells(reading.release, places, read_left_out(reading.path))
    for file in published.get("files", ()):
        for grid in read_file(Path(MADE) / FILES / file["name"]):
            if isinstance(grid, Grid):
                changed = {cell for where, cell, _, _ in file["cells"] if where == grid.sheet}
                sheets.append(marked(sheet_of(grid, known.get((file["name"], grid.sheet))), changed))
    return draw(
        "publish.html",
        reading=reading,
        protection=protection,
        published=published,
        sheets=sheets,
        private=private_files(desk),
        importable=bool(reading.command),
        signature=state.signature,
        today=today,
        running=running,
        problems=problems,
        folder=f"{MADE}/{FILES}",
        protected=f"{MADE}/{PROTECTED}",
        command=join(["foregone", "publish", f"{MADE}/{PROTECTED}", "--files", f"{MADE}/{FILES}"]),
        review=review_command(state),
    )


TASKS: Mapping[str, Callable[..., str]] = {
    "read": read_screen,
    "exposed": exposed_screen,
    "why": why_part,
    "try": try_screen,
    "protect": protect_screen,
    "publish": publish_screen,
    "protecting": protect_task,
    "publishing": publish_task,
    "signoff": sign_off_task,
    "warm": lambda _desk, _listener: "",  # it is there, and everything is loaded
}
