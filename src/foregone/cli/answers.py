"""`--json`: the answer of a command as one JSON object on standard output, and nothing else there. docs/json.md describes it.

Every command has the option without doing anything for it: what it says becomes `lines`, what it complains about `errors`, and
`exit` is its exit status. A command that has more to tell calls `tell` with names and values, which does nothing without `--json`.
Progress, notes and errors go to standard error all the same.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from foregone.version import __version__

if TYPE_CHECKING:
    from foregone.formats.claims import Tabular

FORMAT, VERSION = "foregone-answer", 1
OPTION = "--json"
SAID = "Print the answer as one JSON object."


@dataclass(slots=True)
class JsonAnswer:
    """What one command has told so far."""

    command: str
    content: dict[str, object] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def text(self, status: int) -> str:
        head = {"format": FORMAT, "version": VERSION, "tool": f"foregone {__version__}", "command": self.command, "exit": status}
        tail = {"lines": self.lines, "notes": self.notes, "errors": self.errors}
        return json.dumps({**head, **_plain(self.content), **head, **tail}, allow_nan=False, indent=1)


_now: list[JsonAnswer] = []  # the answer that is being collected, if there is one


def collecting() -> JsonAnswer | None:
    """The answer that is being collected; None without --json."""
    return _now[-1] if _now else None


@contextmanager
def collected(command: str) -> Iterator[JsonAnswer]:
    """Collect what a command says."""
    _now.append(JsonAnswer(command))
    try:
        yield _now[-1]
    finally:
        _now.pop()


def tell(every: Callable[[], Mapping[str, object]] | None = None, /, **content: object) -> None:
    """Tell a part of the answer: values by name, or functions that make them, called only if somebody wants JSON; and a function
    that makes several at once.
    """
    answer = collecting()
    if answer is not None:
        answer.content |= {} if every is None else every()
        answer.content |= {name: value() if callable(value) else value for name, value in content.items()}


def rows_of_table(found: Tabular) -> Callable[[], list[dict[str, object]]]:
    """A table as a list of objects, when it is wanted."""
    return lambda: [dict(zip(found.header, row, strict=True)) for row in found.rows()]


def _plain(value: Any) -> Any:
    """Whatever JSON has no word for, in one that it has; a number without end is null."""
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(entry) for entry in (sorted(value) if isinstance(value, set | frozenset) else value)]
    if isinstance(value, Enum):
        return _plain(value.value)
    if isinstance(value, Path | Fraction):
        return str(value)
    if isinstance(value, float):
        return value if isfinite(value) else None
    if value is None or isinstance(value, str | int):
        return value
    return value.item() if hasattr(value, "item") else str(value)
