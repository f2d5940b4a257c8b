"""How many datasets fit the textbook block, and what follows from that."""

from __future__ import annotations

from pathlib import Path

import pytest

from foregone import Release, Verdict, audit, check, generate, proofs, unique
from foregone.census.demo import textbook_release
from foregone.model.figure import Figure
from tests.cli.commands import run


def without(release: Release, *groups: str) -> Release:
    """The release without all that is published about some groups."""
    counts = [s for s in release.statistics if s.name not in groups]
    figures = [f for f in release.figures if f.name.partition(",")[0] not in groups]
    return Release(release.domain, counts, release.rules, figures=figures)


@pytest.mark.slow
def test_exactly_one_dataset_fits() -> None:
    release, truth = textbook_release()
    answer = unique(release)
    assert (answer.verdict, answer.first) == (Verdict.VERIFIED, truth)
    result = audit(release)
    assert not result.open
    assert result.broken_by(truth) == []
    checked = check(release, proofs(result), complete=True)
    assert (checked.rejected, checked.complete) == ([], True)
    assert [fact.count for fact in result if fact.columns == 4].count(1) == 7


@pytest.mark.slow
@pytest.mark.parametrize(
    ("left_out", "datasets"),
    [
        ((), 1),
        (("Black women",), 2),
        (("women", "men"), 6),
        (("women",), 1),
        (("men",), 1),
        (("Black",), 1),
        (("White",), 1),
    ],
)
def test_how_many_datasets_fit_when_something_is_left_out(left_out: tuple[str, ...], datasets: int) -> None:
    release, truth = textbook_release()
    less = without(release, *left_out)
    made = generate(less, 20)
    assert (len(made.datasets), made.complete) == (datasets, True)
    assert truth in made.datasets
    assert all(dataset.broken(less) == [] for dataset in made.datasets)


@pytest.mark.slow
def test_the_same_numbers_as_rounded_ones_leave_nine() -> None:
    """38 read as 37.5 to 38.5, and so on, instead of exactly 38."""
    release, truth = textbook_release()
    exact = [figure for figure in release.figures if not figure.value]
    printed = [Figure.printed(f.measure, f.of, f.predicate, f.range_text, f.name, f.table) for f in exact]
    printed += [figure for figure in release.figures if figure.value]
    made = generate(Release(release.domain, release.statistics, release.rules, figures=printed), 20)
    assert (len(made.datasets), made.complete) == (9, True)
    assert truth in made.datasets


@pytest.mark.slow
def test_the_command_tells_and_shows(tmp_path: Path) -> None:
    ran = run("demo", "--textbook", "--page", tmp_path / "page.html", "--out", tmp_path / "release")
    assert ran.status == 0
    assert "Only one set of seven people has all of these numbers" in ran.out
    assert "sex: female; race: Black; marital status: married; age: 36" in ran.out
    assert (tmp_path / "page.html").exists()
    assert run("unique", tmp_path / "release").status == 0
