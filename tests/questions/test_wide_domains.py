"""Domains far too large to list: audits stay quick, claims true, and totals consistent."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from time import process_time

import numpy as np
import pytest

from foregone import Audit, Dataset, Domain, InputError, Predicate, Release, audit
from foregone.engine import Evidence
from foregone.formats.frames import tabulate_dataset
from foregone.model import audit as audit_module
from foregone.model.audit import forms
from tests.cli.commands import run

Margins = list[tuple[str, ...]]


def random_truth(columns: int, values: int, records: int, seed: int) -> Dataset:
    rng = np.random.default_rng(seed)
    domain = Domain.of({f"C{i:02}": [str(v) for v in range(values)] for i in range(columns)})
    return Dataset.of(domain, [tuple(map(str, row)) for row in rng.integers(0, values, (records, columns))])


def ring(names: tuple[str, ...], *steps: int) -> Margins:
    """Each column with the columns some steps further on."""
    return [(name, names[(i + step) % len(names)]) for i, name in enumerate(names) for step in steps]


def check_claims_in_truth(result: Audit, truth: Dataset) -> None:
    assert len(result)
    assert not result.open
    for fact in result:
        assert truth.count(fact.predicate) == fact.count
        for form in fact.shortest:
            assert truth.count(form) == fact.count


def check_totals(result: Audit, truth: Dataset) -> None:
    """Totals counted by formula, against listing the claims with at most three columns."""
    totals = result.claims_by_columns()
    rows = result.all_rows(3)
    assert len({row.values for row in rows}) == len(rows)
    for size in (1, 2, 3):
        of_size = [row for row in rows if row.columns == size]
        assert totals.get(size, 0) == len(of_size)
        assert result.claims_by_columns(1).get(size, 0) == sum(row.count == 1 for row in of_size)
    names = truth.domain.names
    for row in rows[:: max(1, len(rows) // 300)]:
        pairs = {n: v for n, v in zip(names, row.values, strict=True) if v is not None}
        assert truth.count(Predicate.of(pairs)) == row.count
    widest = max(totals)
    assert totals[widest] == sum(fact.columns == widest for fact in result)


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("zeros", [True, False], ids=["zeros", "no zeros"])
def test_a_million_million_records(seed: int, zeros: bool) -> None:
    truth = random_truth(12, 10, 15, seed)
    assert truth.domain.size == 10**12
    release = tabulate_dataset(truth, list(combinations(truth.domain.names, 2)), zeros)
    start = process_time()
    result = audit(release)
    assert process_time() - start < 30
    check_claims_in_truth(result, truth)
    check_totals(result, truth)


@pytest.mark.slow
def test_a_million_million_records_with_few_tables() -> None:
    """Only neighbouring columns are tied together: thousands of records stay possible and most claims are open to doubt."""
    truth = random_truth(12, 10, 15, 7)
    release = tabulate_dataset(truth, ring(truth.domain.names, 1))
    start = process_time()
    result = audit(release)
    assert process_time() - start < 20
    assert result.kinds is not None
    assert result.kinds > 5000
    check_claims_in_truth(result, truth)
    check_totals(result, truth)


@pytest.fixture(scope="module")
def wide() -> tuple[Release, Dataset]:
    """Twenty-four columns of two or three values with tables of three columns each."""
    rng = np.random.default_rng(5)
    domain = Domain.of({f"C{i:02}": [str(v) for v in range(2 + i % 2)] for i in range(24)})
    rows = [tuple(str(rng.integers(len(column.codes))) for column in domain.columns) for _ in range(6)]
    truth = Dataset.of(domain, rows)
    names = domain.names
    margins: Margins = [names[i : i + 3] for i in range(22)]
    margins += [(names[i], names[(i + 7) % 24], names[(i + 13) % 24]) for i in range(24)]
    return tabulate_dataset(truth, margins), truth


@pytest.mark.slow
def test_twenty_four_columns(wide: tuple[Release, Dataset]) -> None:
    release, truth = wide
    start = process_time()
    result = audit(release)
    assert process_time() - start < 30
    check_claims_in_truth(result, truth)
    check_totals(result, truth)
    totals = result.claims_by_columns()
    assert sum(totals.values()) > audit_module.MAX_ROWS
    assert f"{sum(totals.values()):,} claims are certain" in result.summary()
    with pytest.raises(InputError, match=r"claims would be listed, above the limit of 5,000,000; list fewer with `max_columns`"):
        result.all_rows()


def test_twenty_four_columns_through_the_command_line(tmp_path: Path, wide: tuple[Release, Dataset]) -> None:
    release, _ = wide
    release.write(tmp_path / "release")
    out = tmp_path / "claims.csv"
    ran = run("audit", tmp_path / "release", "--all", "--out", out)
    assert ran.status == 2
    assert len(ran.problems) == 1
    assert "--max-columns" in ran.err
    assert "5,000,000" in ran.err
    assert not out.exists()
    ran = run("audit", tmp_path / "release", "--all", "--max-columns", "2", "--out", out)
    assert ran.status == 0
    totals = audit(release).claims_by_columns()
    assert len(out.read_text().splitlines()) == 1 + totals[1] + totals[2]
    ran = run("audit", tmp_path / "release", "--out", tmp_path / "closed.csv")
    assert ran.status == 0
    assert len((tmp_path / "closed.csv").read_text().splitlines()) < 1000


def test_forms_of_wide_claims_agree_with_the_table(wide: tuple[Release, Dataset]) -> None:
    """Forms are counted without listing them: listing them must agree."""
    result = audit(wide[0])
    evidence = result.evidence
    assert isinstance(evidence, Evidence)
    closed = max(evidence.certain, key=lambda f: len(evidence.box(f)))
    columns = list(evidence.box(closed))
    width, blocked = len(columns), closed.blocked
    assert width == 24
    (fact,) = evidence.stated([closed])
    assert fact in result.facts
    names = [result.release.domain.names[c] for c in columns]
    expected = set()
    for size in (1, 2, 3):
        for chosen in combinations(range(width), size):
            form = sum(1 << bit for bit in chosen)
            if not any(form & ~int(mask) == 0 for mask in blocked):
                expected.add(frozenset(names[bit] for bit in chosen))
    found = [frozenset(name for name, _ in form.allowed) for form in forms(fact, 3, result.release.domain, result.families)]
    assert len(found) == len(set(found))
    assert set(found) == expected
    assert list(fact.forms[1:4]) == [sum(len(form) == size for form in expected) for size in (1, 2, 3)]
