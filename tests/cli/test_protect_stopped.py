"""Ctrl-C for real: whenever it comes, exit 3, no traceback, and the folder is whole or not there."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.country import command

START = "from foregone.cli.app import main; main()"


@pytest.fixture(scope="module")
def units(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("stopped") / "units.csv"
    command("census", "synth", "--states", 2, "--tracts", 1, "--blocks", 20, "--out", path)
    return path


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [2.5, 5.0, 12.0])
def test_stopped(units: Path, tmp_path: Path, seconds: float) -> None:
    policy, out = tmp_path / "policy.toml", tmp_path / "out"
    policy.write_text("singled_out_columns = 4\n")
    asked = ["protect", units, "--by", "table", "--groups", "none", "--policy", policy, "--workers", 2, "--out", out]
    started = subprocess.Popen(
        [sys.executable, "-c", START, *map(str, asked)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        started.wait(seconds)
    except subprocess.TimeoutExpired:
        started.send_signal(signal.SIGINT)
    told, wrong = started.communicate(timeout=300)
    assert started.returncode in (0, 3), wrong
    assert "Traceback" not in told + wrong
    assert {path.name for path in tmp_path.iterdir()} <= {"policy.toml", "out"}
    if out.exists():
        record = json.loads((out / "protect.json").read_text("utf-8"))
        assert record["lower_bound"] <= record["cost"]
        assert record["optimal"] == (started.returncode == 0)
        assert (out / "tables.csv").is_file()
