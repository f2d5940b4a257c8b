"""Several releases as one: compared with brute force over pairs of datasets that share people."""

from __future__ import annotations

import json
from itertools import combinations_with_replacement, product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import foregone as fg
from foregone.model.errors import InputError
from foregone.model.figure import Figure, Measure
from foregone.tables.joining import join
from tests.cli.commands import run

JUNE = {"SEX": ["F", "F", "F", "M", "M"], "AGE": ["65-74", "25-34", "25-34", "75-84", "25-34"], "TOWN": ["A", "A", "B", "B", "A"]}
JULY = {name: [*values, new] for (name, values), new in zip(JUNE.items(), ("F", "75-84", "B"), strict=True)}


def published(data: dict[str, list[str]], *margins: str) -> fg.Release:
    domain = fg.Domain.of({"SEX": ["F", "M"], "AGE": ["25-34", "65-74", "75-84"], "TOWN": ["A", "B"]}, record="patient")
    return fg.tabulate(data, margins or ["SEX", "AGE", "TOWN"], domain=domain)


def test_the_one_who_came_in_july_is_singled_out() -> None:
    june, july = published(JUNE), published(JULY)
    alone = [fg.verify(release, {"SEX": "F", "AGE": "75-84", "TOWN": "B"}, 1).verdict for release in (june, july)]
    assert alone == [fg.Verdict.REFUTED, fg.Verdict.REFUTED]
    both = join({"june": june, "july": july}, people="joined").release
    new = {"SEX": "F", "AGE": "75-84", "TOWN": "B", "IN": "july only"}
    assert fg.verify(both, new, 1).verdict == fg.Verdict.VERIFIED
    assert both.domain.names == ("SEX", "AGE", "TOWN", "IN")
    assert both.domain.column("IN").codes == ("both", "june only", "july only")
    assert both.statistics[0].name == "june/records"
    assert fg.verify(join({"june": june, "july": july}).release, new, 1).verdict == fg.Verdict.REFUTED


RECORDS = list(product("FM", "AB"))
SMALL = fg.Domain.of({"SEX": ["F", "M"], "TOWN": ["A", "B"]})
people = st.lists(st.sampled_from(RECORDS), max_size=3)


def possible_pairs(one: fg.Release, other: fg.Release, happened: str) -> list[tuple[tuple[tuple[str, str], ...], ...]]:
    """Every way to have people in both, in the first only and in the second only: by trying all of them."""
    found: list[tuple[tuple[tuple[str, str], ...], ...]] = []
    for sizes in product(range(4), repeat=3):
        lists = [list(combinations_with_replacement(RECORDS, size)) for size in sizes]
        for both, first, second in product(*lists):
            if (happened in ("joined", "same") and first) or (happened in ("left", "same") and second):
                continue
            datasets = [fg.Dataset.of(SMALL, (*both, *some)) for some in (first, second)]
            if not datasets[0].broken(one) and not datasets[1].broken(other):
                found.append((both, first, second))
    return found


@settings(max_examples=5, deadline=None)
@given(people, people, people, st.sampled_from(["same", "joined", "left", "changed"]))
@pytest.mark.slow
def test_bounds_are_those_of_brute_force(
    both: list[tuple[str, str]], first: list[tuple[str, str]], second: list[tuple[str, str]], happened: str
) -> None:
    first, second = ([] if happened in ("joined", "same") else first), ([] if happened in ("left", "same") else second)
    truths = [fg.Dataset.of(SMALL, [*both, *some]) for some in (first[:1], second[:1])]
    releases = [fg.tabulate(truth, ["SEX", "TOWN"]) for truth in truths]
    pairs = [p for p in possible_pairs(releases[0], releases[1], happened) if all(len(some) <= 3 for some in p)]
    joined = join({"a": releases[0], "b": releases[1]}, people=happened).release
    for record in RECORDS:
        where = {"SEX": record[0], "TOWN": record[1]}
        counts = [sum(list(some).count(record) for some in pair) for pair in pairs]
        low, high = fg.bounds(joined, where)
        assert low <= min(counts)
        assert high is not None
        assert high >= max(counts)
        if max(sum(map(len, pair)) for pair in pairs) <= 4:  # then no one was left out of the pairs that were tried
            assert (low, high) == (min(counts), max(counts))


def test_three_releases_have_patterns() -> None:
    july = published(JULY)
    both = join({"a": published(JUNE), "b": july, "c": july}, people="joined").release
    assert both.domain.column("IN").codes == ("a+b+c", "a+b", "a+c", "b+c", "a", "b", "c")
    assert both.domain.column("IN").group_label(["a+b+c", "a+b", "b+c", "b"]) == "any with b"
    forbidden = {code for rule in both.rules for name, codes in rule.allowed if name == "IN" for code in codes}
    assert forbidden == {"a+b", "a+c", "a", "b"}
    assert fg.bounds(both, {"IN": "b+c"}) == (1, 1)


def test_a_value_that_is_new_was_nobodys_before() -> None:
    june = fg.tabulate({"TOWN": ["A", "B"]}, ["TOWN"])
    july = fg.tabulate({"TOWN": ["A", "B", "C"]}, ["TOWN"])
    made = join({"june": june, "july": july})
    both = made.release
    assert made.assumptions[-1] == "nobody in june has TOWN: C, which june does not list"
    assert fg.bounds(both, {"TOWN": "C", "IN": ["both", "june only"]}) == (0, 0)
    assert fg.bounds(both, {"TOWN": "C", "IN": "july only"}) == (1, 1)


def test_ages_that_are_cut_differently() -> None:
    june = fg.tabulate({"AGE": ["0-17", "18+"]}, ["AGE"])
    july = fg.tabulate({"AGE": ["0-24", "25+"]}, ["AGE"])
    both = join({"june": june, "july": july}, people="same").release
    assert both.domain.column("AGE").codes == ("0-17", "18-24", "25+")
    assert fg.bounds(both, {"AGE": "18-24"}) == (0, 0)


def test_boundaries_that_changed(tmp_path: Path) -> None:
    for name, towns in (("june", "Old,Old,Old,West"), ("july", "North,South,South,West,West")):
        (tmp_path / f"{name}.csv").write_text("TOWN\n" + towns.replace(",", "\n") + "\n")
        assert run("tabulate", tmp_path / f"{name}.csv", "--margins", "TOWN", "--out", tmp_path / name).status == 0
    walk = tmp_path / "walk.csv"
    walk.write_text("column,old,new\nTOWN,Old,North|South\n")
    done = run("join", tmp_path / "june", tmp_path / "july", "--out", tmp_path / "both", "--people", "joined", "--crosswalk", walk)
    assert done.status == 0, done.err
    assert "Assumed: TOWN: old values lie in new ones as the crosswalk says." in done.out
    assert run("bounds", tmp_path / "both", "TOWN=West, IN=july only").out.startswith("1 to 1")
    walk.write_text("column,old,new\nTOWN,Old,North|South|West\nTOWN,West,West\n")
    done = run("join", tmp_path / "june", tmp_path / "july", "--out", tmp_path / "cut", "--crosswalk", walk)
    assert done.status == 0, done.err
    assert fg.Release.read(tmp_path / "cut").domain.column("TOWN").codes == ("North", "South", "West (Old)", "West (West)")
    walk.write_text("column,old,new\nTOWN,Old,East\nPLACE,a,b\n")
    done = run("join", tmp_path / "june", tmp_path / "july", "--out", tmp_path / "no", "--crosswalk", walk)
    assert (done.status, len(done.problems)) == (2, 1)


def joined(folder: Path, july: dict[str, list[str]] = JULY) -> Path:
    for name, data in (("june", JUNE), ("july", july)):
        published(data).write(folder / name)
    assert run("join", folder / "june", folder / "july", "--people", "joined", "--out", folder / "both").status == 0
    return folder / "both"


ASSUMED = "Assumed: from june to july patients may have joined, and none has left.\n"


@pytest.mark.slow
def test_assumptions_go_with_what_is_written(tmp_path: Path) -> None:
    both, safe, proofs = joined(tmp_path), tmp_path / "safe", tmp_path / "proofs.json"
    assert ASSUMED in run("generate", both, "-k", "1", "--out", tmp_path / "some").out
    done = run("protect", both, "--by", "table", "--out", safe, "--proofs", proofs)
    assert done.status == 0, done.err
    assert ASSUMED in done.out
    assert (safe / "assumptions.txt").read_text() == (both / "assumptions.txt").read_text()
    assert ASSUMED in run("check", both, proofs).out
    assert ASSUMED in run("bounds", safe, "--all", "--out", tmp_path / "cells.csv").out
    assert ASSUMED in run("audit", safe).out
    told = json.loads(run("explain", both, "IN=july only", "--json").out)
    assert told["assumptions"][0] == ASSUMED.removeprefix("Assumed: ").removesuffix(".\n")


def test_releases_that_contradict_each_other_doubt_what_was_assumed(tmp_path: Path) -> None:
    done = run("audit", joined(tmp_path, {name: values[:-1] for name, values in JUNE.items()}))
    assert done.status == 2
    assert "june/" in done.err
    assert "july/" in done.err
    assert done.problems[-1] == (
        "error: assumed: from june to july patients may have joined, and none has left; nobody's other values have changed;"
        " if that is wrong, join or import again with other options"
    )


def test_a_single_file_says_that_it_has_no_room_for_assumptions(tmp_path: Path) -> None:
    joined(tmp_path)
    done = run("join", tmp_path / "june", tmp_path / "july", "--out", tmp_path / "both.json")
    assert (done.status, len(done.problems)) == (0, 1)
    assert done.err.startswith(f"note: {tmp_path / 'both.json'} cannot hold these assumptions")


@pytest.mark.slow
def test_assumptions_are_said_with_every_answer(tmp_path: Path) -> None:
    for name, data in (("june", JUNE), ("july", JULY)):
        published(data).write(tmp_path / name)
    both = tmp_path / "both"
    assert run("join", tmp_path / "june", tmp_path / "july", "--people", "joined", "--out", both).status == 0
    new = "in=JULY only, sex=f, age=75–84, town=b"
    for command in (
        ["audit", both],
        ["verify", both, new, "--count", "1"],
        ["bounds", both, new],
        ["explain", both, new, "--count", "1"],
    ):
        done = run(*command)
        assert done.status == 0
        assert "Assumed: from june to july patients may have joined, and none has left." in done.out
    assert run("report", both, "--out", tmp_path / "both.html", "--explain", "1").status == 0
    assert "from june to july patients may have joined, and none has left" in (tmp_path / "both.html").read_text("utf-8")
    assert run("report", both, "--out", tmp_path / "hidden.html", "--explain", "1", "--redact").status == 0
    redacted = (tmp_path / "hidden.html").read_text("utf-8")
    assert "two sentences in assumptions.txt" in redacted
    assert "may have joined" not in redacted
    told = run("explain", both, new, "--count", "1").out
    assert "  AGE: 75-84; IN: june: 1 (june/AGE.3)\n" in told
    assert "  AGE: 75-84; IN: july: 2 (july/AGE.3)\n" in told
    assert run("audit", both).out.startswith("6 patients, ")
    assert run("bounds", both, "IN=june, SEX=F").out.startswith("3 to 3")


@pytest.mark.parametrize(
    ("releases", "people_", "problem"),
    [
        (["a"], "same", "only one release is given"),
        (["a", "b"], "moved", "`people` 'moved': use one of same, joined, left, changed"),
        ([f"r{i}" for i in range(7)], "changed", "7 releases are more than the 6"),
    ],
)
def test_what_cannot_be_joined(releases: list[str], people_: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        join({name: published(JUNE) for name in releases}, people=people_)


def test_percentages_and_means_are_of_their_own_release() -> None:
    domain = fg.Domain.of({"SEX": ["F", "M"], "AGE": ["1", "2", "3"]})
    women = fg.Predicate.of({"SEX": "F"})
    june, july = (
        fg.Release(
            domain,
            [fg.Statistic.exact(fg.Predicate(), number, "N")],
            figures=[
                Figure.printed(Measure.PERCENT, of, women, percent, "women"),
                Figure.exact(Measure.SUM, "AGE", women, total, "ages"),
            ],
        )
        for number, of, percent, total in ((10, "N", "40", 8), (11, "", "45", 9))
    )
    both = join({"june": june, "july": july}, people="joined").release
    assert [figure.of for figure in both.figures] == ["june/N", "AGE", "july/N", "AGE"]
    assert fg.bounds(both, {"SEX": "F", "IN": ["both", "june only"]}) == (4, 4)
    assert fg.bounds(both, {"SEX": "F", "AGE": "1", "IN": "july only"}) == (1, 1)


def test_marks_come_along(tmp_path: Path) -> None:
    """A mark that means something else in another release gets the release's name in front."""
    gap = fg.Statistic(fg.Predicate.of({"SEX": "F"}), 0, None, "women", mark="[c]", gaps=((1, 4),))
    june = fg.Release(fg.Domain.of({"SEX": ["F", "M"]}, marks={"[c]": ((0, 0), (5, None)), "*": ((1, 4),)}), [gap])
    star = fg.Statistic(fg.Predicate.of({"SEX": "F"}), 1, 9, "women", mark="*")
    july = fg.Release(fg.Domain.of({"SEX": ["F", "M"]}, marks={"[c]": ((0, 0), (5, None)), "*": ((1, 9),)}), [star])
    both = join({"june": june, "july": july}, people="changed").release
    assert dict(both.domain.marks) == {"[c]": ((0, 0), (5, None)), "june/*": ((1, 4),), "july/*": ((1, 9),)}
    assert [s.mark for s in both.statistics] == ["[c]", "july/*"]
    both.write(tmp_path / "both")
    assert fg.Release.read(tmp_path / "both") == both
