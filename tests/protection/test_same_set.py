"""The same input gives the same set, the same certificate and the same folder, in whatever order a process keeps its sets."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

WORK = """
import json, sys
from pathlib import Path
from foregone import Policy, protect
from foregone.formats.protection import write_private, write_protection
from tests.protection.test_small_cases import CLINICS, SHOWN
out = Path(sys.argv[1])
merges = [("G", "A", "B"), ("G", "B", "C"), ("SEX", "F", "M")]
cases = {
    "cells": (SHOWN, {}),
    "linear": (SHOWN, {"attacker": "linear"}),
    "tables": (Policy(1, 3), {"by": "table"}),
    "claims": (Policy(2, 13), {"alternatives": 2}),
    "all": (SHOWN, {"round_to": [5, 10], "merge": merges}),
}
for name, (policy, asked) in cases.items():
    found = protect(CLINICS, policy, proofs=True, **asked)
    write_protection(found, out / name)
    write_private(found, out / name)
    (out / f"{name}.json").write_text(json.dumps(found.certificate))
    (out / f"{name}.txt").write_text(found.summary())
"""


@pytest.mark.slow
def test_in_fresh_processes(tmp_path: Path) -> None:
    wrote = []
    for seed in ("0", "1", "424242"):
        (tmp_path / seed).mkdir()
        env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        subprocess.run([sys.executable, "-c", WORK, str(tmp_path / seed)], check=True, env=env)
        files = sorted(path for path in (tmp_path / seed).rglob("*") if path.is_file())
        wrote.append({str(path.relative_to(tmp_path / seed)): path.read_bytes() for path in files})
    assert len(wrote[0]) >= 5 * 5
    assert wrote[0] == wrote[1] == wrote[2]
