"""What an import does not take is written down: every cell with a number that is neither number, label nor heading."""

from __future__ import annotations

import csv
import random
from pathlib import Path

import pytest

from foregone.tables import remaining
from foregone.tables.importing import read_tables
from foregone.tables.layout_file import read_layout
from tests.cli.commands import run
from tests.tables.tabulated import FILES, answers

RATES = """\
"Table 2: Patients by town and sex, 2023 (N = 93)",,,,,,
Town,Male,Female,Total,"Rate per 100,000",Area code,Notes
Ambridge,17,22,39,3604.4,10,see page 3
Darrington,*,31,33,3762.8,11,
Penny Hassett,*,*,4,793.7,12,"rate based on 4 cases"
Felpersham,9,8,17,1200.5,13,
All towns,30,63,93,3101.0,99,
Rate per 1000,1.5,2.5,4.0,,,
* fewer than 5,,,,,,
Source: register of 2022/23,,,,,,
Two of the 4 patients of Penny Hassett live in one house,,,,,,
"""
STAR = ("--token", "*=1..4")
COLUMN_E = "column E (Rate per 100,000): it does not count the same records"
COLUMN_F = "column F (Area code): it holds codes"
COLUMN_G = "column G (Notes): it holds words"
ROW_8 = "row 8 (Rate per 1000): it does not count records"
OUTSIDE = "outside the tables: what it means is not used"


def written(folder: Path) -> list[tuple[str, str, str]]:
    with (folder / "left_out.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["file", "sheet", "place", "text", "reason"]
    return [(place, text.removeprefix("'"), reason) for _, _, place, text, reason in rows[1:]]


def imported(tmp_path: Path, text: str, *options: object) -> list[tuple[str, str, str]]:
    (tmp_path / "t.csv").write_text(text, "utf-8")
    assert run("import", tmp_path / "t.csv", "--out", tmp_path / "r", *options).status == 0
    return written(tmp_path / "r") if (tmp_path / "r" / "left_out.csv").exists() else []


def test_rates_notes_and_rows_of_rates(tmp_path: Path) -> None:
    assert imported(tmp_path, RATES, *STAR) == [
        ("A1", "Table 2: Patients by town and sex, 2023 (N = 93)", OUTSIDE),
        ("E3", "3604.4", COLUMN_E),
        ("F3", "10", COLUMN_F),
        ("G3", "see page 3", COLUMN_G),
        ("E4", "3762.8", COLUMN_E),
        ("F4", "11", COLUMN_F),
        ("E5", "793.7", COLUMN_E),
        ("F5", "12", COLUMN_F),
        ("G5", "rate based on 4 cases", COLUMN_G),
        ("E6", "1200.5", COLUMN_E),
        ("F6", "13", COLUMN_F),
        ("E7", "3101.0", COLUMN_E),
        ("F7", "99", COLUMN_F),
        ("B8", "1.5", ROW_8),
        ("C8", "2.5", ROW_8),
        ("D8", "4.0", ROW_8),
        ("A11", "Two of the 4 patients of Penny Hassett live in one house", OUTSIDE),
    ]


def test_import_audit_and_what_if_say_what_stands_beside_a_star(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(RATES, "utf-8")
    release = tmp_path / "r"
    where = "(Rate per 100,000 in t.csv: E4, E5; Notes in t.csv: G5; Rate per 1000 in t.csv: B8, C8)"
    end = "A reader may work the count back from them."
    done = run("import", tmp_path / "t.csv", "--out", release, *STAR)
    assert done.out.splitlines()[-1] == (
        f"17 numbers were left out. 5 of them stand beside cells that are not shown {where}. {end}"
        f" All are in {release / 'left_out.csv'}."
    )
    single = run("import", tmp_path / "t.csv", "--out", tmp_path / "r.json", *STAR)
    assert single.out.splitlines()[-1].endswith(f"{end} A folder has room for the list, left_out.csv.")
    warning = f"Warning: 5 numbers that were left out stand beside cells that are not shown {where}. {end}"
    assert warning in run("audit", release).out.splitlines()
    hidden = run("audit", release, "--hide", "t.B6").out  # one more row with a number that would not be shown
    assert "Rate per 100,000 in t.csv: E4, E5, E6;" in hidden


def test_nothing_left_out_is_no_file_and_another_import_replaces_it(tmp_path: Path) -> None:
    assert len(imported(tmp_path, RATES, *STAR)) == 17
    plain = "Patients by town and sex, 2022/23\nTown,Male,Female,Total\nAmbridge,1,2,3\nDarrington,4,5,9\nTotal,5,7,12\n"
    assert imported(tmp_path, plain) == []
    assert not (tmp_path / "r" / "left_out.csv").exists()


def test_percentages_that_fit_are_taken_and_others_are_not(tmp_path: Path) -> None:
    shares = "Town,n,%\nAmbridge,4,31\nDarrington,2,15\nFelpersham,7,54\nTotal,13,100\n"
    assert imported(tmp_path, shares) == []  # 100 of itself says nothing
    unread = imported(tmp_path, shares.replace("15", "<20%"))
    assert unread == [("C3", "<20%", "column C (%): what it means is not used")]
    why = "no total fits as what they are percentages of"
    wrong = imported(tmp_path, shares.replace("15", "40"))
    assert wrong == [(f"C{r}", n, f"column C (%): {why}") for r, n in ((2, "31"), (3, "40"), (4, "54"), (5, "100"))]


def test_whole_tables_and_sheets_are_listed_up_to_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    means = "Town,Mean age\n" + "".join(f"Town {i},{30 + i}.5\n" for i in range(9))
    text = "Town,n\nAmbridge,4\nDarrington,2\n\nTable of means\n" + means
    reason = "table t-2: none of its columns holds counts (column B (Mean age) is left out: it does not count the same records)"
    assert imported(tmp_path, text) == [(f"B{7 + i}", f"{30 + i}.5", reason) for i in range(9)]
    monkeypatch.setattr(remaining, "MOST", 4)
    cut = imported(tmp_path, text)
    assert cut == [*((f"B{7 + i}", f"{30 + i}.5", reason) for i in range(4)), ("", "and 5 more", reason)]
    assert "9 numbers were left out." in run("import", tmp_path / "t.csv", "--out", tmp_path / "r").out


def test_a_column_of_a_table_that_was_read_is_never_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remaining, "MOST", 2)
    assert len(imported(tmp_path, RATES, *STAR)) == 17


def test_what_the_layout_leaves_out_is_listed_too(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("Town,Male,Female,Total\nAmbridge,1,2,3\nDarrington,4,5,9\nTotal,5,7,12\n", "utf-8")
    layout = tmp_path / "layout.toml"
    layout.write_text('[[table]]\nname = "t"\nbody = "2-3"\nnumbers = ["B", "C"]\n', "utf-8")
    made = read_tables([tmp_path / "t.csv"], layout=read_layout(layout))
    assert [(cell.place, cell.text, cell.reason) for cell in made.left_out] == [
        ("D2", "3", "column D (Total): what it means is not used"),
        ("D3", "9", "column D (Total): what it means is not used"),
        ("B4", "5", OUTSIDE),
        ("C4", "7", OUTSIDE),
        ("D4", "12", OUTSIDE),
    ]


def test_codes_beside_names_and_row_numbers_are_no_numbers_beside_a_star(tmp_path: Path) -> None:
    rows = ",Area code,Town,Male,Female\n1,E0701,Ambridge,*,6\n2,E0702,Darrington,2,*\n"
    found = imported(tmp_path, rows, *STAR)
    assert [place for place, _, _ in found] == ["B2", "B3"]
    assert "Warning" not in run("audit", tmp_path / "r").out


def test_a_joined_release_keeps_what_was_left_out(tmp_path: Path) -> None:
    for month in ("june", "july"):
        (tmp_path / f"{month}.csv").write_text(RATES, "utf-8")
        assert run("import", tmp_path / f"{month}.csv", "--out", tmp_path / month, *STAR).status == 0
    assert run("join", tmp_path / "june", tmp_path / "july", "--people", "same", "--out", tmp_path / "both").status == 0
    assert len(written(tmp_path / "both")) == 34
    assert "Warning: 10 numbers that were left out" in run("audit", tmp_path / "both").out


def test_a_protected_folder_has_no_such_list_and_protect_warns(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(RATES.replace("Felpersham,9,8,17", "Felpersham,1,16,17").replace("30,63", "22,71"), "utf-8")
    assert run("import", tmp_path / "t.csv", "--out", tmp_path / "r", *STAR).status == 0
    done = run("protect", tmp_path / "r", "--out", tmp_path / "p", "--columns", "2")
    assert done.status == 0
    assert "Warning: " in done.out
    assert "E6" in done.out.split("Warning: ")[1]  # the rate of Felpersham, whose one man is withheld now
    assert {"left_out.csv", "layout.toml"} & {path.name for path in (tmp_path / "p").iterdir()} == set()


@pytest.mark.parametrize("seed", range(25))
def test_every_cell_with_a_digit_is_a_number_a_name_or_left_out(seed: int, tmp_path: Path) -> None:
    """Numbers, labels and headings of a table, and cells put around it at random: each is found exactly once."""
    draw = random.Random(seed)
    towns = draw.sample(["Ambridge", "Darrington", "Felpersham", "Loxley", "Borchester"], draw.randint(2, 4))
    counts = [[draw.randint(0, 40) for _ in range(2)] for _ in towns]
    extra = draw.sample(["Rate", "Residents", "Mean age", "Rank", "Index"], draw.randint(0, 3))
    rows = [["Town", "Male", "Female", "Total", *extra]]
    for town, (men, women) in zip(towns, counts, strict=True):
        rows.append([town, str(men), str(women), str(men + women), *(f"{draw.randint(100, 999)}.5" for _ in extra)])
    sums = [sum(pair[i] for pair in counts) for i in range(2)]
    rows.append(["Total", *map(str, (*sums, sum(sums))), *("7.5" for _ in extra)])
    note = draw.choice([[], [["Note: 12 people were not asked"]]])
    rows += note
    (tmp_path / "t.csv").write_text("".join(",".join(row) + "\n" for row in rows), "utf-8")
    made = read_tables([tmp_path / "t.csv"])
    taken = [at.place.cell for at in made.standing]
    left = [cell.place for cell in made.left_out]
    assert len({*taken, *left}) == len(taken) + len(left)
    cells = {f"{'ABCDEFGH'[c]}{r}": text for r, row in enumerate(rows, start=1) for c, text in enumerate(row)}
    assert {*taken, *left} == {place for place, text in cells.items() if any(map(str.isdigit, text))}
    assert len(left) == len(extra) * (len(towns) + 1) + len(note)


def test_the_files_of_the_tests_say_what_is_left_out() -> None:
    found = {
        name: sorted({cell.reason for cell in read_tables([FILES / name], layout=answers(name)).left_out})
        for name in ("of_which.csv", "ragged.csv", "three_tables.csv", "change.csv", "title_and_footnotes.csv")
    }
    assert found == {
        "of_which.csv": ["column E (Aged 65+): it is no part of the total"],
        "ragged.csv": ["column E: it has no heading"],
        "three_tables.csv": [
            "table three_tables-3: none of its columns holds counts (column B (Mean hours) is left out: it does not count the same"
            " records)"
        ],
        "change.csv": ["column D (Change): it does not count the same records", "column E (Ward code): it holds codes"],
        "title_and_footnotes.csv": [],
    }
