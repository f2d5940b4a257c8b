"""What a release gives away, as a value: certain facts and, apart from them, the evidence. Every engine returns this."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Protocol

from foregone.model.claim import Claim, Ground
from foregone.model.claims_table import Row, as_frame, in_order
from foregone.model.dataset import Dataset
from foregone.model.errors import InputError, option
from foregone.model.predicate import Predicate
from foregone.model.release import Release

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

MAX_ROWS = 5_000_000
SHOWN = 20  # facts in a notebook's table


@dataclass(frozen=True, slots=True)
class Fact:
    """Exactly `count` records match `predicate`, the fullest statement of it; without a ground it is not decided.

    `shortest` are the statements of the same fact in which no column can be left out; every claim between one of them
    and the predicate says the same, and `forms` tells how many there are with each number of columns, from none up.
    """

    predicate: Predicate
    count: int
    ground: Ground | None
    shortest: tuple[Predicate, ...]
    forms: tuple[int, ...]

    @property
    def claim(self) -> Claim:
        return Claim(self.predicate, self.count)

    @property
    def columns(self) -> int:
        """How many attributes it tells."""
        return len(self.predicate)


class Evidence(Protocol):
    """Why the facts are certain: whatever an engine keeps to prove them. It pickles with the audit."""

    def ground(self, fact: Fact, form: Predicate) -> Ground:
        """The cheapest reason for one form of a fact."""
        ...

    def singled_out(self) -> int:
        """A number of different records that are certainly singled out."""
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
    seconds: Mapping[str, float] = field(default_factory=dict, compare=False)
    evidence: Evidence | None = field(default=None, compare=False, repr=False)

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
        """The fullest statement of each certain fact, one row each."""
        return self.frame(self.rows())

    @cached_property
    def undecided(self) -> pd.DataFrame:
        """Claims that hold in every dataset seen but were not decided in time; empty without a time limit."""
        return self.frame(self.open_rows()).rename(columns={"ground": "status"})

    def all_claims(self, max_columns: int | None = None) -> pd.DataFrame:
        """Every certain claim over every subset of columns."""
        return self.frame(self.all_rows(max_columns))

    def to_arrow(self) -> pa.Table:
        import pyarrow as pa

        return pa.Table.from_pandas(self.claims, preserve_index=False)

    def frame(self, rows: list[Row]) -> pd.DataFrame:
        return as_frame(self.release.domain, rows)

    def rows(self) -> list[Row]:
        """Closed claims, sorted."""
        return [self._row(fact.predicate, fact.count, fact.ground) for fact in self.facts]

    def open_rows(self) -> list[Row]:
        return [self._row(fact.predicate, fact.count, None) for fact in self.open]

    def all_rows(self, max_columns: int | None = None) -> list[Row]:
        """Every form of every fact, with at most `max_columns` columns."""
        most = len(self.release.domain.columns) if max_columns is None else max_columns
        total = sum(count for size, count in self.claims_by_columns().items() if size <= most)
        if total > MAX_ROWS:
            raise InputError(
                f"{total:,} claims would be listed, above the limit of {MAX_ROWS:,}; list fewer with {option('max_columns')}"
                " (the closed claims alone say the same in fewer rows)"
            )
        rows = {
            (row := self._row(form, fact.count, self._ground(fact, form)))[0]: row
            for fact in self.facts
            for form in forms(fact, most)
        }
        return in_order(self.release.domain, rows.values())

    def claims_by_columns(self, count: int | None = None) -> dict[int, int]:
        """How many certain claims there are with each number of columns, counted without listing them."""
        total: dict[int, int] = {}
        for fact in self.facts:
            if count is None or fact.count == count:
                for size, number in enumerate(fact.forms):
                    total[size] = total.get(size, 0) + number
        return {size: number for size, number in sorted(total.items()) if size and number}

    @cached_property
    def singled_out(self) -> int | None:
        """A number of different records that are certainly singled out; None where the engine cannot tell."""
        return None if self.evidence is None else self.evidence.singled_out()

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

    def _row(self, predicate: Predicate, count: int, ground: Ground | None) -> Row:
        codes = {name: next(iter(values)) for name, values in predicate.allowed}
        values = tuple(map(codes.get, self.release.domain.names))
        return values, count, len(codes), "undecided" if ground is None else ground.value


def forms(fact: Fact, most: int) -> Iterator[Predicate]:
    """Every claim that says what the fact says, with one to `most` columns, each once."""
    full = fact.predicate.allowed
    shortest = [frozenset(form.allowed) for form in fact.shortest]
    for size in range(1, min(most, len(full)) + 1):
        for chosen in combinations(full, size):
            if any(form <= frozenset(chosen) for form in shortest):
                yield Predicate(chosen)


def in_telling_order(release: Release, facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """Singled-out records first, fullest statements first, then in the order of the domain's codes."""
    columns = release.domain.columns

    def order(fact: Fact) -> tuple[object, ...]:
        codes = dict(fact.predicate.allowed)
        positions = tuple(c.index[next(iter(codes[c.name]))] if c.name in codes else -1 for c in columns)
        return fact.count, -len(codes), positions

    return tuple(sorted(facts, key=order))
