"""Help that reads well: plain text of 80 columns, a line about each command, examples that work, topics, and all of it at once."""

from __future__ import annotations

import inspect
import json
import os
import shlex
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import typer.main

from foregone.cli import options
from foregone.cli.app import app
from foregone.cli.catalog import CENSUS, COMMANDS, Entry
from foregone.cli.help import TEXTS, commands, plain_text, topics
from foregone.engine import MAX_RECORDS
from tests.cli.commands import SOURCE, Ran, run, run_process
from tests.docs.blocks import problems
from tests.docs.pages import DOCS, Page

ENTRIES = {
    " ".join([*before, entry.name]): entry
    for before, sections in (([], COMMANDS), (["census"], CENSUS))
    for section in sections.values()
    for entry in section
}
ROOT = typer.main.get_command(app)


@pytest.fixture(autouse=True)
def _narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


def reads_well(ran: Ran) -> None:
    assert ran.status == 0, ran.err
    assert ran.err == ""
    assert [line for line in ran.out.splitlines() if len(line) > 80] == []
    assert [letter for letter in ran.out if ord(letter) < 32 and letter != "\n"] == []


def understood(line: str) -> None:
    """A command line whose options exist and take what they are given; it is not run."""
    program, *arguments = shlex.split(line)
    assert program == "foregone"
    command: Any = ROOT
    context = command.make_context("foregone", arguments, resilient_parsing="--install-completion" in arguments)
    while hasattr(command, "resolve_command") and (context.args or getattr(context, "_protected_args", ())):
        given = [*getattr(context, "_protected_args", ()), *context.args]
        name, command, rest = command.resolve_command(context, given)
        context = command.make_context(name, rest, parent=context)


@pytest.mark.parametrize("name", ["", *ENTRIES])
def test_help_fits_into_80_columns_and_ends_with_examples(name: str) -> None:
    ran = run(*name.split(), "--help")
    reads_well(ran)
    assert ran.out.startswith(f"Usage: foregone {name}".rstrip() + " ")
    if name not in ("", "census"):
        examples = ran.out.partition("\nExamples:\n")[2].replace(" \\\n     ", "")
        assert [line.strip() for line in examples.splitlines() if line] == list(ENTRIES[name].examples)


@pytest.mark.parametrize("name", ENTRIES)
def test_a_command_has_one_line_about_it(name: str) -> None:
    entry = ENTRIES[name]
    assert f"  {entry.line}\n" in run(*name.split()[:-1], "--help").out  # not broken
    if entry.function:
        module, _, function = entry.function.partition(":")
        assert (inspect.getdoc(getattr(import_module(module), function)) or "").splitlines()[0] == entry.line


@pytest.mark.parametrize("entry", ENTRIES.values(), ids=ENTRIES)
def test_examples_are_understood(entry: Entry) -> None:
    """Every option of an example exists and takes what it is given; the documentation runs most of them."""
    assert entry.examples
    for example in entry.examples:
        understood(example)


@pytest.mark.parametrize("name", topics())
def test_a_topic_reads_well(name: str) -> None:
    ran = run("help", name)
    reads_well(ran)
    assert ran.out.startswith(topics()[name] + "\n")
    assert "](" not in ran.out
    assert "**" not in ran.out
    assert "```" not in ran.out


def test_topics_are_listed_and_near_ones_suggested() -> None:
    ran = run("help")
    reads_well(ran)
    assert [name for name in topics() if f"\n  {name} " not in ran.out] == []
    ran = run("help", "exitcodes")
    assert (ran.status, ran.out) == (2, "")
    assert "there is no topic 'exitcodes'; did you mean exit-codes?" in ran.err
    assert "did you mean" not in run("help", "zzzzzz").err


def test_help_knows_commands() -> None:
    assert run("help", "census", "study").out == run("census", "study", "--help").out
    assert run("help", "bounds").out == run("bounds", "--help").out
    assert "`foregone protect --help` lists all options." in run("help", "protect").out


def test_topics_name_topics_commands_and_pages_that_exist() -> None:
    for file in TEXTS.glob("*.md"):
        text = file.read_text("utf-8")
        for quoted in text.split("`")[1::2]:
            words = quoted.split()
            if words[:2] == ["foregone", "help"] and len(words) == 3 and words[2].islower():
                assert words[2] in topics(), (file.name, quoted)
            elif words[:1] == ["foregone"] and len(words) > 1 and words[1].isalpha() and words[1].islower():
                assert words[1] in commands(), (file.name, quoted)
        for word in text.split():
            page = word.strip("`,.")
            assert not page.startswith("docs/") or (DOCS.parent / page).exists(), (file.name, page)


@pytest.mark.parametrize("name", ["limits", "glossary"])
def test_a_page_that_is_also_a_topic_is_the_same_in_both_places(name: str) -> None:
    assert (TEXTS / f"{name}.md").read_text("utf-8") == (DOCS / f"{name}.md").read_text("utf-8"), f"copy docs/{name}.md to {TEXTS}"


@pytest.mark.parametrize("name", topics())
def test_code_in_a_topic_works(name: str, tmp_path: Path) -> None:
    page = Page.read(TEXTS / f"{name}.md")
    assert list(problems(page, tmp_path)) == []
    for block in page.blocks:
        for line in block.text.replace("\\\n", " ").splitlines():
            if block.language == "text" and line.startswith("foregone "):
                understood(line.partition("   ")[0])


def test_markdown_becomes_plain_text() -> None:
    text = "# A *title*\n\n## Part\n\n- **one**: [two](three.md)\n  `*=1..4`\n- more\n\n```text\na  b\n\nc\n```\n"
    assert plain_text(text) == "A title\n\nPART\n\n  - one: two `*=1..4`\n  - more\n\n    a  b\n\n    c"


LOADED = (
    "import json, sys; from foregone.cli.app import main\ntry: main()\nexcept SystemExit: print(json.dumps(sorted(sys.modules)))"
)
HEAVY = (
    "numpy",
    "pandas",
    "rich",
    "highspy",
    "flint",
    "jinja2",
    "foregone.model.release",
    "foregone.engine",
    "foregone.cli.census",
)


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["help"], ["help", "policy"], ["audit", "--help"]])
def test_what_is_only_read_loads_nothing_heavy(arguments: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *arguments], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": SOURCE}
    )
    loaded = json.loads(done.stdout.splitlines()[-1])
    assert [name for name in HEAVY if name in loaded] == []


@pytest.mark.slow
def test_the_version_is_said_in_a_fifth_of_a_second(tmp_path: Path) -> None:
    """In processor time, the best of five: the machine may be busy with something else."""
    import resource

    spent = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert run_process("--version", cwd=tmp_path).out.startswith("foregone ")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert min(spent) < 0.2, spent


def test_commands_have_the_limit_that_functions_have() -> None:
    """It is written twice, as help loads no engine."""
    assert options.LIMIT == MAX_RECORDS
