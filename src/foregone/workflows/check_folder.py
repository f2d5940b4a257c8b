"""A folder of proofs against a folder of releases: what each file shows about the whole dataset, and a table that says so."""

from __future__ import annotations

import csv
import re
from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

from foregone.checker import Refused, check, read_json, read_release
from foregone.checker.verdicts.determined import ONE, SEVERAL, datasets_left, parts_left, records_in_all
from foregone.checker.verdicts.determined import PartLeft as Part
from foregone.checker.verdicts.distance import Apart, check_distance
from foregone.model.errors import InputError
from foregone.model.sentences import plural
from foregone.model.shown import shown as shown_text
from foregone.workflows.check import ProofKind, kind_of

RECORDS = ("persons", "households")  # a table has one of these columns: how many records there are
WHOLE, BY_PART = ("unique", "variability", "low", "high"), ("unique", "certain")  # its other columns, besides the block
ROUNDED = Fraction(500_001, 10**12)  # shares in the table have six decimals; and they were rounded from binary fractions
NUMBER = re.compile(r"[0-9]{1,20}([.][0-9]{1,20})?(e-?[0-9]{1,2})?", re.ASCII)  # no more: 1e999999999 would never be worked out
ANSWERS = {ONE: "true", SEVERAL: "false"}

Number = Fraction | None
Row = tuple[str, str, dict[str, Number]]  # a block, whether it is said to be determined, and numbers; None where a field is empty


@dataclass(frozen=True, slots=True)
class ProvedPlace:
    """What was shown about a release, or about a part of one: how many datasets there are, and what a table has to say in its
    columns (None: that the field is empty). There is no proof for a column that is not here."""

    left: str
    proved: dict[str, Number]


@dataclass(frozen=True, slots=True)
class Shown:
    """What a file that was accepted shows: claims, how many datasets and records there are, how far apart two can be, and parts."""

    claims: int
    left: str
    records: int | None
    apart: Apart | None = None
    parts: dict[str, Part] = field(default_factory=dict)

    def places(self, name: str) -> dict[str, ProvedPlace]:
        """What a table can be compared with."""
        if self.parts:
            return {code: _part(part) for code, part in self.parts.items()}
        proved: dict[str, Number] = {} if self.records is None else {"records": Fraction(self.records)}
        if self.left == ONE:
            proved |= dict.fromkeys(("low", "high", "variability"), Fraction(0))
        elif self.apart is not None and self.records:  # of no records there are no shares
            ends = {"low": self.apart.low, "high": self.apart.high}
            proved |= {end: Fraction(twice, 2 * self.records) for end, twice in ends.items() if twice is not None}
            if "high" in proved:
                proved["variability"] = proved["low"] if proved["low"] == proved["high"] else None
        return {name: ProvedPlace(self.left, proved)}


def _part(part: Part) -> ProvedPlace:
    proved: dict[str, Number] = {} if part.records is None else {"records": Fraction(part.records)}
    if not part.others:  # otherwise more may be certain than the file proves
        proved["certain"] = Fraction(part.told)
    return ProvedPlace(part.left, proved)


@dataclass(frozen=True, slots=True)
class FolderChecked:
    """What accepted files show, by name; what is wrong, in a line each; and in words, how much of a table has no proof."""

    files: int
    found: dict[str, Shown]
    wrong: tuple[str, ...]
    rejected: int  # files
    unproved: str = ""

    @property
    def claims(self) -> int:
        return sum(shown.claims for shown in self.found.values())

    def left(self, answer: str) -> int:
        """How many files show that one dataset fits, that several do, or neither."""
        return sum(shown.left == answer for shown in self.found.values())

    @property
    def parts(self) -> list[Part]:
        """What is shown of the values of a column, over all files."""
        return [part for shown in self.found.values() for part in shown.parts.values()]

    @property
    def limits(self) -> list[Apart]:
        """Where several datasets fit and it is proved how far two can differ: within which limits."""
        several = [shown.apart for shown in self.found.values() if shown.left == SEVERAL and shown.apart is not None]
        return [apart for apart in several if apart.high is not None]

    @property
    def without(self) -> list[str]:
        """Files that prove no limit, each with the reason it gives."""
        return [f"{name} ({shown.apart.unknown})" for name, shown in self.found.items() if shown.apart and shown.apart.unknown]


def check_folder(releases: Path, proofs: Path, table: Path | None = None, column: str | None = None) -> FolderChecked:
    """Check every file against the release of that name; with a table, also what it says about each."""
    files = sorted(proofs.glob("*.json"))
    if not files:
        raise InputError(f"{proofs}: there is no .json file in this folder; give the folder with the proofs")
    rows = None if table is None else _rows(table, BY_PART if column else WHOLE)
    found, wrong = dict[str, Shown](), list[str]()
    for file in files:
        try:
            found[file.stem] = _shown(releases, file, column)
        except Refused as error:
            wrong.append(f"{file.name}: {error}")
    different, unproved = ([], "") if rows is None else _differences(rows, found)
    wrong += [f"{table}{reason}" for reason in different]
    return FolderChecked(len(files), found, tuple(wrong), len(files) - len(found), unproved)


def _shown(releases: Path, file: Path, column: str | None) -> Shown:
    alone = releases / file.stem
    published, document = read_release(alone if alone.is_dir() else releases / file.name), read_json(file)
    if kind_of(document) is ProofKind.DISTANCE:
        if column:
            raise Refused(f"it is about distances, and shows nothing by {column}; leave out --by")
        apart = check_distance(published, document)
        if apart.rejected:
            raise Refused(apart.rejected[0])
        left = ONE if apart.high == 0 else SEVERAL if apart.low else ""
        return Shown(0, left, apart.records if left == ONE else records_in_all(published, {"facts": []}), apart)
    result = check(published, document)
    if result.contradiction or result.rejected:
        raise Refused("it proves that the release contradicts itself" if result.contradiction else result.rejected[0])
    parts = parts_left(published, document, result, column) if column else {}
    return Shown(result.accepted, datasets_left(published, document, result), records_in_all(published, document), parts=parts)


def _rows(table: Path, columns: tuple[str, ...]) -> list[Row]:
    """The rows of variability.csv, or of blocks.csv: every column is one that is compared, each is there once."""
    try:
        with table.open(encoding="utf-8", newline="") as file:
            reader = csv.reader(file, strict=True)
            header, rows = next(reader, []), [(reader.line_num, row) for row in reader if row]
    except (OSError, ValueError, csv.Error) as error:
        raise InputError(f"{table}: cannot be compared ({error}); give variability.csv, or blocks.csv with --by BLOCK") from None
    records = [name for name in header if name in RECORDS]
    expected = ["block", *(records[:1] or RECORDS[:1]), *columns]
    for name in header:
        if header.count(name) > 1 or name not in expected:
            why = "is there twice" if header.count(name) > 1 else "is none that can be compared"
            raise InputError(f"{table}, row 1: column {shown_text(name)} {why}; expected {','.join(expected)}")
    for name in expected:
        if name not in header:
            raise InputError(f"{table}, row 1: column {name} is missing; expected {','.join(expected)}")
    made = list[Row]()
    for number, row in rows:
        if len(row) != len(header):
            raise InputError(f"{table}, row {number}: {len(row)} fields, expected {len(header)}; write the table anew")
        said = dict(zip(header, row, strict=True))
        block, unique, numbers = said.pop("block"), said.pop("unique"), dict[str, Number]()
        for name, text in said.items():
            if not NUMBER.fullmatch(text) and (text or name != "variability"):
                found = f"column {name}: {shown_text(text)} is no decimal number"
                raise InputError(f"{table}, row {number}, {found}, so it cannot be compared; write the table anew")
            numbers[name] = Fraction(text) if text else None
        made.append((block, unique, numbers))
    return made


def _differences(rows: list[Row], found: dict[str, Shown]) -> tuple[list[str], str]:
    """What a table says otherwise than the proof of that block; and for how much of it there is no proof, in words."""
    places = [pair for file, shown in found.items() for pair in shown.places(file).items()]
    listed, wrong, unproved = dict[str, tuple[str, dict[str, Number]]](), list[str](), Counter[str]()
    for name, unique, numbers in rows:
        if name in listed:  # one of the two would not be looked at
            wrong.append(f": there are two rows for {shown_text(name)}")
        listed[name] = unique, numbers
    for name, place in places:
        if name not in listed:
            wrong.append(f": there is no row for {name}, which has a proof")
            continue
        (said, numbers), answer = listed[name], ANSWERS.get(place.left, "undecided")
        if said != answer:
            wrong.append(f", block {name}: unique is {shown_text(said)}, and the proof shows {answer}")
            continue
        for what, number in numbers.items():
            key = "records" if what in RECORDS else what
            if key not in place.proved:
                unproved[what] += 1
            elif not _same(number, place.proved[key], 0 if key in ("records", "certain") else ROUNDED):
                wrong.append(f", block {name}: {what} is {_plain(number)}, and the proof shows {_plain(place.proved[key])}")
    bare = len(listed.keys() - {name for name, _ in places})
    parts = [f"{bare:,} {plural('row', bare)}"] if bare else []
    return wrong, "; ".join([*parts, *(f"{what} in {n:,} {plural('row', n)}" for what, n in unproved.items())])


def _same(said: Number, proved: Number, most: Fraction | int) -> bool:
    return said == proved if said is None or proved is None else abs(said - proved) <= most


def _plain(number: Number) -> str:
    return "empty" if number is None else f"{float(number):g}"
