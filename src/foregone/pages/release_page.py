"""The page about one release: everything it shows is put into words and numbers here, the template only lays it out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from foregone.formats.beside import AllLeftOut
from foregone.model.policy import Policies
from foregone.model.sentences import number, plural, single_values_only, singled_out_sentence, size_text
from foregone.pages.commands import HIDDEN_PLACE, IN_PYTHON, Place, after_release, explain_command
from foregone.pages.explanations import Explanations
from foregone.pages.outcome import Outcome, judged_outcome
from foregone.pages.ranking import AuditedRelease
from foregone.pages.sentences import ONLY_CERTAIN, listed, placed, short, singled_out_means, title
from foregone.pages.template import Page, fill, fitting
from foregone.pages.views.charts import by_attributes, chance_text, chances, exposed
from foregone.pages.views.derivation import view_derivation
from foregone.pages.views.exposed import ExposedTables, hidden_cells, view_exposed
from foregone.pages.views.facts import FactView, uses, view_fact
from foregone.pages.views.not_shown import view_breaches, view_hidden, view_left_out
from foregone.pages.views.tables import TableViews

ICONS = 60  # records drawn one by one at the top
RULES = 20  # rules spelled out
NAMED = 8  # columns spelled out


@dataclass(frozen=True, slots=True)
class PageOptions:
    """What a page about a release, or about a run, should hold. `date` is printed as it is, so that the same input gives the same
    bytes.

    `title` and `subtitle` are the reader's own words for it; `name` is what the release is called, and `place` where commands
    find it.
    """

    date: str
    name: str = "release"
    title: str = ""
    subtitle: str = ""
    place: Place | None = None
    top: int = 200
    redact: bool = False
    prior: str = ""
    rest: str = ""  # name of the file that holds what the page leaves out
    breaches: str = ""  # name of the file with what breaks the policy, where that is more than the page lists
    policies: Policies = field(default_factory=Policies)
    assumptions: tuple[str, ...] = ()  # what the release takes for granted, a sentence each
    left_out: AllLeftOut = field(default_factory=AllLeftOut)  # numbers of the files that are no part of the release
    out: Path = Path("report.html")  # the page, from where a page about a run tells the places of other files


def render_release(
    audited: AuditedRelease, explained: Explanations, options: PageOptions, outcome: Outcome | None = None
) -> Page:
    """The page. Fewer facts are put on it when it would grow too large to be opened with ease. `outcome` is what came out by the
    policies of the options, where somebody knows it already.
    """
    judged = outcome or judged_outcome(audited.judged, options.policies, options.redact)

    def draw(top: int, tell: int) -> str:
        return _render(audited, explained, options, judged, top, tell)

    keys = [(fact.predicate.text(audited.release.domain), fact.count) for fact in audited.listed]
    last = max((i for i, key in enumerate(keys, start=1) if key in explained), default=0)
    return fitting(draw, min(options.top, len(audited.listed)), last)


def _render(
    audited: AuditedRelease, explained: Explanations, options: PageOptions, outcome: Outcome, top: int, tell: int
) -> str:
    release, domain, redact, facts = audited.release, audited.release.domain, options.redact, audited.listed
    tables = TableViews(release, audited.subject)
    items = []
    seen: dict[tuple[str, int], int] = {}
    place = HIDDEN_PLACE if redact else options.place or IN_PYTHON
    for i, fact in enumerate(facts[:top], start=1):
        found = explained.get((fact.predicate.text(domain), fact.count)) if i <= tell else None
        derivation = None if found is None else view_derivation(tables, fact, found, redact)
        item = view_fact(audited.subject, domain, i, fact, derivation, redact, tables)
        first = seen.setdefault((item.sentence, fact.count), i)
        commands = () if redact else (explain_command(place.path, domain, fact.predicate, fact.count),)
        items.append(replace(item, twin=0 if redact or first == i else first, commands=commands))
    shared = uses(items)
    names = {cell: release.name_of(i) for cell, i in shared.statistics.items()}
    named = {
        cell: {"name": names[cell], "label": placed(release, names[cell], tables.label(i))} for cell, i in shared.statistics.items()
    }
    exposed_tables = view_exposed(audited, tables, redact)
    named |= _drawn(audited, tables, exposed_tables, items)
    numbers = {} if redact else named
    busiest = sorted(shared.facts, key=lambda cell: (-len(shared.facts[cell]), shared.statistics[cell]))[:6]
    titles = {column.name: title(column) for column in domain.columns}
    ones = [fact for fact in facts if fact.count == 1]
    about = ones or facts  # where nobody is singled out, what is known of groups is worth a picture
    telling = Counter(name for fact in about for name in fact.names if name not in fact.idle)
    shared_by_all = {name for fact in about for name in fact.idle} - set(telling)
    return fill(
        "release.html",
        domain,
        items,
        options=options,
        redact=redact,
        fingerprint="" if redact else release.fingerprint(),
        fingerprint_of="Fingerprint of the release",
        told=sum(item.derivation is not None for item in items),
        left=len(facts) - top,
        total=len(facts),
        more=audited.more,
        headline=headline(audited, options),
        meaning=singled_out_means(domain),
        outcome=outcome,
        steps=after_release(audited, explained, place, outcome, redact),
        icons=_icons(audited),
        assumed=[*assumed(audited, redact), *(("Assumed", sentence) for sentence in granted(options))],
        hidden=view_hidden(audited, redact),
        exposed_tables=exposed_tables,
        breaches=view_breaches(audited, outcome, redact),
        left_out=view_left_out(options.left_out, redact),
        bars=by_attributes(Counter(fact.attributes for fact in facts), Counter(fact.attributes for fact in ones)),
        looked=looked_for(audited) if not any(fact.count == 1 for fact in audited.facts) else "",
        single=bool(ones),
        smallest=min((fact.count for fact in facts), default=0),
        columns=exposed(telling, {name: words for name, words in titles.items() if name not in shared_by_all}),
        unlisted=[titles[name] for name in titles if name in shared_by_all],
        scatter=chances(facts),
        with_chances=any(fact.baseline is not None for fact in facts),
        busiest=[] if redact else [(cell, numbers[cell], shared.facts[cell]) for cell in busiest if len(shared.facts[cell]) > 1],
        data={"uses": {} if redact else shared.facts, "numbers": numbers},  # positions tell which cells they are
    )


def _drawn(
    audited: AuditedRelease, tables: TableViews, exposed_tables: ExposedTables | None, items: Sequence[FactView]
) -> dict[str, dict[str, str]]:
    """What a click on a cell of the lit tables says; of a hidden one also what it must be, and which fact tells why."""
    release, made = audited.release, dict[str, dict[str, str]]()
    drawn = exposed_tables.tables if exposed_tables else ()
    hidden, stated = hidden_cells(audited), {item.fact.predicate: item.id for item in reversed(items)}
    for at in dict.fromkeys(cell.statistic for table in drawn for line in table.lines for cell in line.cells):
        if at is None:
            continue
        name = release.name_of(at)
        made[str(at)] = {"name": name, "label": placed(release, name, tables.label(at))}
        if at in hidden:
            must = hidden[at]
            why = str(stated.get(must.predicate, "")) if must.known else ""
            made[str(at)] |= {"says": f"Printed {must.mark or 'nothing'}, {must.certain_text}.", "fact": why}
    return made


def granted(options: PageOptions) -> tuple[str, ...]:
    """What the release takes for granted; the sentences may name values, which a redacted page does not."""
    known = options.assumptions
    return (f"{number(len(known))} {plural('sentence', len(known))} in assumptions.txt",) if known and options.redact else known


def headline(audited: AuditedRelease, options: PageOptions) -> tuple[str, str]:
    """The headline and what it means, for somebody who has never heard of any of this."""
    release, undecided = audited.release, len(audited.audit.open)
    noun = release.domain.record
    ones = [fact for fact in audited.facts if fact.count == 1]
    withheld = sum(row.withheld for row in release.published)
    shown = len(release.published) + len(release.own) - withheld
    published = f"the {shown:,} published {plural('number', shown)}"
    apart = f" ({number(withheld)} {plural('cell', withheld)} {'is' if withheld == 1 else 'are'} withheld)" if withheld else ""
    if not ones:
        # what is open, and groups that were not looked at, must not be taken for an all-clear
        how = "is singled out by single values alone" if single_values_only(audited.audit) else "is singled out by these numbers"
        first = f"No {noun} {'is known to be singled out, but not everything is settled' if undecided else how}."
        open_ = f" {undecided:,} {plural('statement', undecided)} could not be decided." if undecided else ""
        return first, f"No statement about exactly one {noun} is shown to follow from {published}{apart}.{open_}"
    first = singled_out_sentence(audited.audit, audited.truth)
    most = max(fact.attributes for fact in ones)
    fewest = min(len(key) for fact in ones for key in fact.keys)
    text = (
        f"From {published} alone{apart}, anyone can be certain of up to {number(most)} {plural('attribute', most)}"
        f" of a single {noun}. It is true in every dataset that fits the numbers: not a guess, not a probability."
    )
    if fewest < most:
        text += (
            f" Knowing as little as {number(fewest)} {plural('attribute', fewest)} is enough to recognise one and learn the rest."
        )
    if undecided:
        text += f" {undecided:,} {plural('statement', undecided)} could not be decided, so more may be certain."
    chance = min((fact.baseline for fact in ones if fact.baseline is not None), default=None)
    if chance is not None:
        source = "comparable records" if options.redact else options.prior
        text += f" Among records drawn at random from {source}, the most surprising fact has a chance of {chance_text(chance)}."
        known = [fact.modal for fact in ones if fact.modal is not None]
        if known:
            text += f" Somebody who always names what is most frequent there would miss {known.count(False):,} of {len(known):,}."
    elif options.prior:
        text += " No baseline could be given, because the number of records is not published exactly."
    return first, text


def looked_for(audited: AuditedRelease) -> str:
    """Where nobody is singled out: what was looked for, how far down it goes, and what was not looked at."""
    domain, noun = audited.release.domain, audited.release.domain.record
    names = [title(column) for column in domain.columns]
    named = listed(names) if len(names) <= NAMED else f"{', '.join(names[:NAMED])} and {len(names) - NAMED:,} more"
    groups = single_values_only(audited.audit) or "Groups of values that the tables count together were looked at, too."
    smallest = min((fact.count for fact in audited.facts), default=0)
    down = f"The smallest group about which something is certain has {smallest:,} {plural(noun, smallest)}."
    return (
        f"Looked for: every statement “exactly so many {plural(noun, 2)} have these values”, with any choice of {named}. {groups}"
        f" {down if smallest else 'No such statement is certain.'} {ONLY_CERTAIN}"
    )


def assumed(audited: AuditedRelease, redact: bool) -> list[tuple[str, str]]:
    """Everything the conclusions rest on besides arithmetic."""
    release, domain = audited.release, audited.release.domain
    ranges = sum(row.low != row.high for row in release.published if not row.withheld)
    named = len({row.table for row in release.published if row.table})
    withheld = sum(row.withheld for row in release.published)
    numbers = f"{len(release.published) + len(release.own) - withheld:,}"
    rules = f"{len(release.rules):,}" if release.rules else "none"
    if release.rules and not redact:
        shown = [short(rule, domain) for rule in release.rules[:RULES]]
        more = f"; and {len(release.rules) - RULES:,} more" if len(release.rules) > RULES else ""
        rules += ". No record has " + " | ".join(shown) + more
    named_after = list(release.places.items())[:1]
    open_ = len(audited.audit.open)
    unsettled = f"{open_:,} ({audited.audit.reason or 'a limit was reached'})" if open_ else "0: every statement was settled"
    return [
        (f"Number of {plural(domain.record, 2)}", size_text(audited.audit.size)),
        ("Published numbers", numbers + (f" in {named:,} {plural('table', named)}" if named else "")),
        *([("Withheld cells", f"{withheld:,}")] if withheld else []),
        (
            "Given as ranges",
            f"{ranges:,}, taken to lie anywhere in their range" if ranges else "none: every number is taken as exact",
        ),
        *([] if redact else [("Names of numbers", f"{name} is {where}, and so on") for name, where in named_after]),
        ("Rules", rules),
        (f"Kinds of {domain.record} still possible", f"{audited.audit.kinds:,} of {domain.size:,}"),
        ("Undecided", unsettled),
    ]


def _icons(audited: AuditedRelease) -> tuple[int, int] | None:
    low, high = audited.audit.size
    return (audited.singled_out[0], low) if low == high and 0 < low <= ICONS else None
