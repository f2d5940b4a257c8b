"""What a release gives away, as a value: certain facts and, apart from them, the evidence. Every engine returns this."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from foregone.model.claim import Claim, Finding, Ground, Possibility
from foregone.model.claims_table import ClaimRow, as_frame, in_order, values_of
from foregone.model.dataset import Dataset
from foregone.model.domain import Domain
from foregone.model.errors import InputError, option
from foregone.model.families import Families, Groups, families_of, list_forms
from foregone.model.predicate import Predicate, within
from foregone.model.progress import Progress
from foregone.model.release import Release

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

MAX_ROWS = 5_000_000
SHOWN = 20  # facts in a notebook's table


@dataclass(frozen=True, slots=True)
class Fact:
    """Exactly `count` records match `predicate`, in its fullest form; without a ground it is not decided.

    `shortest` are the forms of the same fact in which no column can be left out and no group made wider; every claim
    between one of them and the predicate says the same, and `forms` tells how many there are with each number of columns,
    from none up (nothing, where they are too many to be counted). `published`: one of them is itself a published exact
    number. `idle`: the columns that tell nothing, because every possible record has that value; where claims name single
    codes only, as in the paper, every column counts and none is idle. `brought`: other columns, with a group that another
    value of the claim brings along: it counts, but nobody has to say it.
    """

    predicate: Predicate
    count: int
    ground: Ground | None
    shortest: tuple[Predicate, ...]
    forms: tuple[int, ...]
    published: bool = False
    idle: frozenset[str] = field(default=frozenset(), compare=False)  # only an engine that lists possible records knows
    limits: tuple[int, int | None] | None = None  # of an undecided one: no dataset has fewer, or more, where that is known
    brought: frozenset[str] = field(default=frozenset(), compare=False)
    domain: Domain | None = field(default=None, compare=False, repr=False)  # whose columns it names; facts of an audit know

    @property
    def sentence(self) -> str:
        """The fact in plain English, with the labels of the domain."""
        from foregone.model.sentences import claim_sentence

        if self.domain is None:
            raise InputError("this fact was not found by an audit, so the words for its columns are not known; use audit(release)")
        return claim_sentence(self.domain, self.predicate, self.count)

    def __str__(self) -> str:
        return repr(self) if self.domain is None else self.sentence

    @property
    def claim(self) -> Claim:
        """The fact as a plain claim."""
        return Claim(self.predicate, self.count)

    @property
    def columns(self) -> int:
        """How many columns it names."""
        return len(self.predicate)

    @property
    def exact(self) -> int:
        """How many of these columns have a single value."""
        return exact_columns(self.predicate)

    @property
    def attributes(self) -> int:
        """How many columns it names that tell something. Headlines, pages, runs, queries and policies all count these."""
        return len(self.predicate) - len(self.idle)

    @property
    def unsaid(self) -> frozenset[str]:
        """The columns that need no words: idle ones, and groups that another value brings along."""
        return self.idle | self.brought

    def unsaid_in(self, form: Predicate) -> frozenset[str]:
        """The columns of a form of it that need no words. A group that another value brings along needs some where the form
        leaves out values of the fact: nobody looked which of them brought it."""
        named = {name for name, _ in form.allowed}
        rest = {name for name, _ in self.predicate.allowed} - self.unsaid
        return (self.unsaid if rest <= named else self.idle) & named

    @property
    def by_values(self) -> bool:
        """Can it be said with single values alone?"""
        single = {name for name, codes in self.predicate.allowed if len(codes) == 1}
        return any(all(name in single for name, _ in form.allowed) for form in self.shortest)

    def says(self, claim: Claim) -> bool:
        """Is a claim another form of this fact: one between a shortest form and the fullest?"""
        asked = claim.predicate
        return claim.count == self.count and self.predicate.within(asked) and any(map(asked.within, self.shortest))

    @property
    def exact_attributes(self) -> int:
        """How many of these are single values."""
        return sum(len(codes) == 1 and name not in self.idle for name, codes in self.predicate.allowed)


class AuditEvidence(Protocol):
    """Why the facts are certain: whatever an engine keeps to prove them. It pickles with the audit."""

    def ground(self, fact: Fact, form: Predicate) -> Ground:
        """The cheapest reason for one form of a fact."""
        ...

    def singled_out(self, attributes: int) -> tuple[int, int]:
        """The least number of records, over all datasets that fit, that facts about a single record with so many attributes
        are about: from below and from above, equal when it is known exactly."""
        ...

    def sums(self, facts: Sequence[Fact], known: Sequence[bool]) -> list[bool]:
        """Which of the facts that are not known yet are sums of those that are, or of others told before them?"""
        ...


@dataclass(frozen=True)
class Audit:
    """Every fact that is certain, most telling first: iterate over it, or take `claims`, a data frame.

    Two audits are equal when they found the same. `evidence` is what `fg.proofs` writes proofs from.
    """

    release: Release
    facts: tuple[Fact, ...]
    open: tuple[Fact, ...] = ()
    reason: str = ""  # why some are open
    kinds: int | None = None  # of record that are still possible, where the engine knows
    cells: int | None = None  # classes of them that no statistic tells apart
    method: str = ""  # what else the summary says about how it was done
    groups: Groups = Groups.PUBLISHED  # of values that claims may name
    counted: tuple[int, int | None] | None = field(default=None, compare=False)  # records, where the engine limits them further
    seconds: Mapping[str, float] = field(default_factory=dict, compare=False)
    evidence: AuditEvidence | None = field(default=None, compare=False, repr=False)
    loop: str = field(default="pure", compare=False)  # native, or pure: by which loop it was found, and why where it had no choice

    def __post_init__(self) -> None:
        domain = self.release.domain
        for name in ("facts", "open"):
            told = tuple(fact if fact.domain is domain else replace(fact, domain=domain) for fact in getattr(self, name))
            object.__setattr__(self, name, told)

    def __iter__(self) -> Iterator[Fact]:
        return iter(self.facts)

    def __len__(self) -> int:
        return len(self.facts)

    def __repr__(self) -> str:
        return f"<Audit of {self.release!r}\n{self.summary()}>"

    def _repr_html_(self) -> str:
        from html import escape

        table = str(self.frame(self.rows()[:SHOWN]).fillna("").to_html(index=False))
        more = f"<p>{len(self.facts) - SHOWN:,} more in <code>claims</code>.</p>" if len(self.facts) > SHOWN else ""
        return f"<p>{escape(self.summary())}</p>{table}{more}"

    @cached_property
    def claims(self) -> pd.DataFrame:
        """The fullest form of each certain fact, one row each."""
        return self.frame(self.rows())

    @cached_property
    def sentences(self) -> pd.DataFrame:
        """The certain facts in plain English, most telling first: `sentence`, `count`, `attributes` and `ground`."""
        import pandas as pd

        rows = [(fact.sentence, fact.count, fact.attributes, fact.ground.value if fact.ground else "") for fact in self.facts]
        return pd.DataFrame(rows, columns=["sentence", "count", "attributes", "ground"])

    @cached_property
    def undecided(self) -> pd.DataFrame:
        """Claims that hold in every dataset seen but were not decided in time; empty without a time limit.

        `least` and `greatest` are limits that are proved, where there are any.
        """
        import pandas as pd

        frame = self.frame(self.open_rows()).rename(columns={"ground": "status"})
        for name, end in (("least", 0), ("greatest", 1)):
            frame[name] = pd.Series([None if fact.limits is None else fact.limits[end] for fact in self.open], dtype=object)
        return frame

    def all_claims(self, max_columns: int | None = None) -> pd.DataFrame:
        """Every certain claim over every subset of columns."""
        return self.frame(self.all_rows(max_columns))

    def to_arrow(self) -> pa.Table:
        """The claims as an Arrow table."""
        import pyarrow as pa

        return pa.Table.from_pandas(self.claims, preserve_index=False)

    def frame(self, rows: list[ClaimRow]) -> pd.DataFrame:
        """Rows of claims as a data frame."""
        return as_frame(self.release.domain, rows)

    def rows(self) -> list[ClaimRow]:
        """Closed claims, sorted."""
        printed = Printed(self.release, self.groups)
        return [self._row(printed, fact, fact.predicate, fact.ground) for fact in self.facts]

    def open_rows(self) -> list[ClaimRow]:
        """What stayed undecided, a row each."""
        printed = Printed(self.release, self.groups)
        return [self._row(printed, fact, fact.predicate, None) for fact in self.open]

    def all_rows(self, max_columns: int | None = None) -> list[ClaimRow]:
        """Every form of every fact, with at most `max_columns` columns."""
        most = len(self.release.domain.columns) if max_columns is None else max_columns
        if self.uncounted:
            raise InputError(
                f"{self.uncounted:,} facts can be said in more ways than can be counted, as very many groups overlap;"
                f" list the closed claims, or audit with {option('groups')} none"
            )
        total = sum(count for size, count in self.claims_by_columns().items() if size <= most)
        if total > MAX_ROWS:
            raise InputError(
                f"{total:,} claims would be listed, above the limit of {MAX_ROWS:,}; list fewer with {option('max_columns')}"
                " (the closed claims alone say the same in fewer rows)"
            )
        printed = Printed(self.release, self.groups)
        rows = [
            self._row(printed, fact, form, self._ground(fact, form))
            for fact in self.facts
            for form in forms(fact, most, self.release.domain, self.families)
        ]
        return in_order(self.release.domain, rows)

    @property
    def size(self) -> tuple[int, int | None]:
        """The least and the greatest number of records; None: no limit is known."""
        return self.release.size if self.counted is None else self.counted

    @property
    def families(self) -> Families:
        """What claims may name in each column."""
        return families_of(self.release.workload, self.groups)

    @cached_property
    def uncounted(self) -> int:
        """How many facts have more forms than can be counted: of these, the closed and the shortest ones are known."""
        return sum(not fact.forms for fact in self.facts)

    def claims_by_columns(self, count: int | None = None) -> dict[int, int]:
        """How many certain claims there are with each number of columns, counted without listing them."""
        total: dict[int, int] = {}
        for fact in self.facts:
            if count is None or fact.count == count:
                for size, number in enumerate(fact.forms):
                    total[size] = total.get(size, 0) + number
        return {size: number for size, number in sorted(total.items()) if size and number}

    @property
    def singled_out(self) -> tuple[int, int] | None:
        """How many records are singled out, whatever the truth is: the least number, over all datasets that fit, of records
        that match some certain claim about exactly one. From below and from above, equal when it is known exactly; None
        where the engine cannot tell.
        """
        return self.singled_out_by(0)

    def singled_out_by(self, attributes: int) -> tuple[int, int] | None:
        """How many records are singled out by claims that tell at least so many attributes."""
        if attributes not in self._singled_out:
            self._singled_out[attributes] = None if self.evidence is None else self.evidence.singled_out(attributes)
        return self._singled_out[attributes]

    @cached_property
    def _singled_out(self) -> dict[int, tuple[int, int] | None]:
        return {}

    def singled_out_in(self, truth: Dataset, attributes: int = 0) -> int:
        """How many records of one dataset match a claim that singles them out and tells at least so many attributes."""
        wanted = [fact.predicate for fact in self.facts if fact.count == 1 and fact.attributes >= attributes]
        return truth.count_any(wanted)

    @cached_property
    def told(self) -> tuple[Fact, ...]:
        """The facts that are worth telling one by one: those about a single record, those that single values can say, and
        others that are neither published themselves nor a sum of facts that are told or published."""
        plain = [fact.count == 1 or fact.by_values for fact in self.facts]
        known = [told or fact.published for told, fact in zip(plain, self.facts, strict=True)]
        added = [False] * len(known) if self.evidence is None else self.evidence.sums(self.facts, known)
        told = zip(self.facts, plain, known, added, strict=True)
        return tuple(fact for fact, kept, printed, follows in told if kept or not (printed or follows))

    def broken_by(self, truth: Dataset) -> list[Claim]:
        """Certain claims that a dataset breaks: none, if the dataset matches the release and the engine is right."""
        claims = [Claim(form, fact.count) for fact in self.facts for form in (fact.predicate, *fact.shortest)]
        return [claim for claim in claims if truth.count(claim.predicate) != claim.count]

    def summary(self) -> str:
        """One paragraph for people."""
        from foregone.model.sentences import audit_summary

        return audit_summary(self)

    def _ground(self, fact: Fact, form: Predicate) -> Ground | None:
        return fact.ground if self.evidence is None else self.evidence.ground(fact, form)

    def _row(self, printed: Printed, fact: Fact, form: Predicate, ground: Ground | None) -> ClaimRow:
        values, status = values_of(self.release.domain, form), "undecided" if ground is None else ground.value
        how = printed.how(form, fact.count, fact.unsaid_in(form)) if fact.published else PrintedHow.NO
        attributes = sum(name not in fact.idle for name, _ in form.allowed)
        return ClaimRow(values, fact.count, len(form), status, exact_columns(form), how != PrintedHow.NO, how.value, attributes)


class Engine(Protocol):
    """`questions.ask.CellsEngine` decides exactly and proves; `onehot.audit.OneHotEngine` is the paper's method."""

    @property
    def proves(self) -> bool:
        """Does an audit hold proofs that can be checked?"""
        ...

    def audit(self, release: Release, time_limit: float | None = None, progress: Progress | None = None) -> Audit: ...

    def verify(self, release: Release, predicate: Predicate, count: int, time_limit: float | None = None) -> Finding: ...

    def possible(self, release: Release, predicate: Predicate, count: int, time_limit: float | None = None) -> Possibility: ...


class PrintedHow(StrEnum):
    """How much of a claim a published number says: all that it tells, a part with the same count, or nothing."""

    YES = "yes"
    PARTLY = "partly"
    NO = "no"


class Printed:
    """The published exact numbers, by number: which of them holds a claim, and which says all of it?"""

    def __init__(self, release: Release, groups: Groups) -> None:
        self.domain = release.domain
        self._naming: dict[tuple[int, int, int], list[dict[int, int]]] | None = None
        self.boxes: dict[int, list[dict[int, int]]] = {}
        for low, high, masks in zip(release.low, release.high, release.masks, strict=True):
            if low == high and (groups == Groups.PUBLISHED or not any(mask & (mask - 1) for mask in masks.values())):
                self.boxes.setdefault(low, []).append(masks)

    def around(self, form: Predicate, count: int) -> bool:
        box = form.masks(self.domain)
        return any(within(box, masks) for masks in self.boxes.get(count, ()))

    def how(self, form: Predicate, count: int, idle: frozenset[str]) -> PrintedHow:
        """Does a published number say the claim, but for the columns that tell nothing? Does one say a part of it, counting the
        same records? Files, runs, pages and policies all ask here."""
        box = form.masks(self.domain)
        silent = {self.domain.index[name] for name in idle}
        telling = [(c, mask) for c, mask in box.items() if c not in silent]
        if telling:
            some = min((self._with(count, c, mask) for c, mask in telling), key=len)
            if any(all(masks.get(c) == mask for c, mask in telling) and within(box, masks) for masks in some):
                return PrintedHow.YES
        if not self.around(form, count):
            return PrintedHow.NO
        return PrintedHow.PARTLY if telling else PrintedHow.YES

    def _with(self, count: int, column: int, mask: int) -> list[dict[int, int]]:
        """The published numbers with this count that name just these values of a column."""
        if self._naming is None:
            self._naming = {}
            for number, boxes in self.boxes.items():
                for masks in boxes:
                    for pair in masks.items():
                        self._naming.setdefault((number, *pair), []).append(masks)
        return self._naming.get((count, column, mask), [])


def exact_numbers(release: Release) -> dict[int, list[int]]:
    """The exact published numbers, by what they say."""
    found: dict[int, list[int]] = {}
    for i, statistic in enumerate(release.statistics):
        if statistic.low == statistic.high and not statistic.withheld:
            found.setdefault(statistic.low, []).append(i)
    return found


def printer(
    release: Release, exactly: Mapping[int, Sequence[int]], claim: Predicate, count: int, idle: frozenset[str]
) -> int | None:
    """The number, of those that `exact_numbers` found, that counts exactly the records of a claim in the most of its words, of
    those that tell something first; the first of several. None: no table prints even a part of it."""
    claimed, silent = claim.masks(release.domain), {release.domain.index[name] for name in idle}

    def words(i: int) -> tuple[int, int]:
        same = [column for column, mask in release.masks[i].items() if claimed[column] == mask]
        return sum(column not in silent for column in same), len(same)

    return max((i for i in exactly.get(count, ()) if within(claimed, release.masks[i])), key=words, default=None)


def exact_columns(predicate: Predicate) -> int:
    """How many columns have a single code."""
    return sum(len(codes) == 1 for _, codes in predicate.allowed)


def forms(fact: Fact, most: int, domain: Domain, families: Families) -> Iterator[Predicate]:
    """Every claim that says what the fact says, with one to `most` columns, each once."""
    known: dict[tuple[int, int], tuple[str, frozenset[str]]] = {}

    for form in list_forms(fact.predicate.box(domain), [short.box(domain) for short in fact.shortest], families, most):
        for pair in form.items():
            if pair not in known:
                column = domain.columns[pair[0]]
                known[pair] = column.name, frozenset(column.codes_of(pair[1]))
        yield Predicate(tuple(sorted(known[pair] for pair in form.items())))


def in_telling_order(release: Release, facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """Singled-out records first, fullest forms first, then in the order of the domain's codes."""
    return tuple(sorted(facts, key=lambda fact: (fact.count, -fact.columns, fact.predicate.positions(release.domain))))
