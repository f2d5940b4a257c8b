"""What every command shares: what is said and how it is broken into lines, errors on stderr with an exit status.

On a terminal, or where COLUMNS says how wide it is, long lines are broken between words. Elsewhere, in a pipe or a log, every
message stays on one line, so that it can be searched for.
"""

from __future__ import annotations

import logging
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TypeVar

import typer

from foregone.cli.answers import collecting, tell
from foregone.formats.outputs import NOTES
from foregone.model.errors import ContradictionError, ForegoneError, InputError, UndecidedError, speaking_of_options
from foregone.model.shown import plain, plain_lines

if TYPE_CHECKING:
    from foregone.model.release import Release
    from foregone.policy.judge import PolicyVerdict

T = TypeVar("T")
DONE, NO, BAD_INPUT, UNDECIDED = 0, 1, 2, 3
BUG = 70
SHOWN = 40  # rejections that are spelled out
PLACES_TOLD = 3  # names that are explained
LONGEST = 1000  # characters of a line on stderr
FEWEST = 40  # columns that a line gets in any case
LAST = 24  # columns that the last column of a table needs, to be broken within itself
FIELDS = re.compile(r"(?<=\S) {2,}(?=\S)")
MARK = re.compile(r" *(?:\d+\. +|[-*] +)?")


def say(line: str = "") -> None:
    """One message, whatever the data in it hold: a line break of theirs is shown and does not begin another."""
    _out(plain(line), True)


def say_lines(text: str) -> None:
    """Text of several lines that this package put together, from words that hold no line breaks of their own."""
    _out(plain_lines(text), True)


def say_data(text: str) -> None:
    """Rows for another program, such as CSV or JSON: never broken, however long."""
    _out(plain_lines(text), False)


def _out(text: str, fits: bool) -> None:
    """Lines on standard output, or into the answer where it is to be JSON."""
    answer, most = collecting(), room() if fits else None
    if answer is not None:
        answer.lines += text.split("\n")
    else:
        typer.echo("\n".join(fitted(line, most) for line in text.split("\n")))


def note(line: str, kind: str = "note") -> None:
    """One line on stderr, cut if it is very long."""
    text = plain(line)
    answer = collecting()
    if answer is not None:
        (answer.errors if kind == "error" else answer.notes).append(text)
    typer.echo(f"{kind}: {text if len(text) <= LONGEST else text[: LONGEST - 30] + f' ... ({len(text):,} characters)'}", err=True)


def say_first(things: Sequence[T], most: int, line: Callable[[T], str], and_: str = "  ... and", rest: str = "") -> None:
    """A line about each thing; of very many about the first, and then how many more there are."""
    for thing in things[:most]:
        say(line(thing))
    if len(things) > most:
        say(f"{and_} {len(things) - most:,} more{rest}")


def say_rejected(reasons: Sequence[str]) -> None:
    """What a checker rejected, a line each; of very many the first."""
    say_first(reasons, SHOWN, lambda reason: f"Rejected: {reason}", "... and", ".")


def stop_by(verdict: PolicyVerdict) -> NoReturn:
    """What a policy says is the exit status."""
    from foregone.policy.judge import PolicyVerdict

    stop({PolicyVerdict.BROKEN: NO, PolicyVerdict.UNDECIDED: UNDECIDED, PolicyVerdict.KEPT: DONE}[verdict])


def say_assumed(sentences: Iterable[str], warning: str = "") -> None:
    """What belongs to every answer about a release: what it takes for granted; a warning about numbers that an import left out."""
    assumed = list(sentences)
    if assumed:
        tell(assumptions=assumed)
    for sentence in assumed:
        say(f"Assumed: {sentence}.")
    if warning:
        tell(warning=warning)
        say(f"Warning: {warning}")


def say_assumptions(release: Path) -> None:
    """Say what a release takes for granted, read from the file beside it: it belongs to every answer about the release."""
    from foregone.formats.beside import read_assumptions

    say_assumed(read_assumptions(release))


def say_places(release: Release, names: Collection[str]) -> None:
    """Names of numbers that were said, in words: by_age.C4 is a cell of a spreadsheet. One of each table is told."""
    told: dict[str, str] = {}
    for name, where in release.places.items():
        table = name.rpartition(".")[0]
        if name in names and len(told) < PLACES_TOLD and table not in told:
            told[table] = f"{name} is {where}"
    if told:
        say(f"Numbers are named after their place: {'; '.join(told.values())}.")


class _Replaced(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        note(record.getMessage())


for _told in (NOTES, logging.getLogger("foregone.notes")):
    _told.addHandler(_Replaced())
    _told.setLevel(logging.INFO)
    _told.propagate = False


def stop(status: int) -> NoReturn:
    raise typer.Exit(status)


def _doubted(release: Path | None) -> list[str]:
    """Where a release contradicts itself, what it takes for granted may be what is wrong."""
    from foregone.formats.beside import read_assumptions

    said = read_assumptions(release) if release is not None else ()
    return [f"assumed: {'; '.join(said)}; if that is wrong, join or import again with other options"] if said else []


def _options() -> list[str] | None:
    """The options of the command that is at work."""
    click = typer.Context.__mro__[1].__module__.rpartition(".")[0]  # the package, or the copy inside newer Typer
    context = import_module(f"{click}.globals").get_current_context(silent=True)
    return None if context is None else [name for parameter in context.command.params for name in parameter.opts]


@contextmanager
def errors_as_lines(release: Path | None = None) -> Iterator[None]:
    """Problems become lines on stderr and an exit status; a bug in Foregone itself shows a traceback only on request.

    `release` is what the command is about, whose assumptions are said where it contradicts itself.
    """
    try:
        with speaking_of_options(_options()):
            yield
    except ContradictionError as error:
        if error.written is not None:
            path, size = error.written
            say(f"A proof that the release contradicts itself was written to {path} ({size:,} bytes).")
        complain([*error.problems, *_doubted(release)], BAD_INPUT)
    except InputError as error:
        complain(error.problems, BAD_INPUT)
    except UndecidedError as error:
        complain([str(error)], UNDECIDED)
    except ForegoneError as error:
        complain([str(error)], BAD_INPUT)
    except MemoryError:
        sooner = ", or set a lower --max-records, which stops earlier" if "--max-records" in (_options() or ()) else ""
        complain([f"memory ran out; leave out columns, or add rules{sooner}"], BAD_INPUT)
    except (typer.Exit, KeyboardInterrupt):
        raise
    except OSError as error:
        if os.environ.get("FOREGONE_DEBUG"):
            raise
        name = f"{error.filename}: " if error.filename else ""
        complain([f"{name}could not be used ({error.strerror or error}); check the path, its permissions and the disk"], BAD_INPUT)
    except Exception as error:
        if os.environ.get("FOREGONE_DEBUG"):
            raise
        complain(
            [f"internal error ({type(error).__name__}: {error}); run it again with FOREGONE_DEBUG=1 for details, and report it"],
            BUG,
        )


def complain(lines: Iterable[str], status: int) -> NoReturn:
    for line in lines:
        note(line, "error")
    raise typer.Exit(status)


def room() -> int | None:
    """How many columns there are; None: as many as it takes."""
    given = os.environ.get("COLUMNS", "")
    if given.isdecimal() and int(given):
        return max(FEWEST, int(given))
    return max(FEWEST, shutil.get_terminal_size().columns) if sys.stdout.isatty() else None


def fitted(line: str, most: int | None) -> str:
    """A line, broken between words where it is longer than `most`; a row of a table goes on below its last column.

    >>> print(fitted("  1. Exactly one household is like this: a household of four.", 40))
      1. Exactly one household is like this:
         a household of four.
    >>> print(fitted("nhs-hes   Hospital episodes below national level", 40))
    nhs-hes   Hospital episodes below
              national level
    """
    if most is None or len(line) <= most:
        return line
    gaps = list(FIELDS.finditer(line))
    last = gaps[-1].end() if gaps else 0
    if gaps:  # columns of numbers would be torn apart
        return folded(line[last:], most, line[:last], " " * last) if most - last >= LAST else line
    mark = MARK.match(line)
    begin = mark[0] if mark else ""
    return folded(line[len(begin) :], most, begin, " " * (len(begin) if begin.strip() else len(begin) + 2))


def folded(text: str, most: int, first: str = "", further: str = "") -> str:
    """Text broken between words, never within one; what stands before the first line and before each further one."""
    return textwrap.fill(
        text, most, initial_indent=first, subsequent_indent=further, break_long_words=False, break_on_hyphens=False
    )
