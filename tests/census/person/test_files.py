"""Person files in every layout give the same records; every kind of bad row is named by its line."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as parquet
import pytest

from foregone.census.kinds import publisher
from foregone.census.person.kind import PERSONS
from foregone.census.person.tables import BOOK, SHAPE, person_domain
from foregone.census.synthetic.country import write_country
from foregone.census.unit_files.ingest import ingest
from foregone.census.unit_files.units import open_units
from foregone.model.errors import InputError

PLAIN = """block,sex,age,race,hispanic
010010001001000,M,4,NYNNNN,N
010010001001000,F,23,YNNYNN,Y
010010001001001,F,104,NNNNNY,N
"""
EXTRACT = """block,sex,age,agebin,flags
010010001001000,M,4,4,NYNNNNN
010010001001000,F,23,22 - 24,YNNYNNY
010010001001001,F,104,85+,NNNNNYN
"""
DEMONSTRATION = """TABBLKST|TABBLKCOU|TABTRACT|TABBLKGRP|TABBLK|EPNUM|RTYPE|QSEX|QAGE|CENHISP|CENRACE
01|001|000100|1|1000|1|3|1|4|1|02
01|001|000100|1|1000|1|3|2|23|2|09
01|001|000100|1|1001|2|5|2|104|1|06
"""
KINDS = [("M", "4", "Black", "N"), ("F", "22-24", "White+Asian", "Y")]


@pytest.mark.parametrize("text", [PLAIN, EXTRACT, DEMONSTRATION], ids=["plain", "extract", "demonstration"])
def test_layouts_give_the_same_persons(text: str, tmp_path: Path) -> None:
    (tmp_path / "persons.csv").write_text(text)
    found = ingest(tmp_path / "persons.csv", tmp_path / "persons.parquet", kind=PERSONS)
    assert (found.records, found.bad, found.synthetic) == (3, 0, False)
    assert parquet.read_table(tmp_path / "persons.parquet")["AGE"].to_pylist() == [4, 23, 104]
    with open_units(tmp_path / "persons.parquet", "official", "", PERSONS) as units:
        records = units.records(units.sizes()[0])
        tract = units.tract_counts(["01001000100"], SHAPE)["01001000100"]
    tables = publisher("person", "official", "persons")
    assert sorted(tables.dataset(records["010010001001000"]).records) == sorted(KINDS)
    assert tables.dataset(records["010010001001001"]).records == (("F", "85+", "Other", "N"),)
    assert (tract.sum(), tract[0, 4, 1, 0], tract[1, 23, 6, 1], tract[1, 100, 5, 0]) == (3, 1, 1, 1)


BAD = {
    "sex": (PLAIN.replace(",M,4", ",X,4"), "row 2: SEX is 'X', expected M or F"),
    "age": (PLAIN.replace("F,23", "F,2.5"), "row 3: AGE is '2.5', expected whole years, 0 to 130"),
    "old": (PLAIN.replace("F,104", "F,204"), "row 4: AGE is '204', expected whole years, 0 to 130"),
    "race": (PLAIN.replace("NYNNNN", "NNNNNN"), "row 2: RACE is 'NNNNNN', expected six letters Y or N"),
    "short race": (PLAIN.replace("NYNNNN", "NY"), "row 2: RACE is 'NY', expected six letters Y or N"),
    "origin": (PLAIN.replace("NYNNNN,N", "NYNNNN,?"), "row 2: HISPANIC is '?', expected Y or N"),
    "block": (PLAIN.replace("010010001001001", "10010001001001"), "row 4: BLOCK is '10010001001001', expected 15 digits"),
    "state": (PLAIN.replace("010010001001001", "990010001001001"), "row 4: BLOCK is '990010001001001', expected 15 digits"),
    "fields": (PLAIN.replace("NNNNNY,N", "NNNNNY"), "row 4: 4 fields, but the header has 5 columns"),
    "flags": (EXTRACT.replace("NYNNNNN", "NYNNNN"), "row 2: FLAGS is 'NYNNNN', expected seven letters Y or N"),
    "code of race": (DEMONSTRATION.replace("|2|09", "|2|64"), "row 3: CENRACE is '64', expected 01 to 63"),
    "unit": (DEMONSTRATION.replace("|1|3|1|4", "|1|2|1|4"), "row 2: RTYPE is '2', expected a person"),
}


@pytest.mark.parametrize("what", BAD)
def test_bad_rows_are_named(what: str, tmp_path: Path) -> None:
    text, words = BAD[what]
    (tmp_path / "persons.csv").write_text(text)
    with pytest.raises(InputError) as caught:
        ingest(tmp_path / "persons.csv", tmp_path / "persons.parquet", kind=PERSONS)
    assert words in caught.value.problems[0]
    assert not (tmp_path / "persons.parquet").exists()
    assert ingest(tmp_path / "persons.csv", tmp_path / "persons.parquet", True, PERSONS).records == 2


def test_files_of_another_kind_are_refused(tmp_path: Path) -> None:
    (tmp_path / "persons.csv").write_text(PLAIN)
    ingest(tmp_path / "persons.csv", tmp_path / "persons.parquet", kind=PERSONS)
    with pytest.raises(InputError, match="holds persons, not households; give another file, or `subject` person"), open_units(
        tmp_path / "persons.parquet", "official"
    ):
        pass
    (tmp_path / "other.csv").write_text("block,sex,age\n")
    with pytest.raises(InputError, match="RACE, HISPANIC are not among the columns"):
        ingest(tmp_path / "other.csv", tmp_path / "other.parquet", kind=PERSONS)


def test_a_synthetic_country_of_persons(tmp_path: Path) -> None:
    made = write_country(tmp_path / "persons.csv", 2, 2, 10, seed=5, subject="person")
    again = write_country(tmp_path / "again.csv", 2, 2, 10, seed=5, subject="person")
    assert made == again
    assert (tmp_path / "persons.csv").read_bytes() == (tmp_path / "again.csv").read_bytes()
    found = ingest(tmp_path / "persons.csv", tmp_path / "persons.parquet", kind=PERSONS)
    assert found.synthetic
    assert (found.records, found.bad) == (made.persons, 0)
    assert 2.0 < made.persons / made.households < 3.2
    ages = parquet.read_table(tmp_path / "persons.parquet")["AGE"].to_pylist()
    assert 0.12 < sum(age < 18 for age in ages) / len(ages) < 0.4
    assert len(BOOK.queries("official")) == 775
    assert person_domain().record == "person"
