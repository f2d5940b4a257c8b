"""What a row of a person file must look like, in each of the layouts that such files come in, as SQL."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from foregone.census.geography import DIGITS, FIELDS, STATES, number_sql
from foregone.census.person.tables import BOOK, person_domain
from foregone.census.records import FileLayout, Packing
from foregone.census.unit_files.rows import SYNTHETIC, Problem, expected, not_digits, place_problems

OLDEST = 130  # years; whoever is older was mistyped
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


NUMBERS = (*FIELDS, "TABBLKGRPCE", "RTYPE", "QSEX", "QAGE", "AGE", "CENRACE", "CENHISP")


class PersonChecks:
    """SQL expressions over the trimmed text fields of a row, for the layout whose columns there are."""

    PERSON, BAD = 0, -1
    kept = (PERSON,)

    def __init__(self, columns: Mapping[str, int]) -> None:
        self.columns = columns
        self.demonstration = "QAGE" in columns
        self.header = "QAGE" if self.demonstration else "BLOCK"

    def fields(self, rows: str, extra: str = "") -> str:
        """The fields that are used, trimmed, beside their value as a number (NULL when they have none)."""
        text = ", ".join(f"coalesce(trim(c{i}), '') AS {name}" for name, i in self.columns.items())
        number = ", ".join(f"TRY_CAST({name} AS INTEGER) AS n_{name}" for name in self.columns if name in NUMBERS)
        extra = f"{extra}, " if extra else ""
        return f"SELECT {extra}*, {number} FROM (SELECT {extra}{text} FROM ({rows}))"

    def staged(self, rows: str) -> str:
        """Kind, place and packed attributes of each row."""
        bad = " OR ".join(f"({condition})" for condition, _ in self.problems())
        place = number_sql("n_") if self.demonstration else "CAST(BLOCK AS BIGINT)"
        code = " + ".join(f"(({value})::BIGINT << {STORED.shift(i)})" for i, value in enumerate(self.values()))
        synthetic = f"SCHEMA_BUILD_ID = '{SYNTHETIC}'" if "SCHEMA_BUILD_ID" in self.columns else "false"
        return (
            f"SELECT kind, synthetic, CASE WHEN kind = 0 THEN {place} END AS geo, CASE WHEN kind = 0 THEN {code} END AS code"
            f" FROM (SELECT *, CAST(CASE WHEN {bad} THEN -1 ELSE 0 END AS TINYINT) AS kind, {synthetic} AS synthetic"
            f" FROM ({self.fields(rows)}))"
        )

    @property
    def written(self) -> str:
        return STORED.unpack_sql(person_domain().names)

    def values(self) -> tuple[str, str, str, str]:
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

    def problem(self, width: int) -> str:
        """What is wrong with a row, in words, or NULL."""
        short = ("fields <> " + str(width), f"fields || ' fields, but the header has {width} columns; add or remove some'")
        cases = " ".join(f"WHEN {condition} THEN {words}" for condition, words in (short, *self.problems()))
        return f"CASE {cases} END"

    def problems(self) -> list[Problem]:
        if self.demonstration:
            units = [("n_RTYPE IS NULL OR n_RTYPE IN (2, 4)", expected("RTYPE", "a person (3 or 5), not a unit"))]
            return [
                *place_problems(self.columns),
                *(units if "RTYPE" in self.columns else []),
                _between("QSEX", 1, 2, "1 (male) or 2 (female)"),
                _between("QAGE", 0, OLDEST, f"whole years, 0 to {OLDEST}"),
                _between("CENRACE", 1, len(person_domain().column("RACE").codes), "01 to 63"),
                _between("CENHISP", 1, 2, "1 (not Hispanic) or 2 (Hispanic)"),
            ]
        states = ", ".join(f"'{code}'" for code in STATES)
        digits = DIGITS["block"]
        block = f"NOT regexp_full_match(BLOCK, '[0-9]{{{digits}}}') OR BLOCK[1:{DIGITS['state']}] NOT IN ({states})"
        found = [
            (block, expected("BLOCK", f"{digits} digits that begin with a state")),
            ("upper(SEX) NOT IN ('M', 'F')", expected("SEX", "M or F")),
            _between("AGE", 0, OLDEST, f"whole years, 0 to {OLDEST}"),
        ]
        if "FLAGS" in self.columns:
            words = "seven letters Y or N: White, Black, AIAN, Asian, NHPI, other race (one Y at least), Hispanic"
            flags = "NOT regexp_full_match(upper(FLAGS), '[YN]{7}') OR NOT contains(upper(FLAGS[1:6]), 'Y')"
            return [*found, (flags, expected("FLAGS", words))]
        words = "six letters Y or N: White, Black, AIAN, Asian, NHPI, other race (one Y at least)"
        return [
            *found,
            ("NOT regexp_full_match(upper(RACE), '[YN]{6}') OR NOT contains(upper(RACE), 'Y')", expected("RACE", words)),
            ("upper(HISPANIC) NOT IN ('Y', 'N')", expected("HISPANIC", "Y or N")),
        ]


def _between(name: str, least: int, most: int, words: str) -> Problem:
    return f"{not_digits(name)} OR n_{name} IS NULL OR n_{name} NOT BETWEEN {least} AND {most}", expected(name, words)


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
