"""The page about one release: everything it shows is put into words and numbers here, the template only lays it out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from foregone.model.audit import Audit
from foregone.model.errors import UndecidedError
from foregone.model.sentences import number, plural
from foregone.pages.derivation import Why, why
from foregone.pages.ranking import Finding, short, title
from foregone.pages.results import results
from foregone.pages.template import Page, fill, fitting
from foregone.pages.thresholds import Thresholds
from foregone.pages.views.charts import by_columns, chance_text, chances, exposed
from foregone.pages.views.derivation import tell_story
from foregone.pages.views.facts import make_item, uses
from foregone.pages.views.tables import Tables

ICONS = 60  # records drawn one by one at the top
RULES = 20  # rules spelled out

Explained = Mapping[tuple[str, int], Why]  # by claim text and count
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Options:
    """What the page should hold. `date` is printed as it is, so that the same input gives the same bytes."""

    date: str
    name: str = "release"
    top: int = 200
    explain: int = 30
    redact: bool = False
    prior: str = ""
    rest: str = ""  # name of the file that holds what the page leaves out
    thresholds: Thresholds = field(default_factory=Thresholds)


def explanations(
    audit: Audit, found: Sequence[Finding], most: int, known: Explained | None = None, progress: Progress | None = None
) -> dict[tuple[str, int], Why]:
    """Why the first `most` findings are certain; those too large to be explained are left out."""
    release, made = audit.release, {}
    chosen = found[:most]
    for i, finding in enumerate(chosen):
        key = (finding.predicate.text(release.domain), finding.count)
        if progress is not None:
            progress("explaining", i, len(chosen))
        if known is not None and key in known:
            made[key] = known[key]
            continue
        try:
            made[key] = why(release, finding.predicate, finding.count)
        except UndecidedError:
            continue
    return made


def render(audit: Audit, found: Sequence[Finding], explained: Explained, options: Options) -> Page:
    """The page. Fewer findings are put on it when it would grow too large to be opened with ease."""

    def draw(top: int, tell: int) -> str:
        return _render(audit, found, explained, options, top, tell)

    return fitting(draw, min(options.top, len(found)), len(explained))


def _render(audit: Audit, found: Sequence[Finding], explained: Explained, options: Options, top: int, tell: int) -> str:
    release, domain, redact = audit.release, audit.release.domain, options.redact
    tables = Tables(release)
    items = []
    seen: dict[tuple[str, int], int] = {}
    for i, finding in enumerate(found[:top], start=1):
        reason = explained.get((finding.predicate.text(domain), finding.count)) if i <= tell else None
        story = None if reason is None else tell_story(tables, finding, reason, redact)
        item = make_item(domain, i, finding, story, redact)
        first = seen.setdefault((item.sentence, item.count), i)
        items.append(replace(item, twin=0 if redact or first == i else first))
    shared = uses(items)
    named = {cell: {"name": release.name_of(i), "label": tables.label(i)} for cell, i in shared.statistics.items()}
    numbers = {} if redact else named
    busiest = sorted(shared.facts, key=lambda cell: (-len(shared.facts[cell]), shared.statistics[cell]))[:6]
    outcome = results(audit, found, options.thresholds, redact)
    least = outcome["found"]["records_singled_out_at_least"]
    titles = {column.name: title(column) for column in domain.columns}
    return fill(
        "release.html",
        domain,
        items,
        options=options,
        redact=redact,
        fingerprint="" if redact else release.fingerprint(),
        fingerprint_of="Fingerprint of the release",
        told=sum(item.story is not None for item in items),
        left=len(found) - top,
        total=len(found),
        verdict=verdict(audit, found, least, options),
        outcome=outcome,
        icons=_icons(audit, least),
        assumed=assumed(audit, redact),
        bars=by_columns(audit.claims_by_columns(), audit.claims_by_columns(1)),
        columns=exposed(Counter(name for finding in found if finding.count == 1 for name in finding.values), titles),
        scatter=chances(found),
        with_chances=any(finding.baseline is not None for finding in found),
        busiest=[] if redact else [(cell, numbers[cell], shared.facts[cell]) for cell in busiest if len(shared.facts[cell]) > 1],
        data={"uses": {} if redact else shared.facts, "numbers": numbers},  # positions tell which cells they are
    )


def verdict(audit: Audit, found: Sequence[Finding], least: int, options: Options) -> tuple[str, str]:
    """The headline and what it means, for somebody who has never heard of any of this."""
    release = audit.release
    noun, nouns = release.domain.record, plural(release.domain.record, 2)
    low, high = release.size_range
    ones = [finding for finding in found if finding.count == 1]
    published = f"the {len(release.statistics):,} published numbers"
    if not ones:
        open_ = f" {len(audit.open):,} statements are still undecided." if audit.open else ""
        return f"No {noun} is singled out.", f"No statement about exactly one {noun} follows from {published}.{open_}"
    of = f" of the {low:,} {nouns}" if low == high else f" {plural(noun, least)}"
    sure = low == high == least
    headline = (
        f"{'All' if sure else 'At least'} {least:,}{of if not sure else ' ' + nouns} {'is' if least == 1 else 'are'} singled out."
    )
    most = max(finding.columns for finding in ones)
    fewest = min(len(key) for finding in ones for key in finding.keys)
    text = (
        f"From {published} alone, anyone can be certain of up to {number(most)} {plural('attribute', most)} of a single {noun}."
        f" It is true in every dataset that fits the numbers: not a guess, not a probability."
    )
    if fewest < most:
        text += (
            f" Knowing as little as {number(fewest)} {plural('attribute', fewest)} is enough to recognise one and learn the rest."
        )
    chance = min((finding.baseline for finding in ones if finding.baseline is not None), default=None)
    if chance is not None:
        source = "comparable records" if options.redact else options.prior
        text += f" Among records drawn at random from {source}, the most surprising fact has a chance of {chance_text(chance)}."
    elif options.prior:
        text += " No baseline could be given, because the number of records is not published exactly."
    return headline, text


def assumed(audit: Audit, redact: bool) -> list[tuple[str, str]]:
    """Everything the conclusions rest on besides arithmetic."""
    release, domain = audit.release, audit.release.domain
    low, high = release.size_range
    size = f"{low:,}" if low == high else f"{low:,} to {high:,}" if high is not None else f"at least {low:,}"
    ranges = sum(s.low != s.high for s in release.statistics)
    named = len({s.table for s in release.statistics if s.table})
    rules = f"{len(release.rules):,}" if release.rules else "none"
    if release.rules and not redact:
        shown = [short(rule, domain) for rule in release.rules[:RULES]]
        more = f"; and {len(release.rules) - RULES:,} more" if len(release.rules) > RULES else ""
        rules += ". No record has " + " | ".join(shown) + more
    open_ = len(audit.open)
    unsettled = f"{open_:,} ({audit.reason or 'a limit was reached'})" if open_ else "0: every statement was settled"
    return [
        (f"Number of {plural(domain.record, 2)}", size),
        ("Published numbers", f"{len(release.statistics):,}" + (f" in {named:,} {plural('table', named)}" if named else "")),
        (
            "Given as ranges",
            f"{ranges:,}, taken to lie anywhere in their range" if ranges else "none: every number is taken as exact",
        ),
        ("Rules", rules),
        (f"Kinds of {domain.record} still possible", f"{audit.kinds:,} of {domain.size:,}"),
        ("Undecided", unsettled),
    ]


def _icons(audit: Audit, least: int) -> tuple[int, int] | None:
    low, high = audit.release.size_range
    return (least, low) if low == high and 0 < low <= ICONS else None
