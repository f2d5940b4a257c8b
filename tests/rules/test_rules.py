"""Every rule against what its publisher says, typed in by hand, and against a forward simulation."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import foregone as fg
from foregone.rules.registry import find_rule, parse_counts, rules, rules_that_know, under_rule
from tests.cli.commands import run

# shown -> true counts ("": never shown), from the publishers' own notes
KNOWN = {
    "nhs-hes": {"0": "0", "*": "1..7", "5": "", "10": "8..12", "15": "13..17", "20": "18..22", "12": ""},
    "opensafely": {"[REDACTED]": "0..7", "0": "0", "5": "", "10": "8..12", "15": "13..17"},
    "opensafely-old": {"[REDACTED]": "0..5", "5": "6..7", "10": "8..12"},
    "opensafely-ehrql": {"0": "0..7", "5": "", "10": "8..12", "15": "13..17"},
    "opensafely-midpoint6": {"0": "0", "3": "1..6", "9": "7..12", "15": "13..18", "21": "19..24", "4": ""},
    "cms": {"0": "0", "<11": "1..10", "*": "0..", "11": "11", "12": "12", "7": ""},
    "cdc-wonder": {"Suppressed": "0..9", "0": "0", "10": "10", "9": ""},
    "census-drb": {
        "N<15": "0..14",
        "10": "",
        "20": "15..25",
        "30": "26..34",
        "40": "35..45",
        "100": "95..125",
        "150": "126..174",
        "200": "175..225",
        "1000": "975..1050",
        "1050": "",
    },
    "census-2000": {"0": "0", "4": "1..7", "5": "", "10": "8..12", "15": "13..17"},
    "census-2000-households": {"0": "0..4", "10": "5..14", "20": "15..24", "5": ""},
    "ons-10-5": {"c": "0..9", "10": "10..12", "15": "13..17", "20": "18..22", "5": ""},
    "nomis-5": {"0": "0..2", "5": "3..7", "10": "8..12"},
    "eurostat-ifs": {"0": "0", "5": "1..7", "10": "8..14", "20": "15..24", ":c": "0.."},
    "rr3": {"0": "0..2", "3": "1..5", "6": "4..8", "9": "7..11", "..C": "0.."},
    "rr5": {"0": "0..4", "5": "1..9", "10": "6..14", "x": "0.."},
    "cell-key-2": {"0": "0..2", "1": "1..3", "2": "1..4", "3": "1..5", "10": "8..12"},
    "cell-key-3": {"0": "0..3", "1": "", "2": "", "3": "1..6", "4": "1..7", "10": "7..13"},
    "manitoba": {"0": "0", "<6": "1..5", "6": "6", "3": ""},
    "delaware-doe": {"-": "0..15", "16": "16", "15": ""},
    "cbp": {"A": "0..19", "B": "20..99", "C": "100..249", "L": "50000..99999", "M": "100000..", "D": "0..", "57": "57"},
    "uk-symbols": {"[c]": "0..", "7": "7"},
    "statcan-symbols": {"x": "0..", "7": "7"},
    "round:5": {"0": "0..2", "5": "3..7", "7": ""},
    "round:10": {"10": "5..14"},
    "below:5": {"0": "0", "<5": "1..4", "5": "5", "3": ""},
    "random:3": {"3": "1..5"},
}


@pytest.mark.parametrize("name", KNOWN)
def test_what_is_shown_means_what_its_publisher_says(name: str) -> None:
    meant = {shown: find_rule(name).meaning(shown) for shown in KNOWN[name]}
    assert {shown: counts.text if counts else "" for shown, counts in meant.items()} == KNOWN[name]


def test_every_rule_with_a_name_is_among_them() -> None:
    assert set(rules()) <= set(KNOWN)
    assert len(rules()) >= 19


@given(st.sampled_from(list(KNOWN)), st.integers(0, 3000), st.integers(0, 50))
def test_a_count_is_among_what_its_shown_value_can_mean(name: str, count: int, seed: int) -> None:
    chosen = find_rule(name)
    meant = chosen.meaning(chosen.show(count, Random(seed)))
    assert meant is not None
    assert meant.low <= count <= (count if meant.high is None else meant.high)


@pytest.mark.parametrize("name", [name for name in KNOWN if name not in ("cms", "uk-symbols", "statcan-symbols", "cbp")])
def test_no_count_could_be_left_out_of_the_meaning(name: str) -> None:
    """The naive twin: show every count, collect what stands behind each shown value."""
    chosen = find_rule(name)
    behind: dict[str, list[int]] = {}
    for count in range(400):
        for band in chosen.bands:
            if band.holds(count):
                for shown in band.all_shown(count):
                    behind.setdefault(shown, []).append(count)
    for shown, counts in behind.items():
        if max(counts) < 300:
            meant = chosen.meaning(shown)
            assert meant is not None
            assert (meant.low, meant.high) == (min(counts), max(counts)), shown


def test_which_rules_know_a_token() -> None:
    assert rules_that_know("*") == ["nhs-hes", "cms"]
    assert rules_that_know("?") == []


@pytest.mark.parametrize(("text", "counts"), [("3", "3"), ("1..4", "1..4"), ("5..", "5.."), (" 0..0 ", "0")])
def test_counts_as_people_type_them(text: str, counts: str) -> None:
    found = parse_counts(text)
    assert found is not None
    assert found.text == counts


@pytest.mark.parametrize("text", ["", "a", "4..1", "-1", "1...4", "..4"])
def test_counts_that_are_none(text: str) -> None:
    assert parse_counts(text) is None


PEOPLE = {"SEX": ["F"] * 8 + ["M"] * 3, "TOWN": ["A", "B"] * 5 + ["A"]}


@pytest.mark.parametrize("name", KNOWN)
def test_a_dataset_fits_its_release_under_every_rule(name: str) -> None:
    from foregone.formats.frames import dataset

    truth = dataset(PEOPLE)
    release = under_rule(fg.tabulate(truth, ["SEX", ("SEX", "TOWN")]), find_rule(name), truth=truth, seed=3)
    assert truth.broken(release) == []
    assert under_rule(fg.tabulate(truth, ["SEX", ("SEX", "TOWN")]), find_rule(name), truth=truth, seed=3) == release


def test_totals_as_the_rule_treats_them() -> None:
    release = fg.tabulate(PEOPLE, ["SEX"])
    shown = {name: under_rule(release, find_rule(name)).statistics for name in ("nhs-hes", "opensafely")}
    ranges = {name: [(s.low, s.high) for s in statistics] for name, statistics in shown.items()}
    assert ranges["nhs-hes"] == [(11, 11), (8, 12), (1, 7)]
    assert ranges["opensafely"] == [(8, 19), (8, 12), (0, 7)]


def test_chance_is_the_same_for_the_same_records_and_differs_with_the_seed() -> None:
    from foregone.formats.frames import dataset

    truth = dataset({"SEX": ["F"] * 5, "AGE": ["1", "1", "1", "1", "2"]})
    release = fg.tabulate(truth, ["SEX", "AGE"])
    shown = [under_rule(release, find_rule("rr3"), truth=truth, seed=seed).statistics for seed in range(20)]
    seen = {tuple((s.low, s.high) for s in statistics) for statistics in shown}
    assert len(seen) > 1
    assert all(numbers[0] == numbers[1] for numbers in seen)  # all records and all women are the same records


def test_commands(tmp_path: Path) -> None:
    assert "opensafely-midpoint6" in run("rules").out
    shown = run("rules", "nhs-hes").out.splitlines()
    assert ["*", "1..7"] in [line.split() for line in shown]
    assert ["5", "impossible"] in [line.split() for line in shown]
    wrong = run("rules", "nhs")
    assert (wrong.status, wrong.problems) == (
        2,
        ["error: --rule 'nhs': there is no such rule (`foregone rules` lists them all); did you mean 'nhs-hes'?"],
    )
    data = tmp_path / "people.csv"
    data.write_text("SEX\n" + "F\n" * 8 + "M\n" * 3)
    done = run("tabulate", data, "--margins", "SEX", "--rule", "rr3", "--seed", 4, "--truth", "--out", tmp_path / "r")
    assert "under the rule rr3, seed 4," in done.out
    assert run("audit", tmp_path / "r").status == 0
    assert run("tabulate", data, "--margins", "SEX", "--rule", "rr3", "--no-zeros", "--out", tmp_path / "s").status == 2
