"""The command: what it says, the layout it writes and takes back, contradictions between files, claims as people type them."""

from __future__ import annotations

from pathlib import Path

import pytest

from foregone.formats.folder import read_release
from foregone.tables.importing import read_tables
from tests.cli.commands import run
from tests.tables.tabulated import FILES, became

TWO = [FILES / "ages_one.csv", FILES / "ages_two.csv"]


def test_it_says_how_it_read_each_table(tmp_path: Path) -> None:
    done = run("import", *TWO, "--out", tmp_path / "r")
    assert done.status == 0
    both = "total row and column"
    assert done.out.splitlines() == [
        f"ages_one: Age in rows x Yes/No in columns (not named in the file; called ages_one columns), {both}, 12 numbers.",
        f"ages_two: Age in rows x Male/Female in columns (not named in the file; called Sex), {both}, 15 numbers.",
        "Together 16 records; if these numbers do not count records, stop here.",
        f"27 published numbers from 2 files written to {tmp_path / 'r'};"
        f" how they were read is in {tmp_path / 'r' / 'layout.toml'}.",
    ]
    said = run("import", FILES / "residents.csv", "--out", tmp_path / "s").out
    assert "(column E (Residents) is left out: it does not count the same records)" in said


@pytest.mark.slow
def test_from_three_tables_to_the_page_in_two_commands(tmp_path: Path) -> None:
    release = tmp_path / "release"
    assert run("import", FILES / "three_tables.csv", "--out", release, "--record", "patient").status == 0
    assert run("report", release, "--out", tmp_path / "page.html").status == 0
    assert "patient" in (tmp_path / "page.html").read_text("utf-8")


def test_the_layout_can_be_given_back(tmp_path: Path) -> None:
    first, again = tmp_path / "first", tmp_path / "again"
    assert run("import", *TWO, "--out", first).status == 0
    assert run("import", *TWO, "--out", again, "--layout", first / "layout.toml").status == 0
    assert {p.name: p.read_text("utf-8") for p in first.iterdir()} == {p.name: p.read_text("utf-8") for p in again.iterdir()}


def test_an_edited_layout_is_followed(tmp_path: Path) -> None:
    assert run("import", *TWO, "--out", tmp_path / "first").status == 0
    text = (tmp_path / "first" / "layout.toml").read_text("utf-8")
    layout = tmp_path / "layout.toml"
    layout.write_text(text.replace("ages_one columns", "Smoker").replace('body = "2-5"', 'body = "2-4"'), "utf-8")
    assert run("import", *TWO, "--out", tmp_path / "again", "--layout", layout).status == 0
    release = read_release(tmp_path / "again")
    assert release.domain.names == ("Age", "Smoker", "Sex")
    assert "Smoker=Yes" not in became(release)  # the total row was taken out


@pytest.mark.parametrize(("totals", "number"), [('["Borsetshire"]', ""), ("[]", "Town=Borsetshire, ")])
def test_a_layout_chooses_between_two_readings(tmp_path: Path, totals: str, number: str) -> None:
    layout = tmp_path / "layout.toml"
    layout.write_text(f'[[table]]\nname = "shire"\ntotals = {{"Town" = {totals}}}\n')
    assert run("import", FILES / "shire.csv", "--out", tmp_path / "r", "--layout", layout).status == 0
    found = became(read_release(tmp_path / "r"))
    assert found[f"{number}shire columns=65+"] == "4"


def test_a_layout_says_which_words_are_groups(tmp_path: Path) -> None:
    layout = tmp_path / "layout.toml"
    layout.write_text('[variables."Town".groups]\n"Elsewhere" = ["Darrington", "Felpersham"]\n')
    files = [FILES / "group_words_a.csv", FILES / "group_words_b.csv"]
    assert run("import", *files, "--out", tmp_path / "r", "--layout", layout).status == 0
    assert became(read_release(tmp_path / "r"))["Sex=Male, Town=Darrington|Felpersham"] == "8"


def test_a_total_that_the_layout_gives_may_count_others(tmp_path: Path) -> None:
    layout = tmp_path / "layout.toml"
    layout.write_text('[[table]]\nname = "deaths"\ntotals = {"deaths columns" = ["Patients"]}\n')
    assert run("import", FILES / "deaths.csv", "--out", tmp_path / "r", "--layout", layout).status == 0
    assert became(read_release(tmp_path / "r"))["Town=Ambridge"] == "40"
    assert run("bounds", tmp_path / "r", "Town=Ambridge, deaths columns=(any other)").out.startswith("37 to 37")


def test_the_layout_of_sections_can_be_given_back(tmp_path: Path) -> None:
    first, again = tmp_path / "first", tmp_path / "again"
    assert run("import", FILES / "sections.csv", "--out", first).status == 0
    assert run("import", FILES / "sections.csv", "--out", again, "--layout", first / "layout.toml").status == 0
    assert (first / "statistics.csv").read_text() == (again / "statistics.csv").read_text()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('[[table]]\nname = "t"\nrow = ["A"]', "layout.toml, table t: 'row' is not understood"),
        ("[[table]]\nrows = []", "layout.toml, table 1: has no name"),
        ('[[table]]\nname = "t"\nbody = "x"', "layout.toml, table t, body: 'x' is not a list of rows"),
        ('[[table]]\nname = "countt"', "layout: there is no table 'countt' in these files (county); did you mean 'county'?"),
        ('[variables."Town"]\nsame = []\nother = 1', "layout.toml, variables.Town: 'other' is not understood"),
        ("[tokens]\nx = 1", "expected a token and its counts a line"),
    ],
)
def test_a_bad_layout_is_named_in_one_line(tmp_path: Path, text: str, problem: str) -> None:
    layout = tmp_path / "layout.toml"
    layout.write_text(text)
    done = run("import", FILES / "county.csv", "--out", tmp_path / "r", "--layout", layout)
    assert done.status == 2
    assert problem in done.err


def test_a_table_that_contradicts_itself_names_itself_and_the_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("one.csv").write_text("Age,Male,Female,Total\n0-17,*,9,18\n18+,7,3,10\n")
    done = run("import", "one.csv", "--out", "r", "--token", "*=1..4")
    assert done.status == 2
    assert done.problems == [
        "error: table one contradicts itself; no dataset has all of these: one.csv, row 2, column B: '*', 1 to 4;"
        " one.csv, row 2, column C: '9'; one.csv, row 2, column D: '18'",
        "error: they would fit if '*' meant something else: it would have to be 9 in one.csv, row 2, column B;"
        " say --token '*=1..9'",
    ]


def test_numbers_are_said_to_be_cells_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "b.csv").write_text("Age,Male,Female,Total\n0-17,*,9,10\n18+,7,3,10\n")
    release, told = tmp_path / "r", "Numbers are named after their place: b.B2 is cell B2 of b.csv.\n"
    assert run("import", tmp_path / "b.csv", "--out", release, "--token", "*=1..4").status == 0
    assert told in run("bounds", release, "--hidden").out
    assert told in run("explain", release, "Age=0-17, Sex=Male", "--count", "1").out.replace("b.C2", "b.B2").replace(
        "C2 of", "B2 of"
    )
    assert told in run("audit", release, "--hide", "b.B2").out
    assert run("report", release, "--out", tmp_path / "p.html").status == 0
    page = (tmp_path / "p.html").read_text("utf-8")
    assert "b.B2 is cell B2 of b.csv, and so on" in page
    assert "Age: 0-17; Sex: Male (cell B2 of b.csv)" in page
    assert run("report", release, "--out", tmp_path / "p.html", "--redact").status == 0
    assert "b.csv" not in (tmp_path / "p.html").read_text("utf-8")


def test_joined_numbers_are_said_to_be_cells_too(tmp_path: Path) -> None:
    (tmp_path / "b.csv").write_text("Age,Male,Female,Total\n0-17,*,9,10\n18+,7,3,10\n")
    for name in ("june", "july"):
        assert run("import", tmp_path / "b.csv", "--out", tmp_path / name, "--token", "*=1..4").status == 0
    assert run("join", tmp_path / "june", tmp_path / "july", "--out", tmp_path / "both", "--people", "same").status == 0
    assert "june/b.B2 is cell B2 of b.csv; july/b.B2 is cell B2 of b.csv" in run("bounds", tmp_path / "both", "--hidden").out


def test_tables_that_contradict_each_other_name_cells_and_the_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("one.csv").write_text("Age,Male,Female\n0-17,*,9\n18+,7,3\n")
    Path("two.csv").write_text("Age,Count\n0-17,9\n18+,10\n")
    done = run("import", "one.csv", "two.csv", "--out", "r", "--token", "*=1..4")
    assert done.status == 2
    assert done.problems == [
        "error: the tables one and two contradict each other; no dataset has all of these: one.csv, row 2, column B: '*', 1 to 4;"
        " one.csv, row 2, column C: '9'; two.csv, row 2, column B: '9'",
        "error: they would fit if '*' meant something else: it would have to be 0 in one.csv, row 2, column B;"
        " say --token '*=0..4'",
    ]
    assert not Path("r").exists()


def test_what_the_user_says_of_tokens_goes_with_every_answer(tmp_path: Path) -> None:
    for name, town in (("june", "Ambridge"), ("july", "Darrington")):
        (tmp_path / f"{name}.csv").write_text(f"Town,Male,Female\n{town},*,9\nElsewhere,7,3\n")
        done = run("import", tmp_path / f"{name}.csv", "--out", tmp_path / name, "--token", "*=1..4")
        assert done.status == 0, done.err
    assert run("bounds", tmp_path / "june", "Town=Ambridge").out.endswith("\nAssumed: '*' stands for 1 to 4.\n")
    done = run("join", tmp_path / "june", tmp_path / "july", "--out", tmp_path / "both")
    assert "Assumed: june: '*' stands for 1 to 4.\n" in done.out
    assert "july: '*' stands for 1 to 4\n" in (tmp_path / "both" / "assumptions.txt").read_text()
    (tmp_path / "nhs.csv").write_text("Town,Count\nAmbridge,*\nDarrington,15\n")
    assert run("import", tmp_path / "nhs.csv", "--out", tmp_path / "nhs", "--rule", "nhs-hes").status == 0
    assert (tmp_path / "nhs" / "assumptions.txt").read_text() == (
        "the tables follow the release rule nhs-hes\nthe numbers count records, together 14 to 24 records\n"
    )


def test_an_unknown_token_is_told_with_its_footnote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("one.csv").write_text("Age,Male,Female\n0-17,*,9\n18+,7,3\n\n* Fewer than 5\n")
    Path("two.csv").write_text("Age,Count\n0-17,*\n18+,10\n")
    done = run("import", "one.csv", "two.csv", "--out", "r")
    assert (done.status, len(done.problems)) == (2, 1)
    assert done.err.startswith("error: one.csv, row 2, column B (also B2 of two.csv): what '*' means is not known")
    assert done.err.endswith("; a footnote of one.csv says '* Fewer than 5'\n")


def test_a_list_is_said_to_be_one(tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text("town,sex,patients\nAmbridge,Male,3\nAmbridge,Female,2\nDarrington,Male,5\n")
    assert run("import", tmp_path / "c.csv", "--out", tmp_path / "r").out.startswith("c: list of town x sex, 3 numbers.\n")


def test_a_contradiction_that_no_token_explains(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("one.csv").write_text("Age,Male,Female\n0-17,1,9\n18+,7,*\n")
    Path("two.csv").write_text("Age,Count\n0-17,11\n18+,10\n")
    done = run("import", "one.csv", "two.csv", "--out", "r", "--token", "*=1..4")
    assert done.status == 2
    assert "one.csv, row 2, column B: '1'; one.csv, row 2, column C: '9'; two.csv, row 2, column B: '11'" in done.problems[0]
    assert done.problems[1].startswith("error: no other meaning of a token makes them fit")


def test_claims_match_whatever_the_case_and_the_kind_of_dash(tmp_path: Path) -> None:
    assert run("import", *TWO, "--out", tmp_path / "r").status == 0
    for claim in ("Age=20–24, Sex=Male|Female", "AGE=20-24", "age = 20—24"):
        assert run("bounds", tmp_path / "r", claim).out.startswith("3 to 3"), claim
    assert run("bounds", tmp_path / "r", "Age=0-19").out.startswith("5 to 5")  # a group of two codes
    assert run("bounds", tmp_path / "r", "Age=20-25").status == 2


def test_the_places_of_numbers_are_kept(tmp_path: Path) -> None:
    assert run("import", FILES / "county.csv", "--out", tmp_path / "r").status == 0
    lines = (tmp_path / "r" / "places.csv").read_text("utf-8").splitlines()
    assert lines[0] == "name,file,sheet,row,column,shown"
    assert lines[1] == f"county.B2,{FILES / 'county.csv'},,2,B,4"


def test_nothing_is_written_over(tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").write_text("mine")
    assert run("import", FILES / "county.csv", "--out", tmp_path / "full").status == 2
    single = tmp_path / "r.json"
    assert run("import", FILES / "county.csv", "--out", single).status == 0
    assert became(read_release(single)) == became(read_tables([FILES / "county.csv"]).release)


def test_the_same_name_in_two_folders(tmp_path: Path) -> None:
    for folder in ("june", "july"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "t.csv").write_text("Age,Count\n0-17,9\n18+,10\n")
    made = read_tables([tmp_path / "june" / "t.csv", tmp_path / "july" / "t.csv"])
    assert {at.name for at in made.standing} == {"june/t.B2", "june/t.B3", "july/t.B2", "july/t.B3"}
