"""The compiled loop is used in here, whatever is used elsewhere; it has to be built first."""

from __future__ import annotations

import pytest

from foregone.engine.native.library import library
from foregone.loop import CHOICE


@pytest.fixture(autouse=True)
def native(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(CHOICE, raising=False)
    if library() is None:
        pytest.skip("the compiled loop is not built: run make in src/foregone/engine/native/loop")
