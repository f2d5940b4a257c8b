"""Housing-unit files: their columns, in the spellings and codes that published files use, and what a row must look like."""

from __future__ import annotations

from collections.abc import Mapping

from foregone.census.geography import FIELDS, STATES
from foregone.census.records import FileLayout, Packing
from foregone.census.tables import TableBook
from foregone.census.unit_files.rows import BAD, Problem, RowChecks, expected, not_digits, place_problems

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

BOOK = TableBook("foregone.census.household")
ATTRIBUTES = tuple(BOOK.columns["columns"])
HIGHEST = {name: max(map(int, codes)) for name, codes in (BOOK.columns["columns"] | BOOK.columns["optional"]).items()}
"""Codes run from 1 to this in an occupied unit (TP18 and TP65: from 0), and are 0 in a vacant one; VACS the other way round."""

YES_NO = ("TP18", "TP65")  # 0 means no as well as not in universe
LARGE = 99  # early files give the number of people in large households instead of "7 or more"

LAYOUT = FileLayout(
    required=(*FIELDS, "RTYPE", *ATTRIBUTES),
    optional=("TABBLKGRPCE", "PAC", "SCHEMA_BUILD_ID"),
    spellings={  # older names
        "TABTRACT": "TABTRACTCE", "TABBLKGRP": "TABBLKGRPCE", "HHLDRAGE": "THHLDRAGE", "HHSPAN": "THHSPAN", "HHRACE": "THHRACE",
        "P18": "TP18", "P65": "TP65",
    },
)  # fmt: skip


class UnitChecks(RowChecks):
    """Rows of a housing-unit file."""

    OCCUPIED, VACANT, QUARTERS = 0, 1, 2
    header = "RTYPE"
    kept = (OCCUPIED, VACANT)

    def __init__(self, columns: Mapping[str, int]) -> None:
        super().__init__(columns)
        self.names = [*ATTRIBUTES, *(["PAC"] if "PAC" in columns else [])]
        self.written = f"kind = {self.OCCUPIED} AS occupied, {PACKING.unpack_sql(self.names)}"

    def code(self) -> str:
        return " + ".join(f"({self._value(name)} << {PACKING.shift(i)})" for i, name in enumerate(self.names))

    def kind(self) -> str:
        other = f"WHEN n_RTYPE = 4 THEN {self.QUARTERS} WHEN n_VACS > 0 THEN {self.VACANT} ELSE {self.OCCUPIED}"
        return f"CASE WHEN {self._bad()} THEN {BAD} {other} END"

    def _value(self, name: str) -> str:
        if name == "HHSIZE":
            return "least(n_HHSIZE, 7)::BIGINT"
        if name == "PAC":
            return "(CASE WHEN n_PAC = 9 THEN 0 ELSE n_PAC END)::BIGINT"
        return f"n_{name}::BIGINT"

    def _bad(self) -> str:
        """True for a row with a problem: the same conditions as `problems`, folded into few operations, which is much faster."""
        place, attributes = (not_digits(f"concat_ws('', {', '.join(names)})") for names in (FIELDS, self.names))
        known = ", ".join(str(int(code)) for code in STATES)
        group = " OR n_TABBLKGRPCE IS NULL OR n_TABBLKGRPCE <> n_TABBLK // 1000" if "TABBLKGRPCE" in self.columns else ""
        over = ", ".join(f"{self._value(name)} - {HIGHEST[name]}" for name in self.names if name != "HHSIZE")
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

    def problems(self) -> list[Problem]:
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


def packed(names: tuple[str, ...]) -> tuple[str, str]:
    """From columns of an ingested file: SQL of the packed record, and whether it is one."""
    code = " | ".join(f"({name}::BIGINT << {PACKING.shift(i)})" for i, name in enumerate(names))
    return code, " AND ".join(f"{name} BETWEEN 0 AND {HIGHEST[name]}" for name in names)
