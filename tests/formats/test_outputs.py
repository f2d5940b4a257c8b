"""Where releases may be written."""

from __future__ import annotations

from pathlib import Path

import pytest

from foregone import Domain, InputError, Predicate, Release, Statistic


def test_a_release_takes_the_place_of_another_and_of_nothing_else(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    domain = Domain.of({"SEX": ["F", "M"]})
    first, second = (Release(domain, [Statistic.exact(Predicate(), count)]) for count in (3, 4))
    place = tmp_path / "release"
    first.write(place)
    (place / "layout.toml").write_text("")
    with caplog.at_level("INFO", "foregone.outputs"):
        second.write(place)
    assert Release.read(place) == second
    assert [entry.name for entry in tmp_path.iterdir()] == ["release"]
    assert not (place / "layout.toml").exists()
    assert caplog.messages == [f"{place} was there already and has been replaced"]
    for name in ("truth.csv", "notes.txt"):
        (place / name).write_text("SEX\nF\n")
        with pytest.raises(InputError, match="already exists"):
            first.write(place)
        (place / name).unlink()
    (place / "folder").mkdir()
    with pytest.raises(InputError, match="already exists"):
        first.write(place)
    assert Release.read(place) == second
