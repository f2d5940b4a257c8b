"""What people meet first: names, paths instead of releases, claims in three ways, and remedies that fit where they are read."""

from __future__ import annotations

import inspect
import json
import pickle
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import foregone as fg
from foregone.census.synthetic.country import write_country
from foregone.checker import digest
from tests.cli.commands import run


@pytest.fixture
def release() -> fg.Release:
    return fg.tabulate({"SEX": ["F", "F", "M"], "AGE": ["young", "old", "old"]}, margins=["SEX,AGE", "AGE"])


def test_dir_shows_nouns_verbs_and_results_and_no_plumbing() -> None:
    assert dir(fg) == sorted(fg.__all__)
    assert {"audit", "verify", "bounds", "unique", "explain", "report", "Audit", "Fact", "Explanation"} <= set(dir(fg))
    for name in fg.__all__:
        value = getattr(fg, name)
        assert name == "__version__" or value.__doc__, f"{name} has no docstring"
    with pytest.raises(AttributeError, match="no attribute 'engines'"):
        _ = fg.engines


def test_verbs_take_a_path_and_claims_in_three_ways(release: fg.Release, tmp_path: Path) -> None:
    folder = tmp_path / "release"
    release.write(folder)
    assert fg.audit(folder) == fg.audit(release) == fg.audit(str(folder))
    claims = ("SEX=F, AGE=old", {"SEX": "F", "AGE": ["old"]}, fg.Predicate.of({"SEX": "F", "AGE": "old"}))
    for claim in claims:
        assert fg.verify(folder, claim, 1).verdict == fg.Verdict.VERIFIED
        assert fg.bounds(folder, claim) == (1, 1)
        assert fg.explain(folder, claim, 1).statistics == fg.explain(release, claims[1], 1).statistics
        assert fg.possible(folder, claim, 2).impossible
    assert fg.unique(folder).verdict == fg.Verdict.VERIFIED
    assert fg.generate(folder, 3).complete
    assert fg.check(folder, fg.proofs(fg.audit(folder)), complete=True).complete
    with pytest.raises(fg.InputError, match="path of one was expected, not list"):
        fg.audit([])  # type: ignore[arg-type]
    with pytest.raises(fg.InputError, match="'SIX' is not a column"):
        fg.verify(folder, "SIX=F", 1)


def test_report_writes_a_page(release: fg.Release, tmp_path: Path) -> None:
    written = fg.report(release, tmp_path / "page.html", title="Three people", date="2020-01-01")
    text = written.page.read_text("utf-8")
    assert "Three people" in text
    assert "2020-01-01" in text
    assert written.facts == len(fg.audit(release))
    assert "certain" in written.summary


def test_remedies_name_what_their_reader_can_set(release: fg.Release, tmp_path: Path) -> None:
    with pytest.raises(fg.UndecidedError, match=re.escape("raise `time_limit`")):
        fg.audit(release, time_limit=0)
    release.write(tmp_path / "release")
    ran = run("audit", tmp_path / "release", "--time-limit", "0")
    assert ran.status == 3
    assert "--time-limit" in ran.err
    assert "`" not in ran.err
    with pytest.raises(fg.UndecidedError, match=re.escape("raise `time_limit`")):  # and after a command in the same process
        fg.audit(release, time_limit=0)


def test_input_errors_are_value_errors_in_the_words_of_python(release: fg.Release) -> None:
    with pytest.raises(ValueError, match=re.escape("`engine` 'cels': use cells or onehot")):
        fg.audit(release, engine="cels")
    with pytest.raises(ValueError, match=re.escape("`solver`, `solutions`, `big_m`: are for `engine` onehot")):
        fg.audit(release, solutions=5)
    with pytest.raises(ValueError, match=re.escape("`by` and `sql` are two different questions")):
        fg.query("nowhere")
    with pytest.raises(TypeError):
        fg.audit(release, 5.0)  # type: ignore[call-arg]


def test_both_engines_can_be_asked_for(release: fg.Release) -> None:
    ours, theirs = fg.audit(release, groups="none"), fg.audit(release, groups="none", engine="onehot", solutions=3, big_m=True)
    assert {fact.claim for fact in ours} == {fact.claim for fact in theirs}


def test_facts_have_sentences_and_an_audit_a_frame_of_them(release: fg.Release) -> None:
    found = fg.audit(release)
    first = found.facts[0]
    assert first.sentence == str(first) == found.sentences.sentence[0]
    assert first.sentence.startswith("Exactly one record has ")
    assert list(found.sentences.columns) == ["sentence", "count", "attributes", "ground"]
    assert pickle.loads(pickle.dumps(found)).facts[0].sentence == first.sentence
    with pytest.raises(fg.InputError, match="not found by an audit"):
        _ = fg.Fact(first.predicate, 1, None, (), ()).sentence


def test_two_releases_are_compared(release: fg.Release) -> None:
    less = fg.tabulate({"SEX": ["F", "F", "M"], "AGE": ["young", "old", "old"]}, margins=["SEX", "AGE"])
    found = fg.compare(release, less)
    assert found.stay
    assert found.vanish
    assert not found.appear
    assert {fact.claim for fact in found.stay} | {fact.claim for fact in found.vanish} == {fact.claim for fact in fg.audit(release)}
    back = fg.compare(fg.audit(less), fg.audit(release))
    assert {fact.claim for fact in back.appear} == {fact.claim for fact in found.vanish}
    assert set(back.frame.became) == {"stays", "new"}
    assert found.summary() in repr(found)
    other = fg.tabulate({"SIZE": ["1", "2"]}, margins=["SIZE"])
    with pytest.raises(fg.InputError, match="same columns"):
        fg.compare(release, other)


def test_a_notebook_shows_what_things_are(release: fg.Release) -> None:
    shown = release._repr_html_()
    assert "published numbers" in shown
    assert "<td>SEX: F; AGE: young</td>" in shown
    assert "SEX" in fg.explain(release, "SEX=M", 1)._repr_html_()
    assert fg.protect(release)._repr_html_().startswith("<p>Policy: ")
    assert "--" not in fg.protect(release).summary()
    strange = fg.Domain.of({"A": {"x": "<b>"}}, record="person")
    assert "<b>" not in fg.Release(strange, [fg.Statistic.exact(fg.Predicate.of({"A": "x"}), 1)])._repr_html_()


@pytest.mark.slow
def test_many_releases_from_python(tmp_path: Path) -> None:
    write_country(tmp_path / "units.csv", states=1, tracts=1, blocks=6, seed=3)
    run_ = fg.run(tmp_path / "units.csv", tmp_path / "RUN", workers=1, unique=True, limit=4)
    assert len(run_.summary) == 4
    assert run_.failures.empty
    assert set(run_.summary["unique"]) <= {"true", "false"}
    assert fg.query(run_, by="k").facts[0] == len(run_.facts)
    assert "4 blocks" in repr(run_)
    assert run_.about["options"]["asked"] == ["claims", "unique"]
    study = fg.study(tmp_path / "units.csv", tmp_path / "study", per_state=1, workers=1, min_columns=9, variant="renter-3")
    assert "Every verified claim" in study.text
    assert study.table("blocks").block.str.len().eq(15).all()
    assert study.page.is_file()
    with pytest.raises(fg.InputError, match="not a table of this study"):
        study.table("nothing")


def test_no_upper_limit_is_said_in_words(tmp_path: Path) -> None:
    domain = fg.Domain.of({"SEX": ["F", "M"]}, record="person")
    fg.Release(domain, [fg.Statistic.exact(fg.Predicate.of({"SEX": "F"}), 2)]).write(tmp_path / "release")
    ran = run("bounds", tmp_path / "release", "SEX=M")
    assert ran.status == 0
    assert ran.out.startswith("0 or more people can have SEX: M: nothing published sets an upper limit")
    ran = run("audit", tmp_path / "release")
    assert ran.status == 0
    assert "1 claim is certain" in ran.out
    ran = run("unique", tmp_path / "release")
    assert ran.status == 1
    assert "nothing published limits the number of records" in ran.out


def test_mistakes_in_python_are_named_with_a_remedy(release: fg.Release) -> None:
    mistakes: dict[str, Callable[[], object]] = {
        "a condition was expected, not int": lambda: fg.verify(release, 3, 1),  # type: ignore[arg-type]
        "column SEX: 3 is not text": lambda: fg.verify(release, {"SEX": 3}, 1),  # type: ignore[dict-item]
        "column SEX: [1, 2] is not text": lambda: fg.bounds(release, {"SEX": [1, 2]}),  # type: ignore[list-item]
        "give a number from 1 up": lambda: fg.generate(release, -1),
        "an audit was expected, not Release": lambda: fg.proofs(release),  # type: ignore[arg-type]
        "1.5 of records is not a whole number": lambda: fg.Dataset.of_kinds(release.domain, {("F", "old"): 1.5}),  # type: ignore[dict-item]
    }
    for words, mistake in mistakes.items():
        with pytest.raises(fg.InputError, match=re.escape(words)):
            mistake()


def test_a_release_with_weighted_sums_is_told_and_never_written_without_them(tmp_path: Path) -> None:
    domain = fg.Domain.of({"SEX": ["F", "M"], "AGE": ["young", "old"]})
    women, men = fg.Predicate.of({"SEX": "F"}), fg.Predicate.of({"SEX": "M"})
    records = fg.Statistic.exact(fg.Predicate(), 3)
    release = fg.Release(domain, [records], statements=[fg.Statement(((1, women), (-1, men)), 1, 1, "difference")])
    for name in ("folder", "one.json", "one.parquet"):
        with pytest.raises(fg.InputError, match="weighted sums"):
            release.write(tmp_path / name)
    fg.report(release, tmp_path / "page.html")
    assert "SEX=F - SEX=M" in (tmp_path / "page.html").read_text("utf-8")


def test_a_file_that_claims_nothing_does_not_sound_like_a_proof(release: fg.Release, tmp_path: Path) -> None:
    release.write(tmp_path / "release")
    document = {**fg.proofs(fg.audit(release)), "facts": []}
    document["digest"] = digest(document)
    (tmp_path / "proofs.json").write_text(json.dumps(document), "utf-8")
    ran = run("check", tmp_path / "release", tmp_path / "proofs.json")
    assert ran.out.startswith("0 accepted, 0 rejected. The file claims nothing, so nothing was checked.")
    assert run("check", tmp_path / "release", tmp_path / "proofs.json", "--complete").status == 1


FUNCTIONS = [name for name in fg.__all__ if inspect.isfunction(getattr(fg, name))]


def sections(docstring: str) -> dict[str, str]:
    """What stands under each heading of a docstring, in the style of numpydoc."""
    parts = re.split(r"^(\w+)\n-+\n", docstring, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_docstring_tells_every_parameter_in_order_what_is_returned_and_what_is_raised(name: str) -> None:
    function = getattr(fg, name)
    told = sections(inspect.getdoc(function) or "")
    assert set(told) == {"Parameters", "Returns", "Raises"}
    entries = re.findall(r"^(\w+(?:, \w+)*)(?: : .+)?\n    \S", told["Parameters"], flags=re.M)
    assert sorted(one for entry in entries for one in entry.split(", ")) == sorted(inspect.signature(function).parameters)
    raised = re.findall(r"^(\w+)\n    \S", told["Raises"], flags=re.M)
    assert raised
    assert all(issubclass(getattr(fg, error), fg.ForegoneError) for error in raised)
    assert "--" not in re.sub(r"^-+$|`[^`]*`", "", inspect.getdoc(function) or "", flags=re.M)  # arguments, not options


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_says_how_is_said_by_name(name: str) -> None:
    """At most four arguments by position, which say what is asked about; everything with a default beyond the third by name."""
    places = [p for p in inspect.signature(getattr(fg, name)).parameters.values() if p.kind != p.KEYWORD_ONLY]
    assert len(places) <= 4
    assert all(p.default in (p.empty, None, True) for p in places)
