"""Persons as a kind of census record."""

from __future__ import annotations

from foregone.census.person.file import DEMONSTRATION, EXTRACT, PACKING, PLAIN, PersonChecks, packed
from foregone.census.person.sentences import person
from foregone.census.person.tables import BOOK, SHAPE, cell_sql, person_domain
from foregone.census.person.tract_bounds import unique_in_tract
from foregone.census.person.whole_tract import settle_tract, tract_statistics
from foregone.census.records import FileFormat, RecordKind, TractTables

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
        packed=packed,
        only={"persons": "true"},
        missing="a person file has block, sex, age, race and hispanic, or the columns of the public demonstration person file",
        none="person",
    ),
    edited=False,
    paper_variant="official",
    paper_columns=1,
    tract=TractTables(cell_sql(*person_domain().names), SHAPE, unique_in_tract, tract_statistics, settle_tract),
)
