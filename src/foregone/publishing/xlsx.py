"""Excel workbooks, written back by openpyxl: formats, widths, merged cells, formulas and other sheets stay.

What the library does not know it does not write, so that no copy of a withheld number stays in a part that nobody thought of. What
it does know is gone through here, one kind after the other.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from datetime import date, datetime, time, timedelta
from io import BytesIO
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape
from zipfile import ZipFile

from foregone.formats.extras import need
from foregone.publishing.changes import FOOTNOTE, MARK, WITHHELD, AllChanges, CellChange, SheetChanges, add_footnotes
from foregone.publishing.formulas import Cell, Formula, constant_numbers, formula_of
from foregone.publishing.outcome import NotPublished
from foregone.publishing.secrets import Secrets
from foregone.publishing.written import FileWritten, Sheets, marked_cells
from foregone.publishing.xlsx_parts import PAGE_LINES, finished, left_behind, taken_out
from foregone.tables.readers.xlsx import MOST_UNPACKED, parts_of
from foregone.tables.table import CellPlace

PROPERTIES = ("title", "subject", "description", "keywords", "category", "creator", "lastModifiedBy", "identifier", "contentStatus")
GONE = "named a number that is not shown, and is taken out."


def write_xlsx(path: Path, sheets: Sheets, changes: AllChanges) -> FileWritten:
    """A workbook with marks in the cells that are not shown, and nothing left in it that gives them back; or a refusal."""
    need("openpyxl", extra="xlsx")
    parts_of(path)  # refuses what asks for gigabytes
    raw = path.read_bytes()
    with ZipFile(BytesIO(raw)) as archive:
        if sum(info.file_size for info in archive.infolist()) > MOST_UNPACKED:
            raise NotPublished(f"{path}: unpacks to more than {MOST_UNPACKED:,} bytes; cut it into several workbooks")
    return _Book(path, raw, sheets, changes).written()


class _Book:
    """A workbook while it is changed. `said` are sentences about what is not there any more."""

    def __init__(self, path: Path, raw: bytes, sheets: Sheets, changes: AllChanges) -> None:
        self.path, self.raw, self.sheets, self.all = path, raw, dict(sheets), changes
        self.secrets: Secrets = changes.secrets
        self.mark = next(iter(changes.marks), MARK)
        self.book, self.values = self._opened(False), self._opened(True)
        self.said: list[str] = []
        self.problems: list[str] = []
        self.look_at = [line for sheet in sheets.values() for line in sheet.look_at]
        self.names = {name.upper(): str(said.attr_text or "") for name, said in self._defined()}
        self.withheld = any(change.why == WITHHELD for sheet in sheets.values() for change in sheet.cells.values())

    def _opened(self, results: bool) -> Any:
        import openpyxl

        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # about parts that it passes over, which `taken_out` tells
                return openpyxl.load_workbook(BytesIO(self.raw), data_only=results, rich_text=not results, keep_links=False)
        except Exception as error:  # parts that a table does not need make the library fail in any way
            why = str(error).partition("\n")[0]
            raise NotPublished(
                f"{self.path}: cannot be written back ({type(error).__name__}: {why}); open it in a spreadsheet, save it again, and"
                " import and protect that"
            ) from None

    def _defined(self) -> Iterator[tuple[str, Any]]:
        yield from self.book.defined_names.items()
        for sheet in self.book.worksheets:
            yield from sheet.defined_names.items()

    def written(self) -> FileWritten:
        self._formulas()
        self._hidden_lines()
        if self.problems:
            raise NotPublished(self.problems)
        for title, changes in self.sheets.items():
            add_footnotes(changes, self.all)
            self._fill(self.book[title], changes)
        for sheet in self.book.worksheets:
            self._beside_cells(sheet)
        self._about_the_book()
        made, when = BytesIO(), self.book.properties.modified
        saved = f"{when:%Y-%m-%dT%H:%M:%SZ}" if when is not None else ""
        self.book.save(made)
        parts = {sheet.path.lstrip("/"): sheet for sheet in self.book.worksheets}
        results = {name: self._results(sheet) for name, sheet in parts.items()}
        content = finished(made.getvalue(), results, self.secrets, self.mark, saved)
        left = left_behind(content, self.secrets, {name: sheet.title for name, sheet in parts.items()})
        if left:
            raise NotPublished([f"{self.path.name}, {line}; take it out, and import and protect the file again" for line in left])
        said = list(dict.fromkeys([*self.said, *taken_out(self.raw, content)]))
        return FileWritten(content, marked_cells(self.sheets), tuple(said), tuple(self.look_at), tuple(self.all.marks.items()))

    # formulas

    def _formulas(self) -> None:
        """Formulas that read a cell that is not shown: of a number of the release the result stays, of any other nothing."""
        if not self.withheld:
            return
        found = dict(self._all_formulas())
        filled = {s.title: {(c.row, c.column) for row in s.iter_rows() for c in row if c.value is not None} for s in self.book}
        for cell, formula in found.items():
            self._check_source(cell, formula, filled)
        gone = {(title, *at) for title, s in self.sheets.items() for at, change in s.cells.items() if change.why != FOOTNOTE}
        waiting = dict(found)
        while waiting:
            reached = {
                cell: formula
                for cell, formula in waiting.items()
                if cell in gone or formula.unknown or formula.outside or formula.holds(self.secrets) or formula.reads(gone)
            }
            if not reached:
                break
            for cell, formula in reached.items():
                del waiting[cell]
                title, at = cell[0], cell[1:]
                changes = self.sheets.setdefault(title, SheetChanges())
                if at in changes.cells:
                    continue
                if at in changes.kept or not formula.reads(gone):
                    self._freeze(cell)
                else:
                    changes.cells[at] = CellChange(self.mark, f"is worked out from a number that is not shown ({formula.text})")
                    gone.add(cell)

    def _all_formulas(self) -> Iterator[tuple[Cell, Formula]]:
        for sheet in self.book.worksheets:
            for row in sheet.iter_rows():
                for cell in row:
                    formula = formula_of(cell.value, sheet.title, self.names)
                    if formula is not None:
                        yield (sheet.title, cell.row, cell.column), formula

    def _check_source(self, cell: Cell, formula: Formula, filled: dict[str, set[tuple[int, int]]]) -> None:
        """A number of the release that is worked out from cells that are no part of it: whoever has these has the number."""
        title, at = cell[0], cell[1:]
        changes = self.sheets.get(title, SheetChanges())
        hidden = at in changes.cells and changes.cells[at].why == WITHHELD
        if not hidden and at not in changes.kept:
            return
        place = CellPlace(self.path.name, *at, title).text
        if hidden and formula.unknown:
            self.problems.append(
                f"{place}: is not shown, and is worked out ({formula.text}) from cells that cannot be told; replace the formula"
                " by its result, and import and protect the file again"
            )
            return
        for other in formula.cells(filled):
            there = self.sheets.get(other[0], SheetChanges())
            unread = not there.kept and not any(change.why == WITHHELD for change in there.cells.values())
            if unread or (hidden and other[1:] in there.loose):
                where = CellPlace(self.path.name, *other[1:], other[0])
                self.problems.append(
                    f"{place}: is worked out ({formula.text}) from {where.cell} on sheet {other[0]}, which is no part of the"
                    " release and would give back what is not shown; take that out, and import and protect the file again"
                )
                return

    def _freeze(self, cell: Cell) -> None:
        """The result in place of the formula."""
        title, row, column = cell
        self.book[title].cell(row, column).value = self.values[title].cell(row, column).value
        self.said.append(
            f"Sheet {title}: formulas that read cells that are not shown, or cells that cannot be told, give way to their results."
        )

    def _results(self, sheet: Any) -> dict[str, str | None]:
        """What each formula of a sheet comes to, as XML has it."""
        found: dict[str, str | None] = {}
        for row in sheet.iter_rows():
            for cell in row:
                if cell.data_type == "f":
                    found[cell.coordinate] = _as_xml(self.values[sheet.title].cell(cell.row, cell.column).value)
        return found

    # cells

    def _hidden_lines(self) -> None:
        """Numbers in hidden rows and columns that are no part of the release: nobody would look for them there."""
        for title, changes in self.sheets.items():
            sheet = self.book[title]
            if not any(change.why == WITHHELD for change in changes.cells.values()):
                continue
            rows = {number for number, row in sheet.row_dimensions.items() if row.hidden}
            columns = {
                number
                for one in sheet.column_dimensions.values()
                if one.hidden
                for number in range(one.min or 0, (one.max or 0) + 1)
            }
            for at in sorted(changes.loose):
                if at[0] in rows or at[1] in columns:
                    changes.cells[at] = CellChange(self.mark, "stands in a hidden row or column")

    def _fill(self, sheet: Any, changes: SheetChanges) -> None:
        for (row, column), change in changes.cells.items():
            cell = sheet.cell(row, column)
            cell.value = change.text
            cell.data_type = "s"
            if change.why != FOOTNOTE:
                cell.number_format = "General"
                if cell.hyperlink is not None and self._dirty(f"{cell.hyperlink.tooltip or ''} {cell.hyperlink.target or ''}"):
                    cell.hyperlink = None
        last = max((cell.row for row in sheet.iter_rows() for cell in row if cell.value is not None), default=0)
        for number, note in enumerate(changes.notes, start=last + 1 + changes.apart):
            sheet.cell(number, 1).value = note
            sheet.cell(number, 1).data_type = "s"

    def _dirty(self, text: str) -> bool:
        return self.secrets.cleaned(text, "").text != text

    def _beside_cells(self, sheet: Any) -> None:
        """Everything on a sheet that is not in its cells."""
        if self._dirty(sheet.title):
            raise NotPublished(
                f"{self.path.name}, sheet {sheet.title}: is named after a number that is not shown; give it another name"
            )
        marked = {at for at, change in self.sheets.get(sheet.title, SheetChanges()).cells.items() if change.why != FOOTNOTE}
        for row in sheet.iter_rows():
            for cell in row:
                if cell.comment is not None:
                    self._comment(cell, (cell.row, cell.column) in marked)
        if sheet._pivots:
            sheet._pivots = []
            self.said.append(f"Sheet {sheet.title}: pivot tables remember their source, and are taken out; their cells stay.")
        rules = sheet.data_validations.dataValidation
        kept = [rule for rule in rules if not self._names(rule.formula1, rule.formula2, rule.prompt, rule.error)]
        if len(kept) < len(rules):
            sheet.data_validations.dataValidation = kept
            self.said.append(f"Sheet {sheet.title}: a list of allowed values {GONE}")
        self._conditions(sheet)
        for name in PAGE_LINES:
            for side in ("left", "center", "right"):
                line = getattr(getattr(sheet, name), side)
                if line.text:
                    line.text = self.secrets.cleaned(line.text, self.mark).text
        for filters in (sheet.auto_filter, *(table.autoFilter for table in sheet.tables.values())):
            if filters is not None and filters.filterColumn:
                filters.filterColumn = []
                self.said.append(f"Sheet {sheet.title}: filters, which list values of cells, are taken out.")
        if sheet.scenarios is not None and sheet.scenarios.scenario:
            sheet.scenarios.scenario = ()
            self.said.append(f"Sheet {sheet.title}: scenarios, which list values of cells, are taken out.")
        if sheet._images:
            self.look_at.append(f"{self.path.name}, sheet {sheet.title}: has a picture, which only a person can look at; it stays")

    def _names(self, *texts: str | None) -> bool:
        """Does one of some texts or formulas name a withheld number?"""
        return any(text and (constant_numbers(text, self.secrets) or self._dirty(text)) for text in texts)

    def _comment(self, cell: Any, marked: bool) -> None:
        text = cell.comment.text
        if marked and any(letter.isdigit() for letter in text):
            cell.comment = None
            self.said.append(f"Sheet {cell.parent.title}: the comment on {cell.coordinate}, which is not shown, is taken out.")
        elif self._dirty(text):
            cell.comment.text = self.secrets.cleaned(text, self.mark).text

    def _conditions(self, sheet: Any) -> None:
        """Rules that format cells by their value, without those that name a withheld one."""
        from openpyxl.formatting.formatting import ConditionalFormattingList

        made, dropped = ConditionalFormattingList(), False
        for area in sheet.conditional_formatting:
            for rule in area.rules:
                scales = [part for part in (rule.colorScale, rule.dataBar, rule.iconSet) if part is not None]
                limits = [str(limit.val) for part in scales for limit in part.cfvo if limit.val is not None]
                if self._names(rule.text, *(rule.formula or ()), *limits):
                    dropped = True
                else:
                    made.add(str(area.sqref), rule)
        if dropped:
            sheet.conditional_formatting = made
            self.said.append(f"Sheet {sheet.title}: a rule that formats cells by their value {GONE}")

    # the workbook

    def _about_the_book(self) -> None:
        for name in PROPERTIES:
            text = getattr(self.book.properties, name)
            if isinstance(text, str) and self._dirty(text):
                setattr(self.book.properties, name, self.secrets.cleaned(text, self.mark).text)
        for held in (self.book.defined_names, *(sheet.defined_names for sheet in self.book.worksheets)):
            for name in [name for name, said in held.items() if self._names(said.attr_text, said.comment)]:
                del held[name]
                self.said.append(f"The name {name} {GONE}")
        for name in [one.name for one in self.book.custom_doc_props.props if self._holds(one.value)]:
            del self.book.custom_doc_props[name]
            self.said.append(f"The property {name} {GONE}")

    def _holds(self, value: object) -> bool:
        return self.secrets.holds(str(value)) or self._dirty(str(value))


def _as_xml(value: Any) -> str | None:
    """The result of a formula: how its kind is called, a blank, and its value."""
    from openpyxl.utils import datetime as excel

    serial: Callable[[Any], float] = excel.to_excel

    write: list[tuple[Any, Callable[[], str]]] = [
        (bool, lambda: f"b {int(value)}"),
        (int | float, lambda: f" {value!r}"),
        (datetime | date | time | timedelta, lambda: f" {serial(value)!r}"),
        (str, lambda: f"{'e' if value.startswith('#') and value.endswith(('!', '?', '/A')) else 'str'} {escape(value)}"),
    ]
    return next((made() for kind, made in write if isinstance(value, kind)), None)
