"""Tables of random people, written out by a program of their own in the ways people write them: the truth fits what is imported."""

from __future__ import annotations

import csv
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from foregone.model.errors import InputError
from foregone.model.release import Release
from foregone.tables.importing import read_tables

Person = dict[str, object]
TOWNS = ["Ambridge", "Darrington", "Penny Hassett"]


def people(random: Random) -> list[Person]:
    number = random.choice([20, 60, 1500])
    return [
        {"Age": random.randrange(95), "Sex": random.choice(["Male", "Female"]), "Town": random.choice(TOWNS)} for _ in range(number)
    ]


def groups(random: Random) -> list[tuple[str, range]]:
    """Cut ages somewhere; labels in one of the usual styles."""
    cuts = [0, *sorted(random.sample(range(5, 90), random.randint(1, 4))), 200]
    dash = random.choice(["-", "–", " to "])
    made = []
    for first, after in pairwise(cuts):
        label = (
            f"{first}{dash}{after - 1}" if after < 200 else random.choice([f"{first}+", f"{first} and over", f"{first} or more"])
        )
        if first == 0 and random.random() < 0.3:
            label = f"Under {after}"
        made.append((label, range(first, after)))
    return made


def shown(number: int, hide: str, random: Random) -> str:
    if hide and 0 < number < 5:
        return hide
    return f"{number:,}" if random.random() < 0.8 else str(number)


def write(path: Path, data: list[Person], rows: str, random: Random, hide: str) -> None:
    """A cross-tab of ages or towns by sex, with whatever stands around one."""
    labels = groups(random) if rows == "Age" else [(town, None) for town in TOWNS]
    heads = ["Male", "Female"]
    totals = random.choice(["Total", "All", "Sum"])
    total_column, total_row = random.random() < 0.7, random.random() < 0.7

    def count(label: str, ages: range | None, sex: str) -> int:
        return sum(
            1
            for person in data
            if (label == totals or (person["Age"] in ages if ages is not None else person["Town"] == label))
            and sex in (totals, person["Sex"])
        )

    lines: list[list[str]] = []
    if random.random() < 0.6:
        lines += [[f"Table 1: People by {rows.lower()} and sex, 2023"], *([[]] if random.random() < 0.5 else [])]
    columns = [*heads, *([totals] if total_column else [])]
    lines.append([random.choice([rows, rows, f"{rows} group"]) if rows == "Age" else rows, *columns])
    body = [*labels, *([(totals, None)] if total_row else [])]
    if total_row and random.random() < 0.2:
        body = [body[-1], *body[:-1]]
    lines += [[label, *(shown(count(label, ages, sex), hide, random) for sex in columns)] for label, ages in body]
    if random.random() < 0.5:
        lines += [[], ["Source: register"]]
    with path.open("w", encoding=random.choice(["utf-8", "utf-8-sig", "utf-16"]), newline="") as file:
        csv.writer(file, delimiter=random.choice(",;\t")).writerows(lines)


def number_of(release: Release, index: int, data: list[Person]) -> int:
    """How many of the people a statistic of the release counts."""
    conditions = release.statistics[index].predicate.allowed

    def has(person: Person, name: str, codes: frozenset[str]) -> bool:
        if not name.startswith("Age"):
            return person[name] in codes
        age = person["Age"]
        assert isinstance(age, int)
        return any(inside(age, code) for code in codes)

    return sum(1 for person in data if all(has(person, name, codes) for name, codes in conditions))


def inside(age: int, code: str) -> bool:
    """Is an age in a group? Read here without the code under test."""
    words = code.replace("–", "-").replace(" to ", "-").lower()
    if words.startswith("under "):
        return age < int(words.removeprefix("under "))
    for ending in ("+", " and over", " or more"):
        if words.endswith(ending):
            return age >= int(words.removesuffix(ending))
    first, _, last = words.partition("-")
    return int(first) <= age <= int(last or first)


def encoding_of(path: Path) -> str:
    return "utf-16" if path.read_bytes()[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8"


@pytest.mark.parametrize("seed", range(60))
def test_the_truth_fits_what_is_imported(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    data, hide = people(random), random.choice(["", "*", "<5", "[c]"])
    kinds = random.choice([["Age"], ["Age", "Age"], ["Age", "Town"], ["Age", "Age", "Town"]])
    paths = [tmp_path / f"t{i}.csv" for i in range(len(kinds))]
    for path, kind in zip(paths, kinds, strict=True):
        write(path, data, kind, random, hide)
    try:
        used = hide and any(hide in path.read_bytes().decode(encoding_of(path)) for path in paths)
        made = read_tables(paths, tokens=[f"{hide}=1..4"] if used else [])
    except InputError as error:
        if "two readings fit" not in str(error):  # by chance a row may be the sum of the others
            raise
        return
    release = made.release
    assert len(release.statistics) > 3
    for i, statistic in enumerate(release.statistics):
        assert statistic.holds(number_of(release, i, data)), (statistic.name, statistic.range_text)
    assert not [sentence for sentence in made.said if "left out" in sentence]
