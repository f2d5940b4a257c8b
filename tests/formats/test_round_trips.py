"""Releases written and read back: nothing is lost, whatever the codes look like."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foregone import Dataset, Domain, InputError, Predicate, Release, Statistic
from foregone.formats.folder import dataset_csv, read_release, read_truth, write_release
from tests.strategies import measured_releases, releases

ODD = Domain.of(
    {
        "CITY": {"Chicago, IL": "the windy city", "São Paulo": "", 'the "Big" Apple': 'with "quotes"', "東京": "Tokyo"},
        "a=b": ["x=1", "x=2", "=", "tail,"],
        "AGE group": ["15–24", "25-34", "85+", "<5", "0", "00", "1.0"],
    },
    {"CITY": "place, of residence"},
    "dwelling",
)
ODD_RELEASE = Release(
    ODD,
    (
        Statistic(Predicate(), 3, 5, "N", "T1"),
        Statistic.exact(Predicate.of({"CITY": ["Chicago, IL", "東京"]}), 1, 'name, with "quotes"', "T,2"),
        Statistic(Predicate.of({"CITY": 'the "Big" Apple', "a=b": "="}), 1, None, "open", ""),
        Statistic(Predicate.of({"AGE group": ["85+", "<5", "00"]}), 0, 4),
        Statistic.exact(Predicate.of({"a=b": "tail,"}), 0),
    ),
    (Predicate.of({"AGE group": "1.0"}), Predicate.of({"CITY": "São Paulo", "a=b": ["x=1", "x=2"]})),
)
NAMES = ["release", "release.json", "release.parquet"]


@pytest.mark.parametrize("name", NAMES)
def test_odd_characters_survive(tmp_path: Path, name: str) -> None:
    ODD_RELEASE.write(tmp_path / name)
    again = Release.read(tmp_path / name)
    assert again == ODD_RELEASE
    assert again.fingerprint() == ODD_RELEASE.fingerprint()
    assert again.domain.column("CITY").label_of("東京") == "Tokyo"
    assert again.domain.column("CITY").title == "place, of residence"
    assert again.domain.record == "dwelling"


@settings(max_examples=25, deadline=None)
@given(st.one_of(releases(), measured_releases()))
def test_random_releases_survive(tmp_path_factory: pytest.TempPathFactory, pair: tuple[Release, Dataset]) -> None:
    release, truth = pair
    folder = tmp_path_factory.mktemp("round")
    for name in NAMES:
        write_release(release, folder / name)
        assert read_release(folder / name) == release
    write_release(release, folder / "with truth", truth)
    assert read_truth(folder / "with truth", release) == truth
    assert read_truth(folder / "release", release) is None


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(min_size=1, max_size=6), min_size=1, max_size=4, unique=True), st.text(min_size=1, max_size=6))
def test_any_text_is_a_code_or_is_refused(tmp_path_factory: pytest.TempPathFactory, codes: list[str], name: str) -> None:
    """Either the domain turns a code down at once, or a release with it can be written and read back."""
    try:
        domain = Domain.of({name: codes})
    except InputError:
        reserved = {"count", "low", "high", "name", "table", "columns", "ground", "status"}
        texts = [name, *codes]
        control = any(unicodedata.category(ch) in ("Cc", "Cs") or ch == "\ufeff" for ch in "".join(texts))
        assert control or any(t != t.strip() for t in texts) or any("|" in c for c in codes) or name in reserved
        return
    release = Release(domain, (Statistic.exact(Predicate(), 1), Statistic.exact(Predicate.of({name: codes[0]}), 1)))
    truth = Dataset.of(domain, [(codes[0],)])
    folder = tmp_path_factory.mktemp("codes")
    for target in NAMES:
        write_release(release, folder / target, truth)
        assert read_release(folder / target) == release
    assert read_truth(folder / "release", release) == truth


def test_folder_layout(tmp_path: Path) -> None:
    """The files are the ones documented, with the documented columns."""
    release = Release(
        Domain.of({"SEX": ["F", "M"], "TEN": {"1": "owned", "2": "rented"}}, {"TEN": "tenure"}, "person"),
        (Statistic.exact(Predicate(), 3, "N"), Statistic.exact(Predicate.of({"SEX": ["M", "F"], "TEN": "1"}), 2, "t.1", "t")),
    )
    release.write(tmp_path / "exact")
    assert json.loads((tmp_path / "exact" / "domain.json").read_text()) == {
        "record": "person",
        "labels": {"TEN": "tenure"},
        "columns": {"SEX": ["F", "M"], "TEN": {"1": "owned", "2": "rented"}},
    }
    assert (tmp_path / "exact" / "statistics.csv").read_text() == "name,table,SEX,TEN,count\nN,,,,3\nt.1,t,F|M,1,2\n"
    assert sorted(p.name for p in (tmp_path / "exact").iterdir()) == ["domain.json", "statistics.csv"]
    ranged = Release(release.domain, (*release.statistics, Statistic(Predicate(), 1, None)), (Predicate.of({"SEX": "F"}),))
    ranged.write(tmp_path / "ranged")
    assert (tmp_path / "ranged" / "statistics.csv").read_text().splitlines()[0] == "name,table,SEX,TEN,count,low,high"
    assert (tmp_path / "ranged" / "statistics.csv").read_text().splitlines()[3] == ",,,,,1,"
    assert (tmp_path / "ranged" / "rules.csv").read_text() == "SEX,TEN\nF,\n"


def test_hand_written_files(tmp_path: Path) -> None:
    """Byte order mark, blank lines, blanks around values, whole numbers with a point, columns in any order or left out."""
    folder = tmp_path / "release"
    folder.mkdir()
    (folder / "domain.json").write_text('{"columns": {"A": ["0", "1"], "B": ["x", "y"], "C": ["p"]}}', "utf-8-sig")
    (folder / "statistics.csv").write_text("count, B ,A\n 3 ,,\n\n2.0, x | y ,0\n", "utf-8-sig")
    (folder / "truth.csv").write_bytes(b"C,B,A\r\np,x,0\r\np,y,0\r\np,y,1\r\n")
    release = read_release(folder)
    assert release.statistics == (
        Statistic.exact(Predicate(), 3),
        Statistic.exact(Predicate.of({"A": "0", "B": ["x", "y"]}), 2),
    )
    truth = read_truth(folder, release)
    assert truth is not None
    assert truth.records == (("0", "x", "p"), ("0", "y", "p"), ("1", "y", "p"))


def test_low_and_high_may_be_left_blank(tmp_path: Path) -> None:
    folder = tmp_path / "release"
    folder.mkdir()
    (folder / "domain.json").write_text('{"columns": {"A": ["0", "1"]}}')
    (folder / "statistics.csv").write_text("A,low,high\n,2,\n0,,3\n1,1,1\n")
    low_high = [(s.low, s.high) for s in read_release(folder).statistics]
    assert low_high == [(2, None), (0, 3), (1, 1)]


def test_dataset_csv() -> None:
    truth = Dataset.of(ODD, [("Chicago, IL", "=", "00"), ('the "Big" Apple', "tail,", "85+")])
    assert dataset_csv(truth) == """CITY,a=b,AGE group\n"Chicago, IL",'=,00\n"the ""Big"" Apple","tail,",85+\n"""
