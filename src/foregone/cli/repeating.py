"""The command that was given, once more and with a change: for people to copy."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from enum import Enum

import typer


def again(context: typer.Context, **changed: object) -> str:
    """The command that is running with some of its options changed, as a line for a shell."""
    given = {**context.params, **changed}
    words: list[str] = []
    for parameter in context.command.params:
        name = parameter.name or ""
        source = context.get_parameter_source(name)
        if name in changed or (source is not None and source.name == "COMMANDLINE"):
            words += _words(parameter.param_type_name == "option", parameter.opts, parameter.secondary_opts, given[name])
    return shlex.join(["foregone", *(context.info_name or "").split(), *words])


def _words(option: bool, names: list[str], opposite: list[str], value: object) -> Iterator[str]:
    if isinstance(value, bool):
        yield names[0] if value else opposite[0]
        return
    for one in value if isinstance(value, list | tuple) else [value]:
        if option:
            yield max(names, key=len)
        yield str(one.value if isinstance(one, Enum) else one)
