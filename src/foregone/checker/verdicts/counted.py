"""How many datasets fit a small release, and in what share of them a claim holds: counted again, and compared with a file.

Nothing in the file helps: the checker counts by itself, in another way than what wrote the file. Records that no row and no claim
tells apart are one *kind*. Kinds are gone through one after the other; a table says in how many ways those so far lead to
each combination of sums. A row is closed, and its limits are asked for, when no later kind counts in it. A dataset is a multiset of
records; with c records of a kind that has m of the M possible records, the kind contributes

    histograms  the number of multisets, (c + m - 1)! / (c! (m - 1)!)
    uniform     m^c / c!                                  a dataset of N records times N! / M^N
    polya:A     (a)_c / c! with a = A m / M               a dataset of N records times N! / (A)_N,    (x)_n = x (x+1) ... (x+n-1)

where M counts all combinations of codes, forbidden ones included. What takes more than a fixed amount of work is not counted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import comb, prod
from typing import Any, NamedTuple

from foregone.checker.kernel import Box, Fails, Form, PlainRelease
from foregone.checker.read.proofs import Sealed, opened
from foregone.checker.read.refusal import Refused, at, said
from foregone.checker.read.values import box_of, entries, keyed, text, whole, words_of

FORMAT, VERSION = "foregone-count", 1
KEYS = ("format", "version", "tool", "release", "datasets", "shares", "digest")
COUNT = Sealed(FORMAT, VERSION, "a file about the number of datasets", " with likely --proofs", KEYS)
MOST_STEPS = 1_000_000  # of all counts of a file; some seconds
MOST_KINDS = 50_000
MOST_ALIKE = 2_000  # records of one kind
DIGITS = re.compile(r"[0-9]{1,4000}", re.ASCII)
QUOTIENT = re.compile(r"[0-9]{1,2000}(/[1-9][0-9]{0,2000})?", re.ASCII)
POLYA = re.compile(r"polya:([0-9]{1,10}([./][0-9]{1,10})?)", re.ASCII)
UNIFORM, HISTOGRAMS = "uniform", "histograms"
UNCOUNTED = "counting again takes more work than this checker does"
UNKNOWN = "the checker does not count with this prior"


class Uncounted(Exception):
    """It cannot be counted here; the text says why. This is no reason to reject a file."""


@dataclass
class Recounted:
    """What was counted again and found to be the same, what was not the same, and what was not counted again."""

    accepted: int = 0
    datasets: int | None = None
    rejected: list[str] = field(default_factory=list)
    unproved: list[str] = field(default_factory=list)


def check_count(release: PlainRelease, document: Any) -> Recounted:
    """Count again what a file says was counted."""
    result, left = Recounted(), [MOST_STEPS]
    release.domain.work.spent = 0
    try:
        file = opened(release, document, COUNT)
        stated = int(text(file["datasets"])) if DIGITS.fullmatch(text(file["datasets"])) else None
        if stated is None:
            raise Refused("datasets: expected a whole number, as a text")
        shares = [_share(release, number, entry) for number, entry in enumerate(entries(file["shares"]), start=1)]
    except Fails as error:
        result.rejected.append(said(error))
        return result
    try:
        found = _weights(release, (), HISTOGRAMS, left)
        counted = int(sum(found.values()))
        if counted == stated:
            result.accepted, result.datasets = 1, counted
        else:
            result.rejected.append(f"{_short(counted)} datasets fit, and not {_short(stated)}")
    except Uncounted as error:
        result.unproved.append(f"that {_short(stated)} datasets fit: {error}")
    for box, count, prior, share in shares:
        claim = f"the share of '{words_of(release.domain, box)}' with {count}, by {prior}"
        try:
            found = _weights(release, box, prior, left)
            total = sum(found.values())
            if not total:
                result.rejected.append(f"{claim}: no dataset fits")
            elif (right := Fraction(found.get(count, 0)) / total) == share:
                result.accepted += 1
            else:
                result.rejected.append(f"{claim}: is about {float(right):.6g} and not {float(share):.6g}")
        except Uncounted as error:
            result.unproved.append(f"{claim}: {error}")
    return result


def _share(release: PlainRelease, number: int, entry: Any) -> tuple[Box, int, str, Fraction]:
    with at(f"share {number}"):
        keyed(entry, ("where", "count", "prior", "share"))
        box, count, prior = box_of(release.domain, entry["where"]), whole(entry["count"], 0), text(entry["prior"])
        if not QUOTIENT.fullmatch(text(entry["share"])):
            raise Refused("expected a share as a quotient of whole numbers, in a text")
        return box, count, prior, Fraction(entry["share"])


def _short(number: int) -> str:
    return f"{number:,}" if number < 10**15 else f"about {number:.2e}" if number < 10**300 else "more than 10^300"


# ---------------------------------------------------------------- kinds of record


class Line(NamedTuple):
    """A sum over all records that has to lie within limits; None leaves an end open."""

    about: Form
    low: int | None
    high: int | None


class KindOfRecord(NamedTuple):
    """Records that count alike in every line: what one of them adds to each, and how many different ones there are."""

    adds: tuple[int, ...]
    different: int


def _kinds(release: PlainRelease, lines: Sequence[Line], left: list[int]) -> list[KindOfRecord]:
    """Every kind of record that no rule forbids, and no number that is 0. Column by column, with one bit for each box that a record
    is inside of so far."""
    rules = set(release.rules)
    boxes = list({box for line in lines for _, box in line.about} | rules)
    place = {box: 1 << i for i, box in enumerate(boxes)}
    nobody = {box for line in lines if line.high == 0 and all(w > 0 for w, _ in line.about) for _, box in line.about}
    ends = [max((c for c, _ in box), default=0) for box in boxes]  # the column after which it is known who is inside
    fatal = [0] * len(release.domain.codes)
    for box, end in zip(boxes, ends, strict=True):
        fatal[end] |= place[box] if box in nobody or box in rules else 0
    known = {(1 << len(boxes)) - 1: 1}
    for c, codes in enumerate(release.domain.codes):
        inside = dict[int, int]()  # which boxes allow a code, and how many codes are alike
        limits = [(place[box], side) for box in boxes for column, side in box if column == c]
        free = (1 << len(boxes)) - 1 - sum(bit for bit, _ in limits)
        for code in codes.values():
            mask = free + sum(bit for bit, side in limits if side >> code & 1)
            inside[mask] = inside.get(mask, 0) + 1
        merged = dict[int, int]()
        _spend(left, len(known) * len(inside))
        for mask, number in known.items():
            for other, alike in inside.items():
                if not mask & other & fatal[c]:
                    merged[mask & other] = merged.get(mask & other, 0) + number * alike
        known = merged
        if len(known) > MOST_KINDS:
            raise Uncounted(UNCOUNTED)
    made = dict[tuple[int, ...], int]()
    for mask, number in known.items():
        adds = tuple(sum(weight for weight, box in line.about if mask & place[box]) for line in lines)
        made[adds] = made.get(adds, 0) + number
    return [KindOfRecord(adds, number) for adds, number in made.items()]


def _spend(left: list[int], steps: int) -> None:
    left[0] -= steps
    if left[0] < 0:
        raise Uncounted(UNCOUNTED)


# ---------------------------------------------------------------- counting


def _weights(release: PlainRelease, box: Box, prior: str, left: list[int]) -> dict[int, Fraction]:
    """For each number of records in a box, the weight of all datasets that fit and have so many."""
    concentration, everybody = _concentration(prior), prod(map(len, release.domain.codes))
    # the first two lines limit nothing: all records, and those in the box; then what is published, then both sides of either-ors
    lines = [Line(((1, ()),), None, None), Line(((1, box),), None, None), *(Line(*stated) for stated in release.statistics)]
    sides = range(len(lines), len(lines) + 2 * len(release.eithers))
    mosts = [row.most for pair in release.eithers for row in pair]
    lines += [Line(row.about, None, None) for pair in release.eithers for row in pair]
    kinds = _in_order(lines, _alive(lines, _kinds(release, lines, left)))
    signed = {line for kind in kinds for line, add in enumerate(kind.adds) if add < 0}
    last = {line: at_kind for at_kind, kind in enumerate(kinds) for line, add in enumerate(kind.adds) if add}
    ends = {line: last.get(line, -1) for line in range(len(lines))} | {0: len(kinds), 1: len(kinds)}  # when each is closed
    for one in sides[::2]:
        ends[one] = ends[one + 1] = max(ends[one], ends[one + 1])
    held = list[int]()  # the lines that are open
    table: dict[tuple[int, ...], int] = {(): 1}  # and in how many ways their sums come about
    for at_kind in range(-1, len(kinds)):
        adding = {} if at_kind < 0 else {line: add for line, add in enumerate(kinds[at_kind].adds) if add}
        both = [*held, *(line for line in adding if line not in held)]
        place = {line: i for i, line in enumerate(both)}
        held = [line for line in both if ends[line] > at_kind]
        stay = [place[line] for line in held]
        adds = [(place[line], add) for line, add in adding.items()]
        bounded = [(line, add, lines[line].high) for line, add in adding.items() if line not in signed]
        caps = [(place[line], add, high) for line, add, high in bounded if high is not None]
        if adding and not caps:
            raise Uncounted("nothing that the checker sees limits the number of records")
        # what is asked of the lines that are closed now; a line that nobody ever counted in is in the last place, which stays 0
        limits = [(place.get(i, -1), lines[i].low, lines[i].high) for i in range(2, sides.start) if ends[i] == at_kind]
        choices = [
            (place.get(one, -1), mosts[one - sides.start], place.get(one + 1, -1), mosts[one + 1 - sides.start])
            for one in sides[::2]
            if ends[one] == at_kind
        ]
        after = dict[tuple[int, ...], int]()
        for state, ways in table.items():
            sums = [*state, *[0] * (len(both) - len(state) + 1)]
            already = sums[place[0]] if adding else 0
            most = min(((high - sums[i]) // add for i, add, high in caps), default=0)
            if most > MOST_ALIKE:
                raise Uncounted(UNCOUNTED)
            _spend(left, most + 1)
            for number in range(most + 1):
                if all((low is None or sums[i] >= low) and (high is None or sums[i] <= high) for i, low, high in limits) and all(
                    sums[i] <= one or sums[j] <= other for i, one, j, other in choices
                ):
                    key = tuple([sums[i] for i in stay])
                    different = kinds[at_kind].different if adding else 1
                    factor = _factor(prior, concentration, different, number, already, everybody)
                    after[key] = after.get(key, 0) + ways * factor
                for i, add in adds:
                    sums[i] += add
        table = after
    made = dict[int, Fraction]()
    for state, ways in table.items():
        sums_of = dict(zip(held, state, strict=True))
        inside, weight = sums_of.get(1, 0), ways * _of_size(prior, concentration, sums_of.get(0, 0), everybody)
        made[inside] = made.get(inside, Fraction(0)) + weight
    return made


def _concentration(prior: str) -> Fraction:
    """Of an urn; any other prior that is known has none."""
    found = POLYA.fullmatch(prior)
    if found is None and prior not in (UNIFORM, HISTOGRAMS):
        raise Uncounted(UNKNOWN)
    try:
        concentration = Fraction(found[1]) if found else Fraction(1)
    except ZeroDivisionError:
        raise Uncounted(UNKNOWN) from None
    if not concentration:
        raise Uncounted(UNKNOWN)
    return concentration


def _factor(prior: str, concentration: Fraction, different: int, number: int, already: int, everybody: int) -> int:
    """What so many records of a kind contribute after `already` others. In whole numbers: N! / product of c! is a product of
    binomial coefficients, and an urn's shares are multiplied by their denominator, which `_of_size` takes back."""
    if prior == HISTOGRAMS:
        return comb(number + different - 1, number)
    ways = comb(already + number, number)
    if prior == UNIFORM:
        return int(ways * different**number)
    unit = concentration.denominator * everybody
    return int(ways * prod(concentration.numerator * different + i * unit for i in range(number)))


def _of_size(prior: str, concentration: Fraction, records: int, everybody: int) -> Fraction:
    if prior == HISTOGRAMS:
        return Fraction(1)
    if prior == UNIFORM:
        return Fraction(1, everybody**records)
    unit = concentration.denominator * everybody
    return Fraction(1, prod(concentration.numerator * everybody + i * unit for i in range(records)))


def _alive(lines: Sequence[Line], kinds: list[KindOfRecord]) -> list[KindOfRecord]:
    """The kinds of which one record is not too much already, where nothing can take it back."""
    signed = {line for kind in kinds for line, add in enumerate(kind.adds) if add < 0}
    highs = [(i, line.high) for i, line in enumerate(lines) if line.high is not None and i not in signed]
    return [kind for kind in kinds if all(kind.adds[i] <= high for i, high in highs)]


def _in_order(lines: Sequence[Line], kinds: list[KindOfRecord]) -> list[KindOfRecord]:
    """Kinds so that few lines are open at a time: those of the line that has the fewest left come next."""
    left, made, opened_lines = list(kinds), list[KindOfRecord](), set[int]()
    numbers = {
        i: sum(1 for kind in kinds if kind.adds[i]) for i, line in enumerate(lines) if line.low is not None or line.high is not None
    }
    while left:
        wanted = [i for i, number in numbers.items() if number]
        if not wanted:
            return made + left
        line = min(wanted, key=lambda i: (numbers[i], i not in opened_lines))
        made += [kind for kind in left if kind.adds[line]]
        for kind in made[len(kinds) - len(left) :]:
            counting = [i for i, add in enumerate(kind.adds) if add]
            opened_lines.update(counting)
            for i in counting:
                if i in numbers:
                    numbers[i] -= 1
        left = [kind for kind in left if not kind.adds[line]]
    return made
