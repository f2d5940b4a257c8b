"""Linking with a register against brute force: every dataset that fits is listed, and the definitions are applied to the list."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import foregone as fg
from foregone import Dataset, Predicate, Release
from tests import oracle, strategies

ASSUMPTIONS = ("tables-in-register", "register-in-tables", "both")


@settings(max_examples=150, deadline=None)
@given(strategies.releases(), st.data())
def test_links_equal_brute_force(made: tuple[Release, Dataset], data: st.DataObject) -> None:
    release, _ = made
    names = release.domain.names
    chosen = data.draw(st.sets(st.sampled_from(names), min_size=1))
    on = tuple(name for name in names if name in chosen)
    columns = [release.domain.column(name) for name in on]
    people = data.draw(st.lists(st.tuples(*(st.sampled_from(c.codes) for c in columns)), min_size=1, max_size=4))
    assume = data.draw(st.sampled_from(ASSUMPTIONS))
    register = {"who": [str(i) for i in range(len(people))]} | {name: [p[i] for p in people] for i, name in enumerate(on)}
    found = fg.link(release, register, on, assume)
    datasets = list(oracle.consistent_datasets(release, strategies.LARGEST))
    contradictions = 0
    for row, person in zip(found.rows(), people, strict=True):
        matched, learnt, count, ground = row[-4:]
        predicate = Predicate.of(dict(zip(on, person, strict=True)))
        inside = [[r for r in d if oracle.matches(r, predicate, names)] for d in datasets]
        counts, persons = {len(some) for some in inside}, people.count(person)
        against = (assume != "tables-in-register" and persons > max(counts)) or (
            assume != "register-in-tables" and persons < min(counts)
        )
        contradictions += against
        one = counts == {1} and persons == 1 and not against
        assert matched == one
        assert count == (min(counts) if len(counts) == 1 else None)
        assert (ground is None) == (len(counts) > 1)
        records = {r for some in inside for r in some}
        shared = [
            f"{n}={next(iter(codes))}" for i, n in enumerate(names) if n not in on and len(codes := {r[i] for r in records}) == 1
        ]
        told = (one if assume == "tables-in-register" else not against) and shared
        assert learnt == (", ".join(shared) if told else "")
    keeps = {"tables-in-register": int.__le__, "register-in-tables": int.__ge__, "both": int.__eq__}[assume]

    def goes_with_all(dataset: tuple[tuple[str, ...], ...]) -> bool:
        there = [tuple(record[names.index(name)] for name in on) for record in dataset]
        return all(keeps(there.count(key), people.count(key)) for key in {*there, *people})

    assert bool(found.contradictions) == (not any(map(goes_with_all, datasets)))
    assert bool(found.together) == (not any(map(goes_with_all, datasets)) and not contradictions)


def test_more_people_than_records_contradict(tmp_path: Path) -> None:
    release = fg.tabulate({"SEX": ["F", "F", "M"], "DX": ["flu", "none", "none"]}, margins=["SEX,DX"])
    file = tmp_path / "register.csv"
    file.write_text("name,SEX\nBob,M\nRob,M\nAnn,F\n", "utf-8")
    found = fg.link(release, file, "SEX", "register-in-tables")
    assert [row[2:] for row in found.rows()] == [(False, "", 1, "linear"), (False, "", 1, "linear"), (False, "", 2, "linear")]
    assert "2 people in the register have SEX=M, but at most 1 record" in found.contradictions[0]
    assert "everybody in the register is in the tables" in found.summary()
    assert list(found.table.columns) == ["name", "SEX", "matched", "learnt", "count", "ground"]


def test_a_register_can_contradict_as_a_whole() -> None:
    release = fg.tabulate({"SEX": ["F", "F", "M"], "AGE": ["1", "2", "1"]}, margins=["SEX"])
    found = fg.link(release, {"SEX": ["F", "F", "F"], "AGE": ["1", "1", "2"]}, "SEX,AGE", "register-in-tables")
    assert found.contradictions == (found.together,)
    assert "no dataset that fits the tables goes with the whole register" in found.together
    missing = fg.link(release, {"SEX": ["F", "F"]}, "SEX", "tables-in-register")
    assert "which contradicts that everybody in the tables is in the register" in missing.together


def test_what_is_wrong_with_a_register_is_said() -> None:
    release = fg.tabulate({"SEX": ["F", "M"], "DX": ["flu", "none"]}, margins=["SEX"])
    with pytest.raises(fg.InputError, match="'anything' is none of tables-in-register, register-in-tables, both"):
        fg.link(release, {"SEX": ["F"]}, "SEX", "anything")
    with pytest.raises(fg.InputError, match="the register has no column 'DX'"):
        fg.link(release, {"SEX": ["F"]}, "SEX,DX", "both")
    with pytest.raises(fg.InputError, match="row 3, column SEX: 'X' is not a value of SEX"):
        fg.link(release, {"SEX": ["F", "X"]}, "SEX", "both")
    with pytest.raises(fg.InputError, match="a column 'count', which the result adds"):
        fg.link(release, {"SEX": ["F"], "count": ["1"]}, "SEX", "both")
