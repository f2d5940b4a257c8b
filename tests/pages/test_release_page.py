"""The page says what the audit found, all of it as text, and nothing that it should hide."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from typer.testing import CliRunner

from foregone import Dataset, Domain, Predicate, Release, Statistic, audit, tabulate
from foregone.census.demo import demo_release
from foregone.census.demo_page import stored_explanations
from foregone.census.household.tables import household_workload, tables
from foregone.cli.app import app
from foregone.formats.folder import write_release
from foregone.pages.derivation import Why, confirm, why, why_from, why_json
from foregone.pages.ranking import at_least_singled_out, findings, listed
from foregone.pages.release_page import Options, explanations, render
from foregone.pages.template import MOST_BYTES
from foregone.pages.views.tables import MOST_LINES, Tables
from foregone.questions.explain import forced
from tests import oracle
from tests.pages.samples import BAD, hostile_release, town
from tests.strategies import releases

OPTIONS = Options("2020-01-01", "a town")


def page_of(release: Release, **changes: object) -> str:
    result = audit(release)
    found = findings(result)
    options = Options(**{"date": "2020-01-01", "name": "a town", **changes})  # type: ignore[arg-type]
    return render(result, found, explanations(result, found, options.explain), options).text


def test_page_is_self_contained_and_repeatable() -> None:
    text = page_of(town())
    assert text == page_of(town())
    assert not re.search(r'(src|href)="(?!#)', text)
    assert "http" not in text.replace("http-equiv", "")
    assert "url(" not in text.replace("url(#stripes)", "")


def test_page_tells_the_facts_and_what_they_rest_on() -> None:
    release = town()
    text = unescape(page_of(release))
    result = audit(release)
    singles = [finding for finding in findings(result) if finding.count == 1]
    assert singles
    assert text.count('class="fact"') == len(result.found.certain)
    assert release.fingerprint() in text
    assert "2020-01-01" in text
    assert f"{len(release.statistics)}" in text
    for finding in singles:
        for code in finding.values.values():
            assert code in text


def test_hostile_words_are_only_words() -> None:
    text = page_of(hostile_release(), name=BAD)
    for bad in (BAD, "<img", "</script><", "<b>bold"):
        assert bad not in text
    assert text.count("<script") == 2
    assert text.count("</script>") == 2
    data = re.search(r'id="data">(.*?)</script>', text, re.DOTALL)
    assert data is not None
    assert any(BAD in number["name"] for number in json.loads(data[1])["numbers"].values())


def test_redacted_page_has_no_values_and_no_cells() -> None:
    release = town()
    text = page_of(release, redact=True, name="Secretville", prior="secret.csv")
    body = text.split("</style>")[1].split("<script")[0]
    for column in release.domain.columns:
        assert column.name in body  # which attributes are exposed stays visible
        assert not any(re.search(rf"\b{code}\b", body) for code in column.codes if len(code) > 1)
        assert not any(f">{code}<" in body for code in column.codes)
    for statistic in release.statistics:
        assert not statistic.name or statistic.name == "records" or statistic.name not in text
    assert release.fingerprint() not in text
    assert "Secretville" not in text
    assert "secret.csv" not in text
    assert 'id="data">{"numbers": {}, "uses": {}}</script>' in text


def test_page_stays_small_and_says_what_it_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    release = town()
    result = audit(release)
    found = findings(result)
    explained = explanations(result, found, 30)
    whole = render(result, found, explained, OPTIONS)
    assert whole.shown == len(found)
    assert len(whole.text) < MOST_BYTES
    monkeypatch.setattr("foregone.pages.template.MOST_BYTES", len(whole.text) - 1)
    smaller = render(result, found, explained, OPTIONS)
    assert len(smaller.text) < len(whole.text)
    few = render(result, found, explained, Options("2020-01-01", top=2, rest="report.claims.csv"))
    assert few.shown == 2
    assert "report.claims.csv" in few.text


def test_nothing_certain_makes_a_calm_page() -> None:
    domain = Domain.of({"A": ["x", "y"], "B": ["x", "y"]})
    text = page_of(Release(domain, (Statistic(Predicate(), 0, 5),)))
    assert "No record is singled out." in text
    assert "Pass" in text


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(releases())
def test_number_singled_out_never_exceeds_any_dataset(case: tuple[Release, Dataset]) -> None:
    release, truth = case
    result = audit(release)
    least = at_least_singled_out(result)
    claims = [result.predicate(fact) for fact in result.found.certain if fact.count == 1]
    matched = {r for c in claims for r in truth.records if Dataset.of(truth.domain, [r]).count(c)}
    assert least <= len(matched)


def test_steps_of_a_derivation_hold_and_use_every_number() -> None:
    release, _ = demo_release()
    for (claim, count), reason in stored_explanations(release.fingerprint()).items():
        predicate = Predicate.parse(claim, release.domain)
        confirm(release, predicate, count, reason)
        if reason.anchor is None:
            continue
        anchor = release.statistics[reason.anchor]
        assert anchor.low == anchor.high == count
        values = dict(predicate.allowed)
        for step in reason.steps:
            narrowed = {**dict(anchor.predicate.allowed), **{name: values[name] for name in step.columns}}
            assert forced(release, step.statistics, Predicate.of(narrowed), count, count) is True
        assert {reason.anchor, *(i for step in reason.steps for i in step.statistics)} == set(reason.statistics)


def test_stored_explanations_cover_the_demo() -> None:
    release, _ = demo_release()
    stored = stored_explanations(release.fingerprint())
    claims = {(f.predicate.text(release.domain), f.count) for f in findings(audit(release))}
    assert claims == set(stored)
    assert stored_explanations("another") == {}


def test_a_stored_explanation_that_does_not_fit_is_refused() -> None:
    release = town()
    finding = findings(audit(release))[0]
    with pytest.raises(Exception, match="does not fit"):
        confirm(release, finding.predicate, finding.count, Why(()))


def test_derivations_survive_storage() -> None:
    release = town()
    finding = findings(audit(release))[0]
    reason = why(release, finding.predicate, finding.count)
    assert why_from(json.loads(json.dumps(why_json(reason)))) == reason


def test_tables_are_drawn_as_rows_against_columns_and_cut_when_long() -> None:
    release = town()
    drawn = Tables(release).draw("SEX,AGE", set())
    assert drawn.title == ""
    assert drawn.across == ("old", "young")
    assert [line.label for line in drawn.lines] == ["F", "M"]
    many = [str(i) for i in range(200)]
    long = tabulate({"TOWN": many}, margins=["TOWN"])
    shown = Tables(long).draw("TOWN", {150})
    assert len(shown.lines) == MOST_LINES
    assert shown.hidden == 200 - MOST_LINES
    assert any(cell.statistic == 150 for line in shown.lines for cell in line.cells)


def test_household_tables_have_their_titles_and_totals() -> None:
    release, truth = demo_release()
    shown = Tables(release).draw("P16", set())
    assert shown.title == "Household type"
    assert [line.cells[0].text for line in shown.lines if line.label == "Total"] == [str(len(truth))]


def test_baselines_come_from_the_prior() -> None:
    data = {"SEX": ["F", "M", "M", "M"], "AGE": ["old", "old", "young", "young"]}
    release = tabulate(data, margins=["SEX"])
    prior = Dataset.of(release.domain, [("F", "old"), ("M", "old")])
    women = next(f for f in findings(audit(release), prior) if f.values == {"SEX": "F"})
    assert women.baseline == pytest.approx(4 * 0.5 * 0.5**3)


def test_listed() -> None:
    assert [listed(words) for words in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == ["", "a", "a and b", "a, b and c"]


def test_command_writes_page_results_and_rest(tmp_path: Path) -> None:
    write_release(town(), tmp_path / "town")
    out = tmp_path / "report.html"
    run = CliRunner().invoke(app, ["report", str(tmp_path / "town"), "--out", str(out), "--top", "2", "--date", "2020-01-01"])
    assert run.exit_code == 0, run.output
    assert sorted(path.name for path in tmp_path.iterdir()) == ["report.claims.csv", "report.html", "report.results.json", "town"]
    assert len((tmp_path / "report.claims.csv").read_text().splitlines()) == len(audit(town()).found.certain) + 1
    again = CliRunner().invoke(
        app, ["report", str(tmp_path / "town"), "--out", str(tmp_path / "b.html"), "--top", "2", "--date", "2020-01-01"]
    )
    assert again.exit_code == 0
    assert (tmp_path / "b.html").read_text().replace("b.claims", "report.claims") == out.read_text()


def test_redacted_command_leaves_no_claims_beside(tmp_path: Path) -> None:
    write_release(town(), tmp_path / "town")
    run = CliRunner().invoke(app, ["report", str(tmp_path / "town"), "--out", str(tmp_path / "r.html"), "--top", "1", "--redact"])
    assert run.exit_code == 0, run.output
    assert not (tmp_path / "r.claims.csv").exists()
    assert json.loads((tmp_path / "r.results.json").read_text())["release"]["fingerprint"] is None


def test_date_can_be_fixed_by_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_release(town(), tmp_path / "town")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    CliRunner().invoke(app, ["report", str(tmp_path / "town"), "--out", str(tmp_path / "r.html"), "--explain", "0"])
    assert "1970-01-02" in (tmp_path / "r.html").read_text()
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "soon")
    run = CliRunner().invoke(app, ["report", str(tmp_path / "town"), "--out", str(tmp_path / "s.html")])
    assert run.exit_code == 2


def test_bad_places_are_refused_before_any_work(tmp_path: Path) -> None:
    write_release(town(), tmp_path / "town")
    for name in ("page.pdf", "missing/page.html"):
        run = CliRunner().invoke(app, ["report", str(tmp_path / "town"), "--out", str(tmp_path / name)])
        assert run.exit_code == 2


def test_demo_names_its_page_and_goes_on_without_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run = CliRunner().invoke(app, ["demo"])
    assert run.exit_code == 0, run.output
    assert str(tmp_path / "foregone-demo.html") in run.output
    assert "why?" in (tmp_path / "foregone-demo.html").read_text()
    refused = CliRunner().invoke(app, ["demo", "--page", str(tmp_path / "missing" / "page.html")])
    assert refused.exit_code == 0
    assert "was not written" in refused.output


def test_oracle_agrees_that_facts_shown_are_certain() -> None:
    release = town()
    for finding in findings(audit(release)):
        assert oracle.count_range(release, finding.predicate, 5) == (finding.count, finding.count)


def test_facts_that_read_alike_point_to_each_other(tmp_path: Path) -> None:
    CliRunner().invoke(app, ["demo", "--page", str(tmp_path / "demo.html")])
    text = (tmp_path / "demo.html").read_text()
    said = re.findall(r'class="said">(.*?)</span>\s*<span class="tags"><span class="tag strong">(.*?)</span>', text)
    repeated = len(said) - len(set(said))
    assert repeated > 0
    assert text.count("told by other columns") == repeated


@pytest.mark.parametrize("variant", ["official", "621", "renter-3"])
def test_lines_of_a_table_mean_what_the_release_says(variant: str) -> None:
    _, truth = demo_release()
    asked = household_workload(variant)
    release = asked.release([truth.count(query.predicate) for query in asked.queries])
    meant = {query.name: query.predicate for query in asked.queries}
    words = {f"{table.id}.{cell.line}": cell.label for table in tables(variant) for cell in table.cells}
    drawn = Tables(release)
    for line in drawn.draw("H14", set()).lines:
        for cell in line.cells:
            if cell.statistic is not None:
                assert release.statistics[cell.statistic].predicate == meant[cell.name]
                assert line.label == words[cell.name]
