"""What a page about many releases is made from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Any

from foregone.batch.overview import RunTotals, exposed_level, guessed, run_totals
from foregone.batch.part_files import ATTRIBUTES
from foregone.batch.query import place_sql, told
from foregone.batch.run_folder import FindSubject, RunFolder, open_run
from foregone.batch.subject import Subject
from foregone.formats.claims import GUESSES
from foregone.model.audit import PrintedHow
from foregone.model.claims_table import BETWEEN, codes_of
from foregone.model.domain import Domain
from foregone.model.policy import Policies
from foregone.model.predicate import Predicate
from foregone.model.sentences import plural
from foregone.pages.ranking import RankedFact
from foregone.policy.judge import over_sql

CHOSEN_OF_EACH = 10  # facts of each size of group and number of attributes, so that every filter finds something
CHOSEN_OF_PLACE = 5
LARGEST_GROUP = 5  # groups larger than this are not listed one by one
MOST_PLACES = 60
RELEASE = "release"  # a level below all places
AMONG_OTHERS = "coalesce(s.records, 2) > 1"  # of a fact's release: it has further records, for all that is known


@dataclass(frozen=True, slots=True)
class LocatedFact:
    """A certain fact about one release among many."""

    release: str
    records: int | None
    fact: RankedFact


@dataclass(frozen=True, slots=True)
class Exposure:
    """How exposed a place is: `part` of its `whole` (records or releases)."""

    code: str
    name: str
    part: int
    whole: int

    @property
    def share(self) -> float:
        return self.part / self.whole if self.whole else 0.0


@dataclass(frozen=True, slots=True)
class Collection:
    """Numbers and facts of a run: of many releases."""

    path: Path
    subject: Subject
    domain: Domain
    noun: str  # what a release is
    totals: RunTotals
    claims: Mapping[int, int]  # by number of columns
    singletons: Mapping[int, int]
    singled_out_by: Mapping[int, int]  # records, by number of attributes (values or groups) of a claim that singles them out
    exposed: Mapping[str, int]
    level: str  # of the places: one of the subject's geography, or else releases themselves
    places: tuple[Exposure, ...]
    share_of: str  # what the shares of places mean
    found: tuple[LocatedFact, ...]
    policies: Policies
    over_fail: int  # facts that break the policy of what must not be
    over_review: int
    assumed: tuple[tuple[str, str, bool], ...]  # a label, what is said, and whether that quotes what the releases hold
    fingerprint: str
    about: Mapping[str, Any]
    shared: frozenset[str] = frozenset()  # columns in which all records have the same value
    singled_out_exact: Mapping[int, int] = field(default_factory=dict)  # records, by number of single values of such a claim
    facts_by: Mapping[int, int] = field(default_factory=dict)  # by number of attributes
    facts_of_one_by: Mapping[int, int] = field(default_factory=dict)  # those about exactly one record
    synthetic: bool = False
    unfinished: str = ""
    guessed: str = ""  # what guessers would get of the facts about one record; empty without a table to guess from
    least_chance: float | None = None  # of such a fact
    nonmodal: int | None = None  # such facts that the modal guesser misses

    @property
    def rest(self) -> Path:
        """Where all facts are."""
        return self.path / "facts"

    @property
    def source(self) -> str:
        """The file that everything was made from, as the command named it."""
        name = str(self.about.get("input", {}).get("name", ""))
        given = [word for word in self.about.get("command", []) if PurePath(str(word)).name == name]
        return str(given[0]) if name and given else name


def collection_of_run(path: Path, find_subject: FindSubject, policies: Policies, top: int) -> Collection:
    with open_run(path, find_subject) as run:
        found = run_totals(run)
        subject, domain = _subject(run), _domain(run)
        geography = subject.geography
        level = exposed_level(run) or (geography.finest if run.noun == geography.noun else RELEASE)
        places, shared = _exposed_places(run, level), _shared(run)
        widths = run.widths()
        return Collection(
            path=path,
            subject=subject,
            domain=domain,
            noun=run.noun,
            totals=found,
            claims=_by_width(run, "verified", widths),
            singletons=_by_width(run, "singletons", widths),
            singled_out_by=_told_by(run, "told", widths),
            singled_out_exact=_told_by(run, "exact", widths),
            facts_by=_by_attributes(run, "TRUE"),
            facts_of_one_by=_by_attributes(run, f"count = 1 AND {AMONG_OTHERS}") or _by_attributes(run, "count = 1"),
            exposed=_exposed(run),
            shared=shared,
            level=level,
            places=places,
            share_of=f"{plural(run.record, 2)} singled out" if run.counted else f"claims about exactly one {run.record}",
            found=tuple(_chosen(run, level, places, shared, top)),
            policies=policies,
            over_fail=_count(run, over_sql(policies.fail, ATTRIBUTES)),
            over_review=_count(run, over_sql(policies.review, ATTRIBUTES)),
            assumed=tuple(_assumed(run, found)),
            fingerprint=str(run.about.get("input", {}).get("sha256", "")),
            about=run.about,
            synthetic=bool(run.about.get("synthetic")),
            unfinished=run.unfinished,
            **_guesses(run),
        )


def _guesses(run: RunFolder) -> dict[str, Any]:
    if not run.guessed:
        return {}
    [(least, missed)] = run.rows("SELECT min(chance), count(*) FILTER (NOT modal) FROM facts WHERE count = 1")
    return {"guessed": guessed(run), "least_chance": least, "nonmodal": missed}


def _subject(run: RunFolder) -> Subject:
    """The run's subject, without words for columns that are not those of the files."""
    subject = run.subject
    known = subject.domain is not None and subject.domain.names == run.names
    return subject if known else replace(subject, domain=None, sentence=None, tables=())


def _domain(run: RunFolder) -> Domain:
    """The columns of the subject, with their words; otherwise the codes that occur in facts."""
    known = _subject(run).domain
    if known is not None:
        return known
    columns = {
        name: [v for (v,) in run.rows(f"SELECT DISTINCT {_codes(name)} FROM facts WHERE {_id(name)} IS NOT NULL ORDER BY 1")]
        for name in run.names
    }
    return Domain.of({name: codes for name, codes in columns.items() if codes} or {"column": ["value"]}, record=run.record)


def _id(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _codes(name: str) -> str:
    """The codes that a column of facts names, alone or in groups."""
    return f"unnest(string_split({_id(name)}, '{BETWEEN}'))"


def _by_width(run: RunFolder, measure: str, widths: list[int]) -> dict[int, int]:
    if not widths:
        return {}
    sums = ", ".join(f"coalesce(sum({measure}_{k}), 0)::BIGINT" for k in widths)
    return {k: n for k, n in zip(widths, run.rows(f"SELECT {sums} FROM summary")[0], strict=True) if n}


def _by_attributes(run: RunFolder, condition: str) -> dict[int, int]:
    """Facts by number of attributes that are worth telling."""
    facts = "facts LEFT JOIN (SELECT release, records FROM summary) s USING (release)"
    return dict(run.rows(f"SELECT {ATTRIBUTES}, count(*) FROM {facts} WHERE {condition} GROUP BY 1 ORDER BY 1"))


def _told_by(run: RunFolder, how: str, widths: list[int]) -> dict[int, int]:
    """True records by number of attributes; by number of columns where the run counted nothing else."""
    if not run.counted:
        return {}
    return _by_width(run, told(run, 1).removesuffix("_1") if how == "told" else _exact(run), widths)


def _exact(run: RunFolder) -> str:
    """The measure of those singled out by so many single values."""
    return f"{run.counted}_exact" if f"{run.counted}_exact_1" in run.measures else run.counted


def _exposed(run: RunFolder) -> dict[str, int]:
    told = ", ".join(f"count({_id(name)})" for name in run.names)
    return dict(zip(run.names, run.rows(f"SELECT {told} FROM facts WHERE count = 1")[0], strict=True)) if told else {}


def _shared(run: RunFolder) -> frozenset[str]:
    """Columns in which every record of every release has the same value: each release has a fact about all of its records,
    and all facts tell it. The files count what goes without saying, but do not name it.
    """
    if not run.names:
        return frozenset()
    most = "SELECT release, max(count) AS most FROM facts GROUP BY 1"
    partly = f"SELECT count(*) FROM ({most}) LEFT JOIN summary USING (release) WHERE most IS DISTINCT FROM records"
    if run.rows(partly)[0][0]:
        return frozenset()
    same = ", ".join(f"count({_id(name)}) = count(*) AND count(DISTINCT {_id(name)}) = 1" for name in run.names)
    found = run.rows(f"SELECT {same} FROM facts")[0]
    return frozenset(name for name, alike in zip(run.names, found, strict=True) if alike)


def _count(run: RunFolder, condition: str) -> int:
    return int(run.rows(f"SELECT count(*) FROM facts WHERE {condition}")[0][0])


def _exposed_places(run: RunFolder, level: str) -> tuple[Exposure, ...]:
    """The places with the largest shares; without true records, releases with the most facts about one record."""
    if level == RELEASE:
        rows = run.rows(f"SELECT release, singletons, verified FROM summary ORDER BY singletons DESC, release LIMIT {MOST_PLACES}")
    else:
        part, whole = (run.counted, "records") if run.counted else ("singletons", "verified")
        key = place_sql(run.subject.geography, level)
        rows = run.rows(
            f"SELECT {key}, sum({part})::BIGINT, sum({whole})::BIGINT FROM summary GROUP BY 1"
            f" ORDER BY sum({part}) / nullif(sum({whole}), 0) DESC NULLS LAST, 1 LIMIT {MOST_PLACES}"
        )
    return tuple(Exposure(code, run.subject.geography.name_of(code, level), part or 0, whole or 0) for code, part, whole in rows)


def _chosen(run: RunFolder, level: str, places: tuple[Exposure, ...], shared: frozenset[str], top: int) -> Iterator[LocatedFact]:
    """The most telling facts, and some of every place, size of group and number of attributes; each once, in order.

    A release about a single record tells all about it in plain sight; where there are others, they are what matters.
    """
    rows: dict[tuple[Any, ...], None] = {}
    taken = 0
    most = max(top, CHOSEN_OF_EACH)
    among = f"AND {AMONG_OTHERS}" if run.rows("SELECT 1 FROM summary WHERE records > 1 OR records IS NULL LIMIT 1") else ""
    for _, _, some in _best(run, ("f.count", f"-f.{ATTRIBUTES}"), f"f.count <= {LARGEST_GROUP} {among}", most):
        want = max(top - taken, CHOSEN_OF_EACH)
        taken += len(some[:want])
        rows |= dict.fromkeys(some[:want])
    geography = run.subject.geography
    if level in geography.levels:
        shown = {place.code for place in places}
        for code, some in _best(run, (place_sql(geography, level, "f.release"),), f"f.count = 1 {among}", CHOSEN_OF_PLACE):
            rows |= dict.fromkeys(some if code in shown else [])
    order = sorted(rows, key=lambda row: (row[2], -row[3], -(row[1] or 0), row[0], tuple(value or "" for value in row[10:])))
    for release, records, count, attributes, ground, published, printed, chance, guess, modal, *values in order:
        told = {name: codes_of(value) for name, value in zip(run.names, values, strict=True) if value is not None}
        how = None if printed is None else PrintedHow(printed)
        fact = RankedFact(Predicate.of(told), count, ground, chance, (), published, counted=attributes, printed=how)
        fact = replace(fact, guess=guess, modal=modal)
        idle = shared.intersection(fact.names)
        if len(idle) <= fact.columns - attributes:  # said of everybody, it is worth telling
            fact = replace(fact, idle=idle)
        yield LocatedFact(release, records, fact)


def _best(run: RunFolder, groups: tuple[str, ...], condition: str, most: int) -> list[tuple[Any, ...]]:
    """For each group, in order, its most telling facts: many attributes, then large releases, as being singled out
    among more says more. All groups are found in one pass, and only their best rows are held.
    """
    if not run.names:
        return []
    names = ", ".join(f"f.{_id(name)}" for name in run.names)
    by = ", ".join(str(i) for i, _ in enumerate(groups, start=1))
    guesses = ", ".join(f"f.{name}" if run.guessed else "NULL" for name in GUESSES)
    told = f"f.release, s.records, f.count, f.{ATTRIBUTES}, f.ground, f.published, f.printed, {guesses}, {names}"
    return run.rows(
        f"SELECT {', '.join(groups)}, min_by(row({told}),"
        f" row(-f.{ATTRIBUTES}, -f.exact, coalesce(-s.records, 0), f.release, {names}), {most})"
        " FROM facts f LEFT JOIN (SELECT release, records FROM summary) s USING (release)"
        f" WHERE {condition} GROUP BY {by} ORDER BY {by}"
    )


def _alone(run: RunFolder) -> str:
    """How many releases are about a single record."""
    number = int(run.rows("SELECT count_if(records = 1) FROM summary")[0][0])
    has = "has" if number == 1 else "have"
    return f"; {number:,} {has} a single {run.record}, which all its numbers are about: these are not listed" if number else ""


def _assumed(run: RunFolder, found: RunTotals) -> Iterator[tuple[str, str, bool]]:
    """What the page rests on; reasons why releases failed may quote what is in them."""
    settings, nouns, records = run.about.get("settings", {}), plural(run.noun, 2), plural(run.record, found.records)
    limits = [f"{settings[name]:g} {unit}" for name, unit in (("time_limit", "seconds"), ("memory", "GB")) if settings.get(name)]
    open_ = f"{found.undecided:,} in {found.unsettled:,} {plural(run.noun, found.unsettled)}: nobody knows whether they are certain"
    for label, words in (
        (nouns.capitalize(), f"{found.releases:,} audited, with {found.records:,} {records}{_alone(run)}"),
        *run.subject.assumptions,
        ("Baseline", f"what guessers would get who have {run.guessed}" if run.guessed else run.subject.baseline),
        ("Limits of the run", " and ".join(limits) + " for each release" if limits else "none"),
        ("Undecided", open_ if found.undecided else "0: every statement was settled"),
    ):
        yield label, words, False
    reasons = run.rows("SELECT reason, count(*) FROM failures GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 5")
    told = "; ".join(f"{count:,} because {reason}" for reason, count in reasons)
    yield "Failed", f"{found.failed:,}: {told}. Nothing is known about these" if found.failed else "0", True
    yield "The run was made by", f"Foregone {run.about.get('versions', {}).get('foregone', '(unknown version)')}", False
