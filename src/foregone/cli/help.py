"""All that can be read in a terminal: what `--help` says of a command, and the topics of `foregone help`.

Help is plain text of at most 80 columns, the same on a terminal, in a pipe and in a log. Topics are kept as Markdown in `texts/`;
the documentation shows the same files.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from inspect import cleandoc
from pathlib import Path
from typing import Annotated, Any

import typer

from foregone.cli.catalog import CENSUS, COMMANDS, Entry, Sections
from foregone.cli.options import argument
from foregone.cli.show import folded, say_lines
from foregone.model.errors import InputError
from foregone.model.shown import shown

WIDEST, NARROWEST = 80, 40
LEFT = 22  # columns for the name of an option or a command; longer ones get a line of their own
SHORTER = {"path": "PATH", "str": "TEXT", "int": "N", "integer": "N", "float": "NUMBER", "file": "PATH"}
TYPE = re.compile(r" (?:<(?:list\[)?([^>\]]*)\]?>|(INTEGER|FLOAT)( RANGE)?|\[([a-z0-9|-]+)\])$")  # old and new Typer
EXTRA = re.compile(r"\s*\[([^\[\]]*(?:\[[^\[\]]*\])?[^\[\]]*)\]$")
TEXTS = Path(__file__).with_name("texts")
LINK = re.compile(r"\[([^\]]+)\]\([^)]+\)")  # shown as its words
STRONG = re.compile(r"\*\*([^*]+)\*\*|(?<![\w*`'])\*([^*\s][^*]*)\*(?![\w*=])")


def topics() -> dict[str, str]:
    """The names of all topics, each with its title."""
    files = sorted(TEXTS.glob("*.md"))
    return {file.stem: file.read_text("utf-8").partition("\n")[0].removeprefix("# ") for file in files}


def complete_topic(incomplete: str) -> list[tuple[str, str]]:
    return [(name, title) for name, title in topics().items() if name.startswith(incomplete)]


def help_(
    ctx: typer.Context,
    words: Annotated[list[str] | None, argument("TOPIC", "A topic, or a command.", autocompletion=complete_topic)] = None,
) -> None:
    """Read about a topic, such as policy or exit-codes.

    Without a topic, all topics are listed.
    """
    name = " ".join(words or ())
    known = topics()
    if not name:
        rows = listed(known.items(), 14)
        say_lines(f"Topics:\n{rows}\n\n" + wrapped("`foregone help TOPIC` shows one; `foregone --help` lists the commands."))
    elif name.lower() in known:
        say_lines(plain_text((TEXTS / f"{name.lower()}.md").read_text("utf-8")))
        if name.lower() in commands():
            say_lines("\n" + wrapped(f"`foregone {name.lower()} --help` lists all options."))
    elif name in commands():
        say_lines(_help_of(ctx, name.split()))
    else:
        near = get_close_matches(name.lower(), sorted({*known, *commands()}), 3, 0.5)
        meant = f"did you mean {' or '.join(near)}? " if near else ""
        raise InputError(f"there is no topic {shown(name)}; {meant}`foregone help` lists all topics")


def commands() -> list[str]:
    """Every command as it is typed, `census study` included."""
    names = [entry.name for section in COMMANDS.values() for entry in section]
    return names + [f"census {entry.name}" for section in CENSUS.values() for entry in section]


def _help_of(ctx: Any, words: list[str]) -> str:
    """What `foregone WORDS --help` says."""
    at = ctx.find_root()
    for word in words:
        command = at.command.get_command(at, word)
        at = type(at)(command, info_name=word, parent=at)
    return str(at.get_help())


def plain_text(markdown: str) -> str:
    """Markdown as somebody would type it: headings, paragraphs and lists of at most 80 columns; code as it stands."""
    return "\n".join(_lines(markdown)).rstrip()


def _lines(markdown: str) -> Iterator[str]:
    for part in re.split(r"\n\n(?![^`]*\n```(?:\n|$))", markdown.strip()):
        if part.startswith("```"):
            yield from (f"    {line}".rstrip() for line in part.splitlines()[1:-1])
        elif part.startswith("#"):
            yield _inline(part.lstrip("# ")).upper() if part.startswith("##") else _inline(part.lstrip("# "))
        elif part.startswith("- "):
            for item in re.split(r"(?m)^- ", part)[1:]:
                yield wrapped(_inline(item), "  - ", "    ")
        else:
            yield wrapped(_inline(part))
        yield ""


def _inline(text: str) -> str:
    return STRONG.sub(lambda found: found[1] or found[2], LINK.sub(r"\1", text))


def width() -> int:
    return max(NARROWEST, min(WIDEST, shutil.get_terminal_size((WIDEST, 24)).columns))


def wrapped(text: str, indent: str = "", hanging: str | None = None) -> str:
    """A paragraph; words and options are never broken."""
    return folded(" ".join(text.split()), width(), indent, indent if hanging is None else hanging)


def paragraphs(text: str) -> list[str]:
    return [wrapped(part) for part in re.split(r"\n\s*\n", cleandoc(text)) if part.strip()]


def listed(rows: Iterable[tuple[str, str]], left: int = LEFT) -> str:
    """Names and what is said about them, in two columns."""
    lines = []
    hanging = " " * (left + 2)
    for name, said in rows:
        body = wrapped(said, hanging)
        if len(name) + 4 > left:
            lines += [f"  {name}", body]
        else:
            lines.append(f"  {name:<{left}}{body[left + 2 :]}".rstrip())
    return "\n".join(lines)


def command_help(command: Any, ctx: Any, entry: Entry) -> str:
    """Usage, what the command does, its arguments and options, and examples."""
    parameters = [(p, *p.get_help_record(ctx)) for p in command.get_params(ctx) if p.get_help_record(ctx)]
    arguments = [p for p, _, _ in parameters if p.param_type_name == "argument"]
    named = " ".join(_argument(p) for p in arguments)
    parts = [f"Usage: {ctx.command_path} {named + ' ' if named else ''}[OPTIONS]", *paragraphs(command.help or entry.line)]
    rows: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
    for p, left, right in parameters:
        if p.param_type_name == "argument":
            rows["Arguments"].append((_argument(p).strip("[]"), _said(right)))
        else:
            rows["Options"].append((_option(left), _said(right)))
    parts += [f"{title}:\n{listed(found)}" for title, found in rows.items() if found]
    parts.append("Examples:\n" + "\n".join(example_lines(entry.examples)))
    return "\n\n".join(parts) + "\n"


def group_help(group: Any, ctx: Any, sections: Sections) -> str:
    """Usage and all commands, a line each, under their headings."""
    options = [p.get_help_record(ctx) for p in group.get_params(ctx) if p.get_help_record(ctx)]
    parts = [f"Usage: {ctx.command_path} COMMAND ...", *paragraphs(group.help or "")]
    left = 2 + max(len(entry.name) for section in sections.values() for entry in section)
    for title, entries in sections.items():
        parts.append(f"{title}:\n{listed(((entry.name, entry.line) for entry in entries), left + 2)}")
    parts.append("Options:\n" + listed((_option(name), _said(said)) for name, said in options))
    ending = "" if ctx.parent else " `foregone help` lists topics to read about."
    parts.append(wrapped(f"`{ctx.command_path} COMMAND --help` explains a command, with examples.{ending}"))
    return "\n\n".join(parts) + "\n"


def example_lines(examples: Iterable[str]) -> list[str]:
    """Examples as they are typed; long ones go on below, as a shell allows."""
    lines = []
    for example in examples:
        words = re.split(r" (?=--?[a-z])", example)  # an option and its value stay together
        line = "  " + words[0]
        for word in words[1:]:
            if len(line) + 1 + len(word) > WIDEST - 2:
                lines.append(line + " \\")
                line = "      " + word
            else:
                line += " " + word
        lines.append(line)
    return lines


def _argument(p: Any) -> str:
    name = p.metavar or p.name.upper()
    if p.required:
        return str(name)
    return str(name) if name.startswith("[") else f"[{name}]"


def _option(left: str) -> str:
    """`--out <path>` as `--out PATH`; what the value may be is said in the reader's words."""

    def shorter(match: re.Match[str]) -> str:
        name = (match[1] or match[2] or match[4]).removesuffix(" range")
        return " " + SHORTER.get(name.lower(), name)

    return TYPE.sub(shorter, left).replace(" / ", ", ")


def _said(right: str) -> str:
    """What is said about an option, and what holds without it; ranges of numbers are left to the error message."""
    match = EXTRA.search(right)
    if match is None:
        return right
    kept = [part for part in match[1].split("; ") if part.startswith("default") or part == "required"]
    if not kept:
        return right[: match.start()]
    return f"{right[: match.start()]} ({'; '.join(kept)})"
