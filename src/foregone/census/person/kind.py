"""Persons as a kind of census record, with the layouts that their files come in and what a row must look like."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from foregone.census.geography import DIGITS, FIELDS, STATES
from foregone.census.person.sentences import person
from foregone.census.person.tables import BOOK, SHAPE, cell_sql, person_domain
from foregone.census.person.tract_bounds import unique_in_tract
from foregone.census.person.whole_tract import settle_tract, tract_statistics
from foregone.census.records import FileFormat, FileLayout, Packing, RecordKind, TractTables
from foregone.census.unit_files.rows import Problem, RowChecks, between, expected, place_problems

OLDEST = 130  # years; whoever is older was mistyped
PACKING = Packing(6)
STORED = Packing(8)
"""Of the columns of an ingested file: age in years, the others as positions of codes in the domain."""

DEMONSTRATION = FileLayout(
    required=(*FIELDS, "QSEX", "QAGE", "CENRACE", "CENHISP"),
    optional=("TABBLKGRPCE", "RTYPE", "SCHEMA_BUILD_ID"),
    spellings={"TABTRACT": "TABTRACTCE", "TABBLKGRP": "TABBLKGRPCE"},
)
PLAIN = FileLayout(required=("BLOCK", "SEX", "AGE", "RACE", "HISPANIC"))
EXTRACT = FileLayout(required=("BLOCK", "SEX", "AGE", "FLAGS"))
"""Of the Census Bureau's extract of blocks with one solution: seven letters Y/N, the six races and Hispanic."""


class PersonChecks(RowChecks):
    """Rows of a person file, in the layout whose columns there are."""

    texts = ("SCHEMA_BUILD_ID", "BLOCK", "SEX", "RACE", "HISPANIC", "FLAGS")

    def __init__(self, columns: Mapping[str, int]) -> None:
        super().__init__(columns)
        self.demonstration = "QAGE" in columns
        self.header = "QAGE" if self.demonstration else "BLOCK"
        self.written = STORED.unpack_sql(person_domain().names)

    def place(self) -> str:
        return super().place() if self.demonstration else "CAST(BLOCK AS BIGINT)"

    def code(self) -> str:
        return STORED.pack_sql(self._values())

    def _values(self) -> tuple[str, str, str, str]:
        """Sex, age, race and origin of a good row, as they are stored."""
        if self.demonstration:
            return "n_QSEX - 1", "n_QAGE", "n_CENRACE - 1", "n_CENHISP - 1"
        flags, hispanic = ("FLAGS", "FLAGS[7]") if "FLAGS" in self.columns else ("RACE", "HISPANIC")
        places = {_letters(code): i for i, code in enumerate(person_domain().column("RACE").codes)}
        known = ", ".join(f"'{letters}': {i}" for letters, i in places.items())
        return (
            "CASE WHEN upper(SEX) = 'F' THEN 1 ELSE 0 END",
            "n_AGE",
            f"map_extract(MAP {{{known}}}, upper({flags}[1:6]))[1]",
            f"CASE WHEN upper({hispanic}) = 'Y' THEN 1 ELSE 0 END",
        )

    def problems(self) -> list[Problem]:
        if self.demonstration:
            units = [("n_RTYPE IS NULL OR n_RTYPE IN (2, 4)", expected("RTYPE", "a person (3 or 5), not a unit"))]
            return [
                *place_problems(self.columns),
                *(units if "RTYPE" in self.columns else []),
                between("QSEX", 1, 2, "1 (male) or 2 (female)"),
                between("QAGE", 0, OLDEST, f"whole years, 0 to {OLDEST}"),
                between("CENRACE", 1, len(person_domain().column("RACE").codes), "01 to 63"),
                between("CENHISP", 1, 2, "1 (not Hispanic) or 2 (Hispanic)"),
            ]
        states = ", ".join(f"'{code}'" for code in STATES)
        digits = DIGITS["block"]
        block = f"NOT regexp_full_match(BLOCK, '[0-9]{{{digits}}}') OR BLOCK[1:{DIGITS['state']}] NOT IN ({states})"
        found = [
            (block, expected("BLOCK", f"{digits} digits that begin with a state")),
            ("upper(SEX) NOT IN ('M', 'F')", expected("SEX", "M or F")),
            between("AGE", 0, OLDEST, f"whole years, 0 to {OLDEST}"),
        ]
        races = "letters Y or N: White, Black, AIAN, Asian, NHPI, other race (one Y at least)"
        if "FLAGS" in self.columns:
            flags = "NOT regexp_full_match(upper(FLAGS), '[YN]{7}') OR NOT contains(upper(FLAGS[1:6]), 'Y')"
            return [*found, (flags, expected("FLAGS", f"seven {races}, Hispanic"))]
        return [
            *found,
            ("NOT regexp_full_match(upper(RACE), '[YN]{6}') OR NOT contains(upper(RACE), 'Y')", expected("RACE", f"six {races}")),
            ("upper(HISPANIC) NOT IN ('Y', 'N')", expected("HISPANIC", "Y or N")),
        ]


def _letters(race: str) -> str:
    """A combination of races as a file has it: a letter for each of the six.

    >>> _letters("White+Asian")
    'YNNYNN'
    """
    six = [code for code in person_domain().column("RACE").codes if "+" not in code]
    return "".join("Y" if code in race.split("+") else "N" for code in six)


@cache
def age_groups() -> tuple[int, ...]:
    """For each age in years which group of the domain it is in."""
    spans = BOOK.columns["years"]
    return tuple(next(i for i, (a, z) in enumerate(spans) if a <= year and (z is None or year <= z)) for year in range(OLDEST + 1))


PERSONS = RecordKind(
    name="person",
    counted="persons",
    records={"persons": "person"},
    meant={"persons": "everybody in the file"},
    packing=PACKING,
    numbered=False,
    book=BOOK,
    domain=lambda _variant, _units: person_domain(),
    rules=lambda _variant, _units, _edit: (),
    sentence=person,
    file=FileFormat(
        layouts=(PLAIN, DEMONSTRATION, EXTRACT),
        checks=PersonChecks,
        mark="persons",
        greatest={column.name: len(column.codes) - 1 for column in person_domain().columns} | {"AGE": OLDEST},
        regrouped={"AGE": f"({list(age_groups())})[AGE + 1]"},  # into the groups that block tables tell apart
        only={"persons": "true"},
        missing="a person file has block, sex, age, race and hispanic, or the columns of the public demonstration person file",
        none="person",
    ),
    edited=False,
    paper_variant="official",
    paper_columns=1,
    tract=TractTables(cell_sql(*person_domain().names), SHAPE, unique_in_tract, tract_statistics, settle_tract),
)
