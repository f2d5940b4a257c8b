"""Folders that ACRO writes: results.json lists what was made, and every table is a CSV file beside it."""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from foregone.model.errors import InputError
from foregone.model.shown import listed, shown
from foregone.tables.spans import are_moments
from foregone.tables.table import Grid, check_bytes
from foregone.tables.words import says_total

RESULTS = "results.json"
NEVER_RELEASED = "DONT_RELEASE"  # how names of outputs end that are for the checker of outputs alone
BLANKED = "suppressed"  # stands in a cell that ACRO left blank
WORKED_OUT = re.compile(r"aggfunc\s*=\s*(\[[^\]]*\]|[^,)]+)")
MOST_LEVELS = 6  # of headings


@dataclass(frozen=True, slots=True)
class AcroFolder:
    """The files of a folder that hold counts, what is said about the others, and how the counts were protected."""

    files: tuple[Path, ...]
    said: tuple[str, ...] = ()
    blanked: tuple[tuple[Path, tuple[tuple[int, int], ...]], ...] = ()  # rows and columns of cells that are suppressed
    rounded: tuple[tuple[Path, int], ...] = ()  # files that are rounded to multiples of a base
    layouts: tuple[tuple[Path, Mapping[str, Any]], ...] = ()  # what a layout file would say about these
    outputs: tuple[tuple[Path, str], ...] = ()  # files with what ACRO calls the output, which its users look for
    frames: tuple[tuple[Path, str], ...] = ()  # the data frames that a table was made from, as its command names them
    unaudited: tuple[str, ...] = ()  # a sentence for each output that is not looked at


def read_acro(folder: Path) -> AcroFolder:
    """Which files of a folder are tables of counts, as its results.json says."""
    results = folder / RESULTS
    if not results.is_file():
        raise InputError(f"{folder}: is a folder without {RESULTS}, so ACRO did not write it; give the files with tables in it")
    check_bytes(results)
    try:
        said = json.loads(results.read_text("utf-8"))
    except ValueError as error:  # not UTF-8, or no JSON
        raise InputError(f"{results}: cannot be read as JSON ({error}); write the outputs again") from None
    outputs = said.get("results") if isinstance(said, dict) else None
    if not isinstance(outputs, dict) or not all(isinstance(output, dict) for output in outputs.values()):
        raise InputError(f"{results}: has no list of results, as ACRO writes it; give the files with tables in it")
    files, sentences, rounded = list[Path](), list[str](), list[tuple[Path, int]]()
    blanked: list[tuple[Path, tuple[tuple[int, int], ...]]] = []
    layouts: list[tuple[Path, Mapping[str, Any]]] = []
    called, frames, unaudited = list[tuple[Path, str]](), list[tuple[Path, str]](), list[str]()
    for name, output in outputs.items():
        own = [_inside(folder, results, file) for file in output.get("files", ())]
        if why := _no_counts(output):
            sentences.append(f"{results}: {name} is left out: {why}.")
            if not name.endswith(NEVER_RELEASED):
                unaudited.append(f"{name} of {folder.name} is not looked at: {why}")
            continue
        files += own
        called += [(own[0], name)] if len(own) == 1 else []
        frames += [(file, _frames(output)) for file in own]
        named = (output.get("fair") or {}).get("independent")
        made = [(file, *_layout(file, named if isinstance(named, list) else [], _margins(output))) for file in own]
        properties = output.get("properties") or {}
        if output.get("status") == "fail":
            sentences.append(f"{results}: {name} has the status fail; it is read as if it were published.")
        for file, cells, layout in made:
            if _is_suppressed(output, properties):
                layout, hidden, short = _suppressed(cells, layout)
                blanked += [(file, hidden)] if hidden else []
                sentences += [f"{file}: its totals leave out what ACRO suppressed, and are left out."] if short else []
            layouts.append((file, layout))
        if properties.get("mitigation") == "round" and isinstance(properties.get("round_base"), int):
            rounded += [(file, properties["round_base"]) for file in own]
    if not files:
        raise InputError([*sentences, f"{results}: none of its outputs is a table of counts, so nothing was imported"])
    told = tuple(called), tuple(frames), tuple(unaudited)
    return AcroFolder(tuple(files), tuple(sentences), tuple(blanked), tuple(rounded), tuple(layouts), *told)


def with_words(grid: Grid, cells: Collection[tuple[int, int]]) -> Grid:
    """A sheet with a word in place of blanks."""
    if not cells:
        return grid
    wanted = set(cells)
    numbered = enumerate(grid.rows, start=1)
    rows = (tuple(BLANKED if (r, c) in wanted else text for c, text in enumerate(row, start=1)) for r, row in numbered)
    return replace(grid, rows=tuple(rows))


def _suppressed(cells: list[list[str]], layout: dict[str, Any]) -> tuple[dict[str, Any], tuple[tuple[int, int], ...], bool]:
    """The layout of a table with blanked cells, where these are, and whether totals are left out.

    Totals that add up only what is shown are none: the true ones are larger.
    """
    if not layout:
        return {}, (), False
    body, numbers = layout["body"], layout["numbers"]
    over = [c for c in numbers if any(says_total(cells[r - 1][c - 1]) for r in layout["header"])]
    under = [r for r in body if any(says_total(cells[r - 1][c - 1]) for c in layout["labels"])]
    lines = [([(r, c) for c in numbers if c not in over], (r, total)) for r in body for total in over]
    lines += [([(r, c) for r in body if r not in under], (total, c)) for c in numbers for total in under]

    def number(at: tuple[int, int]) -> float:
        text = cells[at[0] - 1][at[1] - 1]
        return float(text) if text else 0.0

    short = any(
        any(not cells[r - 1][c - 1] for r, c in parts) and math.isclose(sum(map(number, parts)), number(total))
        for parts, total in lines
    )
    if short:
        body, numbers = tuple(r for r in body if r not in under), tuple(c for c in numbers if c not in over)
    hidden = tuple((r, c) for r in body for c in numbers if not cells[r - 1][c - 1])
    return {**layout, "body": body, "numbers": numbers}, hidden, short


def _layout(file: Path, independent: list[Any], margins: str) -> tuple[list[list[str]], dict[str, Any]]:
    """What is known of a cross-tab: its variables, and that each record is counted in one cell. Nothing where names are missing."""
    check_bytes(file)
    with file.open(encoding="utf-8", newline="") as lines:
        cells = list(csv.reader(lines))
    if len(cells) < 2 or len({len(row) for row in cells}) > 1:
        return cells, {}
    names = [str(name) for name in independent]
    # a line with the name of a variable alone stands below several headings; one of a value has all its cells suppressed
    lone = ((i, row[0]) for i, row in enumerate(cells[1:MOST_LEVELS], start=1) if row[0] and not any(row[1:]))
    levels = next((i for i, text in lone if text in names or not names), 0)
    if levels:  # headings, each with the name of its variable, then a line with the names of the rows
        rows, columns, body = [text for text in cells[levels] if text], [row[0] for row in cells[:levels]], levels + 1
    else:
        rows = [name for name, text in zip(names, cells[0], strict=False) if name == text]
        columns, body = names[len(rows) :], 1
    if not rows or not all(columns) or len(columns) != max(levels, 1) or len({*rows, *columns}) < len(rows) + len(columns):
        return cells, {}
    values = {name: [row[i] for row in cells[body:]] for i, name in enumerate(rows)}
    values |= {name: cells[i][len(rows) :] for i, name in enumerate(columns)}
    layout: dict[str, Any] = {
        "header": tuple(range(1, max(levels, 1) + 1)),
        "body": tuple(range(body + 1, len(cells) + 1)),
        "labels": tuple(range(1, len(rows) + 1)),
        "numbers": tuple(range(len(rows) + 1, len(cells[0]) + 1)),
        "rows": rows,
        "columns": columns,
        "exclusive": [*rows, *columns],
        "dates": {name: "new" for name, texts in values.items() if are_moments(name, [t for t in texts if not says_total(t)])},
    }
    if len(rows) == len(columns) == 1:  # a value may be called N, or All
        layout["totals"] = {name: [text for text in texts[-1:] if text == margins] for name, texts in values.items()}
    return cells, layout


def _inside(folder: Path, results: Path, file: Any) -> Path:
    """The path of a file that is listed; it must be beside the list."""
    name = file.get("name") if isinstance(file, dict) else file
    if not isinstance(name, str) or Path(name).name != name or not (folder / name).is_file():
        raise InputError(f"{results}: lists {shown(str(name))}, and there is no such file beside it; copy the whole folder")
    return folder / name


def _no_counts(output: dict[str, Any]) -> str:
    """Why an output is no table of counts; nothing when it is one."""
    kind, properties = output.get("type"), output.get("properties") or {}
    method, command = str(properties.get("method", "")), str(output.get("command", ""))
    names = [str(file.get("name") if isinstance(file, dict) else file) for file in output.get("files", ())]
    if kind != "table" or not names or not all(name.endswith(".csv") for name in names):
        return f"it is no table ({kind})"
    if found := WORKED_OUT.search(command):
        return f"its numbers are about values ({found[1].strip()}), and do not count all records"
    if method != "crosstab":
        return f"it is made by {method}, and does not count all records"
    return "its numbers are shares" if re.search(r"normalize\s*=\s*(?!False)", command) else ""


def _frames(output: dict[str, Any]) -> str:
    """The data frames of which a command takes columns: `df` of `acro.crosstab(df.sex, df["age"])`."""
    _, _, given = str(output.get("command", "")).partition("(")
    return " ".join(sorted(set(re.findall(r"""\b([A-Za-z_]\w*)(?=\s*(?:\.\s*[A-Za-z_]|\[\s*['"]))""", given))))


def _margins(output: dict[str, Any]) -> str:
    """What totals are called in an output; nothing when it has none."""
    command = str(output.get("command", ""))
    found = re.search(r"""margins_name\s*=\s*['"]([^'"]+)""", command)
    return (found[1] if found else "All") if re.search(r"margins\s*=\s*(?:True|TRUE|T\b)", command) else ""


def _is_suppressed(output: dict[str, Any], properties: dict[str, Any]) -> bool:
    files = [file for file in output.get("files", ()) if isinstance(file, dict)]
    summaries = [(file.get("sdc") or {}).get("summary") or {} for file in files]
    return properties.get("mitigation") == "suppress" or any(summary.get("suppressed") for summary in summaries)


def rounding_unsaid(folders: list[AcroFolder], rule: str) -> list[str]:
    """Rounded tables need a rule that says so; the folder tells which."""
    bases = {base for folder in folders for _, base in folder.rounded}
    if rule or not bases:
        return []
    names = listed(file.name for folder in folders for file, _ in folder.rounded)
    return [f"{names}: ACRO rounded to multiples of {listed(map(str, sorted(bases)))}; say --rule round:{max(bases)}"]
