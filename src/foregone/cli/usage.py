"""How commands are found, how their help reads, and how wrong usage is told: one line on stderr, and where to read more."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from difflib import get_close_matches
from functools import wraps
from importlib import import_module
from inspect import Parameter, signature
from typing import Annotated, Any, ClassVar

import typer
import typer.main
from typer.core import TyperCommand, TyperGroup

from foregone.cli import answers
from foregone.cli.catalog import CENSUS, COMMANDS, Entry, Sections
from foregone.cli.help import command_help, group_help
from foregone.cli.show import BAD_INPUT, errors_as_lines, note
from foregone.model.shown import MOST, shown

UsageError: Any = typer.BadParameter.__base__  # some versions of Typer bring a Click of their own
LONG = re.compile(rf"(\S{{{MOST}}})\S{{20,}}")
JsonOption = Annotated[bool, typer.Option(answers.OPTION, help=answers.SAID)]
INTERRUPTED = 130  # as shells have it for Ctrl-C


class Command(TyperCommand):
    """A command whose help is plain text that ends with examples."""

    entry: Entry

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """An option that may stand without a value has an empty one then."""
        given: list[str] = []
        for i, word in enumerate(args):
            alone = word in self.entry.bare and (i + 1 == len(args) or args[i + 1].startswith("-"))
            given += [word, ""] if alone else [word]
        parsed: list[str] = super().parse_args(ctx, given)
        return parsed

    def format_help(self, ctx: Any, formatter: Any) -> None:
        formatter.write(command_help(self, ctx, self.entry))


class Group(TyperGroup):
    """Commands that are loaded when they are asked for."""

    sections: ClassVar[Sections]

    @property
    def entries(self) -> dict[str, Entry]:
        return {entry.name: entry for section in self.sections.values() for entry in section}

    def list_commands(self, ctx: Any) -> list[str]:
        del ctx
        return list(self.entries)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        del ctx
        if cmd_name not in self.commands and cmd_name in self.entries:
            self.commands[cmd_name] = load(self.entries[cmd_name])
        return self.commands.get(cmd_name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args and not args[0].startswith("-") and args[0] not in self.entries and not ctx.resilient_parsing:
            near = get_close_matches(args[0], self.entries, 1)
            meant = f"; did you mean {near[0]}?" if near else ""
            ctx.fail(f"there is no command {shown(args[0])}{meant}")
        return super().resolve_command(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        formatter.write(group_help(self, ctx, self.sections))


class Census(Group):
    sections = CENSUS


class Commands(Group):
    """The root of all commands."""

    sections = COMMANDS

    def main(self, *args: Any, **more: Any) -> Any:
        """Run a command and exit with its status."""
        more |= {"standalone_mode": False, "prog_name": "foregone"}  # however it was started
        words = list(more.get("args") or (args[0] if args and args[0] is not None else sys.argv[1:]))
        if answers.OPTION not in words or {"-h", "--help"} & set(words):
            sys.exit(self._status(args, more))
        with answers.collected(_command(words)) as answer:
            status = self._status(args, more)
        typer.echo(answer.text(status))
        sys.exit(status)

    def _status(self, args: Any, more: Any) -> int:
        """Run a command; its exit status."""
        try:
            status = super().main(*args, **more)
        except UsageError as error:
            return _complain(error)
        except (typer.Abort, KeyboardInterrupt):
            note("stopped", "error")
            return INTERRUPTED
        return status if isinstance(status, int) else 0


def load(entry: Entry) -> Any:
    """The command behind an entry of the catalog."""
    if not entry.function:
        return Census(name=entry.name, help=entry.line, short_help=entry.line, no_args_is_help=True)
    module, _, name = entry.function.partition(":")
    alone = typer.Typer(add_completion=False)
    speaking = _speaking(getattr(import_module(module), name))
    alone.command(entry.name, cls=Command, short_help=entry.line)(with_json(speaking) if entry.answers else speaking)
    command: Any = typer.main.get_command(alone)
    command.entry = entry
    return command


def with_json(command: Callable[..., None]) -> Callable[..., None]:
    """The command with one more option. What it leads to is seen to by `Commands.main`."""

    @wraps(command)
    def run(json_: bool, **given: Any) -> None:
        del json_
        command(**given)

    given = signature(command, eval_str=True)
    if "json_" in given.parameters:  # it wants to know
        return command
    more = Parameter("json_", Parameter.KEYWORD_ONLY, default=False, annotation=JsonOption)
    run.__dict__["__signature__"] = given.replace(parameters=[*given.parameters.values(), more])
    run.__annotations__ = {**command.__annotations__, "json_": JsonOption}
    return run


def _command(words: list[str]) -> str:
    """The command that is typed, `census study` included; nothing, if there is none."""
    names = [word for word in words if not word.startswith("-")][:2]
    return " ".join(names if names[:1] == ["census"] else names[:1])


def _speaking(command: Callable[..., None]) -> Callable[..., None]:
    """A command whose problems become lines on stderr and an exit status; `release` or `what` is what it is about."""

    @wraps(command)
    def run(**given: Any) -> None:
        with errors_as_lines(given.get("release") or given.get("what")):
            command(**given)

    return run


def _complain(error: Any) -> int:
    if type(error).__name__ == "NoArgsIsHelpError":
        error.show()
        return BAD_INPUT
    message = LONG.sub(r"\1...", " ".join(error.format_message().split())).rstrip(".")
    where = f"; see `{error.ctx.command_path} --help`" if error.ctx is not None else ""
    note(f"{message}{where}", "error")
    return BAD_INPUT
