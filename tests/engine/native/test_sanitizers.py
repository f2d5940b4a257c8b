"""The loop built with the address and undefined-behaviour sanitizers: they end the process at the first thing that is wrong."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from foregone.engine.native.build import SANITIZED, BuildError, build, compiler
from foregone.loop import CHOICE, PLACE

ROOT = Path(__file__).resolve().parents[3]
CHECKED = """
import numpy as np
from foregone.engine.native.plan import plan_of
from foregone.model.families import Groups
from tests.engine.native.comparing import blocks, random_releases, with_ranges
import random
rng = random.Random(1)
for groups in Groups:
    for releases in (list(blocks(6, (1, 30), 1)), *([release] for release in random_releases(60, 5))):
        plan = plan_of(releases[0].workload, groups)
        assert plan is not None
        counts = np.array([release.low for release in releases])
        truth = np.arange(len(releases) + 1) * 3, np.zeros((3 * len(releases), plan.columns), dtype=np.uint8)
        plan.run(counts, truth=truth, forms=True, datasets=True)
        changed = np.repeat(counts[:1], 20, axis=0)
        for i, row in enumerate(changed):
            row[(7 * i) % len(row)] += (1, -1, 1 << 40)[i % 3]
        plan.run(changed, forms=True, datasets=True)
        ranged = [with_ranges(release, rng) for release in releases]
        lows = np.array([release.low for release in ranged])
        most = np.iinfo(np.int64).max
        highs = np.array([[most if high is None else high for high in release.high] for release in ranged])
        plan.run(lows, highs, truth=truth, forms=True, datasets=True)
        plan.run(counts, only=True)
        plan.run(lows, highs, only=True)
        plan.run(lows * 0, lows * 0 + most, forms=True)
        plan.run(lows * 0, lows * 0 + 3, forms=True)
        plan.run(counts, max_records=5)
        plan.run(counts, seconds=1e-6)
import foregone as fg
for release in random_releases(28, 9):
    for prior in ("uniform", "histograms", "polya:3"):
        fg.likely(release, prior=prior, seconds=None)  # how busy the machine is makes no difference
print("sound")
"""


@pytest.mark.slow
def test_nothing_is_wrong_in_memory(tmp_path: Path) -> None:
    try:
        words = compiler()
        (library,) = build(tmp_path, {"sanitized": SANITIZED})
    except BuildError as error:
        pytest.skip(f"the loop cannot be built with sanitizers here: {error}")
    names = [subprocess.check_output([*words, f"-print-file-name=lib{name}.so"], text=True).strip() for name in ("asan", "ubsan")]
    ran = subprocess.run(
        [sys.executable, "-c", CHECKED],
        env={
            **{name: value for name, value in os.environ.items() if name != CHOICE},
            "LD_PRELOAD": " ".join(names),
            "ASAN_OPTIONS": "detect_leaks=0",  # Python leaves much to the end of the process
            "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]),
            PLACE: str(library),
        },
        capture_output=True,
        text=True,
    )
    assert (ran.returncode, ran.stdout) == (0, "sound\n"), ran.stderr[-3000:]
