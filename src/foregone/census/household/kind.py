"""Households and housing units as a kind of census record."""

from __future__ import annotations

from collections.abc import Mapping

from foregone.census.household.checks import Checks
from foregone.census.household.layout import HIGHEST, OPTIONAL, PACKING, REQUIRED, SPELLINGS
from foregone.census.household.rules import YES_NO, edit_rules, row_class_rules
from foregone.census.household.sentences import household
from foregone.census.household.tables import BOOK, PAPER, household_domain
from foregone.census.kind import FileFormat, FileLayout, Kind
from foregone.model.predicate import Predicate


def _rules(variant: str, units: str, edit: bool) -> tuple[Predicate, ...]:
    rules = row_class_rules(variant) if units == "all" else ()
    return (*rules, *(edit_rules(units) if edit else ()))


def _sentence(told: Mapping[str, str | frozenset[str]]) -> str:
    """A vacant unit has 0 in every column that says something about people."""
    codes = {name: frozenset([value]) if isinstance(value, str) else value for name, value in told.items()}
    if "0" not in codes.get("VACS", "0") or any(known == {"0"} for name, known in codes.items() if name not in (*YES_NO, "VACS")):
        return "A vacant housing unit."
    # a group with 0 in it holds for vacant units too, so that it says nothing that the words for households could say
    return household({name: known for name, known in codes.items() if name in (*YES_NO, "VACS") or "0" not in known})


def _packed(names: tuple[str, ...]) -> tuple[str, str]:
    code = " | ".join(f"({name}::BIGINT << {PACKING.shift(i)})" for i, name in enumerate(names))
    return code, " AND ".join(f"{name} BETWEEN 0 AND {HIGHEST[name]}" for name in names)


HOUSEHOLDS = Kind(
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
        layouts=(FileLayout(REQUIRED, OPTIONAL, SPELLINGS),),
        checks=Checks,
        mark="units",
        packed=_packed,
        only={"households": "occupied", "all": "true"},
        missing="the study needs a unit file with household characteristics, not a person file or a redistricting file",
        none="occupied housing unit",
    ),
    edited=True,
    paper_variant=PAPER,
    paper_columns=6,
)
