"""Boxes that hold every record of every dataset that fits, and sums over all of them at once.

A set of boxes is a whole number with one bit per box. A sum for each box is a list of such sets: set number k holds the
boxes whose sum has bit k. Numbers of any size are exact, and one operation serves all boxes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import reduce
from operator import or_

from foregone.checker.refusal import TERM, Refused, Work
from foregone.checker.rows import Box, Form

MOST_BOXES = 1_000_000
MOST_SIDES = 30_000_000  # boxes times columns
MOST_BITS = 1 << 32  # of the sets of boxes that are kept

Sums = list[int]


class Cover:
    """Boxes, column by column; `left` are those that were not dropped."""

    def __init__(self, sides: list[list[int]], work: Work) -> None:
        self.sides, self.work = sides, work  # per column, the set of codes of each box
        self.count = len(sides[0])
        self.left = self.all = (1 << self.count) - 1
        self._having = dict[int, dict[int, int]]()  # column -> set of codes -> the boxes that have it
        self._known = dict[tuple[bool, Box], int]()
        self._kept = 0

    def having(self, c: int) -> dict[int, int]:
        """For each set of codes that boxes have in a column, these boxes."""
        if c not in self._having:
            kinds = set(self.sides[c])
            self._kept += len(kinds) * self.count
            if self._kept > MOST_BITS:
                raise Refused("the boxes have more different sets of codes than this checker keeps")
            made = {side: bytearray(self.count // 8 + 1) for side in kinds}
            for i, side in enumerate(self.sides[c]):
                made[side][i >> 3] |= 1 << (i & 7)
            self._having[c] = {side: int.from_bytes(found, "little") for side, found in made.items()}
        return self._having[c]

    def meeting(self, box: Box, whole: bool) -> int:
        """The boxes that lie wholly inside a box, or those that have something of it."""
        if (whole, box) not in self._known:
            if len(self._known) * self.count > MOST_BITS:
                self._known.clear()
            found = self.all
            for c, codes in box:
                having = self.having(c)
                self.work.spend((self.count + TERM) * (1 + len(having) // 8))
                found &= reduce(or_, (boxes for side, boxes in having.items() if (not side & ~codes if whole else side & codes)), 0)
            self._known[whole, box] = found
        return self._known[whole, box]


def marked(flags: Iterable[bool | int]) -> int:
    """A number whose bit i tells whether flag i is true."""
    return int("".join("1" if flag else "0" for flag in flags)[::-1] or "0", 2)


def inside(cover: Cover, box: Box) -> int:
    """The boxes of the cover all of whose records are in the box."""
    return cover.meeting(box, True)


def touching(cover: Cover, box: Box) -> int:
    """The boxes of the cover that are not apart from the box."""
    return cover.meeting(box, False)


def add(cover: Cover, sums: Sums, weight: int, boxes: int) -> None:
    """Add a weight, 0 or more, to the sums of some boxes."""
    for k in range(weight.bit_length()):
        carry, at = (boxes if weight >> k & 1 else 0), k
        while carry:
            cover.work.spend(cover.count + TERM)
            sums += [0] * (at + 1 - len(sums))
            sums[at], carry, at = sums[at] ^ carry, sums[at] & carry, at + 1


def above(plus: Sums, minus: Sums, among: int) -> int:
    """The boxes whose first sum is greater than the second; the highest bit in which they differ tells."""
    found = 0
    for k in reversed(range(max(len(plus), len(minus)))):
        one, other = (sums[k] if k < len(sums) else 0 for sums in (plus, minus))
        found |= among & one & ~other
        among &= ~(one ^ other)
    return found


def most(cover: Cover, form: Form) -> tuple[Sums, Sums]:
    """What one record of each box adds to the form is at most the first sum less the second."""
    cover.work.spend(TERM * len(form))
    plus, minus = Sums(), Sums()
    for weight, box in form:
        if weight > 0:
            add(cover, plus, weight, touching(cover, box))
        else:
            add(cover, minus, -weight, inside(cover, box))
    return plus, minus


def least(cover: Cover, form: Form) -> tuple[Sums, Sums]:
    """It is at least the first sum less the second."""
    minus, plus = most(cover, neg(form))
    return plus, minus


def scale(times: int, form: Form) -> Form:
    return tuple((times * weight, box) for weight, box in form)


def neg(form: Form) -> Form:
    return scale(-1, form)


def columns(cover: Cover, c: int, sets: Sequence[int]) -> Cover:
    """Each box whose codes in a column are among the sets, cut into its parts in each of them; other boxes stay as they are."""
    union, kinds = reduce(or_, sets, 0), set(cover.sides[c])
    cover.work.spend(64 * len(sets) * len(kinds) * (union.bit_length() + 300))  # memory is dearer than time
    parts = {side: [side & s for s in sets if side & s] if not side & ~union else [side] for side in kinds}
    left = [i for i, bit in enumerate(f"{cover.left:b}"[::-1]) if bit == "1"]
    made = sum(len(parts[side]) * n for side, n in Counter(cover.sides[c][i] for i in left).items())
    if made > MOST_BOXES or made * len(cover.sides) > MOST_SIDES:
        raise Refused(f"more than {MOST_BOXES:,} boxes, too many for this checker")
    cover.work.spend(64 * made * len(cover.sides))
    source = [i for i in left for _ in parts[cover.sides[c][i]]]
    sides = [[side[i] for i in source] for side in cover.sides]
    sides[c] = [part for i in left for part in parts[cover.sides[c][i]]]
    return Cover(sides, cover.work)


def prune(cover: Cover, form: Form, bound: int) -> None:
    """Drop the boxes that would push the form above its bound; allowed only where no box can make the form negative."""
    plus, minus = least(cover, form)
    if above(minus, plus, cover.left):
        raise Refused("a possible record makes the sum negative")
    add(cover, minus if bound >= 0 else plus, abs(bound), cover.left)
    cover.left &= ~above(plus, minus, cover.left)
