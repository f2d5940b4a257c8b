"""One decision in the C++ is changed: comparing the two loops must show it."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from foregone import Case
from foregone.engine import audit, native
from foregone.engine.native.audit import Fell, audit_natively
from foregone.engine.native.build import COMPILERS, build
from foregone.engine.native.library import Status
from foregone.loop import PLACE
from foregone.model.families import Groups
from tests.engine.native.comparing import blocks, random_releases, told, with_ranges

LOOP = Path(native.__path__[0]) / "loop"
MISTAKES = {
    "what is no combination of rows passes for one": ("row_space.hpp", "(sum % PRIME) return false", "(sum % PRIME) return true"),
    "zeros that counts imply are overlooked": ("zeros.hpp", "total >= filled.high[whole]", "total > filled.high[whole]"),
    "doubt is forgotten": ("claims.hpp", "claim.doubt.push_back(bucket);", "{}"),
    "a bound takes the least number of a range for the greatest": (
        "bounds.hpp",
        "multipliers_[row] > 0 ? system_.high[row]",
        "multipliers_[row] > 0 ? system_.low[row]",
    ),
    "ranges count as fixed": ("system.hpp", "low == high && of_row.lower == of_row.upper", "of_row.lower == of_row.upper"),
    "ways of saying a fact are left out": ("forms.hpp", "multiplied(numbers[i], named)", "multiplied(numbers[i], int64_t(1))"),
}

pytestmark = pytest.mark.skipif(not any(map(shutil.which, COMPILERS)), reason="there is no C++ compiler here")


def differences() -> Iterator[bool]:
    """Of some blocks, whether the compiled loop tells something else, or finds that a dataset and a proof of its own contradict."""
    rng = random.Random(4)
    for release in (*blocks(12, (12, 25), 4), *(with_ranges(exact, rng) for exact in random_releases(60, 4))):
        found = audit_natively(release, Groups.PUBLISHED)
        assert found is not None
        if isinstance(found, Fell):
            yield found.status == Status.UNEXPECTED
        else:
            yield told(found) != told(audit(Case(release)))


@pytest.mark.slow
@pytest.mark.parametrize("mistake", ["", *MISTAKES])
def test_a_mistake_shows(mistake: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for source in (*LOOP.glob("*.hpp"), *LOOP.glob("foregone_*")):
        shutil.copy(source, tmp_path)
    if mistake:
        name, right, wrong = MISTAKES[mistake]
        text = (tmp_path / name).read_text("utf-8")
        assert right in text
        (tmp_path / name).write_text(text.replace(right, wrong), "utf-8")
    monkeypatch.setenv(PLACE, str(build(tmp_path, {"planted": ("-O1", "-w")}, tmp_path)[0]))
    assert any(differences()) == bool(mistake)
