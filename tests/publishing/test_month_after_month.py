"""Last time's pattern is preferred, and what is out already is protected against together with what is planned."""

from __future__ import annotations

from pathlib import Path

import pytest

from foregone.formats.folder import read_release, write_release
from foregone.formats.frames import tabulate
from foregone.model.errors import InputError
from foregone.model.protection import Protection
from foregone.questions.ask import intervals
from foregone.tables.joining import join
from foregone.workflows.protect import ProtectionAsked, protect_files, write_protected

JUNE = [("F", "young", 3), ("F", "old", 6), ("M", "young", 7), ("M", "old", 8), ("X", "young", 9), ("X", "old", 5)]


def release(folder: Path, cells: list[tuple[str, str, int]]) -> Path:
    sex = [s for s, _, n in cells for _ in range(n)]
    age = [a for _, a, n in cells for _ in range(n)]
    write_release(tabulate({"SEX": sex, "AGE": age}, margins=["SEX,AGE", "SEX", "AGE"], record="patient"), folder)
    return folder


def protect(tmp_path: Path, path: Path, asked: ProtectionAsked, name: str) -> Protection:
    found = protect_files(path, asked)
    assert isinstance(found, Protection)
    if found.release is not None:
        write_protected(found, path, tmp_path / name, asked=asked)
    return found


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    (tmp_path / "policy.toml").write_text('primary = "1..4"\n', "utf-8")
    return tmp_path / "policy.toml"


def test_last_times_cells_are_preferred(tmp_path: Path, policy: Path) -> None:
    """Of several patterns of the same size the one is taken that was published last time, whichever that was."""
    june = release(tmp_path / "june", JUNE)
    july = release(tmp_path / "july", [(s, a, n + (n > 4)) for s, a, n in JUNE])
    small = {s.name for s in read_release(june).statistics if s.low < 5}
    usual = protect(tmp_path, june, ProtectionAsked(policy=policy), "usual")
    avoided = next(name for name in usual.withheld if name not in small)
    other = protect(tmp_path, june, ProtectionAsked(policy=policy, keep=(avoided,)), "other")
    assert set(other.withheld) != set(usual.withheld)
    for name, before in (("usual", usual), ("other", other)):
        again = ProtectionAsked(policy=policy, keep_like=tmp_path / name)
        second = protect(tmp_path, july, again, f"{name}-again")
        assert set(second.withheld) == set(before.withheld)
        assert second.optimal
        assert second.cost == len(second.withheld), "each costs 1, as it was withheld last time"


def test_nothing_alike_is_said(tmp_path: Path, policy: Path) -> None:
    june = release(tmp_path / "june", JUNE)
    write_release(tabulate({"TOWN": ["a", "b"]}, margins=["TOWN"]), tmp_path / "other")
    with pytest.raises(InputError, match="none of its numbers is about the same records"):
        protect_files(june, ProtectionAsked(policy=policy, keep_like=tmp_path / "other"))


def test_what_is_out_is_protected_against(tmp_path: Path) -> None:
    """June is out, in July one patient came: alone each is harmless, but their difference is not."""
    june = release(tmp_path / "june", [("F", "young", 6), ("F", "old", 6), ("M", "young", 7), ("M", "old", 8)])
    planned = [("F", "young", 7), ("F", "old", 6), ("M", "young", 7), ("M", "old", 8)]
    july = release(tmp_path / "july", planned)
    (tmp_path / "alone.toml").write_text("singled_out_columns = 1\n", "utf-8")
    alone = protect(tmp_path, july, ProtectionAsked(policy=tmp_path / "alone.toml"), "alone")
    assert alone.withheld == ()
    asked = ProtectionAsked(policy=tmp_path / "alone.toml", already=june, people="joined")
    both = protect(tmp_path, july, asked, "both")
    assert both.withheld
    assert both.after == 0
    released = read_release(tmp_path / "both")
    assert [s.name for s in released.statistics] == [s.name for s in read_release(july).statistics]
    assert "IN" not in released.domain.names
    joined = join({"june": read_release(june), "july": released}, people="joined").release
    new = {"SEX": frozenset({"F"}), "AGE": frozenset({"young"})}
    arrived = [
        i
        for i in intervals(joined, hidden=False)
        if i.name.startswith("july/") and new.items() <= dict(i.predicate.allowed).items()
    ]
    assert len(arrived) == 1
    assert arrived[0].low != arrived[0].high
    assert (tmp_path / "both-private" / "joined.json").exists()


def test_what_is_out_and_breaks_the_policy_cannot_be_helped(tmp_path: Path) -> None:
    june = release(tmp_path / "june", [("F", "young", 1), ("F", "old", 6), ("M", "young", 7), ("M", "old", 8)])
    july = release(tmp_path / "july", [("F", "young", 5), ("F", "old", 6), ("M", "young", 7), ("M", "old", 8)])
    (tmp_path / "alone.toml").write_text("singled_out_columns = 2\n", "utf-8")
    found = protect_files(july, ProtectionAsked(policy=tmp_path / "alone.toml", already=june, people="joined"))
    assert isinstance(found, Protection)
    assert "cannot be withheld any more" in found.impossible


def test_options_that_do_not_go_together(tmp_path: Path, policy: Path) -> None:
    june = release(tmp_path / "june", JUNE)
    with pytest.raises(InputError, match=r"keep.like.*says what numbers cost"):
        protect_files(june, ProtectionAsked(policy=policy, keep_like=june, round_to=(5,)))
