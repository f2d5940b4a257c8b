"""What goes wrong, said so that a person can put it right."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_command_line = False
_known: frozenset[str] | None = None  # the options of the command that is at work, where that is known
_OPTION = re.compile(r"(?<![\w-])--([a-z][a-z-]*[a-z])")
_ARGUMENTS = {"token": "tokens", "round": "round_to", "retry-failed": "retry_failed"}  # where they are not called like the option


@contextmanager
def speaking_of_options(known: Iterable[str] | None = None) -> Iterator[None]:
    """Within, remedies name options of the command line; elsewhere they name arguments of functions. `known` are the options that
    the command has, such as --time-limit."""
    global _command_line, _known
    before = _command_line, _known
    _command_line, _known = True, None if known is None else frozenset(known)
    try:
        yield
    finally:
        _command_line, _known = before


def option(name: str) -> str:
    """An argument as whoever reads an error can set it: `time_limit` in Python, --time-limit on the command line.

    >>> option("time_limit")
    '`time_limit`'
    """
    return f"--{name.replace('_', '-')}" if _command_line else f"`{name}`"


def can_be_set(name: str) -> bool:
    """May a remedy name this argument? Not where a command is at work that has no such option.

    >>> with speaking_of_options(["--time-limit", "--out"]):
    ...     can_be_set("time_limit"), can_be_set("max_records")
    (True, False)
    >>> can_be_set("max_records")
    True
    """
    return _known is None or option(name) in _known


def as_spoken(text: str) -> str:
    """A message in the words of whoever reads it: outside the command line, options are named as arguments of functions. What
    stands between backticks is a command, and stays.

    >>> as_spoken("--time-limit: leave it out, or say `foregone audit --help`")
    '`time_limit`: leave it out, or say `foregone audit --help`'
    """
    if _command_line or "--" not in text:
        return text
    parts = text.split("`")
    parts[::2] = [_OPTION.sub(lambda found: f"\0{_ARGUMENTS.get(found[1], found[1]).replace('-', '_')}\0", p) for p in parts[::2]]
    return "`".join(parts).replace("\0", "`")


def what_to_do(reason: str) -> str:
    """What to do about a question that stayed open: more time only where time was the reason.

    >>> what_to_do("the time limit was reached")
    'raise `time_limit`'
    """
    if "time limit" in reason:
        return f"raise {option('time_limit')}"
    return "more time would not help; leave out very large numbers or columns you do not need"


class ForegoneError(Exception):
    """The base of every error this package raises on purpose. Messages name options on the command line, arguments in Python."""

    def __init__(self, message: str = "") -> None:
        super().__init__(as_spoken(message))


class InputError(ForegoneError, ValueError):
    """One or more problems in what the user gave; each problem is one readable line. It is a ValueError, too.

    >>> InputError(["statistics.csv, row 3: low 5 is above high 2"]).problems
    ('statistics.csv, row 3: low 5 is above high 2',)
    """

    def __init__(self, problems: Iterable[str] | str) -> None:
        lines = tuple(map(as_spoken, (problems,) if isinstance(problems, str) else problems))
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
