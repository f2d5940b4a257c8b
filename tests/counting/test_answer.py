"""What people ask and read: words, files, refusals."""

from __future__ import annotations

import csv
import json
from fractions import Fraction
from math import inf
from pathlib import Path

import pytest

import foregone as fg
from foregone import Claim, Domain, Predicate, Release, Statistic
from tests.cli.commands import run

TRUTH = {"SEX": ["F", "F", "M", "M", "F"], "AGE": ["1", "2", "2", "3", "1"], "TOWN": ["a", "b", "a", "a", "c"]}


@pytest.fixture
def release() -> Release:
    return fg.tabulate(TRUTH, margins=[("SEX", "AGE"), ("TOWN",)])


@pytest.fixture
def folder(release: Release, tmp_path: Path) -> Path:
    release.write(tmp_path / "release")
    return tmp_path / "release"


def test_how_many_datasets_fit(release: Release) -> None:
    assert fg.count_datasets(release) == 13
    domain = Domain.of({"SEX": ["F", "M"]})
    assert fg.count_datasets(Release(domain, [Statistic(Predicate.of({"SEX": "F"}), 1, None)])) == inf
    assert fg.count_datasets(release, time_limit=0.0) is None
    nobody = [Statistic.exact(Predicate.of({"SEX": sex}), 0) for sex in "FM"]
    with pytest.raises(fg.ContradictionError):
        fg.count_datasets(Release(domain, [Statistic.exact(Predicate(), 1), *nobody]))


def test_a_bound_that_only_several_numbers_give() -> None:
    """No row limits men, but women are at least as many and at most 3."""
    domain = Domain.of({"SEX": ["F", "M"]})
    women, men = Predicate.of({"SEX": "F"}), Predicate.of({"SEX": "M"})
    release = Release(domain, [Statistic(women, 0, 3)], statements=[fg.Statement(((1, women), (-1, men)), 0, None)])
    assert fg.count_datasets(release) == 4 + 3 + 2 + 1


def test_shares_in_words(release: Release) -> None:
    found = fg.likely(release, "SEX=F, TOWN=b")
    assert found.share == 0.6
    [share] = found
    assert share.fraction == "3/5"
    assert dict(share.others) == {"histograms": 7 / 13, "polya:10": pytest.approx(39 / 77)}
    assert (
        share.words
        == "true in 60 % of the datasets that fit, weighted by uniform (50.6 % to 60 % over uniform, histograms, polya:10)"
    )
    assert not share.certain
    certain = fg.likely(release, Claim(Predicate.of({"SEX": "F", "AGE": "2"}), 1))
    assert certain.shares[0].certain
    assert certain.shares[0].words == "certain: true in every dataset that fits"
    assert certain.claims["ground"].tolist() == ["published"]
    assert fg.likely(release, {"SEX": "F"}, count=4).share == 0.0
    assert "% likely" not in "".join(found.lines())


def test_most_likely_first_and_none_of_them_certain(release: Release) -> None:
    found = fg.likely(release, prior="histograms")
    records, claims = found.shares[: found.records], found.shares[found.records :]
    assert records
    assert claims
    for some in (records, claims):
        assert [s.share for s in some] == sorted((s.share for s in some), reverse=True)
    assert all(0 < s.share < 1 and not s.certain for s in claims)
    assert all(len(s.claim.predicate) == 3 for s in records)
    assert found == fg.likely(release, prior="histograms")


def test_a_table_of_shares_is_a_prior_and_a_guesser(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "state.csv").write_text("TOWN,weight\na,0.5\nb,0.25\nc,0.25\n", "utf-8")
    done = run("likely", folder, "SEX=F, TOWN=b", "--prior", tmp_path / "state.csv", "--out", tmp_path / "likely.csv")
    assert done.out.splitlines()[0] == "13 datasets fit the release."
    [row] = csv.DictReader((tmp_path / "likely.csv").open(encoding="utf-8"))
    header = "SEX,AGE,TOWN,count,columns,ground,exact,published,printed,attributes,share,low,high,method,prior,guess,modal,certain"
    assert ",".join(row) == header
    assert row["share"] == row["low"] == row["high"] == "0.6"  # the towns are published, so their shares say nothing new
    assert (row["guess"], row["modal"], row["method"], row["certain"]) == ("0.125", "", "counted", "false")


def test_beyond_its_size_it_samples_and_says_so(release: Release) -> None:
    found = fg.likely(release, "SEX=F, TOWN=b", seconds=2.0, most_states=3)
    [share] = found
    assert share.method == found.method == "sampled"
    assert share.low < 0.6 < share.high
    assert found.datasets is None
    assert found.at_least <= 13 <= found.at_most
    text = "\n".join(found.lines())
    assert "they were not counted" in text
    assert "4 chains" in text
    assert "(sampled; 99 % interval" in text


def test_refusals(folder: Path, tmp_path: Path) -> None:
    domain = Domain.of({"SEX": ["F", "M"]})
    open_ = Release(domain, [Statistic(Predicate.of({"SEX": "F"}), 1, None)])
    with pytest.raises(fg.InputError, match="publish a total"):
        fg.likely(open_, "SEX=F")
    with pytest.raises(fg.InputError, match="needs a concentration above 0"):
        fg.likely(folder, "SEX=F", prior="polya:-1")
    ranged = Release(domain, [Statistic(Predicate(), 3, 5)])
    with pytest.raises(fg.UndecidedError, match="number of records is known"):
        fg.likely(ranged, "SEX=F", most_states=1, seconds=1.0)
    refused = run("likely", folder, "--count", "1")
    assert (refused.status, "--count belongs to a claim" in refused.err) == (2, True)
    (tmp_path / "bad.csv").write_text("TOWN,weight\nz,1\na,-1\n", "utf-8")
    text = run("likely", folder, "--prior", tmp_path / "bad.csv").err
    assert "row 2, column TOWN: 'z' is not a value of TOWN" in text
    assert "row 3, column weight: '-1' is not a number from 0 up" in text
    (tmp_path / "none.csv").write_text("TOWN,weight\nb,1\n", "utf-8")
    with pytest.raises(fg.InputError, match="gives no weight to any dataset that fits"):
        fg.likely(folder, "SEX=F, TOWN=b", prior=tmp_path / "none.csv")


def test_answers_for_machines(folder: Path, tmp_path: Path) -> None:
    told = json.loads(run("likely", folder, "SEX=F, TOWN=b", "--json").out)
    assert (told["datasets"], told["claims"][0]["fraction"]) == (13, "3/5")
    (tmp_path / "register.csv").write_text("name,SEX,AGE\nAnn,F,2\nEve,F,1\n", "utf-8")
    linking = ("link", folder, tmp_path / "register.csv", "--on", "SEX,AGE", "--assume", "both", "--out", tmp_path / "matches.csv")
    assert "1 of 2 people in the register is matched" in run(*linking).out
    rows = list(csv.DictReader((tmp_path / "matches.csv").open(encoding="utf-8")))
    assert [row["matched"] for row in rows] == ["true", "false"]
    assert json.loads(run(*linking, "--json").out)["matched"] == 1


def test_shares_are_computed_and_not_proved(folder: Path, tmp_path: Path) -> None:
    """`foregone check` says so of both forms of an answer, instead of rejecting them as broken proofs."""
    (tmp_path / "answer.json").write_text(run("likely", folder, "SEX=F, TOWN=b", "--json").out, "utf-8")
    assert run("likely", folder, "--out", tmp_path / "likely.json").status == 0
    for name in ("answer.json", "likely.json"):
        ran = run("check", folder, tmp_path / name)
        assert ran.status == 3
        assert "computed, not proved" in ran.err


def test_guessers_in_a_claims_file(release: Release, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "state.csv").write_text("SEX,AGE,n\nF,1,3\nM,2,5\n", "utf-8")
    expected = fg.baseline(fg.audit(release), tmp_path / "state.csv")
    done = run("audit", folder, "--out", tmp_path / "claims.csv", "--prior-table", tmp_path / "state.csv")
    assert done.status == 0, done.err
    assert "Of 5 claims about exactly one record" in done.out
    assert "a guesser who names the most frequent values would miss" in done.out
    rows = list(csv.DictReader((tmp_path / "claims.csv").open(encoding="utf-8")))
    assert list(rows[0]) == list(expected.columns)
    assert [float(row["chance"]) for row in rows] == expected["chance"].tolist()
    assert [row["modal"] for row in rows] == ["" if m is None else str(m).lower() for m in expected["modal"].tolist()]
    assert {row["modal"] for row in rows} >= {"true", "false"}
    for suffix in ("json", "parquet"):
        assert run("audit", folder, "--out", tmp_path / f"claims.{suffix}", "--prior-table", tmp_path / "state.csv").status == 0
    entry = json.loads((tmp_path / "claims.json").read_text("utf-8"))[0]
    assert list(entry)[-3:] == ["chance", "guess", "modal"]
    assert "--out" in run("audit", folder, "--prior-table", tmp_path / "state.csv").err


def test_whether_a_claim_survives_a_deletion(release: Release) -> None:
    """Two women of age 1 leave one when one is left out, and the tables still say so; the only one of age 2 leaves none."""
    audit = fg.audit(release)
    found = fg.baseline(audit, TRUTH, truth=TRUTH)
    by = {fact.predicate: kept for fact, kept in zip(audit, found["survives"], strict=True)}
    assert by[Predicate.of({"SEX": "F", "AGE": "1"})] is True
    assert by[Predicate.of({"SEX": "F", "AGE": "2"})] is False
    assert not any(kept for fact, kept in zip(audit, found["survives"], strict=True) if fact.count == 1)
    withheld = fg.audit(release.below(3))
    assert set(fg.baseline(withheld, TRUTH, truth=TRUTH)["survives"]) <= {None}


def test_guessers_beside_certain_claims(release: Release) -> None:
    audit = fg.audit(release)
    found = fg.baseline(audit, TRUTH)
    assert {"chance", "guess", "modal"} <= set(found.columns)
    for fact, (_, row) in zip(audit, found.iterrows(), strict=True):
        share = Fraction(sum(all(TRUTH[n][i] in codes for n, codes in fact.predicate.allowed) for i in range(5)), 5)
        assert row["guess"] == float(share)
    assert len(found) == len(audit)
