"""Households and housing units as a kind of census record: their files, columns, tables and rules."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import numpy as np

from foregone.batch.plan import Ints
from foregone.census.geography import FIELDS, STATES
from foregone.census.household.sentences import BOOK, household
from foregone.census.records import UNTIED, Bools, FileFormat, FileLayout, Packing, RecordKind
from foregone.census.unit_files.rows import BAD, Problem, RowChecks, expected, not_digits, place_problems
from foregone.model.dataset import Dataset
from foregone.model.domain import Domain
from foregone.model.errors import InputError
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.workload import Workload

OFFICIAL, PAPER = "official", "621"  # variants of the tables
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


@cache
def household_domain(variant: str = OFFICIAL, units: str = "households") -> Domain:
    """The ten columns of the household study; 9,483,264 different records.

    Unless `units` are the households, vacant units are records too, and every column gets the code 0 that a vacant unit has in it.
    """
    content = BOOK.columns
    columns, labels = dict(content["columns"]), dict(content["labels"])
    for name in BOOK.variant(variant).get("columns", ()):
        columns[name] = content["optional"][name]
        labels[name] = content["optional_labels"][name]
    if units != "households":
        columns = {name: codes if "0" in codes else {"0": content["vacant"], **codes} for name, codes in columns.items()}
    return Domain.of(columns, labels, content["record"] if units == "households" else "housing unit")


@cache
def household_workload(variant: str = OFFICIAL) -> Workload:
    """What is published of a block: 636 numbers officially."""
    return Workload(household_domain(variant), BOOK.queries(variant))


def household_release(block: Dataset) -> Release:
    """Publish all block-level household tables of a block."""
    asked = household_workload()
    return asked.release([block.count(query.predicate) for query in asked.queries])


@cache
def edit_rules(units: str = "households") -> tuple[Predicate, ...]:
    """What is known about valid households before any table is published, as combinations of values that no record has.

    With vacant units among the records a condition on a household must not touch them, so each rule is limited
    to occupied units and the one against vacancy is left out.
    """
    content = json.loads(files("foregone.census.household").joinpath("rules.json").read_text("utf-8"))
    wheres = [entry["where"] for entry in content["households"]]
    if units == "all":
        wheres = [{**where, "VACS": ["0"]} for where in wheres if "VACS" not in where]
    return tuple(Predicate.of(where) for where in wheres)


@cache
def row_class_rules(variant: str) -> tuple[Predicate, ...]:
    """With vacant units among the records: 0 is the code of vacant units, and they have no other."""
    domain = household_domain(variant, "all")
    vacant = [code for code in domain.column("VACS").codes if code != "0"]
    rules = []
    for column in domain.columns:
        if column.name == "VACS":
            continue
        if column.name not in YES_NO:
            rules.append(Predicate.of({"VACS": "0", column.name: "0"}))
        rules.append(Predicate.of({"VACS": vacant, column.name: [code for code in column.codes if code != "0"]}))
    return tuple(rules)


def _rules(variant: str, units: str, edit: bool) -> tuple[Predicate, ...]:
    if units == UNTIED:
        if edit:
            raise InputError("of untied units only the tables are known, so not the edit rules; take households, or all units")
        return ()
    return (*(row_class_rules(variant) if units == "all" else ()), *(edit_rules(units) if edit else ()))


def occupied(domain: Domain, codes: Ints) -> Bools:
    """Which packed records are households."""
    return np.asarray(PACKING.unpack(codes, len(domain.columns))[:, domain.index["VACS"]] == 0)


def _sentence(told: Mapping[str, str | frozenset[str]]) -> str:
    """A household or a vacant unit in words. A vacant unit has 0 in every column that says something about people."""
    codes = {name: frozenset([value]) if isinstance(value, str) else value for name, value in told.items()}
    if "0" not in codes.get("VACS", "0") or any(known == {"0"} for name, known in codes.items() if name not in (*YES_NO, "VACS")):
        return "A vacant housing unit."
    # a group with 0 in it holds for vacant units too, so that it says nothing that the words for households could say
    return household({name: known for name, known in codes.items() if name in (*YES_NO, "VACS") or "0" not in known})


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
        return PACKING.pack_sql(map(self._value, self.names))

    def kind(self) -> str:
        other = f"WHEN n_RTYPE = 4 THEN {self.QUARTERS} WHEN n_VACS > 0 THEN {self.VACANT} ELSE {self.OCCUPIED}"
        return f"CASE WHEN {self._bad()} THEN {BAD} {other} END"

    def _value(self, name: str) -> str:
        if name == "HHSIZE":
            return "least(n_HHSIZE, 7)"
        if name == "PAC":
            return "(CASE WHEN n_PAC = 9 THEN 0 ELSE n_PAC END)"
        return f"n_{name}"

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


HOUSEHOLDS = RecordKind(
    name="household",
    counted="households",
    records={"households": "household", "all": "housing unit", UNTIED: "housing unit"},
    meant={
        "households": "occupied units only",
        "all": "all housing units, vacant ones included",
        UNTIED: "all housing units, of which nothing is known but the tables: any code may stand beside any other, and no table"
        " says which units are occupied",
    },
    packing=PACKING,
    numbered=True,
    book=BOOK,
    domain=household_domain,
    rules=_rules,
    sentence=_sentence,
    file=FileFormat(
        layouts=(LAYOUT,),
        checks=UnitChecks,
        mark="units",
        greatest=HIGHEST,
        regrouped={},
        only={"households": "occupied", "all": "true", UNTIED: "true"},
        missing="the study needs a unit file with household characteristics, not a person file or a redistricting file",
        none="occupied housing unit",
    ),
    edited=True,
    paper_variant=PAPER,
    paper_columns=6,
    universe=("VACS",),
    paper_readings=(PAPER, "renter-3"),
    occupied=occupied,
)
