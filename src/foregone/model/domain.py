"""The columns of a dataset and the values each may take."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import prod

from foregone.model.alike import meant
from foregone.model.errors import InputError, gathered, refuse
from foregone.model.marks import Ranges
from foregone.model.shown import MOST, listed, shown

# columns of release and claims files
RESERVED = (
    *("count", "low", "high", "name", "table"),
    *("columns", "ground", "exact", "published", "printed", "attributes", "status"),
)
MOST_COLUMNS = 10_000
MOST_CODES = 50_000  # of a column
MOST_LINES = 3  # columns that are wrong in the same way, told one by one
NEAR_AMONG = 2_000  # words among which a near one is looked for
NUMBER = re.compile(r"[+-]?[0-9]{1,30}([.][0-9]{1,30})?")  # a code that is a number
UNWRITABLE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufeff]")  # line breaks and other things CSV in UTF-8 cannot hold safely


Group = tuple[str, tuple[str, ...]]
"""A group of values that has a name of its own: its label and its codes."""


@dataclass(frozen=True, slots=True)
class Column:
    """A discrete column: its codes, in order, and what they mean in words; some groups of codes may have names, too.

    >>> Column("SEX", ("F", "M"), ("female", "male")).label_of("F")
    'female'
    """

    name: str
    codes: tuple[str, ...]
    labels: tuple[str, ...] = ()
    title: str = ""
    numbers: tuple[Fraction | None, ...] = ()  # what codes count as in sums, means and medians; None: what they say themselves
    groups: tuple[Group, ...] = ()
    index: Mapping[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        problems = []
        if not self.name or self.name != self.name.strip() or UNWRITABLE.search(self.name):
            problems.append(f"column name {shown(self.name)} is empty, has blanks around it or control characters; rename it")
        if self.name in RESERVED:
            problems.append(f"a column cannot be called {shown(self.name)}, release and claims files use that name; rename it")
        if not self.codes:
            problems.append(f"column {self.name}: the list of values is empty; list at least one code")
        problems += [
            f"column {self.name}: value {shown(code)} is empty, has blanks around it or holds '|' or a control character; rename it"
            for code in self.codes
            if not code or code != code.strip() or "|" in code or UNWRITABLE.search(code)
        ]
        if len(self.codes) > MOST_CODES:
            number = f"{len(self.codes):,} values are more than the {MOST_CODES:,} that can be read"
            problems.append(f"column {self.name}: {number}; leave the column out, or group its values")
        repeated = [code for code, times in Counter(self.codes).items() if times > 1]
        problems += [f"column {self.name}: value {shown(code)} is listed more than once; list it once" for code in repeated]
        problems += [
            f"column {self.name}: {len(given)} {what} for {len(self.codes)} values; give one each"
            for what, given in (("labels", self.labels), ("numbers", self.numbers))
            if given and len(given) != len(self.codes)
        ]
        problems += [
            f"column {self.name}: the label {shown(label)} holds a line break or another control character; remove it"
            for label in (*self.labels, self.title)
            if UNWRITABLE.search(label)
        ]
        problems += self._group_problems()
        refuse(problems)
        object.__setattr__(self, "index", {code: i for i, code in enumerate(self.codes)})

    def _group_problems(self) -> list[str]:
        known, place = set(self.codes), f"column {self.name}: the group"
        problems = []
        for label, codes in self.groups:
            if not label.strip() or UNWRITABLE.search(label):
                problems.append(f"{place} {shown(label)} has no name, or one with control characters; rename it")
            if not codes:
                problems.append(f"{place} {shown(label)} is empty; list its values, or remove it")
            unknown = [code for code in codes if code not in known]
            problems += [f"{place} {shown(label)}: {shown(code)} is not a value of {self.name}; use its codes" for code in unknown]
            if len(set(codes)) < len(codes):
                problems.append(f"{place} {shown(label)} names a value twice; name each once")
        return problems

    def __repr__(self) -> str:
        """In a line, for people: there may be thousands of codes."""
        return f"Column({self.name} with {len(self.codes):,} {'value' if len(self.codes) == 1 else 'values'}: {listed(self.codes)})"

    @property
    def full(self) -> int:
        """The bit mask with every value allowed."""
        return (1 << len(self.codes)) - 1

    def label_of(self, code: str) -> str:
        """What a code means in words; the code itself where there are none."""
        return self.labels[self.index[code]] if self.labels else code

    def number_of(self, code: str) -> Fraction:
        """What a code counts as in a sum: the number that was given for it, or the one that it is."""
        given = self.numbers[self.index[code]] if self.numbers else None
        if given is not None:
            return given
        if NUMBER.fullmatch(code) is None:
            what = f'give what it counts as under "numbers" in domain.json: {{"{self.name}": {{"{code}": 2}}}}'
            raise InputError(f"the code {shown(code)} of {self.name} is not a number; {what}")
        return Fraction(code)

    def group_label(self, codes: Iterable[str]) -> str | None:
        """The name of a group of values, if it has one."""
        wanted = frozenset(codes)
        return next((label for label, group in self.groups if frozenset(group) == wanted), None)

    def mask(self, codes: Iterable[str]) -> int:
        """Bit i is set when value i is among `codes`; an unknown code is an error that suggests a near one."""
        index = self.index
        try:
            places = [index[code] for code in codes]
        except KeyError as error:
            raise InputError(self.unknown(error.args[0])) from None
        if len(places) == 1:
            return 1 << places[0]
        octets = bytearray((len(self.codes) + 7) // 8)  # setting bits of a long number one by one would copy it each time
        for place in places:
            octets[place >> 3] |= 1 << (place & 7)
        return int.from_bytes(octets, "little")

    def codes_of(self, mask: int) -> tuple[str, ...]:
        """The codes of a set that is given as a bit mask."""
        if mask.bit_count() > 1:
            return tuple(code for code, bit in zip(self.codes, reversed(f"{mask:b}"), strict=False) if bit == "1")
        return (self.codes[mask.bit_length() - 1],) if mask else ()

    def ordered(self, codes: Iterable[str]) -> list[str]:
        """Some codes in the order of the column."""
        return sorted(codes, key=self.index.__getitem__)

    def codes_meant(self, text: str) -> tuple[str, ...]:
        """The codes that somebody types: in another case, with another dash, by a label, or by the name of a group."""
        code = meant(text, self.codes)
        if code is not None:
            return (code,)
        label = meant(text, self.labels)
        if label is not None and self.labels.count(label) == 1:
            return (self.codes[self.labels.index(label)],)
        group = meant(text, [name for name, _ in self.groups])
        if group is None:
            raise InputError(self.unknown(text))
        return dict(self.groups)[group]

    def unknown(self, code: str) -> str:
        """What to say about a code that the column does not have."""
        return f"{shown(code)} is not a value of {self.name} ({listed(self.codes)}){near(code, self.codes)}"


@dataclass(frozen=True, slots=True)
class Domain:
    """The columns a record has, in order; `record` is the noun for one record.

    >>> domain = Domain.of({"SEX": ["F", "M"], "AGE": ["young", "old"]}, record="person")
    >>> domain.size
    4
    """

    columns: tuple[Column, ...]
    record: str = "record"
    marks: tuple[tuple[str, Ranges], ...] = field(default=(), compare=False)  # texts printed instead of numbers, and what they mean
    index: Mapping[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.columns:
            raise InputError("the domain has no columns; name at least one")
        names = [column.name for column in self.columns]
        problems = [f"column {name} is listed more than once; list it once" for name, n in sorted(Counter(names).items()) if n > 1]
        if len(names) > MOST_COLUMNS:
            problems.append(f"{len(names):,} columns are more than the {MOST_COLUMNS:,} that can be read; leave some out")
        if UNWRITABLE.search(self.record):
            problems.append(f"the noun {shown(self.record)} holds a line break or another control character; remove it")
        problems += [
            f"the mark {shown(mark)} is empty, has blanks around it or control characters; change it"
            for mark, _ in self.marks
            if not mark or mark != mark.strip() or UNWRITABLE.search(mark)
        ]
        refuse(problems)
        object.__setattr__(self, "index", {name: i for i, name in enumerate(names)})

    @classmethod
    def of(
        cls,
        columns: Mapping[str, Sequence[str] | Mapping[str, str]],
        titles: Mapping[str, str] | None = None,
        record: str = "record",
        numbers: Mapping[str, Mapping[str, Fraction | int]] | None = None,
        groups: Mapping[str, Mapping[str, Iterable[str]]] | None = None,
        marks: Mapping[str, Ranges] | None = None,
    ) -> Domain:
        """From the codes of each column, with labels or without.

        `numbers` says what codes count as: column -> code -> number; `groups` names groups of values: column -> label -> codes;
        `marks` says which counts a text printed instead of a number can stand for.
        """
        titles, numbers, groups = titles or {}, numbers or {}, groups or {}
        made: list[Column] = []
        problems: list[str] = []
        for name, values in columns.items():
            labels = tuple(values.values()) if isinstance(values, Mapping) else ()
            given = numbers.get(name, {})
            counted = tuple(Fraction(given[code]) if code in given else None for code in values) if given else ()
            named = tuple((label, tuple(codes)) for label, codes in groups.get(name, {}).items())
            with gathered(problems):
                made.append(Column(name, tuple(values), labels, titles.get(name, ""), counted, named))
                problems += [made[-1].unknown(code) for code in given if code not in made[-1].index]
        problems += [unknown_column(name, columns) for name in (*titles, *numbers, *groups) if name not in columns]
        refuse(problems)
        return cls(tuple(made), record, tuple((marks or {}).items()))

    def __repr__(self) -> str:
        return f"Domain({listed(f'{column.name} ({len(column.codes):,})' for column in self.columns)})"

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns, in order."""
        return tuple(column.name for column in self.columns)

    @property
    def size(self) -> int:
        """The number of different records the columns allow."""
        return prod(len(column.codes) for column in self.columns)

    def column(self, name: str) -> Column:
        """The column of this name."""
        try:
            return self.columns[self.index[name]]
        except KeyError:
            raise InputError(unknown_column(name, self.index)) from None


def unknown_column(name: str, known: Iterable[str]) -> str:
    names = list(known)
    return f"{shown(name)} is not a column (columns: {listed(names)}){near(name, names)}"


def unknown_columns(names: Iterable[str], known: Iterable[str]) -> list[str]:
    """What is wrong with several names: a line each, or one for all when there are many.

    >>> unknown_columns("abcde", ["SEX", "AGE"])
    ["5 names are not columns: 'a', 'b', 'c', 'd', 'e' (columns: SEX, AGE); remove them or use one of these"]
    """
    some, columns = list(names), list(known)
    if len(some) <= MOST_LINES:
        return [unknown_column(name, columns) for name in some]
    which = listed(map(shown, some))
    return [f"{len(some):,} names are not columns: {which} (columns: {listed(columns)}); remove them or use one of these"]


def near(word: str, known: Sequence[str]) -> str:
    """A near word, if looking for one is quick."""
    quick = len(word) <= MOST and len(known) <= NEAR_AMONG
    found = difflib.get_close_matches(word, known, n=1) if quick else []
    return f"; did you mean {shown(found[0])}?" if found else "; use one of these"
