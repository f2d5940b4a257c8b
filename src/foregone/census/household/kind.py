"""Households and housing units as a kind of census record: their columns, tables and rules."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from foregone.census.household.file import BOOK, LAYOUT, PACKING, YES_NO, UnitChecks, packed
from foregone.census.household.sentences import household
from foregone.census.records import FileFormat, RecordKind
from foregone.model.dataset import Dataset
from foregone.model.domain import Domain
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.workload import Workload

OFFICIAL, PAPER = "official", "621"  # variants of the tables


@cache
def household_domain(variant: str = OFFICIAL, units: str = "households") -> Domain:
    """The ten columns of the household study; 9,483,264 different records.

    With `units="all"` vacant units are records too, and every column gets the code 0 that a vacant unit has in it.
    """
    content = BOOK.columns
    columns, labels = dict(content["columns"]), dict(content["labels"])
    for name in BOOK.variant(variant).get("columns", ()):
        columns[name] = content["optional"][name]
        labels[name] = content["optional_labels"][name]
    if units == "all":
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
    return (*(row_class_rules(variant) if units == "all" else ()), *(edit_rules(units) if edit else ()))


def _sentence(told: Mapping[str, str | frozenset[str]]) -> str:
    """A household or a vacant unit in words. A vacant unit has 0 in every column that says something about people."""
    codes = {name: frozenset([value]) if isinstance(value, str) else value for name, value in told.items()}
    if "0" not in codes.get("VACS", "0") or any(known == {"0"} for name, known in codes.items() if name not in (*YES_NO, "VACS")):
        return "A vacant housing unit."
    # a group with 0 in it holds for vacant units too, so that it says nothing that the words for households could say
    return household({name: known for name, known in codes.items() if name in (*YES_NO, "VACS") or "0" not in known})


HOUSEHOLDS = RecordKind(
    name="household",
    counted="households",
    records={"households": "household", "all": "housing unit"},
    meant={"households": "occupied units only", "all": "all housing units, vacant ones included"},
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
        packed=packed,
        only={"households": "occupied", "all": "true"},
        missing="the study needs a unit file with household characteristics, not a person file or a redistricting file",
        none="occupied housing unit",
    ),
    edited=True,
    paper_variant=PAPER,
    paper_columns=6,
)
