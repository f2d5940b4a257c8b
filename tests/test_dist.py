"""The version is the same everywhere, and what is built holds every file of the package."""

from __future__ import annotations

import contextlib
import re
import tomllib
from pathlib import Path

import pytest

from foregone.version import __version__
from tests.cli.commands import run
from tests.dist import ROOT, missing

hatchling = pytest.importorskip("hatchling.build")


def test_the_version_is_the_same_everywhere() -> None:
    assert tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"] == __version__
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    assert re.findall(r"(?m)^version: (.*)$", citation) == [__version__]
    newest = re.search(r"(?m)^## (\S+) \((\d{4}-\d\d-\d\d)\)$", (ROOT / "CHANGELOG.md").read_text("utf-8"))
    assert newest is not None
    assert newest[1] == __version__
    assert f"date-released: {newest[2]}" in citation
    assert run("--version").out.startswith(f"foregone {__version__}, ")


@pytest.mark.slow
@pytest.mark.parametrize("compiler", ["", "no such compiler"])
def test_a_build_leaves_nothing_out(compiler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a compiler there is no compiled loop in it, and nothing else is missing."""
    monkeypatch.delenv("FOREGONE_REQUIRE_NATIVE", raising=False)
    if compiler:
        monkeypatch.setenv("CXX", compiler)
    with contextlib.chdir(ROOT):
        wheel = tmp_path / hatchling.build_wheel(str(tmp_path))
        sdist = tmp_path / hatchling.build_sdist(str(tmp_path))
    assert missing(wheel, sdist) == []
    assert wheel.name.endswith("-py3-none-any.whl") or not compiler


def test_a_compiled_loop_can_be_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "no such compiler")
    monkeypatch.setenv("FOREGONE_REQUIRE_NATIVE", "1")
    with contextlib.chdir(ROOT), pytest.raises(Exception, match="there is no C\\+\\+ compiler"):
        hatchling.build_wheel(str(tmp_path))
