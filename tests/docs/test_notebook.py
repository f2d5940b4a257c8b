"""The teaching notebook runs from top to bottom, and the outputs stored in it are those of a fresh run."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs.site.notebook import Notebook, as_markdown, read, run, write
from docs.site.pages import DOCS

NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))


def planted(text: str) -> Notebook:
    return {"cells": [{"cell_type": "code", "source": [text], "outputs": [], "execution_count": None}]}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_outputs_are_those_of_a_fresh_run(path: Path) -> None:
    stored = read(path)
    assert run(stored) == stored, f"run: python -m docs.site.notebook {path}"


def test_there_is_a_notebook_and_it_is_small() -> None:
    assert NOTEBOOKS
    assert all(path.stat().st_size < 100_000 for path in NOTEBOOKS)
    assert all((book := read(path))["nbformat"] == 4 and all("id" in cell for cell in book["cells"]) for path in NOTEBOOKS)


def test_a_cell_that_fails_is_noticed() -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        run(planted("1 / 0"))
    assert "code cell 1" in caught.value.__notes__[0]


def test_a_changed_output_is_noticed() -> None:
    book = run(planted("print('yes')\n2 + 2"))
    said, value = book["cells"][0]["outputs"]
    assert said["text"] == ["yes\n"]
    assert value["data"] == {"text/plain": ["4"]}
    assert run(book) == book
    book["cells"][0]["source"] = ["print('no')\n2 + 2"]
    assert run(book) != book


def test_notebook_as_a_page(tmp_path: Path) -> None:
    write(tmp_path / "x.ipynb", run(planted("6 * 7")))
    assert as_markdown(tmp_path / "x.ipynb") == "```python\n6 * 7\n```\n\n```text\n42\n```\n"
