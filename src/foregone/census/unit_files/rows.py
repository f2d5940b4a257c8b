"""What a row of a census file must look like, as SQL: the fast read and the search for bad rows use the same conditions."""

from __future__ import annotations

from collections.abc import Container, Mapping

from foregone.census.geography import FIELDS, STATES, number_sql
from foregone.model.shown import MOST

SYNTHETIC = "SYNTHETIC"
"""What a file made by this package has in SCHEMA_BUILD_ID."""

BAD = -1
"""The kind of a row that breaks the rules of its file."""

Problem = tuple[str, str]
"""A condition, and what to say about a row for which it is true; both SQL."""


class RowChecks:
    """SQL over the trimmed text fields of a row, named as in the layout; n_FIELD is a field as a number, NULL when it is none.

    A subclass says which columns its files have and what can be wrong with them. Rows have a `kind`: BAD, or a number from 0 on.
    """

    header: str  # a column of the file; the row that has its own name there is the header
    kept: tuple[int, ...] = (0,)  # the kinds of rows that are kept; there must be some of the first
    texts: Container[str] = ("SCHEMA_BUILD_ID",)  # columns that hold no numbers
    written: str  # what is kept of a staged row: a list of SQL expressions with names

    def __init__(self, columns: Mapping[str, int]) -> None:
        self.columns = columns  # where each one is

    def problems(self) -> list[Problem]:
        """Everything that can be wrong with a complete row."""
        raise NotImplementedError

    def code(self) -> str:
        """The attributes of a good row, packed."""
        raise NotImplementedError

    def place(self) -> str:
        """The block of a good row as a number."""
        return number_sql("n_")

    def kind(self) -> str:
        bad = " OR ".join(f"({condition})" for condition, _ in self.problems())
        return f"CASE WHEN {bad} THEN {BAD} ELSE 0 END"

    def fields(self, rows: str, extra: str = "") -> str:
        """The fields that are used, trimmed, beside their values as numbers."""
        text = ", ".join(f"coalesce(trim(c{i}), '') AS {name}" for name, i in self.columns.items())
        number = ", ".join(f"TRY_CAST({name} AS INTEGER) AS n_{name}" for name in self.columns if name not in self.texts)
        extra = f"{extra}, " if extra else ""
        return f"SELECT {extra}*, {number} FROM (SELECT {extra}{text} FROM ({rows}))"

    def staged(self, rows: str) -> str:
        """Of each row `kind`, `synthetic` and, where it is kept, `geo` and `code`."""
        synthetic = f"SCHEMA_BUILD_ID = '{SYNTHETIC}'" if "SCHEMA_BUILD_ID" in self.columns else "false"
        good = f"kind IN ({', '.join(map(str, self.kept))})"
        return (  # the kind is worked out once, in a query of its own
            f"SELECT kind, synthetic, CASE WHEN {good} THEN {self.place()} END AS geo,"
            f" CASE WHEN {good} THEN {self.code()} END AS code"
            f" FROM (SELECT *, CAST({self.kind()} AS TINYINT) AS kind, {synthetic} AS synthetic FROM ({self.fields(rows)}))"
        )

    def problem(self, width: int) -> str:
        """What is wrong with a row, in words, or NULL."""
        short = (f"fields <> {width}", f"fields || ' fields, but the header has {width} columns; add or remove some'")
        return f"CASE {' '.join(f'WHEN {condition} THEN {words}' for condition, words in (short, *self.problems()))} END"


def place_problems(columns: Container[str]) -> list[Problem]:
    """Of the fields that name the block."""
    known = ", ".join(str(int(code)) for code in STATES)
    further = {  # beyond the number of digits
        "TABBLKST": (f" OR n_TABBLKST NOT IN ({known})", "the two-digit code of a state"),
        "TABBLKCOU": (" OR n_TABBLKCOU = 0", "a code of 3 digits, not 0"),
        "TABTRACTCE": (" OR n_TABTRACTCE = 0", "a code of 6 digits, not 0"),
        "TABBLK": ("", "a block number of four digits"),
    }
    found = [
        (f"{not_digits(name)} OR n_{name} IS NULL OR n_{name} >= 1{'0' * FIELDS[name]}{more}", expected(name, words))
        for name, (more, words) in further.items()
    ]
    if "TABBLKGRPCE" in columns:
        words = f"'TABBLKGRPCE is ''' || left(TABBLKGRPCE, {MOST}) || ''', but block ' || TABBLK ||"
        words += " ' is in group ' || (n_TABBLK // 1000)"
        found.append(("n_TABBLKGRPCE IS NULL OR n_TABBLKGRPCE <> n_TABBLK // 1000", words))
    return found


def between(name: str, least: int, most: int, words: str) -> Problem:
    """The field is not a whole number from `least` to `most`."""
    return f"{not_digits(name)} OR n_{name} IS NULL OR n_{name} NOT BETWEEN {least} AND {most}", expected(name, words)


def not_digits(text: str) -> str:
    return f"NOT regexp_full_match({text}, '[0-9]+')"


def expected(name: str, what: str) -> str:
    return f"'{name} is ''' || left({name}, {MOST}) || ''', expected {what}'"
