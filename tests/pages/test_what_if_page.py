"""The page about a what-if: before and after agree with the audits, and nothing that would stay certain is left out."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

from foregone import audit
from foregone.batch.subject import ANY
from foregone.formats.folder import read_release, write_release
from foregone.model.policy import Policies
from foregone.pages.before_after import render_what_if
from foregone.pages.outcome import Outcome, judged_outcome
from foregone.policy.judge import Judged
from foregone.questions.compare import Comparison, compare
from tests.cli.commands import run
from tests.pages.samples import BAD, hostile_release, town


def outcomes(found: Comparison) -> tuple[Outcome, Outcome]:
    return judged_outcome(Judged(found.before), Policies()), judged_outcome(Judged(found.after), Policies())


def page_of(hidden: str) -> str:
    before = town()
    found = compare(audit(before), audit(before.hide(hidden)))
    return unescape(render_what_if(found, f"{hidden} withheld", ANY, outcomes(found), "a town", "2020-01-01"))


def lists(text: str) -> dict[str, list[str]]:
    parts = text.split('<h2 class="listed">')[1:]
    return {part.split(" <span")[0]: re.findall(r'class="said">(.*?)</span> <span', part) for part in parts}


def test_both_sides_are_told() -> None:
    text = page_of("SEX,AGE.1")
    before, after = audit(town()), audit(town().hide("SEX,AGE.1"))
    assert f"<th scope=\"row\">distinct facts</th><td>{len(before)}</td>" in text
    assert len(lists(text)["Still certain"]) == len(after)
    gone = len(compare(before, after).vanish)
    assert len(lists(text).get("No longer certain", [])) == gone
    assert '<span class="sr">changed: </span>withheld</td>' in text
    assert text.count("withheld</td>") == 1
    assert "<script" not in text


def test_a_fact_that_says_less_is_counted_so() -> None:
    text = page_of("SEX,AGE")
    known = {fact.claim for fact in audit(town()).facts}
    weaker = sum(fact.claim not in known for fact in audit(town().hide("SEX,AGE")).facts)
    assert (f"{weaker} of them say less than before" in text) == bool(weaker)


def test_the_command_writes_it_and_judges_by_the_policy(tmp_path: Path) -> None:
    write_release(town(), tmp_path / "town")
    policy = tmp_path / "ours.toml"
    policy.write_text("singled_out_columns = 9\n")
    asked = ("audit", tmp_path / "town", "--hide", "SEX,AGE.1", "--page", tmp_path / "page.html")
    said = run(*asked, "--policy", policy)
    assert said.status == 0
    assert "it shows numbers that would be withheld" in said.out
    text = (tmp_path / "page.html").read_text("utf-8")
    assert "set by ours.toml" in text
    assert "<td>review</td>" in text
    assert read_release(tmp_path / "town") == town()
    assert run("audit", tmp_path / "town", "--page", tmp_path / "x.html").status == 2
    assert run(*asked[:-1], tmp_path / "page.txt").status == 2


def test_hostile_words_are_only_words() -> None:
    before = hostile_release()
    found = compare(audit(before), audit(before.hide(before.statistics[0].name)))
    text = render_what_if(found, BAD, ANY, outcomes(found), BAD, "2020-01-01")
    assert BAD not in text
    assert "<img" not in text
