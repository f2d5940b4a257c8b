"""What every command shares: what is said and how, errors on stderr with an exit status, how far slow work is."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import typer

from foregone.cli.fitting import fitted, room
from foregone.cli.progress import bar, lines, looking
from foregone.formats.outputs import NOTES
from foregone.model.errors import ContradictionError, ForegoneError, InputError, UndecidedError, speaking_of_options
from foregone.model.progress import Progress
from foregone.model.shown import plain, plain_lines

if TYPE_CHECKING:
    from foregone.model.release import Release

DONE, NO, BAD_INPUT, UNDECIDED = 0, 1, 2, 3
BUG = 70
PLACES_TOLD = 3  # names that are explained
LONGEST = 1000  # characters of a line on stderr


def say(line: str = "") -> None:
    """One message, whatever the data in it hold: a line break of theirs is shown and does not begin another."""
    typer.echo(fitted(plain(line), room()))


def say_lines(text: str) -> None:
    """Text of several lines that this package put together, from words that hold no line breaks of their own."""
    most = room()
    typer.echo("\n".join(fitted(line, most) for line in plain_lines(text).split("\n")))


def say_data(text: str) -> None:
    """Rows for another program, such as CSV or JSON: never broken, however long."""
    typer.echo(plain_lines(text))


def note(line: str, kind: str = "note") -> None:
    """One line on stderr, cut if it is very long."""
    text = plain(line)
    typer.echo(f"{kind}: {text if len(text) <= LONGEST else text[: LONGEST - 30] + f' ... ({len(text):,} characters)'}", err=True)


def say_assumptions(release: Path) -> None:
    """What a release takes for granted belongs to every answer about it."""
    from foregone.formats.beside import read_assumptions

    for sentence in read_assumptions(release):
        say(f"Assumed: {sentence}.")


def say_left_out(folder: Path, release: Release) -> None:
    """Numbers that an import left out may tell what the release does not show."""
    from foregone.formats.beside import left_out_of

    if warning := left_out_of(folder, release).warning:
        say(f"Warning: {warning}")


def say_places(release: Release, text: str) -> None:
    """Names of numbers in a text, in words: by_age.C4 is a cell of a spreadsheet. One of each table is told."""
    told: dict[str, str] = {}
    for name, where in release.places.items():
        table = name.rpartition(".")[0]
        if len(told) < PLACES_TOLD and table not in told and name in text and re.search(rf"{re.escape(name)}(?!\w)", text):
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


@contextmanager
def errors_as_lines(release: Path | None = None) -> Iterator[None]:
    """Problems become lines on stderr and an exit status; a bug in Foregone itself shows a traceback only on request.

    `release` is what the command is about, whose assumptions are said where it contradicts itself.
    """
    try:
        with speaking_of_options():
            yield
    except ContradictionError as error:
        complain([*error.problems, *_doubted(release)], BAD_INPUT)
    except InputError as error:
        complain(error.problems, BAD_INPUT)
    except UndecidedError as error:
        complain([str(error)], UNDECIDED)
    except ForegoneError as error:
        complain([str(error)], BAD_INPUT)
    except MemoryError:
        complain(["memory ran out; leave out columns, add rules, or set a lower --max-records, which stops earlier"], BAD_INPUT)
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


def slow(title: str) -> AbstractContextManager[Progress]:
    """Tells on stderr how far the work is once it has taken two seconds: a bar for a person, now and then a line in a log."""
    return bar(title) if looking() else lines(title)
