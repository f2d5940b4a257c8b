"""Workbooks with a number in every place where one can be forgotten."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
from openpyxl.chart import BarChart, Reference
from openpyxl.comments import Comment
from openpyxl.formatting import rule
from openpyxl.packaging.custom import IntProperty
from openpyxl.styles import Font, PatternFill
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.filters import FilterColumn, Filters

from tests.publishing.published import HEAD, ROWS

TITLE = "Patients by age and sex, 2024"


coloured_by: Callable[..., Any] = rule.CellIsRule


def plain(title: str = TITLE) -> Any:
    """A sheet with a title, a table of numbers and a note; not saved yet."""
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Age"
    rows: list[list[Any]] = [[title], HEAD, *ROWS, [], ["Source: register"]]
    for row in rows:
        sheet.append(row)
    return book


def full(path: Path) -> None:
    """Formulas, rates, a comment, a chart, a name, a list of choices, a rule for colours, a filter, page lines, properties, a
    hidden column, another sheet that reads the first one; with styles, widths and merged cells.
    """
    book = plain()
    sheet = book["Age"]
    sheet["E2"], sheet["F2"], sheet["G2"], sheet["H2"] = "Population", "Rate per 100,000", "Share of men", "Old"
    for row, people in zip(range(3, 7), (52_000, 61_000, 48_000, 161_000), strict=True):
        sheet[f"E{row}"], sheet[f"F{row}"], sheet[f"G{row}"] = people, f"=B{row}/E{row}*100000", f"=B{row}/D{row}"
        sheet[f"G{row}"].number_format = "0.0%"
        sheet[f"H{row}"] = sheet[f"C{row}"].value
        sheet[f"D{row}"] = f"=B{row}+C{row}"
    for column in "BCD":
        sheet[f"{column}6"] = f"=SUM({column}3:{column}5)"
    sheet.column_dimensions["H"].hidden = True
    sheet["A8"] = "Source: register. Of the women 4,713 live in town."
    sheet["B3"].comment = Comment("was 4711 in the draft", "somebody")
    sheet["A8"].comment = Comment("4713 by hand", "somebody")
    sheet["A1"].font, sheet.column_dimensions["A"].width = Font(bold=True, size=14), 31.5
    sheet["C4"].fill = PatternFill("solid", fgColor="FFEEDD")
    sheet.merge_cells("A1:G1")
    sheet.oddFooter.left.text = "In all 4713 women"
    sheet.freeze_panes = "B3"
    book.properties.description, book.properties.title = "4713 women", "Patients"
    book.custom_doc_props.append(IntProperty(name="women", value=4713))
    book.defined_names["Women"] = DefinedName("Women", attr_text="4713")
    book.defined_names["Area"] = DefinedName("Area", attr_text="Age!$B$3:$C$5")
    choice = DataValidation(type="list", formula1='"4713,12"')
    sheet.add_data_validation(choice)
    choice.add("J1")
    sheet.conditional_formatting.add("B3:C5", coloured_by(operator="equal", formula=["4713"], font=Font(bold=True)))
    sheet.conditional_formatting.add("B3:C5", coloured_by(operator="greaterThan", formula=["100"], font=Font(italic=True)))
    sheet.auto_filter.ref = "A2:D6"
    sheet.auto_filter.filterColumn.append(FilterColumn(colId=2, filters=Filters(filter=["4713"])))
    chart = BarChart()
    chart.add_data(Reference(sheet, min_col=2, min_row=2, max_row=5), titles_from_data=True)
    chart.title = "4713 women"
    sheet.add_chart(chart, "K2")
    notes = book.create_sheet("Notes")
    notes["A1"], notes["A2"], notes["A3"], notes["B3"] = "Notes", "Numbers fewer than 5 are suppressed.", "Twice", "=Age!C4*2"
    notes["A5"], notes["B5"] = "Both", "=Age!D6"
    book.save(path)
