"""Run a notebook with nothing but Python, so that its outputs can be made anew and compared: `python -m docs.site.notebook FILE`.

Cells share one namespace; what is printed and the value of a last expression become outputs, as in any notebook program.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

Notebook = dict[str, Any]


def read(path: Path) -> Notebook:
    content: Notebook = json.loads(path.read_text("utf-8"))
    return content


def write(path: Path, notebook: Notebook) -> None:
    path.write_text(json.dumps(notebook, ensure_ascii=False, indent=1) + "\n", "utf-8")


def source(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


def run(notebook: Notebook) -> Notebook:
    """The same notebook with the outputs of a fresh run in an empty folder. An error in a cell is raised, naming the cell."""
    space: dict[str, Any] = {"__name__": "__main__"}
    cells, number = [], 0
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for cell in notebook["cells"]:
                if cell["cell_type"] != "code":
                    cells.append(cell)
                    continue
                number += 1
                try:
                    outputs = run_cell(source(cell), space, number)
                except Exception as error:
                    error.add_note(f"in code cell {number}: {source(cell)}")
                    raise
                cells.append({**cell, "execution_count": number, "outputs": outputs})
        finally:
            os.chdir(before)
    return {**notebook, "cells": cells}


def run_cell(text: str, space: dict[str, Any], number: int) -> list[dict[str, Any]]:
    tree = ast.parse(text)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, f"cell {number}", "exec"), space)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), space)
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": printed.getvalue().splitlines(keepends=True)})
    if value is not None:
        data = {"text/plain": repr(value).splitlines(keepends=True)}
        outputs.append({"data": data, "execution_count": number, "metadata": {}, "output_type": "execute_result"})
    return outputs


def as_markdown(path: Path) -> str:
    """A notebook as a page: its words, its code, and what the code says."""
    parts = []
    for cell in read(path)["cells"]:
        if cell["cell_type"] == "markdown":
            parts.append(source(cell))
            continue
        parts.append(f"```python\n{source(cell)}\n```")
        for output in cell["outputs"]:
            text = "".join(output.get("text") or output["data"]["text/plain"])
            parts.append(f"```text\n{text.rstrip()}\n```")
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    for name in sys.argv[1:]:
        write(Path(name), run(read(Path(name))))
        print(f"{name}: run anew.")
