"""Libraries that only some commands need."""

from __future__ import annotations

from importlib.util import find_spec

from foregone.model.errors import ForegoneError


def need(*names: str, extra: str = "census") -> None:
    """Say what to install before any work is done, instead of failing in the middle."""
    missing = [name for name in names if find_spec(name) is None]
    if missing:
        raise ForegoneError(f"this command needs {', '.join(missing)}; install with: pip install 'foregone[{extra}]'")
