"""Is each block determined, alone or with its whole tract? The results of a run as tables, and in a few lines for the terminal."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from foregone.batch.store import Store
from foregone.census.priors import PRIORS, Guesses
from foregone.census.records import RecordKind, is_determined
from foregone.census.unit_files.units import UnitFile
from foregone.formats.outputs import drafted
from foregone.model.sentences import folded, plural

PLACES = 6  # decimals of shares
UNIQUE, NOT_UNIQUE, UNDECIDED = "true", "false", "undecided"
HOW = ("alone", "bounded", "joint", "open", "undecided")  # a block of a tract can be settled
BY_BLOCK = ("blocks", "records", "settled", "alone", "certain")  # what a tract says of each of its blocks
SYNTHETIC = "The file is synthetic: nobody in it is real."


@dataclass(frozen=True, slots=True)
class BlockVariability:
    """A block: is it determined, and the share of its records that two datasets can differ in, from `low` to `high`."""

    block: str
    records: int
    unique: str
    low: float
    high: float
    pair: str = ""

    @property
    def row(self) -> list[object]:
        low, high = round(self.low, PLACES), round(self.high, PLACES)
        return [self.block, self.records, self.unique, low if self.low == self.high else "", low, high]


@dataclass(slots=True)
class SizeClass:
    """Blocks with `least` records or more; what is published about such blocks, where it is."""

    least: int
    published: Mapping[str, float]
    blocks: int = 0
    records: int = 0
    answers: dict[str, int] = field(default_factory=lambda: dict.fromkeys((UNIQUE, NOT_UNIQUE, UNDECIDED), 0))
    records_certain: int = 0  # in blocks that are determined
    exact: int = 0  # blocks whose variability is known exactly
    low: float = 0.0  # sums over blocks
    high: float = 0.0
    guessed: dict[str, float] = field(default_factory=lambda: dict.fromkeys(PRIORS, 0.0))  # records that guessing gets right

    def add(self, found: BlockVariability, guessed: Mapping[str, float]) -> None:
        self.blocks += 1
        self.records += found.records
        self.answers[found.unique] += 1
        self.records_certain += found.records if found.unique == UNIQUE else 0
        self.exact += found.low == found.high
        self.low += found.low
        self.high += found.high
        for prior, share in guessed.items():
            self.guessed[prior] += share * found.records

    @property
    def row(self) -> list[object]:
        published = [self.published.get(name, "") for name in ("blocks", "zero")]
        return [
            self.blocks, *self.answers.values(), _share(self.answers[UNIQUE], self.blocks), *published, self.records,
            _share(self.records_certain, self.records), *(_share(self.guessed[prior], self.records) for prior in PRIORS),
            self.exact, _share(self.low, self.blocks), _share(self.high, self.blocks),
        ]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Summary:
    """All blocks, and by size."""

    classes: tuple[SizeClass, ...]
    total: SizeClass

    @property
    def named(self) -> list[tuple[str, SizeClass]]:
        """Every class with its name, such as 10-49, and all blocks together."""
        ends = [*(f"-{size.least - 1}" for size in self.classes[1:]), "+"]
        return [*((f"{size.least}{end}", size) for size, end in zip(self.classes, ends, strict=True)), ("all", self.total)]


@cache
def published_sizes(kind: RecordKind) -> dict[str, Any]:
    """What is published about the variability of such blocks; only the sizes where nothing is."""
    source = files(kind.book.package).joinpath("published.json")
    if source.is_file():
        content: dict[str, Any] = json.loads(source.read_text("utf-8"))
        return content
    return {"sizes": [{"least": least} for least in (1, 10, 50, 100, 250, 500, 1000)]}


def write_variability(kind: RecordKind, store: Store, units: UnitFile, out: Path) -> Summary:
    """Write variability.csv, pairs.csv and sizes.csv from the parts of a finished run, which are in the order of blocks."""
    published = published_sizes(kind)
    classes = tuple(SizeClass(entry["least"], entry) for entry in published["sizes"])
    total = SizeClass(0, {"zero": published["zero"]} if "zero" in published else {})
    names = kind.domain("official", kind.units).names
    guesses = Guesses(units)
    with (
        _table(out / "variability.csv", "block", kind.counted, "unique", "variability", "low", "high") as listed,
        _table(out / "pairs.csv", "block", "dataset", *names, kind.counted) as apart,
    ):
        for part in sorted(store.finished()):
            found = list(_blocks(store, part, units))
            guessed = guesses.shares(np.array([int(one.block) for one in found], dtype=np.int64))
            for i, one in enumerate(found):
                listed.writerow(one.row)
                apart.writerows(_pair_rows(one))
                right = {prior: float(shares[i]) for prior, shares in guessed.items()}
                for size in (next(size for size in reversed(classes) if size.least <= one.records), total):
                    size.add(one, right)
    summary = Summary(classes, total)
    header = (
        "size", "blocks", "unique", "not_unique", "undecided", "share_unique", "published_blocks", "published_share_unique",
        kind.counted, "share_certain", "guessed_tract", "guessed_state", "exact", "mean_low", "mean_high",
    )  # fmt: skip
    with _table(out / "sizes.csv", *header) as sizes:
        sizes.writerows([name, *size.row] for name, size in summary.named)
    return summary


@contextmanager
def _table(path: Path, *header: str) -> Iterator[Any]:
    """A CSV file that is there when it is whole."""
    with drafted(path, silent=True) as draft, draft.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        yield writer


def _blocks(store: Store, part: str, units: UnitFile) -> Iterator[BlockVariability]:
    """The blocks of a part in order; one that failed is undecided."""
    made = [
        BlockVariability(block, records, answer, low or 0.0, 1.0 if high is None else high, pair or "")
        for block, records, answer, low, high, pair in (
            row.values() for row in store.rows("summary", part, ["release", "records", "unique", "low", "high", "detail"])
        )
    ]
    failed = [row["release"] for row in store.rows("failures", part, ["release"])]
    sizes = units.records(failed) if failed else {}
    made += [BlockVariability(block, len(sizes[block]), UNDECIDED, 0.0, 1.0) for block in failed]
    yield from sorted(made, key=lambda one: one.block)


def _pair_rows(found: BlockVariability) -> Iterator[Sequence[object]]:
    if found.pair:
        for which, records in json.loads(found.pair).items():
            yield from ([found.block, which, *record] for record in records)


def _share(part: float, whole: int) -> object:
    return round(part / whole, PLACES) if whole else ""


def variability_text(kind: RecordKind, found: Summary, out: Path, tract_tables: bool, synthetic: bool) -> str:
    total = found.total
    known = "block tables and tract tables (as upper bounds)" if tract_tables else "block tables"
    lines = [SYNTHETIC] if synthetic else []
    lines += [f"Known: {known}.", ""]
    titles = f"{'blocks':>10}{'one dataset':>13}{'published':>11}{'certain':>10}{'guess: tract':>14}{'state':>8}"
    lines.append(f"{kind.counted:<10}{titles}")
    lines += [_line(name, size) for name, size in found.named if size.blocks]
    answers = total.answers
    lines += [
        "",
        f"Determined: {answers[UNIQUE]:,} of {total.blocks:,} {plural('block', total.blocks)}."
        f" Not determined: {answers[NOT_UNIQUE]:,}. Undecided: {answers[UNDECIDED]:,}. How far two datasets can differ is known"
        f" exactly for {total.exact:,} and within limits for {total.blocks - total.exact:,}.",
        f"certain: {kind.counted} in blocks with one dataset. guess: how many a random draw from the tract or state"
        " gets right, on average.",
        f"Written to {out}: variability.csv, sizes.csv, pairs.csv (two datasets of each block that is not determined).",
    ]
    return "\n".join(folded(line) for line in lines)


def _line(name: str, size: SizeClass) -> str:
    zero = size.published.get("zero")
    told = "" if zero is None else f"{100 * zero:.1f} %"
    shares = [size.records_certain, *size.guessed.values()]
    certain, tract, state = (f"{100 * share / size.records:.1f} %" for share in shares)
    unique = f"{100 * size.answers[UNIQUE] / size.blocks:.1f} %"
    return f"{name:<10}{size.blocks:>10,}{unique:>13}{told:>11}{certain:>10}{tract:>14}{state:>8}"


def write_tracts(kind: RecordKind, store: Store, out: Path) -> Counter[str]:
    """Write blocks.csv, settled.csv and tracts.csv from the parts of a finished run.

    What a proof about a tract can show of a block is in blocks.csv, and nothing else; how it was found is in settled.csv. The
    totals that come back: tracts, blocks by how they were settled, and records, those certain among them.
    """
    several, total = kind.counted, Counter[str]()
    numbers = ("joint_blocks", "joint_kinds", "joint_numbers")
    with (
        _table(out / "blocks.csv", "block", several, "unique", "certain") as answers,
        _table(out / "settled.csv", "block", "settled", "certain_alone") as how,
        _table(out / "tracts.csv", "tract", "blocks", *HOW, several, "certain_alone", "certain", *numbers) as listed,
    ):
        for tract, found in _tracts(store):
            for block, records, settled, alone, certain in zip(*(found[name] for name in BY_BLOCK), strict=True):
                answers.writerow([block, records, is_determined(settled), certain])
                how.writerow([block, settled, alone])
            counts = Counter(found["settled"])
            sums = {name: sum(found[name]) for name in ("records", "alone", "certain")}
            listed.writerow([tract, len(found["blocks"]), *(counts[way] for way in HOW), *sums.values(), *found["joint"]])
            total.update(counts)
            total.update({"tracts": 1, "records": sums["records"], "certain alone": sums["alone"], "certain": sums["certain"]})
    return total


def _tracts(store: Store) -> Iterator[tuple[str, dict[str, Any]]]:
    """What was found in each tract: the content of a `SettledTract`."""
    for part in sorted(store.finished()):
        for row in store.rows("summary", part, ["release", "detail"]):
            if row["detail"]:
                yield row["release"], json.loads(row["detail"])


def tracts_text(kind: RecordKind, by: Counter[str], out: Path, synthetic: bool) -> str:
    blocks, records = sum(by[way] for way in HOW), by["records"]
    tracts = f"{by['tracts']:,} {plural('tract', by['tracts'])}"
    lines = [SYNTHETIC] if synthetic else []

    def share(part: int) -> str:
        return f"{part:,} ({100 * part / max(1, records):.1f} %)"

    lines += [
        f"{tracts} with {blocks:,} blocks and {records:,} {kind.counted}, each as a whole:",
        f"Blocks determined by their own tables: {by['alone']:,}; by what the tract leaves once these are subtracted:"
        f" {by['bounded']:,} more; by all the others at once: {by['joint']:,} more. Not determined: {by['open']:,}."
        f" Undecided: {by['undecided']:,}.",
        f"Certain from block tables alone: {share(by['certain alone'])} {kind.counted};"
        f" with the whole tract: {share(by['certain'])}.",
        f"Written to {out}: blocks.csv, settled.csv (how each block was settled) and tracts.csv.",
    ]
    return "\n".join(folded(line) for line in lines)
