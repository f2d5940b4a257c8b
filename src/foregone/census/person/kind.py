"""Persons as a kind of census record."""

from __future__ import annotations

from foregone.census.person.file import DEMONSTRATION, EXTRACT, OLDEST, PLAIN, PersonChecks, age_groups
from foregone.census.person.sentences import person
from foregone.census.person.tables import BOOK, OFFICIAL, SHAPE, cell_sql, person_domain
from foregone.census.person.tract_bounds import unique_in_tract
from foregone.census.person.whole_tract import settle_tract, tract_statistics
from foregone.census.records import FileFormat, Packing, RecordKind, TractTables
from foregone.model.domain import Domain
from foregone.model.predicate import Predicate

PACKING = Packing(6)


def _domain(_variant: str, _units: str) -> Domain:
    return person_domain()


def _rules(_variant: str, _units: str, _edit: bool) -> tuple[Predicate, ...]:
    return ()


def _packed(names: tuple[str, ...]) -> tuple[str, str]:
    """Positions of codes; ages are put into the groups that block tables tell apart."""
    domain = person_domain()
    value = {name: f"{name}::BIGINT" for name in names} | {"AGE": f"({list(age_groups())})[AGE + 1]::BIGINT"}
    code = " | ".join(f"({value[name]} << {PACKING.shift(i)})" for i, name in enumerate(names))
    most = {name: OLDEST if name == "AGE" else len(domain.column(name).codes) - 1 for name in names}
    return code, " AND ".join(f"{name} BETWEEN 0 AND {most[name]}" for name in names)


PERSONS = RecordKind(
    name="person",
    counted="persons",
    records={"persons": "person"},
    meant={"persons": "everybody in the file"},
    packing=PACKING,
    numbered=False,
    book=BOOK,
    domain=_domain,
    rules=_rules,
    sentence=person,
    file=FileFormat(
        layouts=(PLAIN, DEMONSTRATION, EXTRACT),
        checks=PersonChecks,
        mark="persons",
        packed=_packed,
        only={"persons": "true"},
        missing="a person file has block, sex, age, race and hispanic, or the columns of the public demonstration person file",
        none="person",
    ),
    edited=False,
    paper_variant=OFFICIAL,
    paper_columns=1,
    tract=TractTables(cell_sql(*person_domain().names), SHAPE, unique_in_tract, tract_statistics, settle_tract),
)
