"""Folders that ACRO writes: results.json lists what was made, and every table is a CSV file beside it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from foregone.model.errors import InputError
from foregone.model.shown import listed, shown
from foregone.tables.table import check_bytes

RESULTS = "results.json"
WORKED_OUT = re.compile(r"aggfunc\s*=\s*(\[[^\]]*\]|[^,)]+)")
COUNTED = re.compile(r"""\[?\s*['"]?(?:count|size|len)['"]?\s*\]?\s*""")


@dataclass(frozen=True, slots=True)
class AcroFolder:
    """The files of a folder that hold counts, what is said about the others, and how the counts were protected."""

    files: tuple[Path, ...]
    said: tuple[str, ...] = ()
    suppressed: frozenset[Path] = frozenset()  # cells were blanked in these
    rounded: tuple[tuple[Path, int], ...] = ()  # and these are rounded to multiples of a base


def read_acro(folder: Path) -> AcroFolder:
    """Which files of a folder are tables of counts, as its results.json says."""
    results = folder / RESULTS
    if not results.is_file():
        raise InputError(f"{folder}: is a folder without {RESULTS}, so it is none that ACRO wrote; give the files with tables in it")
    check_bytes(results)
    try:
        said = json.loads(results.read_text("utf-8"))
    except ValueError as error:  # not UTF-8, or no JSON
        raise InputError(f"{results}: cannot be read as JSON ({error}); write the outputs again") from None
    outputs = said.get("results") if isinstance(said, dict) else None
    if not isinstance(outputs, dict) or not all(isinstance(output, dict) for output in outputs.values()):
        raise InputError(f"{results}: has no list of results, as ACRO writes it; give the files with tables in it")
    files, sentences, suppressed, rounded = list[Path](), list[str](), set[Path](), list[tuple[Path, int]]()
    for name, output in outputs.items():
        own = [_inside(folder, results, file) for file in output.get("files", ())]
        if why := _no_counts(output):
            sentences.append(f"{results}: {name} is left out: {why}.")
            continue
        files += own
        properties = output.get("properties") or {}
        if output.get("status") == "fail":
            sentences.append(f"{results}: {name} has the status fail; it is read as if it were published.")
        if _is_suppressed(output, properties):
            suppressed |= set(own)
        if properties.get("mitigation") == "round" and isinstance(properties.get("round_base"), int):
            rounded += [(file, properties["round_base"]) for file in own]
    if not files:
        raise InputError([*sentences, f"{results}: none of its outputs is a table of counts, so nothing was imported"])
    return AcroFolder(tuple(files), tuple(sentences), frozenset(suppressed), tuple(rounded))


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
    if method not in ("crosstab", "pivot_table"):
        return f"it is made by {method}, which counts no records"
    found = WORKED_OUT.search(command)
    if found and not COUNTED.fullmatch(found[1]):
        return f"its numbers are worked out ({found[1].strip()})"
    if method == "pivot_table" and not found:
        return "its numbers are means"
    return "its numbers are shares" if re.search(r"normalize\s*=\s*(?!False)", command) else ""


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
