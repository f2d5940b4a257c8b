"""`foregone help TOPIC`: pages to read in a terminal, kept as Markdown in `texts/`; the documentation shows the same files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any

import typer

from foregone.cli.catalog import CENSUS, COMMANDS
from foregone.cli.manual import listed, wrapped
from foregone.cli.options import argument
from foregone.cli.show import say_lines
from foregone.model.errors import InputError
from foregone.model.shown import shown

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
