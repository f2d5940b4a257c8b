"""The teaching notebook runs from top to bottom, and the outputs stored in it are those of a fresh run."""

from __future__ import annotations

from pathlib import Path

import pytest
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook

from docs.notebook import read, run
from tests.docs.pages import DOCS, ROOT

pytestmark = pytest.mark.slow
NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))


def planted(text: str) -> NotebookNode:
    return new_notebook(cells=[new_code_cell(text)])


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_outputs_are_those_of_a_fresh_run(path: Path) -> None:
    stored = read(path)
    assert run(stored) == stored, f"run: python -m docs.notebook {path.relative_to(ROOT)}"


def test_there_is_a_notebook_and_it_is_small() -> None:
    assert NOTEBOOKS
    assert all(path.stat().st_size < 100_000 for path in NOTEBOOKS)
    assert all("id" in cell for path in NOTEBOOKS for cell in read(path).cells)


def test_a_cell_that_fails_is_noticed() -> None:
    with pytest.raises(CellExecutionError, match="ZeroDivisionError"):
        run(planted("1 / 0"))


def test_a_changed_output_is_noticed() -> None:
    book = run(planted("print('yes')\n2 + 2"))
    said, value = book.cells[0].outputs
    assert said.text == "yes\n"
    assert value.data == {"text/plain": "4"}
    assert run(book) == book
    book.cells[0].source = "print('no')\n2 + 2"
    assert run(book) != book


def test_cells_run_in_a_folder_of_their_own() -> None:
    said = run(planted("from pathlib import Path\nPath('left.txt').touch()\nPath.cwd()")).cells[0].outputs[0]
    assert not Path("left.txt").exists()
    assert str(Path.cwd()) not in said.data["text/plain"]
