"""Where a release finds out how to read and write files, without the nouns knowing a file format.

`foregone/__init__` puts in the function that loads the format; nothing is loaded before somebody reads or writes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def unknown() -> Any:
    raise RuntimeError("the nouns alone read no files; import foregone")


files: Callable[[], Any] = unknown  # a module with `read_release` and `write_release`
