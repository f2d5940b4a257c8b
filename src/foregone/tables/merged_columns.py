"""The columns of several releases as one: codes cut so finely that every release's codes are made of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from foregone.model.domain import Column, Group
from foregone.model.errors import InputError
from foregone.model.release import Release
from foregone.model.shown import listed, shown
from foregone.tables.spans import pieces, span_of

Crosswalk = Mapping[str, Sequence[tuple[str, tuple[str, ...]]]]
"""Column -> old code, and the new codes that it lies in."""


@dataclass(frozen=True, slots=True)
class Merged:
    """A column over all releases: for each release and code of it the codes of the column that it covers."""

    column: Column
    covered: tuple[Mapping[str, frozenset[str]], ...]


def merged_columns(releases: Mapping[str, Release], crosswalk: Crosswalk, taken: str) -> list[Merged]:
    """The columns of all releases; none of them may be called what is `taken`."""
    order = dict.fromkeys(name for release in releases.values() for name in release.domain.names)
    problems = [
        f"crosswalk: {shown(name)} is not a column of these releases ({listed(order)})" for name in crosswalk if name not in order
    ]
    if taken in order:
        problems.append(f"a column is called {taken}, which is what join calls its own; rename it in the releases")
    if problems:
        raise InputError(problems)
    return [_merged(name, list(releases.values()), crosswalk.get(name)) for name in order]


def _merged(name: str, releases: list[Release], walk: Sequence[tuple[str, tuple[str, ...]]] | None) -> Merged:
    """The finest codes of a column that every release's codes are made of."""
    having = [release.domain.column(name) if name in release.domain.index else None for release in releases]
    columns = [column for column in having if column is not None]
    first = columns[0]
    if walk is not None:
        covered = _walked(name, having, walk)
    elif all(set(column.codes) == set(first.codes) for column in columns):
        covered = {code: (code,) for code in first.codes}
    else:
        covered = _refined(columns)
    codes = list(dict.fromkeys(code for codes in covered.values() for code in codes))
    labels = {code: column.label_of(code) for column in columns if column.labels for code in column.codes}
    words = tuple(labels.get(code, code) for code in codes) if labels else ()
    title = next((column.title for column in columns if column.title), "")
    said = {code: number for column in columns if column.numbers for code, number in zip(column.codes, column.numbers, strict=True)}
    numbers = tuple(said.get(code) for code in codes) if said else ()
    return Merged(
        Column(name, tuple(codes), words, title, numbers, _groups(columns, covered, codes)),
        tuple({code: frozenset(covered[code]) for code in column.codes} if column else {} for column in having),
    )


def _groups(columns: list[Column], covered: Mapping[str, tuple[str, ...]], codes: list[str]) -> tuple[Group, ...]:
    """Groups keep their names; so does a code that was cut into several."""
    parts = {code: tuple(some) for code, some in covered.items() if 1 < len(some) < len(codes)}
    parts |= {label: tuple(new for old in some for new in covered[old]) for column in columns for label, some in column.groups}
    return tuple((label, tuple(code for code in codes if code in set(some))) for label, some in parts.items() if label not in codes)


def _refined(columns: list[Column]) -> dict[str, tuple[str, ...]]:
    """Spans are cut into common pieces; other codes are the same where they are spelled the same."""
    texts = list(dict.fromkeys(code for column in columns for code in column.codes))
    spans = {code: span for code in texts if (span := span_of(code)) is not None}
    if len(spans) < len(texts):
        return {code: (code,) for code in texts}
    cut = pieces(list(spans.values()))
    named = {span: code for code, span in reversed(spans.items())}
    return {code: tuple(named.get(piece, piece.text) for piece in cut if spans[code].holds(piece)) for code in texts}


def _walked(name: str, having: list[Column | None], walk: Sequence[tuple[str, tuple[str, ...]]]) -> dict[str, tuple[str, ...]]:
    """Old and new codes as sets of pieces: a new code that lies in one old one only is a piece itself."""
    known = {code for column in having if column is not None for code in column.codes}
    problems = [
        f"crosswalk: {shown(code)} is not a value of {name} in these releases ({listed(sorted(known))})"
        for code in dict.fromkeys(code for old, new in walk for code in (old, *new))
        if code not in known
    ]
    if problems:
        raise InputError(problems)
    within: dict[str, list[str]] = {}
    for old, new in walk:
        for code in new:
            within.setdefault(code, []).append(old)

    def piece(old: str, new: str) -> str:
        return new if len(within[new]) == 1 else f"{new} ({old})"

    covered = {old: tuple(piece(old, code) for code in new) for old, new in walk}
    for code, olds in within.items():
        covered[code] = tuple(piece(old, code) for old in olds)
    for code in known:
        covered.setdefault(code, (code,))
    order = [code for column in having if column is not None for code in column.codes]
    return {code: covered[code] for code in dict.fromkeys(order)}
