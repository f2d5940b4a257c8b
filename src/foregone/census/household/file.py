"""The columns of a housing-unit file, in the spellings and codes that published files use.

What a row of a housing-unit file must look like, as SQL that both the fast read and the search for bad rows use."""

from __future__ import annotations

from collections.abc import Mapping

from foregone.census.geography import FIELDS, STATES, number_sql
from foregone.census.records import Packing
from foregone.census.unit_files.rows import SYNTHETIC, expected, not_digits, place_problems

PACKING = Packing(4)
"""No code of a housing-unit file needs more bits."""

UNIT_COLUMNS = (
    "SCHEMA_TYPE_CODE", "SCHEMA_BUILD_ID", "TABBLKST", "TABBLKCOU", "TABTRACTCE", "TABBLKGRPCE", "TABBLK",
    "RTYPE", "GQTYPE", "TEN", "VACS", "HHSIZE", "HHT", "HHT2", "CPLT", "UPART", "MULTG", "THHLDRAGE", "THHSPAN", "THHRACE",
    "PAOC", "TP18", "TP60", "TP65", "TP75", "PAC", "HHSEX",
)  # fmt: skip
"""The full layout, in its own order."""

WIDTHS = {**FIELDS, "GQTYPE": 3, "HHT2": 2, "THHRACE": 2}
"""Digits of codes that are written with leading zeros."""

SPELLINGS = {
    "TABTRACT": "TABTRACTCE",
    "TABBLKGRP": "TABBLKGRPCE",
    "HHLDRAGE": "THHLDRAGE",
    "HHSPAN": "THHSPAN",
    "HHRACE": "THHRACE",
    "P18": "TP18",
    "P65": "TP65",
}
"""Older names of the columns that are read."""

ATTRIBUTES = ("TEN", "VACS", "HHSIZE", "HHT", "HHT2", "THHSPAN", "THHLDRAGE", "THHRACE", "TP18", "TP65")
REQUIRED = (*FIELDS, "RTYPE", *ATTRIBUTES)
OPTIONAL = ("TABBLKGRPCE", "PAC", "SCHEMA_BUILD_ID")

HIGHEST = {
    "TEN": 4, "VACS": 7, "HHSIZE": 7, "HHT": 7, "HHT2": 12, "THHSPAN": 2, "THHLDRAGE": 9, "THHRACE": 7,
    "TP18": 1, "TP65": 1, "PAC": 4,
}  # fmt: skip
"""Codes run from 1 to this in an occupied unit (TP18 and TP65: from 0), and are 0 in a vacant one; VACS the other way round."""


YES_NO = ("TP18", "TP65")  # 0 means no as well as not in universe
LARGE = 99  # early files give the number of people in large households instead of "7 or more"


class Checks:
    """SQL expressions over the trimmed text fields of a row, named as in the layout."""

    OCCUPIED, VACANT, QUARTERS, BAD = 0, 1, 2, -1
    header = "RTYPE"
    kept = (OCCUPIED, VACANT)

    def __init__(self, columns: Mapping[str, int]) -> None:
        self.columns = columns
        self.has_pac = "PAC" in columns
        self.names = [*ATTRIBUTES, *(["PAC"] if self.has_pac else [])]

    def fields(self, rows: str, extra: str = "") -> str:
        """The fields that are used, trimmed, beside their value as a number (NULL when they have none)."""
        text = ", ".join(f"coalesce(trim(c{i}), '') AS {name}" for name, i in self.columns.items())
        number = ", ".join(f"TRY_CAST({name} AS INTEGER) AS n_{name}" for name in self.columns if name != "SCHEMA_BUILD_ID")
        extra = f"{extra}, " if extra else ""
        return f"SELECT {extra}*, {number} FROM (SELECT {extra}{text} FROM ({rows}))"

    def staged(self, rows: str) -> str:
        """Kind, place and packed attributes of each row; the kind is worked out once, in a query of its own."""
        code = " + ".join(f"({self.value(name)} << {PACKING.shift(i)})" for i, name in enumerate(self.names))
        synthetic = f"SCHEMA_BUILD_ID = '{SYNTHETIC}'" if "SCHEMA_BUILD_ID" in self.columns else "false"
        kind = f"CASE WHEN {self.bad()} THEN -1 WHEN n_RTYPE = 4 THEN 2 WHEN n_VACS > 0 THEN 1 ELSE 0 END"
        return (
            f"SELECT kind, synthetic, CASE WHEN kind IN (0, 1) THEN {number_sql('n_')} END AS geo,"
            f" CASE WHEN kind IN (0, 1) THEN {code} END AS code"
            f" FROM (SELECT *, CAST({kind} AS TINYINT) AS kind, {synthetic} AS synthetic FROM ({self.fields(rows)}))"
        )

    @property
    def written(self) -> str:
        return f"kind = {self.OCCUPIED} AS occupied, {PACKING.unpack_sql(self.names)}"

    def value(self, name: str) -> str:
        if name == "HHSIZE":
            return "least(n_HHSIZE, 7)::BIGINT"
        if name == "PAC":
            return "(CASE WHEN n_PAC = 9 THEN 0 ELSE n_PAC END)::BIGINT"
        return f"n_{name}::BIGINT"

    def problem(self, width: int) -> str:
        """What is wrong with a row, in words, or NULL."""
        short = ("fields <> " + str(width), f"fields || ' fields, but the header has {width} columns; add or remove some'")
        cases = " ".join(f"WHEN {condition} THEN {words}" for condition, words in (short, *self.problems()))
        return f"CASE {cases} END"

    def bad(self) -> str:
        """True for a row with a problem: the same conditions as `problems`, folded into few operations."""
        place, attributes = (not_digits(f"concat_ws('', {', '.join(names)})") for names in (FIELDS, self.names))
        known = ", ".join(str(int(code)) for code in STATES)
        group = " OR n_TABBLKGRPCE IS NULL OR n_TABBLKGRPCE <> n_TABBLK // 1000" if "TABBLKGRPCE" in self.columns else ""
        over = ", ".join(f"{self.value(name)} - {HIGHEST[name]}" for name in self.names if name != "HHSIZE")
        people = [name for name in self.names if name not in ("VACS", "PAC")]
        least = f"least({', '.join(f'n_{name}' for name in people if name not in YES_NO)})"
        most = f"greatest({', '.join(f'n_{name}' for name in people)})"
        return (
            f"n_RTYPE IS NULL OR n_RTYPE NOT IN (2, 4) OR {place} OR ({' + '.join(f'n_{name}' for name in FIELDS)}) IS NULL"
            f" OR n_TABBLKST NOT IN ({known}) OR n_TABBLKCOU NOT BETWEEN 1 AND 999 OR n_TABTRACTCE NOT BETWEEN 1 AND 999999"
            f" OR n_TABBLK > 9999{group} OR (n_RTYPE = 2 AND ({attributes}"
            f" OR ({' + '.join(f'n_{name}' for name in self.names)}) IS NULL OR n_HHSIZE > {LARGE}"
            f" OR greatest({over}) > 0 OR CASE WHEN n_VACS = 0 THEN {least} = 0 ELSE {most} > 0 END))"
        )

    def problems(self) -> list[tuple[str, str]]:
        """(condition, words) of everything that can be wrong with a complete row."""
        found = [("n_RTYPE IS NULL OR n_RTYPE NOT IN (2, 4)", expected("RTYPE", "2 (housing unit) or 4 (group quarters)"))]
        found += place_problems(self.columns)
        for name in self.names:
            most = LARGE if name == "HHSIZE" else HIGHEST[name]
            spare = " AND n_PAC <> 9" if name == "PAC" else ""
            wrong = f"n_RTYPE = 2 AND ({not_digits(name)} OR n_{name} IS NULL OR (n_{name} > {most}{spare}))"
            found.append((wrong, expected(name, f"0 to {HIGHEST[name]}")))
        for name in self.names:
            if name in ("VACS", "PAC"):
                continue
            if name not in YES_NO:
                words = f"'VACS is 0 (occupied) but {name} is 0 (not in universe); a unit is either occupied or vacant'"
                found.append((f"n_RTYPE = 2 AND n_VACS = 0 AND n_{name} = 0", words))
            words = f"'VACS is ' || n_VACS || ' (vacant) but {name} is ' || n_{name} || '; a vacant unit has 0 there'"
            found.append((f"n_RTYPE = 2 AND n_VACS > 0 AND n_{name} > 0", words))
        return found
