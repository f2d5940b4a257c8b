"""The page about a run or a study: what it says agrees with the files, stays small, hides what it must."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

import pyarrow.parquet as parquet
import pytest
from typer.testing import CliRunner, Result

from foregone.census.geography import STATES
from foregone.cli.app import app
from foregone.formats.folder import write_release
from foregone.pages.collection import Gathered
from foregone.pages.collection_page import ManyOptions, render_many
from foregone.pages.explanations import Behind, behind
from foregone.pages.run_collection import from_run
from foregone.pages.template import MOST_BYTES
from foregone.pages.thresholds import Limit, Thresholds
from foregone.questions.explain import forced
from foregone.study.collection import from_study
from tests.batch.handmade import fact, summary_line, write_run
from tests.pages.samples import BAD, hostile_run, town

FIRST, SECOND = "010010001001000", "020010001001000"


Told = tuple[Gathered, dict[tuple[str, str, int], Behind]]


@pytest.fixture(scope="module")
def told(country: Path) -> Told:
    """A run, and explanations of its two facts with the fewest attributes, which take the least time."""
    gathered = from_run(country / "RUN", Thresholds(), 20)
    ones = [sighted for sighted in gathered.found if sighted.finding.count == 1]
    return gathered, behind(gathered, country / "units.parquet", ones[-2:])


def report(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["report", *map(str, arguments), "--date", "2020-01-01"])


def page_of(gathered: Gathered, redact: bool = False) -> str:
    return render_many(gathered, {}, ManyOptions("2020-01-01", redact)).text


def said(text: str) -> list[str]:
    return [unescape(words) for words in re.findall(r'class="said">(.*?)<', text)]


def small_run(folder: Path, noun: str = "block") -> Path:
    parts = {"01-00000": [summary_line(FIRST, 4, [3, 2], [3, 2]), summary_line(SECOND, 6, [1, 1], [1, 1])]}
    told = [(FIRST, "F", "old", 1), (SECOND, "M", "old", 1), (FIRST, "", "old", 3), (FIRST, "", "young", 9)]
    facts = [fact(block, {name: v for name, v in (("SEX", sex), ("AGE", age)) if v}, count) for block, sex, age, count in told]
    return write_run(folder, parts, {"01-00000": facts}, noun=noun)


def test_numbers_are_those_of_the_run(tmp_path: Path) -> None:
    gathered = from_run(small_run(tmp_path / "RUN"), Thresholds(), 10)
    assert (gathered.releases, gathered.records, gathered.singled_out, gathered.with_any, gathered.facts) == (2, 10, 4, 2, 4)
    assert gathered.singletons == {1: 4, 2: 3}
    assert gathered.households == {1: 4, 2: 3}
    assert gathered.exposed == {"SEX": 2, "AGE": 2}
    assert gathered.level == "state"
    assert [(place.code, place.part, place.whole) for place in gathered.places] == [("01", 3, 4), ("02", 1, 6)]
    text = page_of(gathered)
    assert "4 of 10 households are singled out." in text
    assert "Alabama (01)" in text
    assert "75.0 %" in text


def test_most_telling_come_first_larger_blocks_before_smaller_ones(tmp_path: Path) -> None:
    gathered = from_run(small_run(tmp_path / "RUN"), Thresholds(), 10)
    order = [(sighted.release, sighted.finding.count, sighted.finding.columns) for sighted in gathered.found]
    assert order == [(SECOND, 1, 2), (FIRST, 1, 2), (FIRST, 3, 1)]  # groups of nine are not listed one by one


def test_of_many_the_largest_blocks_are_taken(tmp_path: Path) -> None:
    lines = [summary_line(f"01001000100{size:04d}", size, [1, 1], [1, 1]) for size in range(1, 31)]
    facts = [fact(line["release"], {"SEX": "F", "AGE": "old"}) for line in lines]
    gathered = from_run(write_run(tmp_path / "RUN", {"p": lines}, {"p": facts}), Thresholds(), 3)
    assert [sighted.records for sighted in gathered.found][:3] == [30, 29, 28]


def test_every_place_size_and_number_of_attributes_is_on_the_page(tmp_path: Path) -> None:
    lines, facts = [], []
    for i, state in enumerate(("01", "02", "04")):
        for b in range(40):
            block = f"{state}0010001{b:06d}"
            lines.append(summary_line(block, 100 - i, [1, 1], [1, 1]))
            facts += [fact(block, {"SEX": "F", "AGE": "old"}), fact(block, {"SEX": "M"}), fact(block, {"AGE": "young"}, 2)]
    run = write_run(tmp_path / "RUN", {"p": lines}, {"p": facts})
    gathered = from_run(run, Thresholds(), 5)
    told = [(s.release[:2], s.finding.count, s.finding.columns) for s in gathered.found]
    assert told[:5] == [("01", 1, 2)] * 5
    assert {place for place, *_ in told} == {"01", "02", "04"}
    assert {(count, k) for _, count, k in told} == {(1, 2), (1, 1), (2, 1)}
    assert len(told) == len({(s.release, s.finding.predicate) for s in gathered.found}) <= 45
    text = unescape(page_of(gathered))
    assert f"This page holds {len(told)} of 360 facts" in text
    assert "RUN/facts" in text


def test_page_is_self_contained_and_repeatable(tmp_path: Path) -> None:
    run = small_run(tmp_path / "RUN")
    text = page_of(from_run(run, Thresholds(), 10))
    assert text == page_of(from_run(run, Thresholds(), 10))
    assert not re.search(r'(src|href)="(?!#)', text)
    assert "http" not in text.replace("http-equiv", "")


def test_page_of_a_large_run_stays_small(tmp_path: Path) -> None:
    lines = [summary_line(f"01001000{i:07d}", 50, [1, 1], [1, 1]) for i in range(3000)]
    facts = [fact(line["release"], {"SEX": "F" * 900, "AGE": f"{i}"}) for i, line in enumerate(lines)]
    gathered = from_run(write_run(tmp_path / "RUN", {"p": lines}, {"p": facts}), Thresholds(), 3000)
    assert len(gathered.found) == 3000
    page = render_many(gathered, {}, ManyOptions("2020-01-01"))
    assert len(page.text.encode()) < MOST_BYTES
    assert 0 < page.shown < 3000
    assert f"This page holds {page.shown:,} of 3,000 facts" in page.text


def test_hostile_words_are_only_words(tmp_path: Path) -> None:
    assert report(hostile_run(tmp_path / "RUN"), "--out", tmp_path / "r.html").exit_code == 0
    text = (tmp_path / "r.html").read_text("utf-8")
    for bad in (BAD, "<b>bold", "</script><"):
        assert bad not in text
    assert text.count("<script") == 2
    assert BAD in unescape(text)
    assert "{{ 7 * 7 }}" in text


def test_redacted_page_has_no_values_and_no_places(country: Path, told: Told, tmp_path: Path) -> None:
    done = report(country / "RUN", "--out", tmp_path / "r.html", "--redact")
    assert done.exit_code == 0, done.output
    assert json.loads((tmp_path / "r.results.json").read_text())["run"]["fingerprint"] is None
    with_derivations = render_many(*told, ManyOptions("2020-01-01", redact=True)).text
    assert "Why it cannot be otherwise" in with_derivations
    fingerprint = json.loads((country / "RUN" / "run.json").read_text())["input"]["sha256"]
    for text in ((tmp_path / "r.html").read_text("utf-8"), with_derivations):
        body = unescape(text.split("</style>")[1].split("<script")[0])
        for hidden in (*STATES.values(), "tract 0", "county 0", "units.parquet", fingerprint, "mortgage", "lives alone", "owned"):
            assert hidden not in body, hidden
        assert not re.search(r"\d{15}", text)
        assert set(re.findall(r'data-place="(.*?)"', text)) == {""}
        assert "hidden" in body
        assert 'id="data">{"numbers": {}, "uses": {}}</script>' in text


@pytest.mark.parametrize(("columns", "status", "verdict"), [(1, 1, "fail"), (9, 0, "review")])
def test_gate(tmp_path: Path, columns: int, status: int, verdict: str) -> None:
    run = small_run(tmp_path / "RUN")
    (tmp_path / "limits.yaml").write_text(f"fail:\n  fewest_columns: {columns}\n")
    done = report(run, "--out", tmp_path / "r.html", "--thresholds", tmp_path / "limits.yaml", "--gate")
    assert done.exit_code == status, done.output
    content = json.loads((tmp_path / "r.results.json").read_text())
    assert (content["schema"], content["verdict"]) == ("foregone-results/1", verdict)
    assert content["found"]["records_singled_out"] == 4


def test_failed_releases_and_unfinished_runs_are_for_review(tmp_path: Path) -> None:
    nobody = [summary_line(FIRST, 4, [0, 0], [0, 0])]
    whole = write_run(tmp_path / "WHOLE", {"p": nobody})
    failed = write_run(tmp_path / "FAILED", {"p": nobody}, None, [{"release": SECOND, "state": "02", "reason": "memory ran out"}])
    unfinished = write_run(tmp_path / "UNFINISHED", {"p": nobody}, complete=False)
    verdicts = {}
    for run in (whole, failed, unfinished):
        assert report(run, "--out", tmp_path / "r.html").exit_code == 0
        verdicts[run.name] = json.loads((tmp_path / "r.results.json").read_text())["verdict"]
        if run is failed:
            assert "memory ran out" in (tmp_path / "r.html").read_text()
        if run is unfinished:
            assert "not finished" in (tmp_path / "r.html").read_text()
    assert verdicts == {"WHOLE": "pass", "FAILED": "review", "UNFINISHED": "review"}
    undecided = write_run(tmp_path / "OPEN", {"p": [summary_line(FIRST, 4, [0], [0], undecided=3)]})
    assert report(undecided, "--out", tmp_path / "r.html").exit_code == 3


def test_with_the_unit_file_facts_are_derived(told: Told) -> None:
    gathered, explained = told
    assert len(explained) == 2
    for found in explained.values():
        finding = found.finding
        assert forced(found.release, found.reason.statistics, finding.predicate, finding.count, finding.count) is True
        assert finding.keys
    text = render_many(gathered, explained, ManyOptions("2020-01-01")).text
    assert text.count('class="tag hint">why?') == 2
    data = re.search(r'id="data">(.*?)</script>', text, re.DOTALL)
    assert data is not None
    prefixes = {cell.split("-")[0] for cell in json.loads(data[1])["uses"]}
    assert len(prefixes) == 2


def test_another_unit_file_is_refused(country: Path, tmp_path: Path) -> None:
    (tmp_path / "other.parquet").write_bytes((country / "units.parquet").read_bytes() + b"x")
    for source, words in ((tmp_path / "other.parquet", "not the file"), (tmp_path / "none.parquet", "cannot be read")):
        done = report(country / "RUN", "--out", tmp_path / "r.html", "--source", source)
        assert done.exit_code == 2
        assert words in done.stderr
    assert report(small_run(tmp_path / "RUN", noun="release"), "--out", tmp_path / "r.html", "--source", "x").exit_code == 2


def test_study_has_its_baselines(country: Path, tmp_path: Path) -> None:
    gathered = from_study(country / "study", Thresholds(), 50)
    claims = parquet.read_table(country / "study" / "claims.parquet").to_pylist()
    chances = parquet.read_table(country / "study" / "baseline.parquet").to_pylist()[: len(claims)]
    known = {
        (claim["block"], claim["count"], frozenset((n, claim[n]) for n in gathered.domain.names if claim[n] is not None)): chance
        for claim, chance in zip(claims, chances, strict=True)
    }
    for sighted in gathered.found:
        finding = sighted.finding
        chance = known[sighted.release, finding.count, frozenset(finding.values.items())]
        assert chance["prior"] == "tract"
        assert chance["probability"] == finding.baseline
    assert report(country / "study", "--out", tmp_path / "s.html").exit_code == 0
    text = (tmp_path / "s.html").read_text("utf-8")
    assert "by chance: " in text
    assert "How surprising it is" in text
    assert "At least" in text


def test_study_shows_claims_in_their_fullest_form(country: Path) -> None:
    found = from_study(country / "study", Thresholds(), 50).found
    assert found
    for one in found:
        for other in found:
            same = one is not other and (one.release, one.finding.count) == (other.release, other.finding.count)
            assert not (same and one.finding.values.items() <= other.finding.values.items())


def test_baselines_count_for_the_limits_of_a_study(country: Path) -> None:
    every = from_study(country / "study", Thresholds(Limit(1, 2), Limit(1, 2)), 5)
    rare = from_study(country / "study", Thresholds(Limit(1, 2, 0.05), Limit(1, 2, 0.0)), 5)
    assert every.over_fail == sum(every.singletons.values())
    assert rare.over_fail < every.over_fail
    assert rare.over_review <= rare.over_fail


def test_facts_on_the_page_are_facts_of_the_run(country: Path) -> None:
    gathered = from_run(country / "RUN", Thresholds(), 50)
    rows = [row for part in sorted((country / "RUN" / "facts").glob("*.parquet")) for row in parquet.read_table(part).to_pylist()]
    known = {
        (row["release"], row["count"], frozenset((n, row[n]) for n in gathered.domain.names if row[n] is not None)) for row in rows
    }
    assert len(gathered.found) >= 20
    for sighted in gathered.found:
        assert (sighted.release, sighted.finding.count, frozenset(sighted.finding.values.items())) in known


def test_mistakes_are_named(country: Path, tmp_path: Path) -> None:
    write_release(town(), tmp_path / "town")
    (tmp_path / "half").mkdir()
    (tmp_path / "half" / "study.json").write_text("{}")
    for arguments, words in (
        ([country / "RUN", "--prior", "x.csv"], "single release"),
        ([tmp_path / "town", "--source", "x.csv"], "run or a study"),
        ([tmp_path / "half"], "claims.parquet"),
    ):
        done = report(*arguments, "--out", tmp_path / "r.html")
        assert done.exit_code == 2
        assert words in done.stderr


def test_releases_that_are_no_blocks_are_listed_by_name(tmp_path: Path) -> None:
    lines = [summary_line("clinic-1", 30, [1, 4]), summary_line("clinic-2", 50, [0, 0])]
    run = write_run(
        tmp_path / "RUN", {"p": lines}, {"p": [fact("clinic-1", {"SEX": "F", "AGE": "old"})]}, noun="release", options={}
    )
    text = page_of(from_run(run, Thresholds(), 5))
    assert "Somebody is singled out in 1 of 2 releases." in text
    assert said(text) == ["Exactly one record has SEX: F; AGE: old."]
    assert "clinic-1 · 30 records there" in unescape(text)
