"""A variable that several tables share: its codes are the finest pieces of all groups that the tables use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from foregone.model.alike import folded
from foregone.model.domain import Column
from foregone.model.errors import InputError
from foregone.model.shown import listed, shown
from foregone.tables.reading.question import ReadingChoice, Reads, TableQuestion
from foregone.tables.reading.sentences import quoted
from foregone.tables.spans import LabelSpan, inside, pieces, span_of
from foregone.tables.table import Axis, Table
from foregone.tables.words import is_common, same_name

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


def share(tables: list[Table], given: Given) -> dict[tuple[int, int], Shared] | list[TableQuestion]:
    """The shared variable of every axis (table, axis); questions where it cannot be told."""
    found, questions = _gather(tables, given)
    made: dict[tuple[int, int], Shared] = {}
    problems: list[str] = []
    for variable in found:
        settings = _settings(given, variable.name)
        try:
            shared = _refine(variable, tables, settings)
        except InputError as error:
            problems += error.problems
            continue
        if isinstance(shared, TableQuestion):
            questions.append(shared)
            continue
        for t, axis in variable.axes:
            made[t, tables[t].axes.index(axis)] = shared
    if problems:
        raise InputError(problems)
    return questions or made


def _gather(tables: list[Table], given: Given) -> tuple[list[Variable], list[TableQuestion]]:
    found: list[Variable] = []
    questions: list[TableQuestion] = []
    everything = [(t, axis) for t, table in enumerate(tables) for axis in table.axes]
    for t, axis in sorted(everything, key=lambda pair: not pair[1].named):  # those with a name first
        free = [v for v in found if all(other != t for other, _ in v.axes)]
        by_name = [v for v in free if same_name(v.name, axis.name) or _said_same(given, v.name, axis.name)]
        alike = [v for v in free if v not in by_name and v.fits_labels(axis) and not _said_different(given, v.name, axis.name)]
        alike = [v for v in alike if not tables[t].cut_from or all(tables[u].cut_from != tables[t].cut_from for u, _ in v.axes)]
        known = not all(map(is_common, axis.labels))
        if by_name:
            chosen = by_name[0]
        elif axis.named and alike and known and not _together(tables, alike[0].name, axis.name):
            questions.append(_doubt(tables[t], axis, alike[0]))
            continue
        elif not axis.named and len(alike) == 1 and known:
            chosen = alike[0]
        elif not axis.named and alike:
            questions.append(_doubt(tables[t], axis, alike[0]))
            continue
        else:
            chosen = Variable(_settings(given, axis.name).get("name", axis.name), axis.named)
            found.append(chosen)
        chosen.axes.append((t, axis))
    order = [folded(axis.name) for _, axis in everything]
    return sorted(found, key=lambda v: min(order.index(folded(axis.name)) for _, axis in v.axes)), questions


def _doubt(table: Table, axis: Axis, other: Variable) -> TableQuestion:
    named = f"{axis.name} ({listed(axis.labels)})" if axis.named else f"the variable with {listed(axis.labels)}"
    same, different = ({"variables": {other.name: {key: [axis.name]}}} for key in ("same", "different"))
    choices = (
        ReadingChoice(Reads.SAME_VARIABLE, (named, other.name), whole=same),
        ReadingChoice(Reads.OTHER_VARIABLE, whole=different),
    )
    return TableQuestion(table.source, table.name, f"variable {axis.name}", choices)


def _together(tables: list[Table], one: str, other: str) -> bool:
    """Two variables of the same table are two."""
    return any({one, other} <= {axis.name for axis in table.axes} for table in tables)


def _settings(given: Given, name: str) -> Mapping[str, Any]:
    return next((entry for key, entry in given.items() if same_name(key, name)), {})


def _said_same(given: Given, name: str, other: str) -> bool:
    return any(folded(other) == folded(word) for word in _settings(given, name).get("same", ()))


def _said_different(given: Given, name: str, other: str) -> bool:
    return any(folded(other) == folded(word) for word in _settings(given, name).get("different", ()))


@dataclass(frozen=True, slots=True)
class _Labels:
    """All labels of a variable by how they are understood: spans of numbers, words, and groups made of others."""

    texts: Mapping[str, str]  # folded label -> as it was first written
    groups: Mapping[str, tuple[str, ...]]
    spans: Mapping[str, LabelSpan]
    words: tuple[str, ...]
    apart: frozenset[str]  # words that somebody said to be values of their own

    @property
    def composed(self) -> list[str]:
        return [key for key in self.groups if key not in self.apart]


def _refine(variable: Variable, tables: list[Table], settings: Mapping[str, Any]) -> Shared | TableQuestion:
    """The codes of a variable: pieces of spans in order, then words as they come."""
    _check_spelling(variable, tables)
    labels = _labels(variable, settings)
    if (question := _own_or_groups(variable, tables, set(labels.words) - labels.apart)) is not None:
        return question
    cut = pieces(list(labels.spans.values()))
    named = {span: labels.texts[key] for key, span in reversed(list(labels.spans.items()))}
    codes = [named.get(piece, piece.text) for piece in cut]
    covered = {key: frozenset(codes[i] for i in inside(span, cut)) for key, span in labels.spans.items()}
    covered |= {key: frozenset({labels.texts[key]}) for key in labels.words}
    codes += [labels.texts[key] for key in labels.words]
    # a lone heading such as Female, which no other table has, tells of these people only
    alone = len(codes) == 1 and all(axis.where == "columns" and not axis.named for _, axis in variable.axes)
    if alone or any(axis.open for _, axis in variable.axes):
        codes.append(OTHER)
    return _column(variable, tables, labels, codes, _with_groups(variable, labels, covered))


def _check_spelling(variable: Variable, tables: list[Table]) -> None:
    for t, axis in variable.axes:
        seen: dict[str, str] = {}
        for label in axis.labels:
            if folded(label) in seen:
                pair = f"{shown(seen[folded(label)])} and {shown(label)}"
                raise InputError(
                    f"{tables[t].source}: the labels {pair} of {variable.name} differ in case or dash alone; rename one"
                )
            seen[folded(label)] = label


def _labels(variable: Variable, settings: Mapping[str, Any]) -> _Labels:
    groups = {folded(label): tuple(parts) for _, axis in variable.axes for label, parts in axis.groups}
    groups |= {folded(label): tuple(parts) for label, parts in settings.get("groups", {}).items()}
    every = dict.fromkeys(label for _, axis in variable.axes for label in axis.labels)
    every |= dict.fromkeys(part for parts in groups.values() for part in parts)
    texts: dict[str, str] = {}
    for label in every:
        texts.setdefault(folded(label), label)
    apart = frozenset(key for key, parts in groups.items() if tuple(map(folded, parts)) == (key,))
    composed = {key for key in groups if key not in apart}
    spans = {key: span for key, text in texts.items() if key not in composed and (span := span_of(text)) is not None}
    words = tuple(key for key in texts if key not in spans and key not in composed)
    return _Labels(texts, groups, spans, words, apart)


def _with_groups(variable: Variable, labels: _Labels, covered: Mapping[str, frozenset[str]]) -> dict[str, frozenset[str]]:
    """The codes of every label: groups of groups from the inside out."""
    made, waiting = dict(covered), dict.fromkeys(labels.composed)
    while waiting:
        ready = [key for key in waiting if all(folded(part) in made for part in labels.groups[key])]
        if not ready:
            first = labels.texts.get(next(iter(waiting)), "")
            raise InputError(f"variable {variable.name}: {shown(first)} is a group that contains itself")
        for key in ready:
            made[key] = frozenset(code for part in labels.groups[key] for code in made[folded(part)])
            del waiting[key]
    return made


def _column(
    variable: Variable, tables: list[Table], labels: _Labels, codes: list[str], covered: Mapping[str, frozenset[str]]
) -> Shared:
    explained = {code: word for _, axis in variable.axes for code, word in axis.words}
    meant = tuple(explained.get(code, code) for code in codes) if any(code in explained for code in codes) else ()
    title = next((axis.title for _, axis in variable.axes if axis.title and axis.title != variable.name), "")
    order = {code: i for i, code in enumerate(codes)}
    wide = [key for key in (*labels.spans, *labels.composed) if 1 < len(covered[key]) < len(codes) and key in labels.texts]
    groups = tuple((labels.texts[key], tuple(sorted(covered[key], key=order.__getitem__))) for key in wide)
    try:
        return Shared(Column(variable.name, tuple(codes), meant, title, groups=groups), covered)
    except InputError as error:
        source, remedy = tables[variable.axes[0][0]].source, f'in a layout file: [variables."{variable.name}"] name = "..."'
        raise InputError([f"{source}: {problem}, {remedy}" for problem in error.problems]) from None


def _own_or_groups(variable: Variable, tables: list[Table], words: set[str]) -> TableQuestion | None:
    """Labels that are not spans are matched as they are; two tables that each have some of their own are a question."""
    sets = [(t, {folded(label) for label in axis.labels} & words, axis) for t, axis in variable.axes]
    for i, (t, mine, axis) in enumerate(sets):
        for u, theirs, other in sets[:i]:
            if len(axis.labels) == len(other.labels) == 1:
                continue  # each table is about one value, and they differ
            if mine - theirs and theirs - mine and len(words) > 1:
                extra = [label for label in axis.labels if folded(label) in mine - theirs]
                others = [label for label in other.labels if folded(label) in theirs - mine]
                own = {"variables": {variable.name: {"groups": {label: [label] for label in extra}}}}
                grouped = {"variables": {variable.name: {"groups": dict.fromkeys(extra[:1], others)}}}
                choices = (
                    ReadingChoice(Reads.OWN_VALUES, (quoted(extra), variable.name), whole=own),
                    ReadingChoice(
                        Reads.GROUPED_VALUES, (shown(extra[0]), f"{quoted(others)} of {tables[u].source}"), whole=grouped
                    ),
                )
                return TableQuestion(tables[t].source, tables[t].name, f"variable {variable.name}", choices)
    return None


def _ends(spans: list[LabelSpan | None]) -> tuple[int, int | None]:
    known = [span for span in spans if span is not None]
    lasts = [span.last for span in known]
    return min(span.first for span in known), None if None in lasts else max(last for last in lasts if last is not None)
