"""Imports between packages point one way, as the contract in pyproject.toml says, and CONTRIBUTING.md shows them as they are."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import grimp
import pytest

import foregone
from tests.packages import PAGE, ROOT, drawn, layers, page

LINT = "from importlinter.cli import lint_imports_command as lint; lint(['--no-cache'])"


def lint(source: Path) -> subprocess.CompletedProcess[str]:
    """Check the package in a folder against the contracts."""
    given = {**os.environ, "PYTHONPATH": str(source), "COLUMNS": "200"}
    return subprocess.run([sys.executable, "-c", LINT], cwd=ROOT, env=given, capture_output=True, text=True)


def test_the_contracts_are_kept() -> None:
    done = lint(Path(foregone.__file__).parents[1])
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("module", "planted"),
    [
        ("model/claim.py", "foregone.formats.text"),
        ("model/claim.py", "foregone.solvers.answer"),
        ("engine/system/atoms.py", "foregone.questions.asked"),
        ("formats/text.py", "foregone.solvers.answer"),
        ("checker/seal.py", "foregone.model.domain"),
        ("checker/seal.py", "foregone.formats.text"),
        ("onehot/model.py", "foregone.questions.ask"),
        ("engine/system/atoms.py", "foregone.engine.bounds.trees"),
        ("protection/attack.py", "foregone.engine.bounds.trees"),
        ("batch/store.py", "foregone.pages.write"),
        ("model/domain.py", "foregone"),
    ],
)
def test_an_import_that_points_upwards_is_noticed(tmp_path: Path, module: str, planted: str) -> None:
    shutil.copytree(Path(foregone.__file__).parent, tmp_path / "foregone", ignore=shutil.ignore_patterns("__pycache__"))
    with (tmp_path / "foregone" / module).open("a", encoding="utf-8") as file:
        file.write(f"\n\ndef later() -> None:\n    import {planted}\n")
    done = lint(tmp_path)
    name = f"foregone.{module.removesuffix('.py').replace('/', '.')}"
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"{name} -> {planted} " in done.stdout


def test_the_checker_needs_the_standard_library_alone() -> None:
    graph = grimp.build_graph("foregone", include_external_packages=True, cache_dir=None)
    inside = {"foregone.checker", *graph.find_descendants("foregone.checker")}
    needed = {other.split(".")[0] for module in inside for other in graph.find_modules_directly_imported_by(module)}
    assert needed - {"foregone"} <= sys.stdlib_module_names


def test_the_nouns_are_there_without_any_library() -> None:
    """Data frames are made by libraries that are loaded when one is asked for."""
    nouns = [f"foregone.model.{path.stem}" for path in (Path(foregone.__file__).parent / "model").glob("[a-z]*.py")]
    script = f"import sys, foregone, {', '.join(nouns)}; print(*{{name.split('.')[0] for name in sys.modules}})"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    before = subprocess.run([sys.executable, "-c", "import sys; print(*sys.modules)"], capture_output=True, text=True, check=True)
    assert {*done.stdout.split()} - {*before.stdout.replace(".", " ").split()} - sys.stdlib_module_names == {"foregone"}


def test_the_graph_is_drawn_as_it_is() -> None:
    text = PAGE.read_text("utf-8")
    assert page(text) == text, "run: python -m tests.packages"


def test_the_graph_marks_what_points_upwards() -> None:
    found = {("cli", "model"), ("model", "cli")}
    assert drawn(["cli", "unused", "model"], found).splitlines() == ["       cli  model", "cli     \\     x", "model   !     \\"]


def test_the_map_of_the_package_names_every_folder() -> None:
    words = (foregone.__doc__ or "").split()
    assert [name for name in layers() if f"{name}/" not in words] == []


@pytest.mark.parametrize("name", ["CONTRIBUTING.md", "docs/how-it-works.md", "docs/soundness.md"])
def test_files_that_a_page_names_are_there(name: str) -> None:
    named = re.findall(r"`([\w.-]+/[\w./-]*)`", (ROOT / name).read_text("utf-8"))
    assert named
    places = (ROOT, ROOT / "src", ROOT / "src" / "foregone")
    assert [path for path in named if not any((place / path).exists() for place in places)] == []
