"""Releases that the tests of the page share."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from foregone import Release, Statistic, tabulate
from tests.batch.handmade import fact, summary_line, write_run

BAD = "<script>document.title='taken'</script>"


def town() -> Release:
    """Four people; the old woman is singled out, and so is the man from Ardmore."""
    people = {
        "SEX": ["F", "F", "M", "M"],
        "AGE": ["old", "young", "young", "young"],
        "HOME": ["Brewood", "Brewood", "Brewood", "Ardmore"],
    }
    return tabulate(people, margins=["SEX,AGE", "SEX,HOME", "AGE,HOME"], record="person")


def wide() -> Release:
    """A table of many columns and large numbers, with totals: what has little room on a phone."""
    towns = [f"Town {i}" for i in range(8)]
    cells = [(age, town, 100 * i + j + 1) for i, age in enumerate(("0-17", "18-64", "65+")) for j, town in enumerate(towns)]
    people = {"AGE": [age for age, _, n in cells for _ in range(n)], "TOWN": [town for _, town, n in cells for _ in range(n)]}
    made = tabulate(people, margins=["AGE,TOWN", "AGE", "TOWN"], record="person")
    one = [replace(s, table="AGE,TOWN") for s in made.statistics]  # as people print it: one table with its totals
    return Release(made.domain, one)


def many_facts(number: int) -> tuple[dict[str, list[dict[str, object]]], dict[str, list[dict[str, object]]]]:
    """The parts of a run with so many facts about single records."""
    names = [f"r{i:04}" for i in range(number // 4)]
    lines = [summary_line(name, 9, [4]) for name in names]
    told = [(name, {"A": str(k), "B": str(i % 7), "C": "x"}, 3 - k % 2) for i, name in enumerate(names) for k in range(4)]
    return {"all-00000": lines}, {"all-00000": [{**fact(name, values), "attributes": n} for name, values, n in told]}


def hostile_release() -> Release:
    """Column names, values, labels and table names that would do harm if they were taken for HTML or JavaScript."""
    people = {
        BAD: [
            "<img src=x onerror=\"document.title='taken'\">",
            "'\"></script><script>document.title='taken'</script>",
            "{{ 7 * 7 }}",
        ],
        "<b>bold": ["\"'`", "</style><style>*{display:none}", "</style><style>*{display:none}"],
    }
    release = tabulate(people, margins=[f"{BAD}", f"{BAD},<b>bold"], record="<i>person</i>")
    return Release(
        release.domain,
        tuple(Statistic(s.predicate, s.low, s.high, f"{BAD}{s.name}", f"</table>{s.table}") for s in release.statistics),
    )


def hostile_run(folder: Path) -> Path:
    """A run whose releases, columns, values and reasons would do harm if they were taken for HTML, JavaScript or SQL."""
    first, second = f"{BAD}-1", "'\"); DROP VIEW facts; --"
    parts = {"all-00000": [summary_line(first, 9, [4]), summary_line(second, 7, [2])]}
    facts = {"all-00000": [fact(first, {BAD: BAD, 'a"b': "<b>bold</b>"}), fact(second, {BAD: "{{ 7 * 7 }}"}, 2)]}
    failures = [{"release": f"{BAD}-3", "state": "", "reason": f"no {BAD} left"}]
    return write_run(folder, parts, facts, failures, noun="release", options={}, input={"name": BAD, "sha256": BAD})
