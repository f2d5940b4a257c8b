"""What a page counts and marks: facts that are printed already, and values that go without saying."""

from __future__ import annotations

import re
from html import unescape
from importlib.resources import files
from pathlib import Path

import pytest

from foregone import Domain, Predicate, Release, Statistic, audit, tabulate
from foregone.batch.subject import ANY
from foregone.census.subjects import subject_of_run
from foregone.formats.folder import write_release
from foregone.formats.rows import read_prior
from foregone.model.policy import OF_MANY, Policies
from foregone.model.sentences import singled_out_sentence
from foregone.pages.collection import collection_of_run
from foregone.pages.collection_page import render_collection
from foregone.pages.ranking import audited_release
from foregone.pages.release_page import PageOptions, render_release
from tests.batch.handmade import fact, summary_line, write_run
from tests.cli.commands import run
from tests.pages.samples import town


def page_of(release: Release, redact: bool = False) -> str:
    text = render_release(audited_release(audit(release), ANY), {}, PageOptions("2020-01-01", redact=redact)).text
    return unescape(text.split("</style>")[1].split("<script")[0])


def items(text: str) -> list[str]:
    return text.split('<li class="fact"')[1:]


def tags(item: str) -> list[str]:
    return re.findall(r'class="tag[^"]*"[^>]*>([^<]*)<', item)


def clinic() -> Release:
    """Everybody is registered, and children and the young are counted together: one of them has the diagnosis."""
    domain = Domain.of({"AGE": ["child", "young", "old"], "DX": ["no", "yes"], "REG": ["no", "yes"]}, record="patient")
    young = ("child", "young")
    numbers: list[tuple[dict[str, str | tuple[str, ...]], int]] = [
        ({}, 40),
        ({"REG": "yes"}, 40),
        ({"AGE": young, "DX": "yes"}, 1),
        ({"AGE": young, "DX": "no"}, 12),
        ({"AGE": "old", "DX": "yes"}, 9),
        ({"AGE": "child"}, 6),
    ]
    return Release(domain, [Statistic(Predicate.of(where), n, n, f"n{i}") for i, (where, n) in enumerate(numbers)])


def exposed(text: str) -> list[str]:
    return re.findall(r'data-tells="([^"]*)"', text.split("Which attributes are exposed")[1].split("</figure>")[0])


@pytest.mark.parametrize("release", [town(), clinic()])
def test_each_fact_says_whether_it_is_printed(release: Release) -> None:
    text = page_of(release)
    listed = audited_release(audit(release), ANY).listed
    assert {told.published for told in listed} == {True, False}
    for told, item in zip(listed, items(text), strict=True):
        assert ("printed" in tags(item) or "partly printed" in tags(item)) == told.published
        assert ("follows" in tags(item)) == (not told.published)
        assert ("No table prints this" in item) == (not told.published)
        assert (" prints this" in item or " prints a part" in item)
    assert '<select id="printed">' in text


def test_the_number_that_prints_a_part_is_named() -> None:
    """One person is old, and prints so; that she is a woman from Brewood only follows."""
    (old,) = [item for item in items(page_of(town())) if "AGE: old" in item.split("</summary>")[0] and "SEX" in item]
    assert "partly printed" in tags(old)
    assert "SEX,AGE.1 prints a part of this: “SEX: F; AGE: old” is 1. The rest follows from all" in old
    redacted = page_of(town(), redact=True)
    assert "A published number prints a part of this. The rest" in redacted
    assert "SEX,AGE.1" not in redacted


def test_what_goes_without_saying_is_grey_and_not_counted() -> None:
    text = page_of(clinic())
    (one,) = [item for item in items(text) if "1 patient" in tags(item)]
    assert "2 attributes, 1 of them a single value" in tags(one)
    grey = re.findall(r'<div class="idle"[^>]*><dt>([^<]*)</dt><dd>([^<]*)<span class="sr"> \(goes without saying\)</span>', one)
    assert grey == [("REG", "yes")]
    assert re.search(r"<div><dt>AGE</dt><dd>child or young</dd>", one)
    assert 'data-k="2"' in one
    assert '; <span class="idle">REG: yes</span>.' in one.split("</summary>")[0]
    assert exposed(text) == ["AGE", "DX"]
    assert "Not listed, as it goes without saying: REG." in text
    assert 'data-names="0 1 "' in one
    redacted = page_of(clinic(), redact=True)
    assert "One patient: their AGE and DX are certain." in redacted


def test_an_attribute_that_nobody_knows_is_still_listed() -> None:
    domain = Domain.of({"SEX": ["F", "M"], "AGE": ["old", "young"]})
    text = page_of(Release(domain, [Statistic(Predicate(), 3, 3), Statistic(Predicate.of({"SEX": "F"}), 1, 1)]))
    assert exposed(text) == ["SEX", "AGE"]
    assert "Not listed" not in text


def test_facts_that_are_not_told_one_by_one_are_one_line() -> None:
    more = audited_release(audit(clinic()), ANY).more
    assert more > 1
    line = f'<p class="more">{more} more facts about groups of values are printed as such or follow by adding.</p>'
    assert line in page_of(clinic())


def test_grey_can_be_read() -> None:
    style = files("foregone.pages").joinpath("templates", "style.css").read_text("utf-8")
    assert ".known .idle { color: var(--quiet);" in style
    for colours in (style.split("@media")[0], style.split("@media (prefers-color-scheme: dark)")[1].split("*")[0]):
        grey, paper = (luminance(colours, name) for name in ("--quiet", "--card"))
        assert (max(grey, paper) + 0.05) / (min(grey, paper) + 0.05) >= 4.5


def luminance(colours: str, name: str) -> float:
    """How light a colour is, as the guidelines for accessible pages define it."""
    digits = re.search(rf"{name}: #([0-9a-f]+)", colours)
    assert digits is not None
    code = digits[1] if len(digits[1]) == 6 else "".join(2 * c for c in digits[1])
    parts = [int(code[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def headline(page: Path) -> str:
    found = re.search('<h1 class="headline">(.*?)</h1>', page.read_text("utf-8"))
    assert found is not None
    return unescape(found[1])


@pytest.mark.parametrize("with_truth", [False, True])
def test_page_and_terminal_say_the_same_sentence(tmp_path: Path, with_truth: bool) -> None:
    rows = tmp_path / "people.csv"
    rows.write_text("SEX,AGE\nF,old\nF,young\nM,young\nM,young\n")
    release = tabulate({"SEX": ["F", "F", "M", "M"], "AGE": ["old", "young", "young", "young"]}, margins=["SEX,AGE"])
    truth = read_prior(rows, release.domain)
    for name, published, true in (("clinic", clinic(), None), ("people", release, truth if with_truth else None)):
        write_release(published, tmp_path / name, true)
        run("report", tmp_path / name, "--out", tmp_path / f"{name}.html")
        lines = run("audit", tmp_path / name).out.splitlines()
        assert singled_out_sentence(audit(published)) in lines
        assert headline(tmp_path / f"{name}.html") == singled_out_sentence(audit(published), true)
        assert ("In the true records" in headline(tmp_path / f"{name}.html")) == (true is not None)


def test_page_of_the_demo_says_the_sentence_of_the_demo(tmp_path: Path) -> None:
    said = run("demo", "--page", tmp_path / "demo.html").out
    assert "In the true records it is" in headline(tmp_path / "demo.html")
    assert headline(tmp_path / "demo.html") in said


def page_of_run(folder: Path, facts: list[dict[str, object]]) -> str:
    path = write_run(folder, {"01-00000": [summary_line("a", 4, [3, 2])]}, {"01-00000": facts}, noun="release", options={})
    collection = collection_of_run(path, subject_of_run, Policies(OF_MANY), 10)
    return unescape(render_collection(collection, {}, PageOptions("2020-01-01")).text.split("</style>")[1])


def test_page_of_a_run_marks_and_counts_the_same(tmp_path: Path) -> None:
    told: list[tuple[dict[str, str], int, int, bool]] = [
        ({"SEX": "F", "AGE": "old|young", "HOME": "here"}, 1, 2, True),
        ({"SEX": "M", "HOME": "here"}, 1, 1, False),
        ({"HOME": "here"}, 4, 1, True),
    ]
    facts = [
        {**fact("a", where, n), "attributes": known, "exact": 1, "published": printed}
        for where, n, known, printed in told
    ]
    text = page_of_run(tmp_path / "RUN", facts)
    first, second, third = items(text)
    assert "2 attributes" in tags(first)
    assert "printed, at least in part" in tags(first)
    assert '<div class="idle" title="goes without saying"><dt>HOME</dt><dd>here<' in first
    assert first.split("</summary>")[1].count('class="idle"') == 1
    assert {"1 attribute", "follows"} <= set(tags(second))
    assert "without saying" not in third.split("</li>")[0]
    assert exposed(text) == ["SEX", "AGE"]
    assert "Not listed, as it goes without saying: HOME." in text


def test_what_is_not_known_of_all_records_of_a_run_stays_listed(tmp_path: Path) -> None:
    facts = [{**fact("a", {"SEX": "F", "AGE": "old|young"}), "attributes": 1}, {**fact("a", {"SEX": "F"}, 3), "attributes": 1}]
    text = page_of_run(tmp_path / "RUN", facts)
    assert exposed(text) == ["SEX", "AGE"]
    assert "1 of these goes without saying and is not counted." in items(text)[0]
    assert 'class="idle"' not in text


def test_a_run_that_did_not_look_says_nothing_about_it(tmp_path: Path) -> None:
    text = page_of_run(tmp_path / "RUN", [fact("a", {"SEX": "F", "AGE": "old"}), fact("a", {"SEX": "F"}, 3)])
    assert len(items(text)) == 2
    assert not {"printed", "printed, at least in part", "follows"} & {tag for item in items(text) for tag in tags(item)}
    assert '<select id="printed">' not in text
    assert "Not listed" not in text
