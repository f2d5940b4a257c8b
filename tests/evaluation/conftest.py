"""The study is tried on the same small country as the census files."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.census.conftest import ingested, raw, units

__all__ = ["ingested", "raw", "units"]


@pytest.fixture(scope="module", autouse=True)
def _fastest_loop() -> Iterator[None]:
    """The compiled loop, where there is one: studies take minutes without, and tests/engine/native compares the two."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("FOREGONE_LOOP", raising=False)
        yield
