"""What if: changed releases say what a rule says, and a fact stays exactly when it can still be verified."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import foregone as fg
from foregone.model.errors import InputError
from foregone.model.release import range_shown
from foregone.questions.compare import compare
from foregone.rules.registry import find_rule
from tests.cli.commands import run

PEOPLE = {"SEX": list("FFFMMF"), "AGE": list("112232"), "TOWN": list("ABABAA")}


def release() -> fg.Release:
    return fg.tabulate(PEOPLE, ["SEX", "AGE", ("SEX", "TOWN")])


@given(st.integers(0, 500), st.integers(1, 12))
def test_rounding_is_the_rule_of_that_name(count: int, base: int) -> None:
    shown = (2 * count + base) // (2 * base) * base
    meant = find_rule(f"round:{base}").meaning(str(shown))
    assert meant is not None
    assert range_shown(count, base, 0) == (meant.low, meant.high)


@given(st.integers(0, 40), st.integers(1, 12), st.integers(0, 12))
def test_what_a_reader_concludes_is_found_by_trying_every_count(count: int, base: int, below: int) -> None:
    def cell(number: int) -> object:
        if 1 <= number < below:
            return "hidden"
        return 0 if number == 0 and below > 1 else (below > 1 and number > 0, int(number / base + 0.5) * base)

    behind = [number for number in range(200) if cell(number) == cell(count)]
    assert range_shown(count, base, below) == (min(behind), max(behind))


def test_hidden_numbers_are_withheld_cells() -> None:
    changed = release().hide("SEX.1", "SEX,TOWN")
    hidden = [s.name for s in changed.statistics if s.withheld]
    assert hidden == ["SEX.1", "SEX,TOWN.1", "SEX,TOWN.2", "SEX,TOWN.3", "SEX,TOWN.4"]
    assert all((s.low, s.high) == (0, None) for s in changed.statistics if s.withheld)
    with pytest.raises(InputError, match=r"no number and no table called 'SEX\.9' .*; did you mean"):
        release().hide("SEX.9")


def test_small_counts_are_ranges_and_zeros_stay() -> None:
    ranges = {s.name: (s.low, s.high) for s in release().below(3).statistics}
    assert ranges["records"] == (6, 6)
    assert ranges["AGE.3"] == (1, 2)
    zero = fg.tabulate({"A": ["1", "1"], "B": ["x", "y"]}, ["A"], domain=fg.Domain.of({"A": ["1", "2"], "B": ["x", "y"]}))
    assert [(s.low, s.high) for s in zero.below(3).statistics][-1] == (0, 0)


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from("FM"), st.sampled_from("12"), st.sampled_from("AB")), min_size=1, max_size=6),
    st.sampled_from([(1, 3), (2, 0), (3, 2)]),
    st.booleans(),
)
def test_a_fact_stays_exactly_when_it_is_still_verified(
    records: list[tuple[str, str, str]], change: tuple[int, int], hide: bool
) -> None:
    domain = fg.Domain.of({"SEX": ["F", "M"], "AGE": ["1", "2"], "TOWN": ["A", "B"]})
    published = fg.tabulate(fg.Dataset.of(domain, records), ["SEX", ("AGE", "TOWN")])
    changed = published.hide("SEX.1", "AGE,TOWN.2") if hide else published.round(*change)
    found = compare(fg.audit(published), fg.audit(changed))
    assert len(found.stay) + len(found.vanish) == len(found.before.facts)
    for facts, verdict in ((found.stay, fg.Verdict.VERIFIED), (found.vanish, fg.Verdict.REFUTED)):
        for fact in facts:
            assert fg.verify(changed, fact.predicate, fact.count).verdict == verdict


def test_the_command_shows_before_and_after_and_writes_nothing(tmp_path: Path) -> None:
    release().write(tmp_path / "r")
    before = sorted(tmp_path.rglob("*"))
    done = run("audit", tmp_path / "r", "--hide", "SEX,TOWN.2", "AGE.3", "--below", 2)
    assert done.status == 0
    lines = done.out.splitlines()
    assert lines[0] == "What if: SEX,TOWN.2, AGE.3 withheld; counts from 1 to 1 given as that range."
    assert lines[1].split() == ["before", "after"]
    assert ["numbers", "published", "exactly", "10", "8"] in [line.split() for line in lines]
    assert any(line.endswith("facts would still be certain:") for line in lines)  # they follow from what is left
    lines = run("audit", tmp_path / "r", "--round", 5).out.splitlines()
    assert any(line.endswith("facts would no longer be certain:") for line in lines)
    assert sorted(tmp_path.rglob("*")) == before


def test_the_command_writes_what_it_is_asked_for(tmp_path: Path) -> None:
    release().write(tmp_path / "r")
    assert run("audit", tmp_path / "r", "--round", 3, "--out", tmp_path / "after.csv").status == 0
    assert (tmp_path / "after.csv").read_text().startswith("SEX,AGE,TOWN,count,columns,ground")
    assert run("audit", tmp_path / "r", "--round", 3, "--out", tmp_path / "changed").status == 0
    assert fg.Release.read(tmp_path / "changed") == release().round(3)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--hide", "SEX.9"], "--hide: there is no number and no table called 'SEX.9'"),
        (["other", "--round", "5"], "unexpected argument 'other'"),
        (["other"], "unexpected argument 'other'"),
        (["--round", "5", "--all"], "go with them"),
        (["--round", "0"], "Invalid value for '--round'"),
    ],
)
def test_wrong_questions(tmp_path: Path, arguments: list[str], problem: str) -> None:
    release().write(tmp_path / "r")
    done = run("audit", tmp_path / "r", *arguments)
    assert done.status == 2
    assert problem in done.err
