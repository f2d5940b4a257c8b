"""Wrong usage told like every other problem: one line on stderr, and where to read more."""

from __future__ import annotations

import re
import sys
from typing import Any

import typer
from typer.core import TyperGroup

from foregone.cli.show import BAD_INPUT, note
from foregone.model.shown import MOST

UsageError: Any = typer.BadParameter.__base__  # some versions of Typer bring a Click of their own
LONG = re.compile(rf"(\S{{{MOST}}})\S{{20,}}")
INTERRUPTED = 130  # as shells have it for Ctrl-C


class Commands(TyperGroup):
    """The root of all commands."""

    def main(self, *args: Any, **more: Any) -> Any:
        """Run a command and exit with its status."""
        more["standalone_mode"] = False
        try:
            status = super().main(*args, **more)
        except UsageError as error:
            sys.exit(_complain(error))
        except (typer.Abort, KeyboardInterrupt):
            note("stopped", "error")
            sys.exit(INTERRUPTED)
        sys.exit(status if isinstance(status, int) else 0)


def _complain(error: Any) -> int:
    if type(error).__name__ == "NoArgsIsHelpError":
        error.show()
        return BAD_INPUT
    message = LONG.sub(r"\1...", " ".join(error.format_message().split())).rstrip(".")
    where = f"; see `{error.ctx.command_path} --help`" if error.ctx is not None else ""
    note(f"{message}{where}", "error")
    return BAD_INPUT
