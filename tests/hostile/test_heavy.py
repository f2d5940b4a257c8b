"""What small files ask for is not given: within ten seconds and 500 MB each is read or refused in a line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.commands import SOURCE
from tests.hostile.heavy import HEAVY
from tests.hostile.test_hostile import MEGABYTES, SECONDS

CODE = """\
import sys, time
from foregone.cli.app import main
try:
    main()
finally:  # the most that this process ever had; getrusage would also count its parent
    used = [line for line in open("/proc/self/status") if line.startswith("VmHWM")]
    open(sys.argv[-1] + ".used", "w").write(f"{time.process_time()} {used[0].split()[1]}")
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is measured as Linux tells it")
@pytest.mark.parametrize("what", HEAVY)
def test_little_is_spent(tmp_path: Path, what: str) -> None:
    name, write = HEAVY[what]
    write(tmp_path / name)
    out = tmp_path / "out"
    command = [sys.executable, "-c", CODE, "import", str(tmp_path / name), "--out", str(out)]
    ran = subprocess.run(command, capture_output=True, text=True, env={"PYTHONPATH": SOURCE}, timeout=120, check=False)
    seconds, kilobytes = map(float, (tmp_path / "out.used").read_text().split())
    (tmp_path / name).unlink()
    assert ran.returncode in (0, 2), ran.stderr
    assert "Traceback" not in ran.stderr
    assert out.exists() == (ran.returncode == 0)
    assert seconds < SECONDS, f"{seconds:.1f} seconds: {ran.stderr[:300]}"
    assert kilobytes < 1024 * MEGABYTES, f"{kilobytes:,.0f} kB: {ran.stderr[:300]}"
