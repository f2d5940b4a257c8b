"""Words in the code: every class has a name of its own, and every docstring can be read alone."""

from __future__ import annotations

import ast
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

import foregone

SRC = Path(foregone.__file__).parent

RELATIVE = ("The same", "Likewise", "As above", "As before")  # how a docstring begins that leans on the one before it
DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


@cache
def trees() -> list[tuple[Path, ast.Module]]:
    return [(path, ast.parse(path.read_text("utf-8"))) for path in sorted(SRC.rglob("*.py"))]


def class_names(source: ast.Module) -> list[str]:
    return [node.name for node in ast.walk(source) if isinstance(node, ast.ClassDef)]


def leaning(source: ast.Module) -> list[str]:
    """First lines of docstrings that cannot be read alone."""
    said = [ast.get_docstring(node) or "" for node in ast.walk(source) if isinstance(node, DOCUMENTED)]
    return [text.partition("\n")[0] for text in said if text.startswith(RELATIVE)]


def test_every_class_has_a_name_of_its_own() -> None:
    found = defaultdict(list)
    for path, source in trees():
        for name in class_names(source):
            found[name].append(str(path.relative_to(SRC)))
    twice = {name: places for name, places in found.items() if len(places) > 1}
    assert twice == {}


@pytest.mark.parametrize("package", sorted(path.name for path in SRC.iterdir() if path.is_dir() and path.name != "__pycache__"))
def test_every_docstring_can_be_read_alone(package: str) -> None:
    inside = [(path, source) for path, source in trees() if SRC / package in path.parents]
    assert {path.name: lines for path, source in inside if (lines := leaning(source))} == {}


def test_the_tests_see_what_they_look_for() -> None:
    source = ast.parse('"""The same file."""\nclass A:\n    class _B:\n        """Likewise."""\n        def f(self): "Fine."')
    assert class_names(source) == ["A", "_B"]
    assert leaning(source) == ["The same file.", "Likewise."]
