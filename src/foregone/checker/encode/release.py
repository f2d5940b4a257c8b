"""A release as rows of the kernel, made from plain data. What marks and figures mean is on pages of their own."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

from foregone.checker.kernel import Box, PlainDomain, PlainRelease, PlainStatistic, Row, neg
from foregone.checker.read.files import MOST_ENTRIES, WORDS, read_content
from foregone.checker.read.refusal import CountedWork, Refused, at
from foregone.checker.read.values import LARGEST_NUMBER, box_of, count_range, form_of, hidden, is_figure, keyed, pairs, text, whole

MOST_CODES = 50_000  # of a column
MOST_SETS = 4_096  # of codes of one column that claims may name
COUNT = re.compile(r"[0-9]{1,30}", re.ASCII)


def read_release(path: Path) -> PlainRelease:
    """A release folder, or a release in one .json file."""
    content = read_content(path)
    with at(path):
        return release_of(content)


def release_of(content: Any) -> PlainRelease:
    """A release from plain data: columns with their codes, statistics ('where' or 'terms', 'count' or 'low' and 'high'; or a
    figure with 'measure', 'of' and 'value'), rules, and alternatives (pairs of statistics with 'terms' and one of 'low' and
    'high'). Counts come first, then weighted sums, then what the figures say."""
    keyed(content, ("columns", "statistics"), ("labels", "record", "rules", "alternatives", "numbers", "groups", "marks"))
    marks = dict[str, Any]()
    if content.get("marks", {}) != {}:
        from foregone.checker.encode.marks import marks_of

        marks = marks_of(content["marks"])
    columns, stated, ruled, paired = (content.get(key, []) for key in ("columns", "statistics", "rules", "alternatives"))
    if not isinstance(columns, dict) or not columns or not all(isinstance(part, list) for part in (stated, ruled, paired)):
        raise Refused("expected columns with their codes, a list of statistics, and lists of rules and alternatives")
    if max(len(stated), len(ruled), len(paired)) > MOST_ENTRIES:
        raise Refused(f"more than {MOST_ENTRIES:,} statistics or rules, too many for this checker")
    domain = _domain(columns)
    statistics, rules, counts, sums = list[PlainStatistic](), list[Box](), list[Any](), list[Any]()
    kinds = [2 if is_figure(entry) else int(isinstance(entry, dict) and "terms" in entry) for entry in stated]
    named, names, wheres = list[Box](), list[str](), list[Any]()
    between, figured, counted = list[Any](), list[Any](), None
    for kind, number in sorted(zip(kinds, range(1, len(stated) + 1), strict=True)):
        entry = stated[number - 1]
        with at(f"statistic {number}"):
            if kind == 0:
                if isinstance(entry, dict) and "mark" in entry:
                    from foregone.checker.encode.marks import either_of, unmarked

                    entry, ranges = unmarked(marks, entry)
                    between += either_of(entry.get("where", {}), ranges)
                statistics.append(statistic := _statistic(domain, entry))
                where = entry.get("where", {})
                counts.append([_sorted(where), *statistic[1:]])
                named.append(statistic.about[0][1])
                names.append(text(entry.get("name", ""), "a text as name"))
                wheres.append(where)
                continue
            said = [entry]
            if kind == 2:
                from foregone.checker.encode.figures import Counted, figure_of

                counted = counted or Counted.of(names, wheres, statistics)
                said, choices = figure_of(domain, content, entry, counted)
                figured += choices
            for row in said:
                statistics.append(_statistic(domain, row))
                sums.append(_meaning(row, statistics[-1]))
            # of a figure only what it is about can be named: thresholds of a median are in no table
            named += [box_of(domain, entry.get("where", {}))] if kind == 2 else [box for _, box in statistics[-1].about]
    for number, where in enumerate(ruled, start=1):
        with at(f"rule {number}"):
            rules.append(box_of(domain, where))
            if not where:
                raise Refused("names no column, which would forbid every record")
    eithers, sided = list[tuple[Row, Row]](), list[Any]()
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
    return PlainRelease(domain, tuple(statistics), tuple(rules), tuple(eithers), fingerprint, tuple(named), tuple(names))


def _domain(columns: dict[str, Any]) -> PlainDomain:
    for name, codes in columns.items():
        if not isinstance(codes, list | dict) or not 0 < len(codes) <= MOST_CODES or len(set(map(str, codes))) < len(codes):
            raise Refused(f"column {name}: expected codes, each once, at most {MOST_CODES:,}")
        for word in (name, *codes):
            if not isinstance(word, str) or not word or word != word.strip() or "|" in word or name in WORDS:
                raise Refused(f"column {name}: {word!r} cannot be used: empty, reserved, or with '|' or blanks around it")
    numbered = tuple({code: i for i, code in enumerate(codes)} for codes in columns.values())
    return PlainDomain({name: c for c, name in enumerate(columns)}, numbered, CountedWork())


def _declared(domain: PlainDomain, groups: Any) -> list[Box]:
    """Groups of codes that have a name: column -> name -> list of codes."""
    made = list[Box]()
    if not isinstance(groups, dict):
        raise Refused("groups: expected an object column -> name -> codes")
    for column, named in groups.items():
        with at(f"groups of {column}"):
            if not isinstance(named, dict) or not all(isinstance(codes, list) for codes in named.values()):
                raise Refused("expected an object name -> list of codes")
            made += [box_of(domain, {column: codes}) for codes in named.values()]
    return made


def families(release: PlainRelease) -> list[list[int]] | None:
    """For each column the sets of codes that claims may name besides single codes: those that a statistic or a declared
    group names, and what they have in common. None when they are too many."""
    found: list[set[int]] = [set() for _ in release.domain.codes]
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


def _statistic(domain: PlainDomain, entry: Any) -> PlainStatistic:
    """A count, which is from 0 up; or a weighted sum of counts, which has the limits that are given and no others."""
    keyed(entry, (), ("where", "terms", "measure", "status", *WORDS))
    exact, weighted = "count" in entry, "terms" in entry
    withheld, limited = hidden(entry), "low" in entry or "high" in entry
    if (exact if withheld else exact == limited) or (weighted and ("where" in entry or withheld)):
        raise Refused("expected either 'count' or 'low' and 'high', and either 'where' or 'terms'")
    low, high = (entry["count"],) * 2 if exact else (entry.get("low", None if weighted else 0), entry.get("high"))
    if exact and isinstance(low, str) and not COUNT.fullmatch(low):
        low, high = count_range(low)
    if low is None and (exact or not weighted):
        raise Refused("expected a whole number")
    form = form_of(domain, entry["terms"]) if weighted else ((1, box_of(domain, entry.get("where", {}))),)
    least = -LARGEST_NUMBER if weighted else 0
    return PlainStatistic(form, None if low is None else whole(low, least), None if high is None else whole(high, least))


def _limit(side: PlainStatistic) -> Row:
    """A side of an either-or: at least so many is at most, for the opposite numbers."""
    if (side.low is None) == (side.high is None):
        raise Refused("each side has a low or a high, and not both")
    return Row(side.about, side.high) if side.high is not None else Row(neg(side.about), -(side.low or 0))


def _meaning(entry: Any, statistic: PlainStatistic) -> list[Any]:
    if "terms" not in entry:
        raise Refused("expected 'terms'")
    return [[[weight, _sorted(where)] for weight, where in entry["terms"]], statistic.low, statistic.high]


def _sorted(where: dict[str, Any]) -> list[list[Any]]:
    return [[name, sorted([codes] if isinstance(codes, str) else codes)] for name, codes in sorted(where.items())]
