"""What every command shares: errors on stderr with an exit status, and a progress bar for anything slow."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

import typer

from foregone.model.errors import ForegoneError, InputError, UndecidedError
from foregone.model.progress import Progress

DONE, NO, BAD_INPUT, UNDECIDED = 0, 1, 2, 3
PATIENCE = 2.0  # seconds before a progress bar appears


def say(text: str = "") -> None:
    typer.echo(text)


def stop(status: int) -> NoReturn:
    raise typer.Exit(status)


@contextmanager
def errors_as_lines() -> Iterator[None]:
    """Problems become lines on stderr and an exit status; a bug in Foregone itself shows a traceback only on request."""
    try:
        yield
    except InputError as error:
        _complain(error.problems, BAD_INPUT)
    except UndecidedError as error:
        _complain([str(error)], UNDECIDED)
    except ForegoneError as error:
        _complain([str(error)], BAD_INPUT)
    except MemoryError:
        _complain(["memory ran out; leave out columns, add rules, or lower --max-records to stop earlier"], BAD_INPUT)
    except BrokenPipeError:
        os._exit(DONE)
    except (typer.Exit, KeyboardInterrupt):
        raise
    except Exception as error:
        if os.environ.get("FOREGONE_DEBUG"):
            raise
        _complain([f"internal error ({type(error).__name__}: {error}); set FOREGONE_DEBUG=1 for details and report it"], 70)


def _complain(lines: list[str] | tuple[str, ...], status: int) -> NoReturn:
    for line in lines:
        typer.echo(f"error: {line}", err=True)
    raise typer.Exit(status)


@contextmanager
def slow(title: str) -> Iterator[Progress]:
    """A progress bar on stderr once the work has taken two seconds, if a person is looking."""
    if not sys.stderr.isatty():
        yield lambda *_: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    look = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    bar = Progress(*look, console=Console(stderr=True), transient=True)
    task = bar.add_task(title, total=None)
    timer = threading.Timer(PATIENCE, bar.start)
    timer.start()
    try:
        yield lambda stage, done, total: bar.update(task, description=f"{title}: {stage}", completed=done, total=total or None)
    finally:
        timer.cancel()
        bar.stop()
