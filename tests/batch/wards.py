"""Patients in the wards of towns: a subject that no package knows, as a run and its page see it. Workers import it from here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from foregone import Dataset, Domain
from foregone.batch.plan import RunPart, partition
from foregone.batch.source import NamedRelease, PartContent, RunSource
from foregone.batch.subject import Geography, Subject
from foregone.formats.frames import tabulate_dataset

TOWNS = Geography(
    noun="ward",
    ids="wards (W and 3 digits)",
    pattern="W[0-9]{3}",
    levels={"town": 2},
    named=("town",),
    describe_place=lambda ward: f"ward {ward[2:]}, town {ward[1]}",
    name_place=lambda code, _: {"W1": "Ardmore", "W2": "Brewood"}[code],
)
DOMAIN = Domain.of({"SEX": {"F": "female", "M": "male"}, "AGE": {"Y": "young", "O": "old"}}, record="patient")
RECORDS = {"W101": (("F", "Y"), ("F", "O"), ("M", "Y")), "W102": (("M", "O"), ("M", "Y")), "W201": (("F", "O"), ("M", "O"))}
SUBJECT = Subject(
    record="patient",
    domain=DOMAIN,
    sentence=lambda codes: f"A patient, {' and '.join(sorted(codes))} known.",
    geography=TOWNS,
    counted="patients",
    settings=("wards of two towns",),
    assumptions=(("Tables", "sex by age"),),
)


@dataclass(frozen=True, slots=True)
class Wards(PartContent):
    ids: tuple[str, ...]
    names: tuple[str, ...] = DOMAIN.names
    counted: str = SUBJECT.counted

    def single(self, index: int) -> Wards:
        return replace(self, ids=(self.ids[index],))

    def releases(self) -> Iterator[NamedRelease]:
        for ward in self.ids:
            truth = Dataset.of(DOMAIN, RECORDS[ward])
            places = [[column.index[code] for column, code in zip(DOMAIN.columns, record, strict=True)] for record in RECORDS[ward]]
            yield ward, tabulate_dataset(truth, ["SEX,AGE"]), np.array(places, dtype=np.int64)


@contextmanager
def open_wards(_: Path) -> Iterator[RunSource]:
    ids = sorted(RECORDS)
    towns = [TOWNS.region_of(ward) for ward in ids]
    groups = [(town, towns.index(town), towns.index(town) + towns.count(town)) for town in dict.fromkeys(towns)]

    def read(part: RunPart) -> Wards:
        return Wards(tuple(ids[part.first : part.last]))

    yield RunSource(TOWNS.noun, len(ids), tuple(partition(groups, np.ones(len(ids)))), read, DOMAIN.names)


def find_wards(about: Mapping[str, Any], columns: frozenset[str]) -> Subject:
    assert about["noun"] == TOWNS.noun
    assert SUBJECT.counted in columns
    return SUBJECT
