"""Check a folder of proofs against a folder of releases: what each file shows about the whole dataset, counted."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
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
        if self.apart is None or self.left == ONE:
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
    if table is not None:
        wrong += _differences(table, found)
    for reason in wrong[:SHOWN]:
        say(f"Rejected: {reason}")
    if len(wrong) > SHOWN:
        say(f"... and {len(wrong) - SHOWN:,} more.")
    _summary(found, len(files), column)
    if table is not None and not wrong:
        say(f"{table} agrees with every proof.")
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


def _differences(table: Path, found: dict[str, Shown]) -> Iterator[str]:
    """Rows of variability.csv, or of blocks.csv, that say something else than the proof of that block."""
    try:
        with table.open(encoding="utf-8", newline="") as file:
            listed = {row["block"]: row for row in csv.DictReader(file)}
        numbers = {block: {name: Fraction(row[name]) for name in COMPARED if name in row} for block, row in listed.items()}
        if not all(len(some) for some in numbers.values()) or not all("unique" in row for row in listed.values()):
            raise ValueError("it has no column unique, and low and high or certain")
    except (OSError, ValueError, KeyError, TypeError, csv.Error) as error:
        raise InputError(f"{table}: cannot be compared ({error}); give variability.csv, or blocks.csv with --by BLOCK") from None
    for name, place in ((name, place) for file, shown in found.items() for name, place in shown.places(file).items()):
        if name not in listed:
            yield f"{table}: there is no row for {name}, which has a proof"
            continue
        said, answer = listed[name]["unique"], ANSWERS.get(place.left, "undecided")
        if said != answer:
            yield f"{table}, block {name}: unique is {shown_text(said)}, and the proof shows {answer}"
            continue
        for what, proved in place.shares.items():
            if what in numbers[name] and abs(numbers[name][what] - proved) > ROUNDED:
                yield f"{table}, block {name}: {what} is {float(numbers[name][what]):g}, and the proof shows {float(proved):g}"
