"""Files that were written, read again as a reader would: they must say what the protected release says, no less and no more."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from foregone.model.figure import Figure
from foregone.model.marks import Ranges, ranges_text, ranges_words
from foregone.model.release import Release
from foregone.model.shown import and_more
from foregone.model.statement import Statistic
from foregone.publishing.changes import is_cell, is_hidden, is_name
from foregone.publishing.footnotes import meaning_of, renewed
from foregone.tables.importing import Imported, read_tables
from foregone.tables.layout_file import GivenLayout

MOST = 20  # differences that are told


def read_again(
    paths: Sequence[Path], layout: GivenLayout, before: Imported, signs: Mapping[str, Ranges], shown: Collection[str]
) -> Imported:
    """Import files that were written, as they were read `before`. `signs` is what is printed in place of numbers and what it stands
    for, `shown` what stands in the other cells of the tables: signs that stand in none of them any more need no explanation.
    """
    kept = {token: said for token, said in layout.tokens.items() if token in shown and token not in signs}
    # of a mark that stands for numbers with gaps between them, an importer knows the least and the greatest
    new = {sign: ranges_text(((meant[0][0], meant[-1][1]),)) for sign, meant in signs.items()}
    # what was not read as a percentage then is not looked at as one now that less is shown
    figures = {figure.name: figure.table for figure in before.release.figures}
    percents: dict[str, list[int]] = {}
    for at in before.standing:
        if at.name in figures and at.name == f"{figures[at.name]}.{at.place.cell}":
            percents.setdefault(figures[at.name], []).append(at.place.column)
    tables = {
        name: {**said, "percents": tuple(sorted(set(percents.get(name, ()))))} if "numbers" in said else said
        for name, said in layout.tables.items()
    }
    return read_tables(paths, layout=replace(layout, tokens={**kept, **new}, tables=tables, only_named=True))


def footnote_problems(read: Imported, old: Collection[str], marks: Mapping[str, Ranges], signs: Mapping[str, Ranges]) -> list[str]:
    """Sheets on which a mark stands without one footnote that explains it, or with a line that says something else."""
    said = []
    for sheet in read.sheets:
        grid = sheet.grid
        cells = [(row, column) for row in range(1, len(grid.rows) + 1) for column in grid.filled(row)]
        texts = {at: grid.cell(*at) for at in cells}
        for mark, meant in marks.items():
            if mark not in texts.values():
                continue
            told = [meaning_of(text, mark) for text in texts.values()]
            if [one for one in told if one is not None] != [meant]:
                said.append(f"{grid.source}: {mark} is not explained by one footnote, as it has to be")
        said += [
            f"{grid.place(*at).text}: {text!r} contradicts the footnote"
            for at, text in texts.items()
            if all(meaning_of(text, mark) is None for mark in marks)
            and renewed(text, [*old, *marks], {}) is not None
            and not is_name(sheet, *at)
        ]
    for table in read.cubes:
        shown = {entry.shown for entry in table.entries}
        for sign, meant in signs.items():
            told = [one for note in table.footnotes if (one := meaning_of(note, sign)) is not None]
            if sign in shown and told != [meant]:
                said.append(f"{table.source}: {sign} is not explained by one note, as it has to be")
    return said


def differences(read: Imported, protected: Release, marks: Mapping[str, Ranges]) -> list[str]:
    """What a reader of the files would understand otherwise than the protected release has it, a sentence each."""
    places = {at.name: at.place.text for at in read.standing if is_cell(at)}
    now = {n.name: n for n in read.release.published if isinstance(n, Statistic | Figure)}
    wanted = {n.name: n for n in protected.published if isinstance(n, Statistic | Figure)}
    said = [
        f"{places.get(name, name)}: is read as a number of the tables, which the protected release does not have"
        for name in now
        if name not in wanted
    ]
    for name, number in wanted.items():
        got = now.get(name)
        if isinstance(number, Statistic):
            said += _count(places.get(name, name), number, got, marks)
        elif number.withheld:
            if isinstance(got, Figure) and not got.withheld:
                said.append(f"{places.get(name, name)}: shows a percentage that is withheld")
        elif got != number:
            said.append(f"{places.get(name, name)}: is not read as the percentage that the protected release has")
    for column in protected.domain.columns:
        other = read.release.domain.index.get(column.name)
        if other is None or set(read.release.domain.columns[other].codes) != set(column.codes):
            said.append(f"column {column.name}: its values are read otherwise in the files")
    return said[:MOST] + ([f"there are{and_more(len(said) - MOST)}"] if len(said) > MOST else [])


def _count(place: str, wanted: Statistic, got: Statistic | Figure | None, marks: Mapping[str, Ranges]) -> list[str]:
    if not isinstance(got, Statistic):
        return [f"{place}: is not read as a number of the tables, which the protected release has"]
    if got.predicate != wanted.predicate:
        return [f"{place}: is read as a number about other records"]
    if wanted.mark or is_hidden(wanted):
        meant = marks.get(wanted.mark) or ((0, None),)
        if not got.open:
            return [f"{place}: shows {got.low}, which is withheld"]
        own = got.withheld and not got.mark  # a format that says "confidential" in a way of its own says nothing else
        if (got.low, got.high) != (meant[0][0], meant[-1][1]) and not own:
            return [f"{place}: is read as {got.range_text}, where the mark stands for {ranges_words(meant)}"]
        return []
    if (got.low, got.high) != (wanted.low, wanted.high) or (got.hidden and wanted.low == wanted.high):
        return [f"{place}: is read as {got.range_text}, where the protected release has {wanted.range_text}"]
    return []
