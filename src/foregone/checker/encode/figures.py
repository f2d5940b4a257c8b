"""Published sums, means, medians and percentages, as what they say about counts. This page has to be believed.

A *row* is a weighted sum of counts with limits: {"terms": [[weight, where], ...], "low": ..., "high": ...}. A figure becomes some
rows that hold in every dataset that fits, and some pairs of rows of which at least one holds. With n the number of records
that it is taken of, and S the sum of their numbers:

    sum       low <= S <= high
    mean      low n <= S <= high n          percent   low n <= 100 x part <= high n
    median    it is (l + u) / 2, with l the lower and u the upper one of the two middle values (of an odd number l = u), and
              l <= v  exactly when  2 x (number of records up to v) >= n;    u >= w  exactly when  2 x (number from w on) >= n
              (l + u) / 2 >= L  exactly when  for every v < L  l > v or u >= 2L - v;  then also u >= L.   For <= the same mirrored.

Where n is published, plain counts are compared with it; else n is part of the row, and n >= 1 is a row of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import ceil, floor, gcd, lcm
from typing import Any, NamedTuple

from foregone.checker.kernel import TERM, Box, PlainDomain, PlainStatistic
from foregone.checker.read.files import WORDS
from foregone.checker.read.refusal import Refused
from foregone.checker.read.values import box_of, hidden, keyed

Row = dict[str, Any]
Where = dict[str, Any]
Numbers = list[tuple[Fraction, list[str]]]  # ascending, each with the codes that mean it

MEASURES = ("sum", "mean", "median", "percent")
MOST_NUMBERS = 2_000  # that a median can be
MOST_TIMES = 10**100  # common denominator
DECIMAL = re.compile(r"([+-]?)([0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,40})(?:[.]([0-9]{1,40}))?", re.ASCII)
NUMBER = re.compile(r"[+-]?[0-9]{1,30}([.][0-9]{1,30})?", re.ASCII)  # a code: 1,2 and 1/2 may well mean 1 or 2
QUOTIENT = re.compile(r"[+-]?[0-9]{1,40}/[1-9][0-9]{0,40}", re.ASCII)


class Counted(NamedTuple):
    """What figures can be taken of: of each name what the counts with that name are about, and of boxes their exact counts."""

    named: dict[str, list[Any]]
    exact: dict[Box, int]

    @classmethod
    def of(cls, names: Sequence[str], wheres: Sequence[Any], counts: Sequence[PlainStatistic]) -> Counted:
        made = cls({}, {})
        for name, where, count in zip(names, wheres, counts, strict=False):  # sums and figures come after the counts
            made.named.setdefault(name, []).append(where)
            if count.low is not None and count.low == count.high:
                made.exact.setdefault(count.about[0][1], count.low)
        return made


def figure_of(domain: PlainDomain, content: Any, entry: Any, counted: Counted) -> tuple[list[Any], list[Any]]:
    """A figure as weighted sums and alternatives. What it is taken of is a count: what other figures say is not counted again."""
    keyed(entry, ("measure",), ("where", "of", "value", "status", *(word for word in WORDS if word != "count")))
    full_entry = {"where": {}, "of": "", **entry}
    where, of, measure = full_entry["where"], full_entry["of"], entry["measure"]
    box_of(domain, where)
    base, numbers = where, Numbers()
    if measure not in MEASURES or not isinstance(of, str):
        raise Refused(f"the measure is one of {', '.join(MEASURES)}, and it is of a name")
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
        numbers = numbers_of((code for code in content["columns"][of] if code in wanted), given.get(of, {}))
        if measure == "median":  # of each number it tells which codes are on either side
            domain.work.spend(4 * TERM * len(numbers) * len(wanted))
    return translated(full_entry, base, counted.exact.get(box_of(domain, base)), numbers)


def decimal(value: Any) -> tuple[Fraction, int]:
    """A decimal number, exactly, and how many decimals it has."""
    found = DECIMAL.fullmatch(str(value)) if isinstance(value, str | int | float) and not isinstance(value, bool) else None
    if found is None:
        raise Refused("expected a decimal number")
    sign, whole, decimals = found[1], found[2].replace(",", ""), found[3] or ""
    return Fraction(int(sign + whole + decimals), 10 ** len(decimals)), len(decimals)


def exact(value: Any) -> Fraction:
    """A decimal number or a quotient of whole numbers."""
    return Fraction(value) if isinstance(value, str) and QUOTIENT.fullmatch(value) else decimal(value)[0]


def numbers_of(codes: Iterable[str], given: dict[str, Any]) -> Numbers:
    """What codes count as: the number that is given for them, or the one that they are."""
    found = dict[Fraction, list[str]]()
    for code in codes:
        if code not in given and not NUMBER.fullmatch(code):
            raise Refused(f"the code {code!r} is not a number, and none is given for it")
        found.setdefault(exact(given.get(code, code)), []).append(code)
    return sorted(found.items())


def limits_of(entry: dict[str, Any]) -> tuple[Fraction | None, Fraction | None]:
    """The limits of a figure: those given, or half a unit of the last printed decimal to either side, both ends possible."""
    value, ends = entry.get("value", ""), [entry.get(end, "") for end in ("low", "high")]
    if (value != "") == any(end not in ("", None) for end in ends) and (value != "" or not hidden(entry)):
        raise Refused("expected either 'value' or 'low' and 'high'")
    if value != "":
        if hidden(entry):
            raise Refused("withheld, but a value is given")
        bare = value.removesuffix("%").rstrip() if entry["measure"] == "percent" and isinstance(value, str) else value
        middle, decimals = decimal(bare)
        half = Fraction(1, 2 * 10**decimals)
        return middle - half, middle + half
    low, high = (None if end in ("", None) else exact(end) for end in ends)
    if low is not None and high is not None and low > high:
        raise Refused("low is above high")
    return low, high


def row(terms: Iterable[tuple[int, Where]], low: int | None, high: int | None) -> Row:
    return {"terms": [list(term) for term in terms], "low": low, "high": high}


def limited(parts: Iterable[tuple[Fraction, Where]], low: Fraction | None, high: Fraction | None) -> list[Row]:
    """low <= sum <= high in whole numbers without a common factor, so that the limits can be rounded."""
    used = [(weight, where) for weight, where in parts if weight]
    times = 1
    for weight, _ in used:
        times = lcm(times, weight.denominator)
        if times > MOST_TIMES:  # before thousands of such numbers are multiplied
            raise Refused("its numbers have no small common denominator")
    factor = Fraction(times, gcd(*(int(weight * times) for weight, _ in used)) or 1)
    least, most = None if low is None else ceil(low * factor), None if high is None else floor(high * factor)
    if (least is not None and most is not None and least > most) or (not used and not (least or 0) <= 0 <= (most or 0)):
        raise Refused("no data have this figure")
    return [row(((int(weight * factor), where) for weight, where in used), least, most)] if used else []


def translated(entry: dict[str, Any], base: Where, n: int | None, numbers: Numbers) -> tuple[list[Row], list[tuple[Row, Row]]]:
    """What a figure says. `base` is what it is taken of, n its published number, `numbers` what the figure's column can be."""
    measure, of, where, (low, high) = entry["measure"], entry["of"], entry["where"], limits_of(entry)
    rows, pairs = list[Row](), list[tuple[Row, Row]]()
    if measure != "sum" and not hidden(entry):
        if n == 0:
            raise Refused("it is taken of nobody")
        if n is None:
            rows.append(row([(1, base)], 1, None))
    if measure == "median":
        if len(numbers) > MOST_NUMBERS:
            raise Refused(f"a median of more than {MOST_NUMBERS:,} different numbers, too many for this checker")
        more, pairs = median(base, of, n, numbers, low, high, hidden(entry))
        return rows + more, pairs
    parts = [(number, {**where, of: codes}) for number, codes in numbers] or [(Fraction(100), where)]  # a percentage has no numbers
    if measure == "mean" and ((low is not None and low > numbers[-1][0]) or (high is not None and high < numbers[0][0])):
        raise Refused("the mean is outside what the column can be")
    if measure == "sum":
        return rows + limited(parts, low, high), pairs
    if measure == "percent" and hidden(entry) and not n:  # nothing is said if there is nobody to take it of
        ends = [] if n == 0 else [(end, place) for place, end in enumerate((low, high)) if end is not None]
        for end, place in ends:
            (made,) = limited([*parts, (-end, base)], *((Fraction(0), None) if place == 0 else (None, Fraction(0))))
            pairs.append((row([(1, base)], None, 0), made))
        return rows, pairs
    if n is not None:
        return rows + limited(parts, None if low is None else low * n, None if high is None else high * n), pairs
    for least, most in [(low, high)] if low == high else [(low, None), (None, high)]:
        ratio = most if least is None else least
        if ratio is not None:
            each = [*parts, (-ratio, base)] if measure == "percent" else [(number - ratio, part) for number, part in parts]
            rows += limited(each, None if least is None else Fraction(0), None if most is None else Fraction(0))
    return rows, pairs


def median(
    base: Where, of: str, n: int | None, numbers: Numbers, low: Fraction | None, high: Fraction | None, withheld: bool
) -> tuple[list[Row], list[tuple[Row, Row]]]:
    def half(codes: list[str]) -> Row:
        """At least half of the records have one of these codes."""
        part = {**base, of: codes}
        return row([(2, part), (-1, base)], 0, None) if n is None else row([(1, part)], (n + 1) // 2, None)

    def fewer(codes: list[str]) -> Row:
        part = {**base, of: codes}
        return row([(2, part), (-1, base)], None, -1) if n is None else row([(1, part)], None, (n + 1) // 2 - 1)

    rows, pairs = list[Row](), list[tuple[Row, Row]]()
    for sign, bound in ((1, low), (-1, high)):  # mirrored, at most is at least
        if bound is None or n == 0:
            continue
        line, goal = sorted((sign * number, codes) for number, codes in numbers), sign * bound
        rows.append(half([code for number, codes in line if number >= goal for code in codes]))
        said = dict[tuple[str, ...], list[str]]()  # of several v with the same other side the last one says most
        for v in (number for number, _ in line if number < goal and (n is None or n % 2 == 0)):
            other = tuple(code for number, codes in line if number >= 2 * goal - v for code in codes)
            said[other] = [code for number, codes in line if number <= v for code in codes]
        for other, beyond in said.items():
            if other:
                pairs.append((fewer(beyond), half(list(other))))
            elif n is None and withheld:  # nothing is said if there is nobody
                pairs.append((fewer(beyond), row([(1, base)], None, 0)))
            else:
                rows.append(fewer(beyond))
    return rows, pairs
