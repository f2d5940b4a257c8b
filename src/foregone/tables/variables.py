"""A variable that several tables share: its codes are the finest pieces of all groups that the tables use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from foregone.model.alike import folded
from foregone.model.domain import Column
from foregone.model.errors import InputError
from foregone.model.shown import listed, shown
from foregone.tables.table import Axis, Table
from foregone.tables.words import LabelSpan, is_common, pieces, same_name, span_of

OTHER = "(any other)"  # the value of people whom a total counts and no label does

Given = Mapping[str, Mapping[str, Any]]
"""What the layout file says about variables: name -> same, different, groups."""


@dataclass(slots=True)
class Variable:
    """Axes of tables that are one variable, while they are gathered."""

    name: str
    named: bool
    axes: list[tuple[int, Axis]] = field(default_factory=list)  # table, axis

    def fits_labels(self, axis: Axis) -> bool:
        """Has it the same labels as another axis, or, for spans, pieces of the same whole?"""
        mine = {folded(label) for _, other in self.axes for label in other.labels}
        theirs = {folded(label) for label in axis.labels}
        if len(theirs) > 1 and any(theirs == {folded(label) for label in other.labels} for _, other in self.axes):
            return True
        one, two = [span_of(label) for label in mine], [span_of(label) for label in theirs]
        if len(two) < 2 or any(span is None or span.first == span.last for span in (*one, *two)):
            return False
        return _ends(one) == _ends(two)


@dataclass(frozen=True, slots=True)
class Shared:
    """A variable over all tables: its column, and for each label the codes that it covers."""

    column: Column
    codes: Mapping[str, frozenset[str]]  # by folded label

    def of(self, label: str) -> frozenset[str]:
        return self.codes[folded(label)]


def share(tables: list[Table], given: Given) -> dict[tuple[int, int], Shared]:
    """The shared variable of every axis (table, axis). Where it cannot be told, InputError names both readings."""
    found, problems = _gather(tables, given)
    made: dict[tuple[int, int], Shared] = {}
    for variable in found:
        try:
            shared = _refine(variable, tables, _settings(given, variable.name))
        except InputError as error:
            problems += error.problems
            continue
        for t, axis in variable.axes:
            made[t, tables[t].axes.index(axis)] = shared
    if problems:
        raise InputError(problems)
    return made


def _gather(tables: list[Table], given: Given) -> tuple[list[Variable], list[str]]:
    found: list[Variable] = []
    problems: list[str] = []
    everything = [(t, axis) for t, table in enumerate(tables) for axis in table.axes]
    for t, axis in sorted(everything, key=lambda pair: not pair[1].named):  # those with a name first
        free = [v for v in found if all(other != t for other, _ in v.axes)]
        by_name = [v for v in free if same_name(v.name, axis.name) or _said_same(given, v.name, axis.name)]
        alike = [v for v in free if v not in by_name and v.fits_labels(axis) and not _said_different(given, v.name, axis.name)]
        if by_name:
            chosen = by_name[0]
        elif axis.named and alike and not all(map(is_common, axis.labels)) and not _together(tables, alike[0].name, axis.name):
            problems.append(_doubt(tables[t], axis, alike[0]))
            continue
        elif not axis.named and len(alike) == 1 and not all(map(is_common, axis.labels)):
            chosen = alike[0]
        elif not axis.named and alike:
            problems.append(_doubt(tables[t], axis, alike[0]))
            continue
        else:
            chosen = Variable(_settings(given, axis.name).get("name", axis.name), axis.named)
            found.append(chosen)
        chosen.axes.append((t, axis))
    order = [folded(axis.name) for _, axis in everything]
    return sorted(found, key=lambda v: min(order.index(folded(axis.name)) for _, axis in v.axes)), problems


def _doubt(table: Table, axis: Axis, other: Variable) -> str:
    named = f"{axis.name} ({listed(axis.labels)})" if axis.named else f"the variable with {listed(axis.labels)}"
    return (
        f"{table.source}: two readings fit: {named} is {other.name}, or it is another variable; say which in a layout file:"
        f' [variables."{other.name}"] same = ["{axis.name}"] or different = ["{axis.name}"]'
    )


def _together(tables: list[Table], one: str, other: str) -> bool:
    """Two variables of the same table are two."""
    return any({one, other} <= {axis.name for axis in table.axes} for table in tables)


def _settings(given: Given, name: str) -> Mapping[str, Any]:
    return next((entry for key, entry in given.items() if same_name(key, name)), {})


def _said_same(given: Given, name: str, other: str) -> bool:
    return any(folded(other) == folded(word) for word in _settings(given, name).get("same", ()))


def _said_different(given: Given, name: str, other: str) -> bool:
    return any(folded(other) == folded(word) for word in _settings(given, name).get("different", ()))


def _refine(variable: Variable, tables: list[Table], settings: Mapping[str, Any]) -> Shared:
    """The codes of a variable: pieces of spans in order, then words as they come."""
    groups = {folded(label): tuple(parts) for _, axis in variable.axes for label, parts in axis.groups}
    groups |= {folded(label): tuple(parts) for label, parts in settings.get("groups", {}).items()}
    labels = dict.fromkeys(label for _, axis in variable.axes for label in axis.labels)
    labels |= dict.fromkeys(part for parts in groups.values() for part in parts)
    for t, axis in variable.axes:
        seen: dict[str, str] = {}
        for label in axis.labels:
            if folded(label) in seen:
                pair = f"{shown(seen[folded(label)])} and {shown(label)}"
                raise InputError(
                    f"{tables[t].source}: the labels {pair} of {variable.name} differ in case or dash alone; rename one"
                )
            seen[folded(label)] = label
    texts: dict[str, str] = {}  # folded label -> as it was first written
    for label in labels:
        texts.setdefault(folded(label), label)
    apart = {key for key, parts in groups.items() if tuple(map(folded, parts)) == (key,)}  # said to be a value of its own
    composed = [key for key in groups if key not in apart]
    spans: dict[str, LabelSpan] = {
        key: span for key, text in texts.items() if key not in composed and (span := span_of(text)) is not None
    }
    words = [key for key in texts if key not in spans and key not in composed]
    _check_words(variable, tables, set(words) - apart)
    cut = pieces(list(spans.values()))
    named = {span: texts[key] for key, span in reversed(spans.items())}
    codes = [named.get(piece, piece.text) for piece in cut]
    covered = {
        key: frozenset(code for code, piece in zip(codes, cut, strict=True) if span.holds(piece)) for key, span in spans.items()
    }
    covered |= {key: frozenset({texts[key]}) for key in words}
    codes += [texts[key] for key in words]
    # a lone heading such as Female, which no other table has, tells of these people only
    alone = len(codes) == 1 and all(axis.where == "columns" and not axis.named for _, axis in variable.axes)
    if alone or any(axis.open for _, axis in variable.axes):
        codes.append(OTHER)
    open_ = dict.fromkeys(composed)
    while open_:  # groups of groups, from the inside out
        ready = [key for key in open_ if all(folded(part) in covered for part in groups[key])]
        if not ready:
            raise InputError(f"variable {variable.name}: {shown(texts.get(next(iter(open_)), ''))} is a group that contains itself")
        for key in ready:
            covered[key] = frozenset(code for part in groups[key] for code in covered[folded(part)])
            del open_[key]
    explained = {code: word for _, axis in variable.axes for code, word in axis.words}
    meant = tuple(explained.get(code, code) for code in codes) if any(code in explained for code in codes) else ()
    title = next((axis.title for _, axis in variable.axes if axis.title and axis.title != variable.name), "")
    try:
        wide = [key for key in (*spans, *composed) if 1 < len(covered[key]) < len(codes) and key in texts]
        named_groups = tuple((texts[key], tuple(code for code in codes if code in covered[key])) for key in wide)
        return Shared(Column(variable.name, tuple(codes), meant, title, groups=named_groups), covered)
    except InputError as error:
        source, remedy = tables[variable.axes[0][0]].source, f'in a layout file: [variables."{variable.name}"] name = "..."'
        raise InputError([f"{source}: {problem}, {remedy}" for problem in error.problems]) from None


def _check_words(variable: Variable, tables: list[Table], words: set[str]) -> None:
    """Labels that are not spans are matched as they are; two tables that each have some of their own are a question."""
    sets = [(t, {folded(label) for label in axis.labels} & words, axis) for t, axis in variable.axes]
    for i, (t, mine, axis) in enumerate(sets):
        for u, theirs, other in sets[:i]:
            if mine - theirs and theirs - mine and len(words) > 1:
                extra = listed(shown(label) for label in axis.labels if folded(label) in mine - theirs)
                others = listed(shown(label) for label in other.labels if folded(label) in theirs - mine)
                raise InputError(
                    f"{tables[t].source}: two readings fit: {extra} of {variable.name} may be values of their own, or groups of"
                    f' {others} of {tables[u].source}; say which in a layout file: [variables."{variable.name}".groups]'
                    f' "{next(label for label in axis.labels if folded(label) in mine - theirs)}" = ["...", "..."], or itself'
                )


def _ends(spans: list[LabelSpan | None]) -> tuple[int, int | None]:
    known = [span for span in spans if span is not None]
    lasts = [span.last for span in known]
    return min(span.first for span in known), None if None in lasts else max(last for last in lasts if last is not None)
