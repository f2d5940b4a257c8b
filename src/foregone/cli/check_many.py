"""Check a folder of proofs against a folder of releases: what each file shows about the whole dataset, counted."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from foregone.checker.check import check
from foregone.checker.datasets import ONE, SEVERAL, datasets_left
from foregone.checker.distance import FORMAT as DISTANCE
from foregone.checker.distance import Apart, check_distance
from foregone.checker.files import read_json, read_release
from foregone.checker.refusal import Refused
from foregone.cli.show import say, slow
from foregone.model.errors import InputError
from foregone.model.sentences import plural

SHOWN = 40  # rejections that are spelled out
NAMED = 5  # files without a limit that are named
ROUNDED = Fraction(1, 10**6)  # shares in the table have six decimals


@dataclass(frozen=True, slots=True)
class Shown:
    """What a file that was accepted shows: claims, how many datasets there are, and how far apart two can be."""

    claims: int
    left: str
    apart: Apart | None = None

    @property
    def row(self) -> tuple[str, Fraction | None, Fraction | None]:
        """`unique`, `low` and `high`, as far as they are shown."""
        if self.left == ONE:
            return "true", Fraction(0), Fraction(0)
        if self.apart is None or self.apart.low is None:
            return ("false" if self.left == SEVERAL else "undecided"), None, None
        whole = 2 * self.apart.records
        return "false", Fraction(self.apart.low, whole), None if self.apart.high is None else Fraction(self.apart.high, whole)


def check_folder(releases: Path, proofs: Path, table: Path | None) -> bool:
    """Every file against the release of that name; is everything accepted?"""
    files = sorted(proofs.glob("*.json"))
    if not files:
        raise InputError(f"{proofs}: there is no .json file in this folder; give the folder with the proofs")
    found, wrong = dict[str, Shown](), list[str]()
    with slow("Checking"):
        for file in files:
            try:
                found[file.stem] = _shown(releases, file)
            except Refused as error:
                wrong.append(f"{file.name}: {error}")
    if table is not None:
        wrong += _differences(table, found)
    for reason in wrong[:SHOWN]:
        say(f"Rejected: {reason}")
    if len(wrong) > SHOWN:
        say(f"... and {len(wrong) - SHOWN:,} more.")
    _summary(found, len(files))
    if table is not None:
        same = "agrees with every proof" if not wrong else "was compared, too"
        say(f"{table}: {same}.")
    return not wrong


def _shown(releases: Path, file: Path) -> Shown:
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
    return Shown(result.accepted, datasets_left(published, document, result))


def _summary(found: dict[str, Shown], files: int) -> None:
    left = [shown.left for shown in found.values()]
    one, several = left.count(ONE), left.count(SEVERAL)
    claims, rejected = sum(shown.claims for shown in found.values()), files - len(found)
    say(f"{files:,} {plural('file', files)}: {claims:,} {plural('claim', claims)} accepted,"
        f" {rejected:,} {plural('file', rejected)} rejected.")  # fmt: skip
    say(f"{one:,} show that one dataset fits, {several:,} show two that fit, {len(found) - one - several:,} neither.")
    if several:
        limits = [shown.apart for shown in found.values() if shown.left == SEVERAL and shown.apart is not None]
        proved = [apart for apart in limits if apart.high is not None]
        exact = sum(apart.low == apart.high for apart in proved)
        say(f"How far apart two can be: shown exactly by {exact:,}, at least and at most by {len(proved) - exact:,},"
            f" at least by {several - len(proved):,}.")  # fmt: skip
        without = [f"{name} ({shown.apart.unknown})" for name, shown in found.items() if shown.apart and shown.apart.unknown]
        for line in without[:NAMED]:
            say(f"  without a limit: {line}")
        if len(without) > NAMED:
            say(f"  ... and {len(without) - NAMED:,} more.")


def _differences(table: Path, found: dict[str, Shown]) -> Iterator[str]:
    """Rows of variability.csv that say something else than the proof of that block."""
    try:
        with table.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        listed = {row["block"]: (row["unique"], Fraction(row["low"]), Fraction(row["high"])) for row in rows}
    except (OSError, ValueError, KeyError, TypeError, csv.Error) as error:
        raise InputError(f"{table}: not a table of block, unique, low and high ({error}); give variability.csv") from None
    for name, shown in found.items():
        if name not in listed:
            yield f"{table}: there is no row for {name}, which has a proof"
            continue
        unique, *limits = listed[name]
        proved, *shares = shown.row
        for what, said, share in zip(("low", "high"), limits, shares, strict=True):
            if unique == proved and share is not None and abs(said - share) > ROUNDED:
                yield f"{table}, block {name}: {what} is {float(said):g}, and the proof shows {float(share):g}"
        if unique != proved:
            yield f"{table}, block {name}: unique is {unique}, and the proof shows {proved}"
