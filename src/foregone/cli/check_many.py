"""Check a folder of proofs against a folder of releases: what each file shows about the whole dataset, counted."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

from foregone.checker.check import check
from foregone.checker.datasets import ONE, SEVERAL, datasets_left, parts_left
from foregone.checker.distance import FORMAT as DISTANCE
from foregone.checker.distance import Apart, check_distance
from foregone.checker.files import read_json, read_release
from foregone.checker.refusal import Refused
from foregone.cli.show import say, slow
from foregone.model.errors import InputError
from foregone.model.sentences import plural
from foregone.model.shown import shown as shown_text

COMPARED = ("low", "high", "certain")  # columns of tables with numbers that proofs show
SHOWN = 40  # rejections that are spelled out
NAMED = 5  # files without a limit that are named
ROUNDED = Fraction(1, 10**6)  # shares in the table have six decimals


NUMBER = re.compile(r"[0-9]{1,20}([.][0-9]{1,20})?(e-?[0-9]{1,2})?", re.ASCII)  # no more: 1e999999999 would never be worked out
ANSWERS = {ONE: "true", SEVERAL: "false"}


@dataclass(frozen=True, slots=True)
class Place:
    """What was shown about a release, or about a part of one: how many datasets there are, and what a table says in its columns."""

    left: str
    shares: dict[str, Fraction] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Shown:
    """What a file that was accepted shows: claims, how many datasets there are, how far apart two can be, and the same by part."""

    claims: int
    left: str
    apart: Apart | None = None
    parts: dict[str, tuple[str, int]] = field(default_factory=dict)

    def places(self, name: str) -> dict[str, Place]:
        """What a table can be compared with."""
        if self.parts:
            return {part: Place(left, {"certain": Fraction(told)}) for part, (left, told) in self.parts.items()}
        if self.apart is None or self.left == ONE or not self.apart.records:  # of no records there are no shares
            return {name: Place(self.left, dict.fromkeys(("low", "high"), Fraction(0)) if self.left == ONE else {})}
        ends = {"low": self.apart.low, "high": self.apart.high}
        shares = {end: Fraction(twice, 2 * self.apart.records) for end, twice in ends.items() if twice is not None}
        return {name: Place(self.left, shares)}


def check_folder(releases: Path, proofs: Path, table: Path | None, column: str | None) -> bool:
    """Every file against the release of that name; is everything accepted?"""
    files = sorted(proofs.glob("*.json"))
    if not files:
        raise InputError(f"{proofs}: there is no .json file in this folder; give the folder with the proofs")
    found, wrong = dict[str, Shown](), list[str]()
    with slow("Checking"):
        for file in files:
            try:
                found[file.stem] = _shown(releases, file, column)
            except Refused as error:
                wrong.append(f"{file.name}: {error}")
    unshown = ""
    if table is not None:
        different, unshown = _differences(table, found)
        wrong += different
    for reason in wrong[:SHOWN]:
        say(f"Rejected: {reason}")
    if len(wrong) > SHOWN:
        say(f"... and {len(wrong) - SHOWN:,} more.")
    _summary(found, len(files), column)
    if table is not None and not wrong:
        say(f"{table} agrees with every proof.{unshown and f' {unshown}'}")
    return not wrong


def _shown(releases: Path, file: Path, column: str | None) -> Shown:
    alone = releases / file.stem
    published, document = read_release(alone if alone.is_dir() else releases / file.name), read_json(file)
    if isinstance(document, dict) and document.get("format") == DISTANCE:
        apart = check_distance(published, document)
        if apart.rejected:
            raise Refused(apart.rejected[0])
        return Shown(0, ONE if apart.high == 0 else SEVERAL if apart.low else "", apart)
    result = check(published, document)
    if result.contradiction or result.rejected:
        raise Refused("it proves that the release contradicts itself" if result.contradiction else result.rejected[0])
    parts = parts_left(published, document, result, column) if column else {}
    return Shown(result.accepted, datasets_left(published, document, result), parts=parts)


def parts_text(column: str, parts: Iterable[tuple[str, int]]) -> str:
    """How many values of a column have all their records told."""
    left = [left for left, _ in parts]
    one, several = left.count(ONE), left.count(SEVERAL)
    return f"By {column}: {one:,} determined, {several:,} not determined, {len(left) - one - several:,} not shown to be either."


def _summary(found: dict[str, Shown], files: int, column: str | None) -> None:
    left = [shown.left for shown in found.values()]
    one, several = left.count(ONE), left.count(SEVERAL)
    claims, rejected = sum(shown.claims for shown in found.values()), files - len(found)
    say(f"{files:,} {plural('file', files)}: {claims:,} {plural('claim', claims)} accepted,"
        f" {rejected:,} {plural('file', rejected)} rejected.")  # fmt: skip
    if column:
        say(parts_text(column, (part for shown in found.values() for part in shown.parts.values())))
        return
    say(f"{one:,} prove that only one dataset fits, {several:,} that two fit, {len(found) - one - several:,} neither.")
    if several:
        limits = [shown.apart for shown in found.values() if shown.left == SEVERAL and shown.apart is not None]
        proved = [apart for apart in limits if apart.high is not None]
        exact = sum(apart.low == apart.high for apart in proved)
        say(f"How far two datasets can differ: proved exactly by {exact:,}, within limits by {len(proved) - exact:,},"
            f" only from below by {several - len(proved):,}.")  # fmt: skip
        without = [f"{name} ({shown.apart.unknown})" for name, shown in found.items() if shown.apart and shown.apart.unknown]
        for line in without[:NAMED]:
            say(f"  without a limit: {line}")
        if len(without) > NAMED:
            say(f"  ... and {len(without) - NAMED:,} more.")


def _number(text: str | None) -> Fraction:
    if not NUMBER.fullmatch(text or ""):
        raise ValueError(f"{shown_text(text)} is no decimal number")
    return Fraction(text or "")


def _rows(table: Path) -> list[tuple[str, str, dict[str, Fraction]]]:
    """The rows of variability.csv, or of blocks.csv: a block, whether it is said to be determined, and the numbers to compare."""
    try:
        with table.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        listed = [(row["block"], row["unique"], {name: _number(row[name]) for name in COMPARED if name in row}) for row in rows]
        if not all(numbers for _, _, numbers in listed):
            raise ValueError("it has no column low, high or certain")
    except (OSError, ValueError, KeyError, csv.Error) as error:
        raise InputError(f"{table}: cannot be compared ({error}); give variability.csv, or blocks.csv with --by BLOCK") from None
    return listed


def _differences(table: Path, found: dict[str, Shown]) -> tuple[list[str], str]:
    """What a table says otherwise than the proof of that block; and of how much of it there is no proof, as a sentence."""
    places = [pair for file, shown in found.items() for pair in shown.places(file).items()]
    listed, wrong, open_ends = dict[str, tuple[str, dict[str, Fraction]]](), list[str](), 0
    for name, unique, numbers in _rows(table):
        if name in listed:  # one of the two would not be looked at
            wrong.append(f"{table}: there are two rows for {shown_text(name)}")
        listed[name] = unique, numbers
    for name, place in places:
        if name not in listed:
            wrong.append(f"{table}: there is no row for {name}, which has a proof")
            continue
        (said, numbers), answer = listed[name], ANSWERS.get(place.left, "undecided")
        if said != answer:
            wrong.append(f"{table}, block {name}: unique is {shown_text(said)}, and the proof shows {answer}")
            continue
        for what, number in numbers.items():
            proved = place.shares.get(what)
            if proved is not None and abs(number - proved) > ROUNDED:
                wrong.append(f"{table}, block {name}: {what} is {float(number):g}, and the proof shows {float(proved):g}")
        open_ends += any(what not in place.shares for what in numbers)
    bare = len(listed.keys() - {name for name, _ in places})
    parts = [f"{bare:,} {plural('row', bare)}"] if bare else []
    parts += [f"low, high or certain in {open_ends:,} {plural('row', open_ends)}"] if open_ends else []
    return wrong, f"Without a proof: {', and '.join(parts)}." if parts else ""
