"""Run the code of a page as its reader would: blocks in order, in one folder, Python blocks in one namespace."""

from __future__ import annotations

import contextlib
import doctest
import io
import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from foregone.cli.app import app
from foregone.formats.policy import read_policies
from foregone.tables.layout_file import read_layout
from tests.docs.allowances import INSTEAD, NOT_RUN, NOT_RUN_BLOCKS
from tests.docs.pages import Block, Page

SHELL = ("sh", "bash", "console")
DATA = ("json", "toml", "csv", "text")
STATUS = re.compile(r"exit status (\d+)")


@dataclass(frozen=True)
class Command:
    """A command of a shell block, the exit status its comment announces, and the output shown below it, if any."""

    text: str
    status: int
    output: str | None


def commands(block: Block) -> Iterator[Command]:
    shown = block.language == "console"
    text = block.text.replace("\\\n", " ")
    for part in re.split(r"(?m)^\$ ", text)[1:] if shown else text.splitlines():
        line, _, output = part.partition("\n")
        comment = line.partition(" #")[2]
        if line.strip() and not line.startswith("#"):
            status = STATUS.search(comment)
            yield Command(line.partition(" #")[0].strip(), int(status[1]) if status else 0, output if shown else None)


def problems(page: Page, folder: Path) -> Iterator[str]:
    """What does not work on a page, with the line it stands on."""
    space: dict[str, Any] = {"__name__": "__main__"}
    with contextlib.chdir(folder):
        for block in page.blocks:
            for problem in _problems(block, space):
                yield f"{page.path.name}, line {block.line}: {problem}"


def _problems(block: Block, space: dict[str, Any]) -> Iterator[str]:
    if block.language == "python":
        try:
            code = compile(block.text, "block", "exec")
            if NOT_RUN_BLOCKS.keys().isdisjoint(block.text.splitlines()):
                with contextlib.redirect_stdout(io.StringIO()):
                    exec(code, space)
        except Exception as error:
            yield f"{type(error).__name__}: {error}"
    elif block.language in SHELL:
        for command in commands(block):
            yield from _run(command)
    elif block.language == "json":
        json.loads(block.text)
    elif block.language == "toml":
        Path("block.toml").write_text(block.text, "utf-8")
        layout = "[[table]]" in block.text or "[variables" in block.text
        read_layout(Path("block.toml")) if layout else read_policies(Path("block.toml"))
    elif block.language not in (*DATA, "r"):
        yield f"a block of {block.words or 'no language'}: say which language it is, so that it can be run"


def _run(command: Command) -> Iterator[str]:
    text = INSTEAD[command.text][0] if command.text in INSTEAD else command.text
    if text.startswith(tuple(NOT_RUN)):
        return
    program, *arguments = shlex.split(text)
    if program != "foregone":
        yield f"{text!r} is not run by any test; say why in tests/docs/allowances.py"
        return
    done = CliRunner().invoke(app, arguments)
    if done.exit_code != command.status:
        yield f"{text!r} ended with status {done.exit_code}, not {command.status}: {done.output.strip()[-400:]}"
    elif command.output is not None and not _alike(command.output, done.output):
        yield f"{text!r} says something else:\n{done.output}"


def _alike(shown: str, said: str) -> bool:
    """As in a doctest: `...` stands for anything, and lines may be broken elsewhere."""
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    return doctest.OutputChecker().check_output(shown, said, flags)
