"""Published numbers as a reader knows them: the ranges that marks stand for, and what a policy says is known besides.

A mark tells a reader more than that a number is not shown: what its footnote says, and, where two marks are used, that a cell with
the one is none of those that would have got the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from foregone.checker.kernel import Box, PlainRelease
from foregone.checker.read.policy import PlainPolicy
from foregone.checker.read.refusal import Refused
from foregone.checker.read.values import LARGEST_NUMBER, box_of, hidden, is_figure, text

STANDS_FOR = re.compile(r"([0-9]{1,18})(?:[.][.]([0-9]{0,18}))?", re.ASCII)  # a range of counts, as in domain.json
MOST_RANGES = 20

Ranges = tuple[tuple[int, int | None], ...]  # of a count: in order, with gaps between them; None: no upper limit


def marks_of(value: Any) -> dict[str, Ranges]:
    """Texts that are printed instead of a count, with the counts that each can stand for: ranges, in order, with gaps between."""
    if not isinstance(value, dict) or not all(isinstance(meant, str) for meant in value.values()):
        raise Refused("marks: expected an object mark -> the counts it stands for, such as 0|5..")
    made = dict[str, Ranges]()
    for mark, meant in value.items():
        parts = [STANDS_FOR.fullmatch(part.strip()) for part in meant.split("|")]
        found = sorted((int(p[1]), int(p[1]) if p[2] is None else int(p[2]) if p[2] else LARGEST_NUMBER) for p in parts if p)
        if len(found) < len(parts) or len(parts) > MOST_RANGES or any(low > high for low, high in found):
            raise Refused(f"marks: {mark[:40]!r} should mean counts such as 1..4 or 0|5.. (at most {MOST_RANGES} ranges)")
        joined = list[tuple[int, int]]()
        for low, high in found:
            last = joined.pop() if joined and low <= joined[-1][1] + 1 else (low, high)
            joined.append((last[0], max(last[1], high)))
        made[mark] = tuple((low, None if high == LARGEST_NUMBER else high) for low, high in joined)
    return made


def unmarked(marks: dict[str, Ranges], entry: dict[str, Any]) -> tuple[dict[str, Any], Ranges]:
    """A count without the mark that is printed in its place; and, where it has no limits but the mark's, the ranges of these."""
    bare, mark = {key: value for key, value in entry.items() if key != "mark"}, entry.get("mark")
    if not mark:
        return bare, ()
    text(mark, "a text as name")
    if "count" in bare:
        raise Refused("a mark is printed instead of the number, but a count is given")
    if bare.get("low") is not None or bare.get("high") is not None:
        return bare, ()
    if mark not in marks:
        if bare.get("status"):
            return bare, ()
        raise Refused(f"what the mark {mark[:40]!r} means is not said")
    return {**bare, "low": marks[mark][0][0], "high": marks[mark][-1][1]}, marks[mark]


def either_of(where: Any, ranges: Ranges) -> list[Any]:
    """Alternatives that leave out what lies between ranges of a count: up to the end of one, or from the next one on."""
    terms = [[1, where]]
    return [[{"terms": terms, "high": one[1]}, {"terms": terms, "low": other[0]}] for one, other in pairwise(ranges)]


class Number(NamedTuple):
    """A published number: a count with the ranges that it lies in, or a figure, which has none here."""

    entry: dict[str, Any]
    box: Box
    name: str
    table: str
    label: str
    ranges: Ranges
    figure: bool
    hidden: bool  # a mark or nothing stands in its place
    mark: str = ""

    @property
    def low(self) -> int:
        return self.ranges[0][0]

    @property
    def high(self) -> int | None:
        return self.ranges[-1][1]

    @property
    def exact(self) -> bool:
        """Is it a count that is shown as it is?"""
        return not self.figure and self.low == self.high and not self.hidden

    @property
    def group(self) -> str:
        """The table that it belongs to, which may have no number but this one."""
        return self.table or self.label


def numbers_of(content: Any, release: PlainRelease) -> tuple[Number, ...]:
    """The counts of a release in their order, then its figures."""
    stated, marks = content["statistics"], marks_of(content.get("marks", {}))
    if any("terms" in entry for entry in stated) or content.get("alternatives"):
        raise Refused("weighted sums that are no figures are not judged by this checker")
    made = []
    for entry, statistic in zip((entry for entry in stated if not is_figure(entry)), release.statistics, strict=False):
        ranges = unmarked(marks, entry)[1] or ((statistic.low or 0, statistic.high),)
        made.append(number_of(entry, statistic.about[0][1], ranges))
    figures = [entry for entry in stated if is_figure(entry)]
    made += [number_of(entry, box_of(release.domain, entry.get("where", {})), ()) for entry in figures]
    return tuple(made)


def number_of(entry: Any, box: Box, ranges: Ranges) -> Number:
    name, where, mark = text(entry.get("name", "")), entry.get("where", {}), text(entry.get("mark", ""))
    table = text(entry.get("table", "")) or name.rpartition(".")[0]  # the one that its name starts with, up to the last dot
    codes = {column: [value] if isinstance(value, str) else value for column, value in where.items()}
    about = ", ".join(f"{column}={'|'.join(sorted(codes[column]))}" for column in sorted(codes))
    if not ranges:
        what = f"{entry['measure']} of {entry['of']}" if entry.get("of") else str(entry["measure"])
        about = f"{what} where {about}" if about else what
    not_shown = hidden(entry) or bool(mark)
    return Number(entry, box, name, table, name or about or "number of records", ranges, not ranges, not_shown, mark)


def as_read(policy: PlainPolicy, numbers: Sequence[Number]) -> tuple[Number, ...]:
    """With what a policy says is known of counts that are not shown. Where zeros are shown such a count is at least 1; of a table
    of several counts of which none is shown zeros are gone, too. How large a primary cell is at most is known of those that are
    named.
    """
    if policy.known is None:
        return tuple(numbers)
    seen, made = with_zeros_shown(policy, numbers), []
    for number in numbers:
        ranges = number.ranges
        if number.hidden and not number.figure:
            if number.group in seen:
                ranges = without(ranges, 0, 0)
                if not ranges:
                    raise Refused(f"{number.label} is 0, and zeros are known to be shown")
            if policy.most is not None and isinstance(policy.primary, frozenset) and number.name in policy.primary:
                ranges = without(ranges, policy.most + 1, None)
        made.append(number._replace(ranges=ranges) if ranges else number)  # a mark that can stand for nothing else stays
    return tuple(made)


def with_zeros_shown(policy: PlainPolicy, numbers: Iterable[Number]) -> dict[str, int]:
    """Tables in which a count that is not shown is known not to be 0, and so is at least 1."""
    tables = dict[str, list[bool]]()
    for number in numbers:
        if policy.zeros_shown and not number.figure:
            tables.setdefault(number.group, []).append(number.hidden)
    return {table: 1 for table, hidden in tables.items() if len(hidden) == 1 or not all(hidden)}


def content_of(content: Any, numbers: Iterable[Number]) -> dict[str, Any]:
    """Some numbers as plain data that says what they can be and nothing of marks: gaps become either-ors."""
    entries, alternatives = list[Any](), list[Any]()
    for number in numbers:
        if number.figure:
            entries.append(number.entry)
            continue
        where, high = number.entry.get("where", {}), number.high
        ends = {"low": number.low} | ({} if high is None else {"high": high})
        status = {"status": "withheld"} if number.hidden else {}
        entries.append({"where": where, "name": number.name, "table": number.table, **ends, **status})
        alternatives += either_of(where, number.ranges)
    rest = {key: value for key, value in content.items() if key != "marks"}
    return {**rest, "statistics": entries, **({"alternatives": alternatives} if alternatives else {})}


def meet(one: tuple[int, int | None], other: tuple[int, int | None]) -> bool:
    return (other[1] is None or one[0] <= other[1]) and (one[1] is None or other[0] <= one[1])


def without(ranges: Ranges, low: int, high: int | None) -> Ranges:
    """Ranges less the counts from `low` to `high`."""
    left = list[tuple[int, int | None]]()
    for first, last in ranges:
        if first < low:
            left.append((first, low - 1 if last is None else min(last, low - 1)))
        if high is not None and (last is None or last > high):
            left.append((max(first, high + 1), last))
    return tuple(left)
