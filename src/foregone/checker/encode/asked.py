"""What may be done to a release and what it costs, worked out from what was asked; a certificate's list is compared with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, NamedTuple
from unicodedata import combining, east_asian_width

from foregone.checker.encode.marks import Number, Ranges, meet, with_zeros_shown, without
from foregone.checker.kernel import TERM, Box, PlainRelease
from foregone.checker.read.policy import PlainPolicy
from foregone.checker.read.refusal import Refused, at
from foregone.checker.read.values import entries, keyed, pairs, text, whole

MARK = "[c]"  # where the tables have no mark of their own
MOST_NAMES = 10_000  # to keep, or with a cost of their own
MOST_WAYS = 100  # bases to round to, or merges
LONGEST_NAME = 10_000  # letters
WIDTH = 72  # columns of a terminal, and some room before them
GOES_ON = "    + "


class Marking(NamedTuple):
    """`mark` is printed in every cell that is withheld from now on; such a cell is at least `least`, and in the tables of
    `excluded` at least what is given there. `zeros`: may a cell of 0 be withheld? `remarks`: cells that were not shown before
    get the mark, too.
    """

    mark: str
    least: int
    zeros: bool
    remarks: bool
    excluded: dict[str, int]

    def floor(self, number: Number) -> int:
        """What a reader knows a count to be at least, once it is withheld by itself."""
        return max(self.least, self.excluded.get(number.group, 0))

    def may_go(self, number: Number) -> bool:
        """May a count be withheld by itself? Where zeros stay shown, a number that may be 0 stays, too."""
        return self.zeros if number.high == 0 else number.low >= self.floor(number)


class Asked(NamedTuple):
    """What `protect` was asked for. Without `costs` a cell costs 1 (2, if numbers may be rounded) or, with `sizes`, its count."""

    by: str
    withhold: bool
    keep: tuple[str, ...]
    costs: dict[str, int]
    sizes: bool
    bases: tuple[int, ...]
    merges: tuple[tuple[str, str, str], ...]
    marks: str
    mark: str

    @property
    def unit(self) -> int:
        """What a withheld cell costs unless somebody says otherwise: twice as much as a rounded one, where there is a choice."""
        return 2 if self.bases else 1

    @property
    def lines(self) -> list[str]:
        """In plain words, item by item and each one whole: somebody has to compare it with what was meant. What does not fit into a
        line goes on in another that begins with a sign, so that no text can look like a line of its own.
        """
        done = [f"withhold {self.by}s"] if self.withhold else []
        done += [f"round to a multiple of {base}" for base in self.bases]
        done += [f"merge {quoted(column)}: {quoted(one)} with {quoted(other)}" for column, one, other in self.merges]
        made = [f"May be done: {what}" for what in done] or ["May be done: nothing"]
        if self.sizes:
            made.append("Cost: of a cell its count")
        else:
            made.append(f"Cost: {self.unit} a withheld cell" + (", 1 a rounded one" if self.bases else ""))
            made += [f"Cost: {cost} for {quoted(name)}" for name, cost in self.costs.items()]
        made += [f"Kept: {quoted(name)}" for name in self.keep] or ["Kept: nothing"]
        made.append(f"Marks: {self.marks}" + (f", {quoted(self.mark)}" if self.mark else ""))
        return [line for item in made for line in in_lines(item)]


def quoted(text: str) -> str:
    """A text between quotation marks, so that an empty one is seen, with what a terminal does not show as it is spelled out."""
    spelled = (letter if letter.isprintable() and not combining(letter) else ascii(letter)[1:-1] for letter in text)
    return "'" + "".join("\\" + letter if letter in ("'", "\\") and len(letter) == 1 else letter for letter in spelled) + "'"


def in_lines(text: str) -> list[str]:
    """A text cut into lines that fit on a terminal; all but the first begin with a sign."""
    made, line, width = list[str](), "", 0
    for letter in text:
        columns = 2 if east_asian_width(letter) in ("W", "F") else 1
        if width + columns > WIDTH:
            made.append(line)
            line, width = GOES_ON, len(GOES_ON)
        line, width = line + letter, width + columns
    return [*made, line]


class PlainAction(NamedTuple):
    """One thing that can be done to some numbers: withhold a cell or a table, round to a base, or merge two codes of a column."""

    kind: str
    name: str
    cost: int
    numbers: frozenset[int]
    base: int = 0
    merged: tuple[int, int, int] = (-1, 0, 0)


def asked_of(value: Any) -> Asked:
    given = keyed(value, ("by", "withhold", "keep", "cost", "round", "merge", "marks", "mark"))
    if given["by"] not in ("cell", "table") or given["withhold"] not in ("yes", "no"):
        raise Refused("by is cell or table, withhold yes or no")
    if given["marks"] not in ("one", "two"):
        raise Refused("marks is one or two")
    costs, keep = given["cost"], _texts(given["keep"])
    if costs not in ("one", "size"):
        costs = [(text(name), whole(cost, 1)) for name, cost in pairs(costs)]
        if len(dict(costs)) < len(costs):
            raise Refused("cost: a name is given twice")
    named = dict[str, int]() if isinstance(costs, str) else dict(costs)
    if len(keep) + len(named) > MOST_NAMES:
        raise Refused(f"more than {MOST_NAMES:,} names to keep or with a cost, too many for this checker")
    merges, withhold = [_texts(merge) for merge in entries(given["merge"])], given["withhold"] == "yes"
    bases = tuple(whole(base, 2) for base in entries(given["round"]))
    if len(merges) > MOST_WAYS or len(bases) > MOST_WAYS:
        raise Refused(f"more than {MOST_WAYS} merges or bases to round to, too many for this checker")
    if any(len(merge) != 3 for merge in merges) or len(set(bases)) < len(bases):
        raise Refused("expected different bases to round to, and merges: a column and two codes each")
    if len({(merge[0], frozenset(merge[1:])) for merge in merges}) < len(merges):
        raise Refused("merge: two codes are named twice")
    triples = tuple((column, one, other) for column, one, other in merges)
    return Asked(given["by"], withhold, keep, named, costs == "size", bases, triples, given["marks"], text(given["mark"]))


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(map(text, entries(value)))


def marking_of(
    release: PlainRelease, policy: PlainPolicy, numbers: Sequence[Number], kept: set[int], asked: Asked, linear: bool
) -> Marking:
    """How a protection is printed, and what a reader concludes from it."""
    if asked.by == "table":
        return Marking("", int(policy.zeros_shown), True, False, {})
    counts = [number for number in numbers if not number.figure]
    old = [number for i, number in enumerate(counts) if number.hidden and i not in kept]
    texts = list(dict.fromkeys(number.mark for number in old if number.mark))
    one = asked.marks == "one"
    reusable = len(texts) == 1 and one and not any(letter.isdigit() for letter in texts[0])  # "<5" in the place of 7 would be a lie
    text = asked.mark or (texts[0] if reusable else MARK)
    if not one and text in texts:
        raise Refused(f"marks: {text[:40]!r} is the mark of cells that were not shown before")
    zeros = _zeros_may_go(policy)
    told = policy.known is None and not linear and not zeros  # nobody says what is known: then zeros are seen to be shown
    least = int(policy.zeros_shown or told)
    if one:  # one mark says one thing of old cells and of new ones
        return Marking(text, min([least, *(number.low for number in old)]), zeros, True, with_zeros_shown(policy, counts))
    return Marking(text, least, zeros, False, _excluded(release, counts, least))


def _zeros_may_go(policy: PlainPolicy) -> bool:
    """May cells of 0 be withheld? A zero can tell what everybody has, and primary cells may be 0, as those that are named."""
    if policy.zeros_shown:
        return False
    if isinstance(policy.primary, tuple):
        return bool(policy.attribute) or policy.primary[0] == 0
    return bool(policy.attribute or policy.primary)


def _excluded(release: PlainRelease, counts: Sequence[Number], least: int) -> dict[str, int]:
    """For tables in which every count in an old mark's range carries that mark: a new mark there stands for no such count."""
    tables = dict[str, list[Number]]()
    for number in counts:
        tables.setdefault(number.group, []).append(number)
    found = dict[str, int]()
    for table, cells in tables.items():
        left: Ranges = ((least, None),)
        for mark in dict.fromkeys(number.mark for number in cells if number.mark):
            meant = {part for number in cells if number.mark == mark for part in number.ranges}
            others = {part for number in cells if number.mark != mark for part in number.ranges}
            release.domain.work.spend(TERM * len(meant) * (1 + len(others)))
            if not any(meet(one, other) for one in meant for other in others):
                for low, high in meant:
                    left = without(left, low, high)
        if len(left) != 1 or left[0][1] is not None:
            raise Refused(f"marks: in table {table[:40]!r} a new mark would stand for a few counts only")
        if left[0][0] > least:
            found[table] = left[0][0]
    return found


def actions_of(
    release: PlainRelease, numbers: Sequence[Number], primary: frozenset[int], asked: Asked, kept: set[int], marking: Marking
) -> tuple[PlainAction, ...]:
    """Everything that may be done, in the order in which `protect` counts it."""
    made = list[PlainAction]()
    units, shared = dict[str, set[int]](), dict[str, int]()
    tables = Counter(number.group for number in numbers if not number.figure)
    for i, number in enumerate(numbers):
        if i in kept:
            continue
        if asked.by == "table":
            # a table of one number is read as a cell, which is not 0 where zeros stay shown
            if number.figure or tables[number.group] > 1 or number.low >= marking.least:
                units.setdefault(number.group, set()).add(i)
        elif i not in primary and not (number.hidden if number.figure else number.hidden or not marking.may_go(number)):
            units[unused(number.label, units, shared)] = {i}
    for name, unit in units.items():
        cost = _cost(numbers, name, unit - primary, asked)
        if asked.withhold:
            made.append(PlainAction(asked.by, name, cost, frozenset(unit)))
        exact = frozenset(i for i in unit - primary if numbers[i].exact and numbers[i].low)
        rounding = cost if name in asked.costs or asked.sizes else max(1, len(exact))
        made += [PlainAction("round", name, rounding, exact, base) for base in asked.bases if exact]
    for column, one, other in asked.merges:
        with at("merge"):
            made.append(_merge(release, numbers, kept, asked, (column, one, other)))
    return tuple(made)


def _merge(
    release: PlainRelease, numbers: Sequence[Number], kept: set[int], asked: Asked, what: tuple[str, str, str]
) -> PlainAction:
    column, one, other = what
    c = release.domain.columns.get(column, -1)
    codes = release.domain.codes[c] if c >= 0 else {}
    if one not in codes or other not in codes or one == other:
        raise Refused("expected a column and two of its codes")
    merged = (c, codes[one], codes[other])
    cut = {i for i, n in enumerate(numbers) if cuts(merged, n.box) or (n.figure and n.entry.get("of") == column)}
    bases = {numbers[i].name for i in cut} - {""}  # a percentage goes with the count that it is of
    cut |= {i for i, n in enumerate(numbers) if n.figure and n.entry["measure"] == "percent" and n.entry.get("of") in bases}
    if cut & kept:
        raise Refused(f"{numbers[min(cut & kept)].label} is kept and tells the two apart")
    words = f"{column}={one} with {other}"
    return PlainAction("merge", words, asked.costs.get(words, max(1, len(cut))), frozenset(cut), merged=merged)


def cuts(merged: tuple[int, int, int], box: Box) -> bool:
    """Does a condition tell two codes of a column apart?"""
    column, one, other = merged
    return any(c == column and (codes >> one & 1) != (codes >> other & 1) for c, codes in box)


def holds(box: Box, codes: Sequence[int]) -> bool:
    """Is a record with these codes in the box?"""
    return all(side >> codes[c] & 1 for c, side in box)


def base_cost(numbers: Sequence[Number], primary: frozenset[int], asked: Asked) -> int:
    """Primary cells are withheld in any case, and cost what others cost; those that were not shown before cost nothing."""
    new = [numbers[i] for i in primary if not numbers[i].hidden]
    if asked.sizes:
        return sum(max(1, number.low) for number in new)
    return sum(asked.costs.get(number.label, asked.unit) for number in new)


def _cost(numbers: Sequence[Number], name: str, unit: set[int], asked: Asked) -> int:
    if name in asked.costs:
        return asked.costs[name]
    if asked.sizes:
        return sum(1 if numbers[i].figure else max(1, numbers[i].low) for i in unit)
    return sum(asked.costs.get(numbers[i].label, asked.unit) for i in unit) if asked.by == "table" else asked.unit


def unused(name: str, taken: Mapping[str, Any], shared: dict[str, int]) -> str:
    """Numbers may share a name; their actions must not. `shared` tells how often a name was met, so that all can share one."""
    number = shared.get(name, 1)
    free = name if number == 1 else f"{name} ({number})"
    while free in taken:
        number += 1
        free = f"{name} ({number})"
    shared[name] = number
    return free


def kept_of(release: PlainRelease, numbers: Sequence[Number], keep: Sequence[str]) -> set[int]:
    found = set[int]()
    for name in keep:
        if len(name) > LONGEST_NAME:
            raise Refused(f"keep: a name has more than {LONGEST_NAME:,} letters, too many for this checker")
        release.domain.work.spend(4 * TERM * (len(numbers) + len(name) * name.count("[")))  # each bracket looks for its end
        pattern = f"{name}*" if name.endswith("/") else name
        some = {
            i
            for i, n in enumerate(numbers)
            if name in (n.name, n.label, n.group) or fnmatchcase(n.name, pattern) or fnmatchcase(n.group, pattern)
        }
        if not some:
            raise Refused(f"keep: {name[:60]!r} is neither the name of a number nor of a table")
        found |= some
    return found
