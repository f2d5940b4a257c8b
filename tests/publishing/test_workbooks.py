"""Workbooks come back as they were, and nothing in them gives a withheld number back."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import openpyxl
import pytest

from foregone.publishing.outcome import NotPublished
from foregone.workflows.publish import publish
from tests.publishing import workbooks
from tests.publishing.published import SECRET, holding, protected, steward

LIBREOFFICE = shutil.which("soffice") or shutil.which("libreoffice")
needs_libreoffice = pytest.mark.skipif(LIBREOFFICE is None, reason="LibreOffice is not installed (Debian: libreoffice-calc)")


def converted(path: Path, folder: Path, kind: str = "xlsx") -> Path:
    """A file as LibreOffice saves it."""
    assert LIBREOFFICE is not None
    profile = f"-env:UserInstallation=file://{folder / 'profile'}"
    command = [LIBREOFFICE, profile, "--headless", "--convert-to", kind, "--outdir", str(folder), str(path)]
    subprocess.run(command, check=True, capture_output=True, timeout=240)
    return folder / f"{path.stem}.{kind}"


def solved(path: Path) -> Path:
    """A workbook of openpyxl with results of its formulas, as a spreadsheet program leaves them."""
    return converted(path, path.parent / "solved")


@pytest.fixture
def full(tmp_path: Path) -> Path:
    if LIBREOFFICE is None:
        pytest.skip("LibreOffice is not installed (Debian: libreoffice-calc)")
    workbooks.full(tmp_path / "people.xlsx")
    (tmp_path / "layout.toml").write_text('[[table]]\nname = "people.Age"\nnumbers = ["B", "C", "D"]\n', "utf-8")
    return solved(tmp_path / "people.xlsx")


def cells(path: Path, results: bool = True) -> dict[tuple[str, str], Any]:
    book = openpyxl.load_workbook(path, data_only=results)
    return {(s.title, c.coordinate): c.value for s in book.worksheets for row in s.iter_rows() for c in row if c.value is not None}


@pytest.mark.slow
def test_a_workbook_with_a_number_in_every_place(tmp_path: Path, full: Path) -> None:
    made = steward(tmp_path, [full])
    file = made.file("people.xlsx")
    assert [place for number in SECRET for place in holding(made.made.folder, number)] == []
    before, after = cells(full), cells(file)
    marked = {at: text for at, text in after.items() if text == "[c]"}
    assert {cell for sheet, cell in marked if sheet == "Age"} >= {"B3", "C3", "B4", "C4", "F3", "F4", "G3", "G4", "H3", "H4"}
    assert ("Notes", "B3") in marked, "it is worked out from a number that is not shown"
    assert "fewer than 5" not in str(after["Notes", "A2"])
    same = before.keys() - {at for at in before if before[at] != after.get(at)}
    changed = {cell for sheet, cell in before.keys() - same if sheet == "Age"}
    assert changed == {"B3", "C3", "B4", "C4", "F3", "F4", "G3", "G4", "H3", "H4", "H5", "H6", "A8"}, "all else stays"
    assert after["Age", "F5"] == before["Age", "F5"]
    assert after["Age", "E3"] == 52_000
    formulas = cells(file, results=False)
    assert formulas["Age", "F5"] == "=B5/E5*100000", "formulas of what is shown stay formulas, with their results"
    assert formulas["Age", "C6"] == 9435, "a sum over marks would be another number"
    book, old = openpyxl.load_workbook(file), openpyxl.load_workbook(full)
    sheet: Any = book["Age"]
    was: Any = old["Age"]
    assert [str(area) for area in sheet.merged_cells.ranges] == ["A1:G1"]
    assert sheet.column_dimensions["A"].width == was.column_dimensions["A"].width
    assert sheet["A1"].font.bold
    assert sheet["C4"].fill.fgColor.rgb == was["C4"].fill.fgColor.rgb
    assert sheet.freeze_panes == "B3"
    assert len(sheet._charts) == 1
    assert sheet["B3"].comment is None
    assert "[c]" in sheet["A8"].comment.text
    assert "Area" in book.defined_names
    assert "Women" not in book.defined_names
    assert len(sheet.conditional_formatting) == 1, "the rule that names no withheld number stays"


@pytest.mark.slow
def test_libreoffice_opens_it_and_sees_the_same_cells(tmp_path: Path, full: Path) -> None:
    """All formulas are worked out again by another program: whatever does not follow from what is shown would be another number."""
    made = steward(tmp_path, [full])
    ours, theirs = cells(made.file("people.xlsx")), cells(converted(made.file("people.xlsx"), tmp_path / "again"))
    assert ours.keys() == theirs.keys()
    for at, value in ours.items():
        assert theirs[at] == (pytest.approx(value) if isinstance(value, float) else value), at
    assert [place for number in SECRET for place in holding(tmp_path / "again", number)] == []


def saved(tmp_path: Path, change: Any) -> Path:
    """A workbook without formulas, changed in one way."""
    path = tmp_path / "people.xlsx"
    book = workbooks.plain()
    change(book)
    book.save(path)
    return path


def refused(tmp_path: Path, path: Path, *words: str) -> None:
    protected(tmp_path, [path])
    with pytest.raises(NotPublished) as caught:
        publish(tmp_path / "protected", tmp_path / "files")
    assert all(word in str(caught.value) for word in words), str(caught.value)
    assert not (tmp_path / "files").exists()
    assert sorted(p.name for p in tmp_path.iterdir() if p.name.startswith(".")) == [], "nothing is left behind"


def test_a_hidden_sheet_that_was_not_read_is_refused(tmp_path: Path) -> None:
    def change(book: Any) -> None:
        hidden = book.create_sheet("Working")
        hidden["B7"], hidden.sheet_state = 815, "veryHidden"

    refused(tmp_path, saved(tmp_path, change), "people.xlsx", "sheet Working", "row 7, column B", "hidden sheet")


def test_a_copy_of_the_table_is_marked(tmp_path: Path) -> None:
    """In a sheet that everybody sees, small numbers too, as they stand beside the same labels."""

    def change(book: Any) -> None:
        copy = book.create_sheet("Copy")
        copy["A1"], copy["B1"] = "0-17", 3
        copy["A2"], copy["B2"] = "18-64", 4713

    path = saved(tmp_path, change)
    made = steward(tmp_path, [path])
    after = cells(made.file("people.xlsx"))
    assert after["Copy", "B2"] == "[c]"
    assert [place for number in SECRET for place in holding(made.made.folder, number)] == []


@pytest.mark.slow
@needs_libreoffice
def test_records_that_a_hidden_number_is_counted_from_are_refused(tmp_path: Path) -> None:
    def change(book: Any) -> None:
        data = book.create_sheet("Data")
        for row, sex in enumerate("FFM", start=1):
            data.cell(row, 1).value = sex
        book["Age"]["C3"] = '=COUNTIF(Data!A:A,"F")+1'

    refused(tmp_path, solved(saved(tmp_path, change)), "people.xlsx", "sheet Age", "row 3, column C", "A1 on sheet Data")


@pytest.mark.slow
@needs_libreoffice
def test_addends_in_a_formula_go(tmp_path: Path) -> None:
    """`=2+4713` in a total that is shown tells both."""
    path = solved(saved(tmp_path, lambda book: book["Age"].__setitem__("D4", "=2+4713")))
    made = steward(tmp_path, [path])
    assert cells(made.file("people.xlsx"), results=False)["Age", "D4"] == 4715


def test_parts_that_nobody_knows_are_not_in_the_written_file(tmp_path: Path) -> None:
    path = saved(tmp_path, lambda _: None)
    with ZipFile(path, "a") as archive:
        archive.writestr("customXml/item1.xml", "<a>4711</a>")
        archive.writestr("docProps/thumbnail.jpeg", b"4711")
        archive.writestr("xl/printerSettings/printerSettings1.bin", b"4711")
        archive.writestr("xl/pivotCache/pivotCacheRecords1.xml", '<r><n v="4711"/></r>')
    made = steward(tmp_path, [path])
    assert holding(made.made.folder, "4711") == []
    said = " ".join(made.made.files[0].taken_out)
    assert "custom XML" in said
    assert "picture of the first page" in said
    assert "pivot table" in said


def test_what_is_left_over_among_shared_texts_goes(tmp_path: Path) -> None:
    path = saved(tmp_path, lambda _: None)
    with ZipFile(path, "a") as archive:
        archive.writestr(
            "xl/sharedStrings.xml",
            '<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><si><t>4711</t></si></sst>',
        )
    assert holding(steward(tmp_path, [path]).made.folder, "4711") == []


def test_hidden_rows_and_columns(tmp_path: Path) -> None:
    def change(book: Any) -> None:
        sheet = book["Age"]
        sheet["A12"], sheet["B12"] = "check", 31
        sheet.row_dimensions[12].hidden = True

    made = steward(tmp_path, [saved(tmp_path, change)])
    after = cells(made.file("people.xlsx"))
    assert after["Age", "B12"] == "[c]", "nobody would look for it there"


def test_macros_and_old_workbooks_are_refused(tmp_path: Path) -> None:
    path = saved(tmp_path, lambda _: None).rename(tmp_path / "people.xlsm")
    refused(tmp_path, path, ".xlsm", "save it as .xlsx")


def test_the_same_files_give_the_same_bytes(tmp_path: Path) -> None:
    made = steward(tmp_path, [saved(tmp_path, lambda _: None)])
    first = made.file("people.xlsx").read_bytes()
    again = publish(made.protected, tmp_path / "again")
    assert (again.folder / "people.xlsx").read_bytes() == first
