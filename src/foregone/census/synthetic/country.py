"""A synthetic country as a file of units or persons: states, counties, tracts, blocks of realistic sizes. Nobody in it is real.

A household says how many people live there, whether there is a couple, whether somebody is under 18 or 65 and over, and the
race and origin of its householder. Ages of partners and children follow the householder's; most people of a
household are of one race.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from foregone.batch.plan import Ints
from foregone.census.geography import FIELDS, FIFTY
from foregone.census.household.kind import UNIT_COLUMNS, WIDTHS
from foregone.census.synthetic.households import SHARES, Bools, Tracts, draw, households
from foregone.census.unit_files.rows import SYNTHETIC
from foregone.formats.extras import need
from foregone.formats.outputs import check_outputs, write_file
from foregone.model.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

MEDIAN = 10  # households in the median block of the country
SPREAD = 1.1  # of the logarithm of block sizes: the mean is then nearly twice the median
LARGEST_BLOCK = 700
ENOUGH = 6  # blocks of the median size that every state of some size has
CHUNK = 200_000  # households made in one go
MOST_BLOCKS = 9_000  # blocks of a tract that four digits can number with a group digit in front
MARKED = ("SCHEMA_TYPE_CODE", "SCHEMA_BUILD_ID")
PLACES = ("TABBLKCOU", "TABTRACTCE", "TABBLKGRPCE", "TABBLK")  # in the order of a block's numbers
VACANT_SHARE = 0.09  # of housing units, in large blocks
SMALL_BLOCKS, SMALL = 0.09, 12.0  # in small blocks more are vacant: by so much at most, falling with so many households
PERSON_COLUMNS = (
    "SCHEMA_TYPE_CODE", "SCHEMA_BUILD_ID", "TABBLKST", "TABBLKCOU", "TABTRACTCE", "TABBLKGRPCE", "TABBLK",
    "EPNUM", "RTYPE", "QSEX", "QAGE", "CENHISP", "CENRACE",
)  # fmt: skip
"""Of the public demonstration person file, as far as they are filled in."""

PERSON_WIDTHS = {**FIELDS, "EPNUM": 9, "CENRACE": 2}
IN_UNIT = 3  # the RTYPE of a person in a housing unit
AGES = ((15, 24), (25, 34), (35, 44), (45, 54), (55, 59), (60, 64), (65, 74), (75, 84), (85, 100))  # of householders, by code
LARGE = 0.35  # chance that a household of seven or more has yet another person
OTHER_RACE, OTHER_ORIGIN = 0.04, 0.03  # chance that somebody differs from the householder
TWO_OR_MORE = 7  # the householder's race code for several races
OLDEST = 110  # years

Rows = Callable[[int, Ints, Ints, dict[str, Ints], np.random.Generator], "tuple[pa.Table, dict[str, int]]"]
"""State, places of some blocks, the block of each household, the households, and chance: rows, and how many of what."""


@dataclass(frozen=True, slots=True)
class Made:
    """What a synthetic file holds."""

    states: int
    blocks: int
    households: int
    vacant: int = 0
    quarters: int = 0
    persons: int = 0


def write_country(
    path: Path, states: int = 50, tracts: int = 4, blocks: int = 25, seed: int = 0, subject: str = "household"
) -> Made:
    """Write a file in the full layout of the subject; the same numbers and seed always give the same bytes.

    The persons of a country are those who live in its households.
    """
    if not 1 <= states <= len(FIFTY):
        raise InputError(f"--states {states}: there are 1 to {len(FIFTY)} states to make")
    if blocks > MOST_BLOCKS or tracts > 9_000:
        raise InputError(f"--tracts {tracts} --blocks {blocks}: at most 9,000 of each fit the codes; make more of the other")
    need("pyarrow")
    check_outputs([], {"--out": path})
    names, rows = ROWS[subject]
    made: Counter[str] = Counter()

    def write(draft: Path) -> None:
        import gzip

        import pyarrow.csv as csv

        options = csv.WriteOptions(include_header=False, quoting_style="none")
        with gzip.GzipFile(draft, "wb", mtime=0) if path.suffix == ".gz" else draft.open("wb") as out:
            out.write((",".join(names) + "\n").encode())
            for table, counts in _chunks(rows, states, tracts, blocks, seed):
                csv.write_csv(table, out, options)
                made.update(counts)

    write_file(path, write)
    return Made(states, states * tracts * blocks, **made)


def block_sizes(states: int, per_state: int, rng: np.random.Generator) -> Ints:
    """Households of every block, one row per state: a long tail, small-block and large-block states, national median 10."""
    centre = np.exp(rng.normal(0.0, 0.35, (states, 1)))
    raw = centre * np.exp(rng.normal(0.0, SPREAD, (states, per_state)))
    sizes: Ints = np.clip(np.rint(raw * (MEDIAN / np.median(raw))), 1, LARGEST_BLOCK).astype(np.int64)
    # A study looks for blocks of exactly the median sizes; in a small country a few blocks are moved to them.
    want = min(ENOUGH, per_state // 10)
    for row in sizes:
        _gather(row, MEDIAN, want, keep=-1)
        _gather(row, int(np.sort(row)[(per_state - 1) // 2]), want, keep=MEDIAN)
    return sizes


def _gather(row: Ints, size: int, want: int, keep: int) -> None:
    """Set the blocks nearest to `size` to it until there are enough, never touching those of size `keep`."""
    missing = want - int((row == size).sum())
    if missing > 0:
        away = np.where((row == size) | (row == keep), LARGEST_BLOCK, np.abs(row - size))
        row[np.argsort(away, kind="stable")[:missing]] = size


def _chunks(rows: Rows, states: int, tracts: int, blocks: int, seed: int) -> Iterator[tuple[pa.Table, dict[str, int]]]:
    rng = np.random.default_rng([seed, states, tracts, blocks])
    sizes = block_sizes(states, tracts * blocks, rng)
    codes = _geography(tracts, blocks)
    for state, row in enumerate(sizes):
        own = np.random.default_rng([seed, states, tracts, blocks, state])
        shared = Tracts.draw(tracts, own)
        ends = np.searchsorted(np.cumsum(row), np.arange(CHUNK, row.sum() + CHUNK, CHUNK), side="right")
        for first, last in zip([0, *ends[:-1]], ends, strict=True):
            last = max(last, first + 1) if first < len(row) else last
            if last > first:
                block = np.repeat(np.arange(last - first), row[first:last])
                made = households(shared, (np.arange(first, last) // blocks)[block], block, own)
                yield rows(int(FIFTY[state]), codes[first:last], block, made, own)


def _geography(tracts: int, blocks: int) -> Ints:
    """County, tract, group and block number of each block of a state."""
    tract = np.repeat(np.arange(tracts), blocks)
    number = np.tile(np.arange(blocks), tracts)
    groups = min(4, blocks) if blocks <= 4_000 else 9
    group = 1 + number * groups // blocks
    return np.stack([1 + 2 * (tract // 8 % 500), 100 * (tract + 1) + (tract % 3 == 2), group, group * 1000 + number], axis=1)


def place_columns(names: Sequence[str], state: int, places: Ints) -> dict[str, Ints]:
    """A column of zeros for every name but the marks, with the state and the other places filled in, a row of `places` each."""
    columns = {name: np.zeros(len(places), dtype=np.int64) for name in names if name not in MARKED}
    columns["TABBLKST"][:] = state
    for i, name in enumerate(PLACES):
        columns[name] = places[:, i]
    return columns


def coded_table(names: Sequence[str], columns: Mapping[str, Ints], order: Ints, widths: Mapping[str, int], kind: str) -> pa.Table:
    """The columns in order, their rows in the given one, codes in their widths."""
    import pyarrow as pa

    nothing = pa.array(np.zeros(len(order), dtype=np.int8))
    marks = (pa.DictionaryArray.from_arrays(nothing, [text]).cast(pa.string()) for text in (kind, SYNTHETIC))
    arrays = (_text(columns[name][order], widths.get(name, 1)) for name in names if name not in MARKED)
    return pa.table([*marks, *arrays], names=list(names))


def _text(values: Ints, width: int) -> pa.Array:
    """Codes as text with leading zeros; each different code is spelled once."""
    import pyarrow as pa

    seen, at = np.unique(values, return_inverse=True)
    words = pa.array([f"{value:0{width}d}" for value in seen.tolist()])
    return pa.DictionaryArray.from_arrays(pa.array(at.astype(np.int32)), words).cast(pa.string())


def unit_rows(
    state: int, codes: Ints, of: Ints, made: dict[str, Ints], rng: np.random.Generator
) -> tuple[pa.Table, dict[str, int]]:
    """Occupied, vacant and group-quarters rows of some blocks, in the order of the blocks."""
    sizes = np.bincount(of, minlength=len(codes))
    share = VACANT_SHARE + SMALL_BLOCKS * np.exp(-sizes / SMALL)
    rate = np.clip(rng.gamma(2.0, share / 2.0), 0, 0.6)
    vacant = rng.binomial(np.maximum(1, np.rint(sizes * 1.25).astype(np.int64)), rate)
    quarters = (rng.random(len(sizes)) < 0.008).astype(np.int64)
    block = np.concatenate([of, np.repeat(np.arange(len(sizes)), vacant), np.repeat(np.arange(len(sizes)), quarters)])
    order = np.argsort(block, kind="stable")
    counts = np.array([len(of), vacant.sum(), quarters.sum()])
    kinds = np.repeat([0, 1, 2], counts)
    columns = place_columns(UNIT_COLUMNS, state, codes[block])
    columns["RTYPE"] = np.where(kinds == 2, 4, 2)
    for name, values in made.items():
        columns[name][: len(of)] = values
    columns["VACS"][kinds == 1] = draw(np.tile(SHARES["vacancy"], (int(counts[1]), 1)), rng)
    columns["GQTYPE"][kinds == 2] = SHARES["quarters"][draw(np.tile(SHARES["quarters_share"], (int(counts[2]), 1)), rng) - 1]
    table = coded_table(UNIT_COLUMNS, columns, order, WIDTHS, "MUD")
    return table, dict(zip(("households", "vacant", "quarters"), counts.tolist(), strict=True))


def person_rows(
    state: int, codes: Ints, block: Ints, made: dict[str, Ints], rng: np.random.Generator
) -> tuple[pa.Table, dict[str, int]]:
    """Everybody in some blocks, household by household."""
    home, columns = members(made, rng)
    rows = place_columns(PERSON_COLUMNS, state, codes[block[home]])
    rows["RTYPE"][:] = IN_UNIT
    rows["EPNUM"] = home + 1
    table = coded_table(PERSON_COLUMNS, {**rows, **columns}, np.arange(len(home)), PERSON_WIDTHS, "MPD")
    return table, {"households": len(block), "persons": len(home)}


def members(of: dict[str, Ints], rng: np.random.Generator) -> tuple[Ints, dict[str, Ints]]:
    """The household of each person, and sex, age, origin and race by their names in a person file."""
    size = of["HHSIZE"] + np.where(of["HHSIZE"] == 7, rng.geometric(1 - LARGE, len(of["HHSIZE"])) - 1, 0)
    home = np.repeat(np.arange(len(size)), size)
    place = np.arange(len(home)) - np.repeat(np.cumsum(size) - size, size)
    first, partner = place == 0, (place == 1) & (of["HHT2"] <= 4)[home]
    age = _ages(of, home, place, partner, rng)
    alike = np.isin(of["CPLT"], (2, 4))  # couples of one sex
    male = np.where(first, of["HHSEX"][home] == 1, rng.random(len(home)) < 0.5)
    male = np.where(partner, (of["HHSEX"] == 1)[home] == alike[home], male)
    race, origin = _races(of, home, first, rng)
    return home, {"QSEX": np.where(male, 1, 2), "QAGE": age, "CENHISP": origin, "CENRACE": race}


def _ages(of: dict[str, Ints], home: Ints, place: Ints, partner: Bools, rng: np.random.Generator) -> Ints:
    """The householder's age lies in its group; a partner is about as old; children, then other adults, fill what is left."""
    low, high = np.array(AGES).T
    group = of["THHLDRAGE"] - 1
    head = low[group] + (rng.random(len(group)) * (high - low + 1)[group]).astype(np.int64)
    age = head[home]
    mate = np.clip(age + np.rint(rng.normal(0, 3.5, len(age))).astype(np.int64), 18, OLDEST)
    couple = (of["HHT2"] <= 4)[home]
    child = (place > couple) & (of["TP18"] == 1)[home]
    youngest = np.clip(age - 40, 0, 17)
    young = youngest + (rng.random(len(age)) * (np.clip(age - 16, 1, 18) - youngest).clip(1)).astype(np.int64)
    grown = 18 + (rng.random(len(age)) * 45).astype(np.int64)
    elder = 65 + (rng.random(len(age)) * 25).astype(np.int64)
    other = np.where((of["TP65"] == 1)[home] & (age < 65) & (place == couple + 1), elder, grown)
    return np.select([place == 0, partner, child], [age, mate, np.clip(young, 0, 17)], other)


def _races(of: dict[str, Ints], home: Ints, first: Bools, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Race (01 to 63) and origin: mostly the householder's."""
    head = of["THHRACE"]
    several = _several_races(len(head), rng)
    race = np.where(head == TWO_OR_MORE, several, head)[home]
    mixed = ~first & (rng.random(len(home)) < OTHER_RACE)
    another = _several_races(len(home), rng)
    race = np.where(mixed, another, race)
    origin = of["THHSPAN"][home]
    differs = ~first & (rng.random(len(home)) < OTHER_ORIGIN)
    return race, np.where(differs, 3 - origin, origin)


def _several_races(number: int, rng: np.random.Generator) -> Ints:
    """Codes of so many combinations of races."""
    codes = SHARES["several_races"].astype(np.int64)
    drawn = np.searchsorted(np.cumsum(SHARES["several_races_share"]), rng.random(number))
    return np.asarray(codes[drawn.clip(max=len(codes) - 1)])


ROWS = {"household": (UNIT_COLUMNS, unit_rows), "person": (PERSON_COLUMNS, person_rows)}
"""By subject: the columns of a file, and what makes the rows of some blocks."""
