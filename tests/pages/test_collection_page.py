"""The page about a run: what it says agrees with the files, stays small, hides what it must."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

import pyarrow.parquet as parquet
import pytest
from typer.testing import CliRunner, Result

from foregone import Audit, Case, audit
from foregone.census.geography import STATES
from foregone.census.subjects import subject_of_run
from foregone.cli.app import app
from foregone.engine import forced
from foregone.formats.folder import write_release
from foregone.model.policy import OF_MANY, Policies
from foregone.pages import explanations
from foregone.pages.collection import Collection, collection_of_run
from foregone.pages.collection_page import render_collection
from foregone.pages.explanations import ExplainedFact, check_source, explained_located
from foregone.pages.release_page import PageOptions
from foregone.pages.template import MOST_BYTES
from tests.batch.handmade import fact, summary_line, write_run
from tests.pages.samples import BAD, hostile_run, town

pytestmark = pytest.mark.slow
FIRST, SECOND = "010010001001000", "020010001001000"


Told = tuple[Collection, dict[tuple[str, str, int], ExplainedFact]]


@pytest.fixture(scope="module")
def told(country: Path) -> Told:
    """A run, and explanations of its two facts with the fewest attributes, which take the least time."""
    collection = collection_of_run(country / "RUN", subject_of_run, Policies(OF_MANY), 20)
    ones = [located for located in collection.found if located.fact.count == 1]
    check_source(collection, country / "units.parquet")
    return collection, dict(explained_located(collection, country / "units.parquet", ones[-2:]))


def test_a_release_is_audited_once_for_all_of_its_facts(country: Path, told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    collection, _ = told
    ones = [located for located in collection.found if located.fact.count == 1]
    release = ones[-1].release
    same = [located for located in ones if located.release == release][-2:]
    audited = list[object]()

    def counted(case: Case, time_limit: float | None) -> Audit:
        audited.append(case)
        return audit(case, time_limit=time_limit)

    monkeypatch.setattr(explanations, "audit", counted)
    found = dict(explained_located(collection, country / "units.parquet", [*same, same[0]]))
    assert len(audited) == 1
    assert {name for name, _, _ in found} == {release}
    assert all(each.fact.keys for each in found.values())


def report(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["report", *map(str, arguments), "--date", "2020-01-01"])


def page_of(collection: Collection, redact: bool = False) -> str:
    return render_collection(collection, {}, PageOptions("2020-01-01", redact=redact)).text


def said(text: str) -> list[str]:
    return [unescape(words) for words in re.findall(r'class="said">(.*?)<', text)]


def small_run(folder: Path, noun: str = "block") -> Path:
    parts = {"01-00000": [summary_line(FIRST, 4, [3, 2], [3, 2]), summary_line(SECOND, 6, [1, 1], [1, 1])]}
    told = [(FIRST, "F", "old", 1), (SECOND, "M", "old", 1), (FIRST, "", "old", 3), (FIRST, "", "young", 9)]
    facts = [fact(block, {name: v for name, v in (("SEX", sex), ("AGE", age)) if v}, count) for block, sex, age, count in told]
    return write_run(folder, parts, {"01-00000": facts}, noun=noun)


def test_numbers_are_those_of_the_run(tmp_path: Path) -> None:
    collection = collection_of_run(small_run(tmp_path / "RUN"), subject_of_run, Policies(OF_MANY), 10)
    assert (collection.totals.releases, collection.totals.records, collection.totals.facts) == (2, 10, 4)
    assert (collection.totals.singled_out, collection.totals.with_any) == (4, 2)
    assert collection.singletons == {1: 4, 2: 3}
    assert collection.singled_out_by == {1: 4, 2: 3}
    assert collection.exposed == {"SEX": 2, "AGE": 2}
    assert collection.level == "state"
    assert [(place.code, place.part, place.whole) for place in collection.places] == [("01", 3, 4), ("02", 1, 6)]
    text = page_of(collection)
    assert "4 of 10 households are singled out." in text
    assert "Alabama (01)" in text
    assert "75.0 %" in text


def test_most_telling_come_first_larger_blocks_before_smaller_ones(tmp_path: Path) -> None:
    collection = collection_of_run(small_run(tmp_path / "RUN"), subject_of_run, Policies(OF_MANY), 10)
    order = [(located.release, located.fact.count, located.fact.columns) for located in collection.found]
    assert order == [(SECOND, 1, 2), (FIRST, 1, 2), (FIRST, 3, 1)]  # groups of nine are not listed one by one


def test_of_many_the_largest_blocks_are_taken(tmp_path: Path) -> None:
    lines = [summary_line(f"01001000100{size:04d}", size, [1, 1], [1, 1]) for size in range(1, 31)]
    facts = [fact(line["release"], {"SEX": "F", "AGE": "old"}) for line in lines]
    collection = collection_of_run(write_run(tmp_path / "RUN", {"p": lines}, {"p": facts}), subject_of_run, Policies(OF_MANY), 3)
    assert [located.records for located in collection.found][:3] == [30, 29, 28]


def test_every_place_size_and_number_of_attributes_is_on_the_page(tmp_path: Path) -> None:
    lines, facts = [], []
    for i, state in enumerate(("01", "02", "04")):
        for b in range(40):
            block = f"{state}0010001{b:06d}"
            lines.append(summary_line(block, 100 - i, [1, 1], [1, 1]))
            facts += [fact(block, {"SEX": "F", "AGE": "old"}), fact(block, {"SEX": "M"}), fact(block, {"AGE": "young"}, 2)]
    run = write_run(tmp_path / "RUN", {"p": lines}, {"p": facts})
    collection = collection_of_run(run, subject_of_run, Policies(OF_MANY), 5)
    told = [(s.release[:2], s.fact.count, s.fact.columns) for s in collection.found]
    assert told[:5] == [("01", 1, 2)] * 5
    assert {place for place, *_ in told} == {"01", "02", "04"}
    assert {(count, k) for _, count, k in told} == {(1, 2), (1, 1), (2, 1)}
    assert len(told) == len({(s.release, s.fact.predicate) for s in collection.found}) <= 45
    text = unescape(page_of(collection))
    assert f"This page holds {len(told)} of 360 facts" in text
    assert "RUN/facts" in text


def test_page_is_self_contained_and_repeatable(tmp_path: Path) -> None:
    run = small_run(tmp_path / "RUN")
    text = page_of(collection_of_run(run, subject_of_run, Policies(OF_MANY), 10))
    assert text == page_of(collection_of_run(run, subject_of_run, Policies(OF_MANY), 10))
    assert not re.search(r'(src|href)="(?!#)', text)
    assert "http" not in text.replace("http-equiv", "")


def test_page_of_a_large_run_stays_small(tmp_path: Path) -> None:
    lines = [summary_line(f"01001000{i:07d}", 50, [1, 1], [1, 1]) for i in range(3000)]
    facts = [fact(line["release"], {"SEX": "F" * 900, "AGE": f"{i}"}) for i, line in enumerate(lines)]
    collection = collection_of_run(write_run(tmp_path / "RUN", {"p": lines}, {"p": facts}), subject_of_run, Policies(OF_MANY), 3000)
    assert len(collection.found) == 3000
    page = render_collection(collection, {}, PageOptions("2020-01-01"))
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


def test_what_every_household_shares_is_not_exposed(told: Told) -> None:
    collection, _ = told
    assert collection.shared == {"VACS"}
    assert "Not listed, as it goes without saying: vacancy." in page_of(collection)
    assert all("VACS" in located.fact.idle for located in collection.found if located.fact.count < (located.records or 0))


def test_redacted_page_has_no_values_and_no_places(country: Path, told: Told, tmp_path: Path) -> None:
    done = report(country / "RUN", "--out", tmp_path / "r.html", "--redact")
    assert done.exit_code == 0, done.output
    assert json.loads((tmp_path / "r.results.json").read_text())["run"]["fingerprint"] is None
    with_derivations = render_collection(*told, PageOptions("2020-01-01", redact=True)).text
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
    (tmp_path / "limits.toml").write_text(f"[fail]\nfewest_columns = {columns}\n")
    done = report(run, "--out", tmp_path / "r.html", "--thresholds", tmp_path / "limits.toml", "--gate")
    assert done.exit_code == status, done.output
    content = json.loads((tmp_path / "r.results.json").read_text())
    assert (content["schema"], content["verdict"]) == ("foregone-results/2", verdict)
    assert content["found"]["records_singled_out"] == 4


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('attribute = ["A"]', "attribute"),
        ('primary = "1..3"', "primary"),
        ('stars = "unknown"', "stars"),
        ("fewest_columns = 9\nlargest_baseline = 0.5", "largest_baseline"),
        ('fewest_columns = 9\nknow = ["zeros-shown"]', "know"),
    ],
)
def test_what_a_run_does_not_tell_is_undecided_and_named(tmp_path: Path, text: str, key: str) -> None:
    run = small_run(tmp_path / "RUN")
    (tmp_path / "policy.toml").write_text(f"{text}\n")
    done = report(run, "--out", tmp_path / "r.html", "--gate", tmp_path / "policy.toml")
    assert done.exit_code == 3, done.output
    assert f"{key} could not be judged" in done.output
    content = json.loads((tmp_path / "r.results.json").read_text())
    assert (content["verdict"], content["policies"]["fail"]["verdict"]) == ("review", "undecided")


def test_failed_releases_and_unfinished_runs_are_for_review(tmp_path: Path) -> None:
    nobody = [summary_line(FIRST, 4, [0, 0], [0, 0])]
    whole = write_run(tmp_path / "WHOLE", {"p": nobody})
    failed = write_run(tmp_path / "FAILED", {"p": nobody}, None, [{"release": SECOND, "state": "02", "reason": "memory ran out"}])
    unfinished = write_run(tmp_path / "UNFINISHED", {"p": nobody}, complete=False)
    verdicts = {}
    for run in (whole, failed, unfinished):
        assert report(run, "--out", tmp_path / "r.html").exit_code == 0
        assert report(run, "--out", tmp_path / "r.html", "--gate").exit_code == (0 if run == whole else 3)
        verdicts[run.name] = json.loads((tmp_path / "r.results.json").read_text())["verdict"]
        if run is failed:
            assert "memory ran out" in (tmp_path / "r.html").read_text()
        if run is unfinished:
            assert "not finished" in (tmp_path / "r.html").read_text()
    assert verdicts == {"WHOLE": "pass", "FAILED": "review", "UNFINISHED": "review"}
    undecided = write_run(tmp_path / "OPEN", {"p": [summary_line(FIRST, 4, [0], [0], undecided=3)]})
    assert report(undecided, "--out", tmp_path / "r.html").exit_code == 3


def test_with_the_unit_file_facts_are_derived(told: Told) -> None:
    collection, explained = told
    assert len(explained) == 2
    for found in explained.values():
        fact = found.fact
        assert forced(found.release, found.derivation.statistics, fact.predicate, fact.count, fact.count) is True
        assert fact.keys
    text = render_collection(collection, explained, PageOptions("2020-01-01")).text
    assert text.count('class="tag hint">why?') == 2
    data = re.search(r'id="data">(.*?)</script>', text, re.DOTALL)
    assert data is not None
    prefixes = {cell.split("-")[0] for cell in json.loads(data[1])["uses"]}
    assert len(prefixes) == 2


def test_another_unit_file_is_refused(country: Path, tmp_path: Path) -> None:
    (tmp_path / "other.parquet").write_bytes((country / "units.parquet").read_bytes() + b"x")
    for source, words in ((tmp_path / "other.parquet", "not the file"), (tmp_path / "none.parquet", "there is no such file")):
        done = report(country / "RUN", "--out", tmp_path / "r.html", "--source", source)
        assert done.exit_code == 2
        assert words in done.stderr
    assert report(small_run(tmp_path / "RUN", noun="release"), "--out", tmp_path / "r.html", "--source", "x").exit_code == 2


def test_facts_on_the_page_are_facts_of_the_run(country: Path) -> None:
    collection = collection_of_run(country / "RUN", subject_of_run, Policies(OF_MANY), 50)
    rows = [row for part in sorted((country / "RUN" / "facts").glob("*.parquet")) for row in parquet.read_table(part).to_pylist()]
    names = collection.domain.names
    known = {(row["release"], row["count"], frozenset((n, row[n]) for n in names if row[n] is not None)) for row in rows}
    assert len(collection.found) >= 20
    for located in collection.found:
        values = frozenset((name, "|".join(sorted(codes))) for name, codes in located.fact.predicate.allowed)
        assert (located.release, located.fact.count, values) in known


def test_mistakes_are_named(country: Path, tmp_path: Path) -> None:
    write_release(town(), tmp_path / "town")
    (tmp_path / "half").mkdir()
    (tmp_path / "half" / "study.json").write_text("{}")
    for arguments, words in (
        ([country / "RUN", "--prior", "x.csv"], "single release"),
        ([tmp_path / "town", "--source", "x.csv"], "goes with a run"),
        ([tmp_path / "half"], "half/index.html"),
    ):
        done = report(*arguments, "--out", tmp_path / "r.html")
        assert done.exit_code == 2
        assert words in done.stderr


def test_releases_that_are_no_blocks_are_listed_by_name(tmp_path: Path) -> None:
    lines = [summary_line("clinic-1", 30, [1, 4]), summary_line("clinic-2", 50, [0, 0])]
    run = write_run(
        tmp_path / "RUN", {"p": lines}, {"p": [fact("clinic-1", {"SEX": "F", "AGE": "old"})]}, noun="release", options={}
    )
    text = page_of(collection_of_run(run, subject_of_run, Policies(OF_MANY), 5))
    assert "Somebody is singled out in 1 of 2 releases." in text
    assert said(text) == ["Exactly one record has SEX: F; AGE: old."]
    assert "clinic-1 · 30 records there" in unescape(text)
