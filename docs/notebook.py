"""Run notebooks and store what their cells say: `python -m docs.notebook FILE...`. A cell that fails is an error."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode

KERNEL = "python3"  # the Python that runs this


def read(path: Path) -> NotebookNode:
    return nbformat.read(path, as_version=4)


def write(path: Path, notebook: NotebookNode) -> None:
    nbformat.write(notebook, path)


def run(notebook: NotebookNode) -> NotebookNode:
    """The same notebook with the outputs of a fresh run in an empty folder, in which also the kernel's own files stay."""
    fresh = nbformat.from_dict(notebook)
    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(
            fresh,
            kernel_name=KERNEL,
            timeout=300,
            coalesce_streams=True,
            record_timing=False,
            resources={"metadata": {"path": folder}},
            extra_arguments=["--log-level=ERROR"],  # or it warns that it speaks to this process over the loopback interface
        )
        client.execute(env={**os.environ, "IPYTHONDIR": folder})
    fresh.metadata = notebook.metadata  # the kernel's version is no matter of the notebook
    return fresh


if __name__ == "__main__":
    for name in sys.argv[1:]:
        write(Path(name), run(read(Path(name))))
        print(f"{name}: run anew.")
