"""What goes wrong, said so that a person can put it right."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_command_line = False


@contextmanager
def speaking_of_options() -> Iterator[None]:
    """Within, remedies name options of the command line; elsewhere they name arguments of functions."""
    global _command_line
    before, _command_line = _command_line, True
    try:
        yield
    finally:
        _command_line = before


def option(name: str) -> str:
    """An argument as whoever reads an error can set it: `time_limit` in Python, --time-limit on the command line.

    >>> option("time_limit")
    '`time_limit`'
    """
    return f"--{name.replace('_', '-')}" if _command_line else f"`{name}`"


def what_to_do(reason: str) -> str:
    """What to do about a question that stayed open: more time only where time was the reason.

    >>> what_to_do("the time limit was reached")
    'raise `time_limit`'
    """
    if "time limit" in reason:
        return f"raise {option('time_limit')}"
    return "more time would not help; leave out very large numbers or columns you do not need"


class ForegoneError(Exception):
    """The base of every error this package raises on purpose."""


class InputError(ForegoneError):
    """One or more problems in what the user gave; each problem is one readable line.

    >>> InputError(["statistics.csv, row 3: low 5 is above high 2"]).problems
    ('statistics.csv, row 3: low 5 is above high 2',)
    """

    def __init__(self, problems: Iterable[str] | str) -> None:
        lines = (problems,) if isinstance(problems, str) else tuple(problems)
        self.problems: tuple[str, ...] = lines
        super().__init__("\n".join(lines))


def refuse(problems: Iterable[str]) -> None:
    """Raise all problems at once, if there are any."""
    lines = tuple(problems)
    if lines:
        raise InputError(lines)


@contextmanager
def gathered(problems: list[str], place: str = "") -> Iterator[None]:
    """Problems that are raised inside are added to a list, each with its place in front, so that others can be found too."""
    try:
        yield
    except InputError as error:
        problems += [f"{place}{problem}" for problem in error.problems]


class ContradictionError(InputError):
    """No dataset matches the release: `conflict` is a set of statements, by number, that cannot hold together.

    `smallest`: it is proved that no smaller set conflicts. `irreducible`: each of its statements is needed. `proof` is a
    proofs document that shows the contradiction, for `check`; where it was `written` to a file, which one and how many bytes.
    """

    def __init__(
        self,
        problems: Iterable[str] | str,
        conflict: tuple[int, ...],
        smallest: bool,
        irreducible: bool = True,
        proof: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(problems)
        self.conflict = conflict
        self.smallest = smallest
        self.irreducible = irreducible
        self.proof = proof
        self.written: tuple[Path, int] | None = None


class TooLargeError(ForegoneError):
    """The release leaves more possible records than the memory allowed for them."""


class UndecidedError(ForegoneError):
    """A limit was reached before an exact answer; never to be read as yes or no."""
