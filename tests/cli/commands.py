"""Running commands in tests: in this process for speed, or as a process of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from typer.testing import CliRunner

import foregone
from foregone.cli.app import app

SOURCE = str(Path(foregone.__file__).resolve().parents[1])


@dataclass(frozen=True)
class Ran:
    """What a command left: exit status, standard output, standard error."""

    status: int
    out: str
    err: str

    @property
    def problems(self) -> list[str]:
        return self.err.splitlines()


def run(*arguments: object) -> Ran:
    result = CliRunner().invoke(app, [str(a) for a in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), repr(result.exception)
    return Ran(result.exit_code, result.stdout, result.stderr)


def run_process(*arguments: object, hash_seed: str = "0", cwd: Path | None = None) -> Ran:
    """The command as a user starts it."""
    code = "from foregone.cli.app import main; main()"
    environment = {**os.environ, "PYTHONPATH": SOURCE, "PYTHONHASHSEED": hash_seed}
    environment.pop("FOREGONE_DEBUG", None)
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True,
        encoding="utf-8",
        env=environment,
        cwd=cwd,
        timeout=120,
        check=False,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


DOMAIN = {"record": "person", "columns": {"SEX": ["F", "M"], "AGE": ["15-24", "25-34", "65-74", "75-84"]}}
STATISTICS = """\
name,SEX,AGE,count
N,,,5
women,F,,2
old,,65-74|75-84,1
old women,F,65-74|75-84,1
"""


def write_release(folder: Path, statistics: str = STATISTICS, domain: object = DOMAIN, **others: str) -> Path:
    """A small release folder; `others` are more files by name, such as rules= for rules.csv."""
    folder.mkdir()
    (folder / "domain.json").write_text(domain if isinstance(domain, str) else json.dumps(domain), "utf-8")
    (folder / "statistics.csv").write_text(statistics, "utf-8")
    for name, text in others.items():
        (folder / f"{name}.csv").write_text(text, "utf-8")
    return folder


def left_behind(folder: Path, before: set[Path]) -> set[Path]:
    """Files and folders that were not there before, hidden ones too."""
    return set(folder.rglob("*")) - before


def sensible(folder: Path, *arguments: object, statuses: tuple[int, ...] = (2,)) -> Ran:
    """Whatever a command is given, it answers or refuses in short lines that a terminal can show, and leaves nothing half done."""
    before = set(folder.rglob("*"))
    ran = run(*arguments)
    assert ran.status in statuses, (arguments, ran)
    assert "Traceback" not in ran.err
    assert max(map(len, ran.problems), default=0) < 1100
    assert not [letter for letter in ran.out + ran.err if ord(letter) < 32 and letter != "\n"]
    if ran.status == 2:
        assert ran.problems
        # the layout so far of tables that could not be read is kept, and said
        assert not {path for path in left_behind(folder, before) if not path.name.endswith(".layout.toml")}
    return ran
