"""Every certain claim of a release, as a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from time import perf_counter
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from foregone.engine.claims.audit_loop import Fact, Facts, Progress, find_facts
from foregone.engine.claims.cells_of_claim import agreement
from foregone.engine.claims.claims_table import Row, as_frame, in_order
from foregone.engine.claims.shorter_claims import count_forms_each, list_forms, minimal_forms
from foregone.engine.session import start
from foregone.engine.system.linear import MAX_RECORDS, LinearSystem
from foregone.model.claim import Claim, Ground
from foregone.model.dataset import Dataset
from foregone.model.errors import InputError
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.workload import Workload

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

MAX_ROWS = 5_000_000


@dataclass(frozen=True)
class Audit:
    """What a release gives away. `claims` holds the closed claims; `rows` and `all_claims` every form of them."""

    release: Release
    found: Facts
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def system(self) -> LinearSystem:
        return self.found.prover.system

    @cached_property
    def claims(self) -> pd.DataFrame:
        """The fullest statement of each certain fact, one row each."""
        return self.frame(self.rows())

    @cached_property
    def undecided(self) -> pd.DataFrame:
        """Claims that hold in every dataset seen but were not decided in time; empty without a time limit."""
        frame = self.frame(self.open_rows())
        return frame.rename(columns={"ground": "status"})

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
        return [row for row, _ in self.stated()]

    def stated(self) -> list[tuple[Row, Fact]]:
        """Closed claims, sorted, each with the fact that it states."""
        facts = {(row := self._row(fact, None))[0]: (row, fact) for fact in self.found.certain}
        return [facts[row[0]] for row in self._sorted(row for row, _ in facts.values())]

    def open_rows(self) -> list[Row]:
        return self._sorted(self._row(fact, None) for fact in self.found.open)

    def all_rows(self, max_columns: int | None = None) -> list[Row]:
        """Every form of every fact, with at most `max_columns` columns."""
        most = len(self.release.domain.columns) if max_columns is None else max_columns
        total = sum(count for size, count in self.claims_by_columns().items() if size <= most)
        if total > MAX_ROWS:
            raise InputError(
                f"{total:,} claims would be listed, above the limit of {MAX_ROWS:,}; list fewer with --max-columns"
                " (the closed claims, without --all, say the same in fewer rows)"
            )
        return self._sorted(
            self._row(fact, form)
            for fact in self.found.certain
            for form in list_forms(len(fact.extent.columns), fact.extent.blocked, most)
            if form
        )

    def claims_by_columns(self, count: int | None = None) -> dict[int, int]:
        """How many certain claims there are with each number of columns, counted without listing them."""
        facts = [fact for fact in self.found.certain if count is None or fact.count == count]
        total = count_forms_each([(len(fact.extent.columns), fact.extent.blocked) for fact in facts]).sum(axis=0).tolist()
        return {size: number for size, number in enumerate(total) if size and number}

    def minimal(self, fact: Fact) -> list[Claim]:
        """The shortest statements of a fact: no column can be left out."""
        forms = minimal_forms(len(fact.extent.columns), fact.extent.blocked)
        return [Claim(self.predicate(fact, form), fact.count) for form in forms]

    def predicate(self, fact: Fact, form: int | None = None) -> Predicate:
        names = self.release.domain.names
        values = self._values(fact, form)
        return Predicate.of({names[c]: value for c, value in enumerate(values) if value is not None})

    def _values(self, fact: Fact, form: int | None) -> tuple[str | None, ...]:
        values: list[str | None] = [None] * len(fact.closed)
        atoms, closed = self.system.atoms, fact.closed.tolist()
        for bit, column in enumerate(fact.extent.columns.tolist()):
            if form is None or form >> bit & 1:
                values[column] = atoms.code(column, closed[column])
        return tuple(values)

    def _row(self, fact: Fact, form: int | None) -> Row:
        values = self._values(fact, form)
        ground = "undecided" if fact.ground is None else self._ground(fact, form, values).value
        return values, fact.count, sum(v is not None for v in values), ground

    def _ground(self, fact: Fact, form: int | None, values: tuple[str | None, ...]) -> Ground:
        """The cheapest reason for this very form: other forms of a fact may rest on cells shown to be empty."""
        assert fact.ground is not None
        release, count = self.release, fact.count
        if any(release.low[i] == release.high[i] == count for i in _single_values(release.workload).get(values, ())):
            return Ground.PUBLISHED
        if form is None or not self.found.dead.any():
            return fact.ground
        key = (id(fact), self._dead_masks(fact, form))
        if not key[1]:
            return fact.ground
        if key not in self._form_grounds:
            outer = np.zeros(self.system.cells, dtype=bool)
            columns = np.array([c for bit, c in enumerate(fact.extent.columns) if form >> bit & 1])
            match = agreement(self.system, fact.closed, columns) == (1 << len(columns)) - 1
            outer[self.system.cell_of[match]] = True
            cut = np.zeros(self.system.cells, dtype=bool)
            cut[self.system.cell_of[~match]] = True
            assert self.found.rowspace is not None
            linear = not (outer & cut).any() and self.found.rowspace.express(outer) is not None
            worst = max(fact.ground, self.found.dead_ground, key=lambda ground: ground.rank)
            self._form_grounds[key] = Ground.LINEAR if linear else worst
        return self._form_grounds[key]

    def _dead_masks(self, fact: Fact, form: int) -> tuple[int, ...]:
        """Kinds of records on cells shown to be empty that this form does not exclude."""
        if id(fact) not in self._dead_kinds:
            agree = agreement(self.system, fact.closed, fact.extent.columns)[self.found.dead[self.system.cell_of]]
            full = (1 << len(fact.extent.columns)) - 1
            self._dead_kinds[id(fact)] = [int(mask) for mask in np.unique(agree) if mask != full]
        return tuple(mask for mask in self._dead_kinds[id(fact)] if form & ~mask == 0)

    @cached_property
    def _form_grounds(self) -> dict[tuple[int, tuple[int, ...]], Ground]:
        return {}

    @cached_property
    def _dead_kinds(self) -> dict[int, list[int]]:
        return {}

    def _sorted(self, rows: Iterator[Row]) -> list[Row]:
        return in_order(self.release.domain, rows)

    def ground(self, fact: Fact) -> Ground:
        """The ground of a fact's closed claim."""
        return self._ground(fact, None, self._values(fact, None))

    def broken_by(self, truth: Dataset) -> list[Claim]:
        """Certain claims that a dataset breaks: none, if the dataset matches the release and the engine is right."""
        claims = [Claim(self.predicate(fact), fact.count) for fact in self.found.certain]
        return [claim for claim in claims if truth.count(claim.predicate) != claim.count]

    def summary(self) -> str:
        """One paragraph for people."""
        from foregone.model.sentences import audit_summary

        return audit_summary(self)


_known: WeakKeyDictionary[Workload, dict[tuple[str | None, ...], list[int]]] = WeakKeyDictionary()


def _single_values(workload: Workload) -> dict[tuple[str | None, ...], list[int]]:
    """Queries that fix single values, by those values."""
    if workload not in _known:
        found: dict[tuple[str | None, ...], list[int]] = {}
        columns = workload.domain.columns
        for i, masks in enumerate(workload.masks):
            if all(mask.bit_count() == 1 for mask in masks.values()):
                values = tuple(column.codes_of(masks[c])[0] if c in masks else None for c, column in enumerate(columns))
                found.setdefault(values, []).append(i)
        _known[workload] = found
    return _known[workload]


def audit(
    release: Release,
    time_limit: float | None = None,
    max_records: int = MAX_RECORDS,
    progress: Progress | Callable[[str, int, int], None] | None = None,
) -> Audit:
    """Find every claim about at least one record that is true in every dataset matching the release."""
    begin = perf_counter()
    prover = start(release, time_limit, max_records)
    started = perf_counter() - begin
    found = find_facts(prover, progress)
    return Audit(release, found, {"start": started, **found.seconds, "total": perf_counter() - begin})


