"""A release as plain rows, made from plain data; `files` reads the data.

A box has a set of codes for each column; a set of codes is a whole number whose bit i tells whether the column's code i is
in it. Predicates are boxes. Only the columns that a box restricts are written down.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from functools import reduce
from itertools import pairwise
from operator import and_
from typing import Any, NamedTuple

from foregone.checker import figures
from foregone.checker.refusal import TERM, Refused, Work, at

Box = tuple[tuple[int, int], ...]  # (column, codes as bits), columns in order
Form = tuple[tuple[int, Box], ...]  # whole weights: the sum of weight times matching records

LARGEST_NUMBER = 10**100
MOST_CODES = 50_000  # of a column
MOST_ENTRIES = 3_000_000  # statistics, or rules
COUNT = re.compile(r"[0-9]{1,30}", re.ASCII)
RANGE = re.compile(r"([0-9]{1,18})(?:[.][.]([0-9]{0,18}))?", re.ASCII)  # of counts that a mark can stand for
MOST_RANGES = 20
MOST_SETS = 4_096  # of codes of one column that claims may name
RESERVED = WORDS = ("name", "table", "count", "low", "high")  # columns of statistics.csv that are no columns of the domain


class Statistic(NamedTuple):
    """low <= value of the form <= high in every dataset that fits; None leaves an end open."""

    about: Form
    low: int | None
    high: int | None


class Limit(NamedTuple):
    """The value of the form is at most a number; one of the two sides of an either-or."""

    about: Form
    most: int


class Domain(NamedTuple):
    """The columns, numbered, and the codes of each, numbered; and the work done on a file about them."""

    columns: dict[str, int]
    codes: tuple[dict[str, int], ...]
    work: Work


class Release(NamedTuple):
    """The domain, what was published, boxes that no record is in, pairs of limits of which one holds, a fingerprint of all of it,
    the boxes whose groups of codes claims may name, and the names of the counts, which are the first of the statistics."""

    domain: Domain
    statistics: tuple[Statistic, ...]
    rules: tuple[Box, ...]
    eithers: tuple[tuple[Limit, Limit], ...]
    fingerprint: str
    named: tuple[Box, ...] = ()
    names: tuple[str, ...] = ()


class Counted(NamedTuple):
    """What figures can be taken of: of each name what the counts with that name are about, and of boxes their exact counts."""

    named: dict[str, list[Any]]
    exact: dict[Box, int]


def release_of(content: Any) -> Release:
    """A release from plain data: columns with their codes, statistics ('where' or 'terms', 'count' or 'low' and 'high'; or a
    figure with 'measure', 'of' and 'value'), rules, and alternatives (pairs of statistics with 'terms' and one of 'low' and
    'high'). Counts come first, then weighted sums, then what the figures say."""
    keyed(content, ("columns", "statistics"), ("labels", "record", "rules", "alternatives", "numbers", "groups", "marks"))
    marks = marks_of(content.get("marks", {}))
    columns, stated, ruled, paired = (content.get(key, []) for key in ("columns", "statistics", "rules", "alternatives"))
    if not isinstance(columns, dict) or not columns or not all(isinstance(part, list) for part in (stated, ruled, paired)):
        raise Refused("expected columns with their codes, a list of statistics, and lists of rules and alternatives")
    if max(len(stated), len(ruled), len(paired)) > MOST_ENTRIES:
        raise Refused(f"more than {MOST_ENTRIES:,} statistics or rules, too many for this checker")
    for name, codes in columns.items():
        if not isinstance(codes, list | dict) or not 0 < len(codes) <= MOST_CODES or len(set(map(str, codes))) < len(codes):
            raise Refused(f"column {name}: expected codes, each once, at most {MOST_CODES:,}")
        for text in (name, *codes):
            if not isinstance(text, str) or not text or text != text.strip() or "|" in text or name in RESERVED:
                raise Refused(f"column {name}: {text!r} cannot be used: empty, reserved, or with '|' or blanks around it")
    numbered = [{code: i for i, code in enumerate(codes)} for codes in columns.values()]
    domain = Domain({name: c for c, name in enumerate(columns)}, tuple(numbered), Work())
    statistics, rules, counts, sums = list[Statistic](), list[Box](), list[Any](), list[Any]()
    kinds = [2 if is_figure(entry) else int(isinstance(entry, dict) and "terms" in entry) for entry in stated]
    measured = 2 in kinds
    figured, named, names, counted = list[tuple[Any, Any]](), list[Box](), list[str](), Counted({}, {})
    between = list[tuple[Any, Any]]()
    for kind, number in sorted(zip(kinds, range(1, len(stated) + 1), strict=True)):
        entry = stated[number - 1]
        with at(f"statistic {number}"):
            if kind == 0:
                entry, gaps = unmarked(marks, entry)
                statistics.append(_statistic(domain, entry))
                between += [_between(entry, gap) for gap in gaps]
                counts.append([_sorted(entry.get("where", {})), *statistics[-1][1:]])
                named.append(statistics[-1].about[0][1])
                names.append(_text(entry.get("name", "")))
                if measured:
                    _count_in(counted, entry, statistics[-1])
                continue
            said, choices = _figure(domain, content, entry, counted) if kind == 2 else ([entry], [])
            for row in said:
                statistics.append(_statistic(domain, row))
                sums.append(_meaning(row, statistics[-1]))
            figured += choices
            # of a figure only what it is about can be named: thresholds of a median are in no table
            named += [box_of(domain, entry.get("where", {}))] if kind == 2 else [box for _, box in statistics[-1].about]
    for number, where in enumerate(ruled, start=1):
        with at(f"rule {number}"):
            rules.append(box_of(domain, where))
            if not where:
                raise Refused("names no column, which would forbid every record")
    eithers, sided = list[tuple[Limit, Limit]](), list[Any]()
    for number, sides in enumerate([*paired, *between, *figured], start=1):
        with at(f"alternative {number}"):
            ((left, right),) = pairs([sides])
            one, other = _statistic(domain, left), _statistic(domain, right)
            eithers.append((_limit(one), _limit(other)))
            sided.append([_meaning(left, one), _meaning(right, other)])
    meaning = {"columns": [[name, list(codes)] for name, codes in columns.items()], "statistics": counts}
    meaning |= {"rules": [_sorted(where) for where in ruled], **({"statements": sums} if sums else {})}
    meaning |= {"alternatives": sided} if sided else {}
    fingerprint = hashlib.sha256(json.dumps(meaning, separators=(",", ":")).encode()).hexdigest()
    named += _declared(domain, content.get("groups", {}))
    return Release(domain, tuple(statistics), tuple(rules), tuple(eithers), fingerprint, tuple(named), tuple(names))


def marks_of(value: Any) -> dict[str, list[tuple[int, int | None]]]:
    """Texts that are printed instead of a count, with the counts that each can stand for: ranges, in order, with gaps between."""
    if not isinstance(value, dict) or not all(isinstance(text, str) for text in value.values()):
        raise Refused("marks: expected an object mark -> the counts it stands for, such as 0|5..")
    made = dict[str, list[tuple[int, int | None]]]()
    for mark, text in value.items():
        parts = [RANGE.fullmatch(part.strip()) for part in text.split("|")]
        found = sorted((int(p[1]), int(p[1]) if p[2] is None else int(p[2]) if p[2] else LARGEST_NUMBER) for p in parts if p)
        if len(found) < len(parts) or len(parts) > MOST_RANGES or any(low > high for low, high in found):
            raise Refused(f"marks: {mark[:40]!r} should mean counts such as 1..4 or 0|5.. (at most {MOST_RANGES} ranges)")
        joined = list[tuple[int, int]]()
        for low, high in found:
            last = joined.pop() if joined and low <= joined[-1][1] + 1 else (low, high)
            joined.append((last[0], max(last[1], high)))
        made[mark] = [(low, None if high == LARGEST_NUMBER else high) for low, high in joined]
    return made


def unmarked(marks: dict[str, list[tuple[int, int | None]]], entry: Any) -> tuple[Any, list[tuple[int, int]]]:
    """A count as if no mark were printed in its place; and, where it has no limits but the mark's, the gaps between these."""
    if not isinstance(entry, dict) or not entry.get("mark"):
        return ({k: v for k, v in entry.items() if k != "mark"} if isinstance(entry, dict) else entry), []
    bare, mark = {key: value for key, value in entry.items() if key != "mark"}, _text(entry["mark"])
    if "count" in bare:
        raise Refused("a mark is printed instead of the number, but a count is given")
    if bare.get("low") is not None or bare.get("high") is not None:
        return bare, []
    if mark not in marks:
        if bare.get("status"):
            return bare, []
        raise Refused(f"what the mark {mark[:40]!r} means is not said")
    (low, _), *_, (_, high) = [*marks[mark], marks[mark][-1]]
    gaps = [(one[1] + 1, other[0] - 1) for one, other in pairwise(marks[mark]) if one[1] is not None]
    return {**bare, "low": low, "high": high}, gaps


def _between(entry: Any, gap: tuple[int, int]) -> tuple[Any, Any]:
    """The count is below a gap or above it."""
    terms = [[1, entry.get("where", {})]]
    return {"terms": terms, "high": gap[0] - 1}, {"terms": terms, "low": gap[1] + 1}


def _declared(domain: Domain, groups: Any) -> tuple[Box, ...]:
    """Groups of codes that have a name: column -> name -> list of codes."""
    made = list[Box]()
    if not isinstance(groups, dict):
        raise Refused("groups: expected an object column -> name -> codes")
    for column, named in groups.items():
        with at(f"groups of {column}"):
            if not isinstance(named, dict) or not all(isinstance(codes, list) for codes in named.values()):
                raise Refused("expected an object name -> list of codes")
            made += [box_of(domain, {column: codes}) for codes in named.values()]
    return tuple(made)


def families(release: Release) -> list[list[int]] | None:
    """For each column the sets of codes that claims may name besides single codes: those that a statistic or a declared
    group names, and what they have in common. None when they are too many."""
    domain = release.domain
    found: list[set[int]] = [set() for _ in domain.codes]
    for box in release.named:
        for c, codes in box:
            if codes & (codes - 1):
                found[c].add(codes)
    for named in found:
        todo = list(named)
        if len(todo) > MOST_SETS:
            return None
        for codes in todo:  # grows
            for other in list(named):
                shared = codes & other
                if shared & (shared - 1) and shared not in named:
                    if len(named) > MOST_SETS:
                        return None
                    named.add(shared)
                    todo.append(shared)
    return [sorted(named) for named in found]


def nameable(release: Release, box: Box, groups: bool) -> bool:
    """May a claim name these codes? Single ones it may; several, if they are what some groups of the release have in common."""
    for c, codes in box:
        if codes & (codes - 1):
            release.domain.work.spend(TERM * len(release.named))
            around = [side for named in release.named for at, side in named if at == c and not codes & ~side] if groups else []
            if not around or reduce(and_, around) != codes:
                return False
    return True


def _statistic(domain: Domain, entry: Any) -> Statistic:
    """A count, which is from 0 up; or a weighted sum of counts, which has the limits that are given and no others."""
    keyed(entry, (), ("where", "terms", "measure", "status", *WORDS))
    exact, weighted = "count" in entry, "terms" in entry
    withheld, limited = figures.hidden(entry), "low" in entry or "high" in entry
    if (exact if withheld else exact == limited) or (weighted and ("where" in entry or withheld)):
        raise Refused("expected either 'count' or 'low' and 'high', and either 'where' or 'terms'")
    low, high = (entry["count"],) * 2 if exact else (entry.get("low", None if weighted else 0), entry.get("high"))
    if exact and isinstance(low, str) and not COUNT.fullmatch(low):
        low, high = figures.count_range(low)
    if low is None and (exact or not weighted):
        raise Refused("expected a whole number")
    form = form_of(domain, entry["terms"]) if weighted else ((1, box_of(domain, entry.get("where", {}))),)
    least = -LARGEST_NUMBER if weighted else 0
    return Statistic(form, None if low is None else whole(low, least), None if high is None else whole(high, least))


def is_figure(entry: Any) -> bool:
    return isinstance(entry, dict) and entry.get("measure", "") not in ("", "count")


def _count_in(counted: Counted, entry: Any, statistic: Statistic) -> None:
    counted.named.setdefault(entry.get("name", ""), []).append(entry.get("where", {}))
    if statistic.low is not None and statistic.low == statistic.high:
        counted.exact.setdefault(statistic.about[0][1], statistic.low)


def _figure(domain: Domain, content: Any, entry: Any, counted: Counted) -> tuple[list[Any], list[Any]]:
    """A figure as weighted sums and alternatives. What it is taken of is a count: what other figures say is not counted again."""
    keyed(entry, ("measure",), ("where", "of", "value", "status", *(word for word in WORDS if word != "count")))
    full_entry = {"where": {}, "of": "", **entry}
    where, of, measure = full_entry["where"], full_entry["of"], entry["measure"]
    box_of(domain, where)
    base, numbers = where, figures.Numbers()
    if measure not in figures.MEASURES or not isinstance(of, str):
        raise Refused(f"the measure is one of {', '.join(figures.MEASURES)}, and it is of a name")
    if measure == "percent":
        found = counted.named.get(of, []) if of else [{}]
        if len(found) != 1:
            raise Refused("a percentage is of one count, whose name it gives, or of all records")
        base = found[0]
    elif of not in domain.columns:
        raise Refused("expected the name of a column in 'of'")
    else:
        given = content.get("numbers", {})
        if not isinstance(given, dict) or not isinstance(given.get(of, {}), dict):
            raise Refused("expected numbers as column -> code -> number")
        allowed = [where[of]] if isinstance(where.get(of), str) else where.get(of, list(content["columns"][of]))
        wanted = set(allowed)
        numbers = figures.numbers_of((code for code in content["columns"][of] if code in wanted), given.get(of, {}))
        if measure == "median":  # of each number it tells which codes are on either side
            domain.work.spend(4 * TERM * len(numbers) * len(wanted))
    return figures.translated(full_entry, base, counted.exact.get(box_of(domain, base)), numbers)


def _limit(side: Statistic) -> Limit:
    """A side of an either-or: at least so many is at most, for the opposite numbers."""
    if (side.low is None) == (side.high is None):
        raise Refused("each side has a low or a high, and not both")
    if side.high is not None:
        return Limit(side.about, side.high)
    return Limit(tuple((-weight, box) for weight, box in side.about), -(side.low or 0))


def _meaning(entry: Any, statistic: Statistic) -> list[Any]:
    if "terms" not in entry:
        raise Refused("expected 'terms'")
    return [[[weight, _sorted(where)] for weight, where in entry["terms"]], statistic.low, statistic.high]


def _sorted(where: dict[str, Any]) -> list[list[Any]]:
    return [[name, sorted([codes] if isinstance(codes, str) else codes)] for name, codes in sorted(where.items())]


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise Refused("expected a text as name")
    return value


def keyed(entry: Any, needed: tuple[str, ...], further: tuple[str, ...] = ()) -> Any:
    """An object with these keys and no others."""
    if not isinstance(entry, dict) or not set(needed) <= set(entry) <= {*needed, *further}:
        raise Refused(f"expected an object with {', '.join(needed)}; it may also have {', '.join(further) or 'nothing else'}")
    return entry


def whole(value: Any, least: int = -LARGEST_NUMBER) -> int:
    """A whole number of bounded size; true and 1.0 are none."""
    if type(value) is not int or not least <= value <= LARGEST_NUMBER:
        raise Refused("expected a whole number" + (f" from {least} up" if least > -LARGEST_NUMBER else ""))
    return value


def pairs(value: Any) -> list[tuple[Any, Any]]:
    """A list of pairs."""
    if not isinstance(value, list) or not all(isinstance(pair, list | tuple) and len(pair) == 2 for pair in value):
        raise Refused("expected a list of pairs")
    return [(first, second) for first, second in value]


def box_of(domain: Domain, where: Any) -> Box:
    """Columns with a code or a list of different codes each, as a box."""
    if not isinstance(where, dict):
        raise Refused("expected an object column -> codes")
    sides = dict[int, int]()
    for name, value in where.items():
        if name not in domain.columns:
            raise Refused(f"{name[:40]!r} is not a column")
        codes, named = domain.codes[domain.columns[name]], [value] if isinstance(value, str) else value
        if not isinstance(named, list) or not named or not all(isinstance(code, str) and code in codes for code in named):
            raise Refused(f"column {name}: expected a code of this column, or a list of such codes")
        if len(set(named)) < len(named):
            raise Refused(f"column {name}: a code is named twice")
        domain.work.spend(64 * len(codes))  # memory is dearer than time
        sides[domain.columns[name]] = bits(codes[code] for code in named)
    return tuple((c, side) for c, side in sorted(sides.items()) if side != full(domain, c))


def form_of(domain: Domain, value: Any) -> Form:
    return tuple((whole(weight), box_of(domain, where)) for weight, where in pairs(value))


def bits(positions: Iterable[int]) -> int:
    """A set of positions as a number; a position given twice is there once."""
    made = 0
    for position in positions:
        made |= 1 << position
    return made


def full(domain: Domain, c: int) -> int:
    return (1 << len(domain.codes[c])) - 1
