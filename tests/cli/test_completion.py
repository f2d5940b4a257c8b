"""The Tab key: what shells are told about commands, options, and the values that they take."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from foregone.rules.registry import rules
from tests.cli.commands import SOURCE

pytestmark = pytest.mark.slow
BASH, FISH = shutil.which("bash"), shutil.which("fish")
CASES = {
    "foregone pro": ["protect"],
    "foregone census va": ["variability"],
    "foregone protect r --pol": ["--policy"],
    "foregone audit r --groups ": ["published", "none"],
    "foregone import a.csv --rule nh": ["nhs-hes"],
    "foregone tabulate a.csv --rule opensafely-": [name for name in rules() if name.startswith("opensafely-")],
    "foregone help ex": ["exit-codes"],
    "foregone audit rel": [],  # left to the shell, which completes files
}


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """A `foregone` on the path, and a home of its own."""
    command = tmp_path / "bin" / "foregone"
    command.parent.mkdir()
    command.write_text(
        f'#!{sys.executable}\nimport sys\nsys.path.insert(0, "{SOURCE}")\nfrom foregone.cli.app import main\nmain()\n'
    )
    command.chmod(0o755)
    return {**os.environ, "PATH": f"{command.parent}{os.pathsep}{os.environ['PATH']}", "HOME": str(tmp_path)}


def answered(environment: dict[str, str], **asked: str) -> str:
    done = subprocess.run(["foregone"], env={**environment, **asked}, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.skipif(not BASH, reason="there is no bash")
@pytest.mark.parametrize("typed", CASES)
def test_bash_completes(environment: dict[str, str], typed: str) -> None:
    """As bash does it: the installed function is called, and what it leaves in COMPREPLY is offered."""
    words = typed.split(" ")
    script = (
        'eval "$(_FOREGONE_COMPLETE=source_bash foregone)"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); '
        '_foregone_completion foregone; for word in "${COMPREPLY[@]}"; do echo "$word"; done'
    )
    done = subprocess.run([BASH or "", "-c", script, "bash", *words], env=environment, capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == CASES[typed], done.stderr


@pytest.mark.skipif(not BASH, reason="there is no bash")
def test_bash_installs_it(environment: dict[str, str], tmp_path: Path) -> None:
    done = subprocess.run(
        [BASH or "", "-c", "foregone --install-completion; true"], env=environment, capture_output=True, text=True
    )
    if "bash completion installed" not in done.stdout:
        pytest.skip(f"the shell was not recognised here: {done.stderr}")
    assert ".bash_completions/foregone.sh" in (tmp_path / ".bashrc").read_text()
    again = '. "$HOME/.bashrc"; complete -p foregone'
    assert (
        "_foregone_completion" in subprocess.run([BASH or "", "-c", again], env=environment, capture_output=True, text=True).stdout
    )


@pytest.mark.skipif(not FISH, reason="there is no fish")
def test_fish_completes(environment: dict[str, str]) -> None:
    asked = 'complete -C "foregone pro"; complete -C "foregone import a.csv --rule nh"'
    script = f"_FOREGONE_COMPLETE=source_fish foregone | source; {asked}"
    done = subprocess.run([FISH or "", "-c", script], env=environment, capture_output=True, text=True, timeout=60)
    assert [line.partition("\t")[0] for line in done.stdout.splitlines()] == ["protect", "nhs-hes"], done.stderr


def test_zsh_and_fish_are_told_the_same(environment: dict[str, str]) -> None:
    for shell in ("zsh", "fish"):
        assert "foregone" in answered(environment, _FOREGONE_COMPLETE=f"source_{shell}")
        asked = {"_FOREGONE_COMPLETE": f"complete_{shell}", "_TYPER_COMPLETE_ARGS": "foregone import a.csv --rule nh"}
        assert "nhs-hes" in answered(environment, **asked, _TYPER_COMPLETE_FISH_ACTION="get-args")
