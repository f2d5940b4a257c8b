"""The `foregone` command: what is left of it when no command is loaded yet, and the streams that it speaks through.

Nobody may be listening any more (`foregone check ... | head -1`): what is said then goes nowhere, the work goes on and its exit
status is what it would have been. A full disk is another matter: what was asked for is not there, so the command has failed.
"""

from __future__ import annotations

import io
import os
import select
import sys
from typing import Annotated, Any, TextIO

import typer

from foregone.cli.answers import OPTION, SAID, tell
from foregone.cli.show import BAD_INPUT, errors_as_lines, say
from foregone.cli.usage import Commands
from foregone.version import __version__

app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Find what published tables already give away about individual people: every claim 'exactly m records have these"
    " values' that is true in every dataset matching the tables.",
)


def show_version(wanted: bool) -> None:
    if wanted:
        from foregone.loop import chosen_loop  # the library is looked for when somebody asks

        with errors_as_lines():
            tell(loop=str(chosen_loop()))
            say(f"foregone {__version__}, {chosen_loop()}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="Show the version and the audit loop, and stop.")
    ] = False,
    json_: Annotated[bool, typer.Option(OPTION, help=SAID)] = False,
) -> None:
    del version, json_


def main() -> None:
    out = open_streams()
    status = 0
    try:
        app()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    sys.exit(final_status(status, out))


class Listener(io.RawIOBase):
    """Writes to a file descriptor; what went wrong is remembered and not raised."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.trouble: OSError | None = None

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self.number

    def isatty(self) -> bool:
        return os.isatty(self.number)

    def write(self, data: bytes | bytearray | memoryview) -> int:  # type: ignore[override]
        while self.trouble is None:
            try:
                return os.write(self.number, data)
            except BlockingIOError:  # somebody made it a stream that does not wait; so the wait is here
                select.select([], [self.number], [])
            except OSError as error:
                self.trouble = error
        return len(data)


def open_streams() -> Listener:
    """Put listeners in the place of standard output and error; the one for standard output is returned."""
    for number in (0, 1, 2):  # a closed one must not become the number of the next file that is opened
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    out, err = Listener(1), Listener(2)
    sys.stdout, sys.stderr = _text(out, sys.stdout), _text(err, sys.stderr)
    return out


def _text(listener: Listener, before: TextIO | None) -> TextIO:
    encoding = before.encoding if before is not None else "utf-8"  # what it cannot write is shown as an escape
    raw: Any = listener  # it is all that a buffer needs
    return io.TextIOWrapper(io.BufferedWriter(raw), encoding, errors="backslashreplace", line_buffering=True)


def final_status(status: int, out: Listener) -> int:
    """The exit status when all is said: success only if what was said could be written, or nobody wanted to hear it."""
    sys.stdout.flush()
    if out.trouble is not None and not isinstance(out.trouble, BrokenPipeError):
        reason = out.trouble.strerror or str(out.trouble)
        print(f"error: standard output: could not be written ({reason}); make room and start again", file=sys.stderr)
        status = status or BAD_INPUT
    sys.stderr.flush()
    return status
