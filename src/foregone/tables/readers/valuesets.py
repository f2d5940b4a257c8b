"""What stands beside a PC-Axis file: value sets (.vs) and aggregations (.agg), which say which values are made of which others."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from foregone.model.alike import folded
from foregone.tables.table import read_bytes

SECTION = re.compile(r"\[(.*)\]")
ENTRY = re.compile(r"([^=]+)=(.*)")
MOST_BESIDE = 200  # files of a folder that are looked at
MOST_BYTES = 4_000_000


def groups_beside(path: Path, domain: str, codes: Mapping[str, str]) -> dict[str, list[str]]:
    """Label -> the labels that make it up, of a variable with a DOMAIN; `codes` are its codes with their labels.

    A value set in the same folder is about the variable if it lists its domain. Its aggregations name groups, by a code and a text,
    and the codes inside. A group counts only where it is a value of the file itself, as are all of its parts.
    """
    if not domain:
        return {}
    files = sorted(path.parent.iterdir()) if path.parent.is_dir() else []
    sets = {file.stem: _sections(file) for file in files[:MOST_BESIDE] if file.suffix.lower() == ".vs"}
    own = {
        folded(name)
        for stem, said in sets.items()
        if folded(domain) in map(folded, said.get("domain", {}).values())
        for name in (stem, said.get("descr", {}).get("Name", stem))
    }
    labels = {folded(label): label for label in codes.values()}
    found: dict[str, list[str]] = {}
    for file in files[:MOST_BESIDE]:
        said = _sections(file) if own and file.suffix.lower() == ".agg" else {}
        about = said.get("aggreg", {})
        if folded(about.get("Valueset", "")) not in own:
            continue
        texts = said.get("aggtext", {})
        for key, code in about.items():
            label = codes.get(code) or labels.get(folded(texts.get(key, "")))
            parts = [codes.get(part, "") for part in said.get(code.casefold(), {}).values()]
            if key.isdigit() and label and len(parts) > 1 and all(parts) and label not in (*found, *parts):
                found[label] = list(dict.fromkeys(parts))
    return _nested(found)


def _nested(groups: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """Groups in which smaller ones stand for their parts: a country is made of its counties, where these are groups, too.

    >>> _nested({"Land": ["a", "b", "c"], "North": ["a", "b"]})
    {'Land': ['North', 'c'], 'North': ['a', 'b']}
    """
    made, members = {}, {label: frozenset(parts) for label, parts in groups.items()}
    for label, parts in groups.items():
        inside = [other for other, some in members.items() if some < members[label]]
        left, kept = set(parts), list[str]()
        for other in sorted(inside, key=lambda some: -len(members[some])):
            if members[other] <= left:
                left -= members[other]
                kept.append(other)
        made[label] = [*(other for other in groups if other in kept), *(part for part in parts if part in left)]
    return made


def _sections(path: Path) -> dict[str, dict[str, str]]:
    """Section in small letters, then key -> value; nothing of what is no file, as a folder or a link to nowhere, or too large."""
    if not path.is_file() or path.stat().st_size > MOST_BYTES:
        return {}
    raw = read_bytes(path)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeError:
        text = raw.decode("cp1252", errors="replace")
    found: dict[str, dict[str, str]] = {}
    here: dict[str, str] = {}
    for line in text.splitlines():
        if section := SECTION.fullmatch(line.strip()):
            here = found.setdefault(section[1].strip().casefold(), {})
        elif entry := ENTRY.fullmatch(line.strip()):
            here[entry[1].strip()] = entry[2].strip()
    return found

