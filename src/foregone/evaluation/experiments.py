"""What could explain that a study differs from the paper: one thing changed at a time, on the same kind of block.

Every experiment looks at blocks of the national-median size and asks the same questions of each:

- as studied: the records and the tables of the study, in each reading of the tables;
- vacant units: blocks with so many *housing units*, vacant ones among the records;
- vacant units, nothing tied: the same, and nothing is known beside the tables (`--units untied`), which are all that the paper's
  program is told. The counts of a table then need not add up to a known number of records, so that a count that is withheld
  cannot be worked out from the others;
- mixed in the tract, in the state: as many records drawn from the whole tract or state, so that neighbours are no longer alike.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, product

import numpy as np

from foregone.batch.plan import Ints
from foregone.census.geography import place_of
from foregone.census.kinds import KINDS, publisher
from foregone.census.priors import PackedClaims, claims_of_blocks, guessed_claims
from foregone.census.records import UNTIED, Publisher
from foregone.census.unit_files.units import UnitFile
from foregone.evaluation.measure import BlockTask, verified_claims
from foregone.evaluation.sample import StudyOptions, drawn_of_size
from foregone.model.progress import Progress
from foregone.workers.pool import map_in_order

WITHHELD = {"without ones": (1,), "without zeros": (0,), "without either": (0, 1)}
STUDIED, VACANT, NOTHING_TIED, TRACT, STATE_WIDE = (
    "as studied",
    "vacant units",
    "vacant units, nothing tied",
    "mixed in the tract",
    "mixed in the state",
)


Chances = dict[tuple[str, int | None], float | None]
"""How likely claims about one household are, on median, by those who know the tract or the state: by name and number of columns."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What an experiment changes: the reading of the tables, and which units are records."""

    name: str
    variant: str
    units: str = "households"

    @property
    def with_vacant(self) -> bool:
        """Are vacant units among the records?"""
        return self.units != "households"

    def tables(self, subject: str) -> Publisher:
        return publisher(subject, self.variant, self.units)


@dataclass(frozen=True, slots=True)
class TriedBlock:
    """One block of an experiment: its packed records, and whether withheld counts are looked at."""

    setting: Setting
    block: str
    codes: Ints
    options: StudyOptions


@dataclass(frozen=True, slots=True)
class SeenBlock:
    """Of one block: how many records, counts that they meet, counts by value, and how many households are singled out."""

    records: int
    met: int
    values: Ints
    singled: dict[str, dict[int, int]]  # by what is withheld ("": nothing) and number of columns
    claims: PackedClaims  # about exactly one household, when nothing is withheld


@dataclass(frozen=True, slots=True)
class Experiment:
    """What a setting gave, over all its blocks: `measures` by name and number of columns, None where there is nothing to share."""

    setting: str
    reading: str
    blocks: int
    measures: dict[tuple[str, int | None], float | None]


def measure_name(name: str, k: int | None) -> str:
    """A measure in one line: `singled out, k = 6`."""
    return name if k is None else f"{name}, k = {k}"


def look(task: TriedBlock) -> SeenBlock:
    """Look at one block in its setting; runs in worker processes."""
    tables, options = task.setting.tables(task.options.subject), task.options
    asked = BlockTask(task.block, task.codes, replace(options, variant=task.setting.variant, units=task.setting.units), False)
    counts = tables.counts(task.codes)[: tables.tabulated]
    homes = KINDS[options.subject].occupied(tables.domain, task.codes)
    widths = range(options.min_columns, len(tables.domain.columns) + 1)
    found: dict[str, PackedClaims] = {}
    singled: dict[str, dict[int, int]] = {}
    for name, removed in {"": (), **WITHHELD}.items():
        claims, _ = verified_claims(asked, tables.release(task.codes, removed), tables)
        found[name] = claims.some((claims.count == 1) & claims.matches(task.codes)[:, homes].any(axis=1))
        match = found[name].matches(task.codes)[:, homes]
        singled[name] = {k: int(match[found[name].columns == k].any(axis=0).sum()) for k in widths}
    return SeenBlock(len(task.codes), int(counts.sum()), np.bincount(counts, minlength=2), singled, found[""])


def experiments(
    units: UnitFile, whole: UnitFile, options: StudyOptions, size: int, readings: Sequence[str], tell: Progress
) -> list[Experiment]:
    """All experiments, each on at most `options.experiments` blocks of so many records. `whole` has vacant units, too."""
    most, seed = options.experiments, options.seed
    homes, all_units = (drawn_of_size(*file.sizes(), size, most, seed, options.territories) for file in (units, whole))
    records, with_vacant = units.records(homes), whole.records(all_units)
    settings: list[tuple[Setting, dict[str, Ints]]] = [(Setting(STUDIED, reading), records) for reading in readings]
    for reading in readings:
        settings += [(Setting(VACANT, reading, "all"), with_vacant), (Setting(NOTHING_TIED, reading, UNTIED), with_vacant)]
    last = readings[-1]
    settings += [(Setting(TRACT, last), _mixed(units, homes, "tract", size, seed))]
    settings += [(Setting(STATE_WIDE, last), _mixed(units, homes, "state", size, seed))]
    tasks = [TriedBlock(setting, block, codes, options) for setting, some in settings for block, codes in some.items()]
    alone = options.workers <= 1 or len(tasks) < 2
    seen: list[SeenBlock] = []
    for block in map(look, tasks) if alone else map_in_order(look, tasks, options.workers):
        tell("experiments on what differs from the paper", len(seen), len(tasks))
        seen.append(block)
    ends = list(accumulate(len(some) for _, some in settings))
    tried = [
        (setting, dict(zip(some, seen[end - len(some) : end], strict=True)))
        for (setting, some), end in zip(settings, ends, strict=True)
    ]
    tell("how likely the claims of the experiments were", 0, 0)
    chances: dict[Setting, Chances] = {}
    for file, vacant in ((units, False), (whole, True)):
        chances |= _chances(file, {one: blocks for one, blocks in tried if one.with_vacant == vacant}, options)
    return [
        _experiment(setting, list(blocks.values()), setting.tables(options.subject), chances[setting]) for setting, blocks in tried
    ]


def _chances(file: UnitFile, tried: Mapping[Setting, Mapping[str, SeenBlock]], options: StudyOptions) -> dict[Setting, Chances]:
    """For each setting the median chance of its claims about one household, by place and number of columns; all asked at once."""
    settings = {str(number): setting for number, setting in enumerate(tried)}
    asked = claims_of_blocks(
        (number, block, seen.records, seen.claims) for number, setting in settings.items() for block, seen in tried[setting].items()
    )
    guessed = guessed_claims(file, asked)
    made: dict[Setting, Chances] = {setting: {} for setting in tried}
    for (number, setting), prior in product(settings.items(), guessed):
        for k in range(options.min_columns, len(setting.tables(options.subject).domain.columns) + 1):
            some = guessed[prior].chance[(asked.set == number) & (asked.columns == k)]
            made[setting][f"{prior} chance", k] = round(float(np.median(some)), 6) if len(some) else None
    return made


def _mixed(units: UnitFile, blocks: Sequence[str], level: str, size: int, seed: int) -> dict[str, Ints]:
    """For each block as many records as it has, drawn from all of its tract or state."""
    made = {}
    for number, block in enumerate(blocks):
        found = units.base.execute(f"SELECT code FROM units WHERE {level} = ? ORDER BY block, code", [place_of(block, level)])
        codes = np.asarray(found.fetchnumpy()["code"], dtype=np.int64)
        made[block] = np.sort(np.random.default_rng([seed, number]).choice(codes, size, replace=False))
    return made


def _experiment(setting: Setting, seen: Sequence[SeenBlock], tables: Publisher, chances: Chances) -> Experiment:
    number, records = len(seen), sum(block.records for block in seen)
    singled = _sums(block.singled[""] for block in seen)
    counts = number * tables.tabulated
    measures: dict[tuple[str, int | None], float | None] = {
        ("met per record", None): _ratio(sum(block.met for block in seen), records),
        ("share of zeros", None): _ratio(sum(int(block.values[0]) for block in seen), counts),
        ("share of ones", None): _ratio(sum(int(block.values[1]) for block in seen), counts),
        **{("singled out", k): _ratio(total, number) for k, total in singled.items()},
        **{("blocks", k): _ratio(sum(block.singled[""][k] > 0 for block in seen), number) for k in singled},
    }
    for name in WITHHELD:
        left = _sums(block.singled[name] for block in seen)
        measures |= {(name, k): _ratio(left[k], singled[k]) for k in singled}
    return Experiment(setting.name, setting.variant, number, measures | chances)


def _sums(some: Iterable[dict[int, int]]) -> dict[int, int]:
    total: Counter[int] = Counter()
    for numbers in some:
        total.update(numbers)
    return total


def _ratio(part: float, whole: int) -> float | None:
    return round(part / whole, 6) if whole else None
