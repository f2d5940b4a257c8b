"""The page says what the audit found, all of it as text, and nothing that it should hide."""

from __future__ import annotations

import json
import re
from html import unescape

import pytest

from foregone import Case, Domain, Predicate, Release, Statistic, audit
from foregone.batch.subject import ANY
from foregone.pages.explanations import explained_facts
from foregone.pages.ranking import AuditedRelease, audited_release
from foregone.pages.release_page import PageOptions, render_release
from foregone.pages.template import MOST_BYTES
from tests.pages.samples import BAD, hostile_release, town

OPTIONS = PageOptions("2020-01-01", "a town")


def audited(release: Release) -> AuditedRelease:
    return audited_release(audit(release), ANY)


def page_of(release: Release, **changes: object) -> str:
    found = audited(release)
    options = PageOptions(**{"date": "2020-01-01", "name": "a town", **changes})  # type: ignore[arg-type]
    return render_release(found, dict(explained_facts(Case(release), found.facts[:30])), options).text


def test_page_is_self_contained_and_repeatable() -> None:
    text = page_of(town())
    assert text == page_of(town())
    assert not re.search(r'(src|href)="(?!#)', text)
    assert "http" not in text.replace("http-equiv", "")
    assert "url(" not in text.replace("url(#stripes)", "")


def test_page_tells_the_facts_and_what_they_rest_on() -> None:
    release = town()
    text = unescape(page_of(release))
    found = audited(release)
    singles = [fact for fact in found.facts if fact.count == 1]
    assert singles
    assert text.count('class="fact"') == len(found.audit)
    assert release.fingerprint() in text
    assert "2020-01-01" in text
    assert f"{len(release.statistics)}" in text
    for fact in singles:
        for code in ("|".join(sorted(codes)) for _, codes in fact.predicate.allowed):
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
    found = audited(release)
    explained = dict(explained_facts(Case(release), found.facts[:30]))
    whole = render_release(found, explained, OPTIONS)
    assert whole.shown == len(found.facts)
    assert len(whole.text) < MOST_BYTES
    monkeypatch.setattr("foregone.pages.template.MOST_BYTES", len(whole.text) - 1)
    smaller = render_release(found, explained, OPTIONS)
    assert len(smaller.text) < len(whole.text)
    few = render_release(found, explained, PageOptions("2020-01-01", top=2, rest="report.claims.csv"))
    assert few.shown == 2
    assert "report.claims.csv" in few.text


def test_nothing_certain_makes_a_calm_page() -> None:
    domain = Domain.of({"A": ["x", "y"], "B": ["x", "y"]})
    text = page_of(Release(domain, (Statistic(Predicate(), 0, 5),)))
    assert "No record is singled out by these numbers." in text
    assert "Pass" in text
    assert "Nothing is certain." in text
    assert "with any choice of A and B" in text
