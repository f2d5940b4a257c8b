"""The one base that fits all percentages of a table; two that fit are a question to the user."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from foregone.tables.layout import Layout, NotTaken
from foregone.tables.meaning import Meaning
from foregone.tables.outcome import Doubt, Fits, Misfit, Read
from foregone.tables.percents import bases, with_bases
from foregone.tables.table import Table


def find_bases(layout: Layout, table: Table, meaning: Meaning, given: Mapping[str, Any]) -> Read:
    """What percentages are of: the one way that fits all of them."""
    if not layout.percents:
        return Fits(layout, table)
    names = [axis.name for axis in table.axes]
    if "percent_within" in given:
        over = tuple(i for i, name in enumerate(names) if name not in given["percent_within"])
        return Fits(replace(layout, within=tuple(given["percent_within"])), with_bases(table, over))
    found = bases(table, meaning)
    rounding = meaning.rule is not None and meaning.rule.rounds
    if rounding or not found:
        why = "they may be percentages of rounded counts" if rounding else "no total fits as what they are percentages of"
        said = NotTaken("the percentages", why, columns=layout.percents, verb="are")
        entries = tuple(entry for entry in table.entries if not entry.percent)
        table = replace(table, entries=entries, left_out=(*table.left_out, said.text))
        return Fits(replace(layout, left_out=(*layout.left_out, said)), table) if entries else Misfit(said.text)
    if len(found) > 1:
        one, other = (_of(names, over) for over in found[:2])
        lists = " or ".join(f"percent_within = {_toml(names, over)}" for over in found[:2])
        return Doubt(f"the percentages are of {one}", f"of {other}", lists)
    within = tuple(name for i, name in enumerate(names) if i not in found[0])
    return Fits(replace(layout, within=within), with_bases(table, found[0]))


def _of(names: list[str], over: tuple[int, ...]) -> str:
    kept = [name for i, name in enumerate(names) if i not in over]
    return f"the total for each {' and '.join(kept)}" if kept else "the total of everything"


def _toml(names: list[str], over: tuple[int, ...]) -> str:
    return f"[{', '.join(json.dumps(name, ensure_ascii=False) for i, name in enumerate(names) if i not in over)}]"
