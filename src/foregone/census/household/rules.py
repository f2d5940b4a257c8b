"""What an attacker knows about valid households before any table is published, as combinations no record has."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

from foregone.census.household.tables import household_domain
from foregone.model.predicate import Predicate

YES_NO = ("TP18", "TP65")  # 0 means no as well as not in universe


@cache
def edit_rules(units: str = "households") -> tuple[Predicate, ...]:
    """The definitions and enforced edit rules over the study's columns.

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
