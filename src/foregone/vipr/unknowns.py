"""One unknown for each box of the cover: how many records lie in it. Boxes that steps drop stay, so that it is derived that they
are empty, and not taken for granted.

Every record of every dataset lies in a box; where boxes overlap it is counted in one of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from foregone.checker import kernel
from foregone.checker.kernel import Bound, Columns, Cover, Form, PlainRelease, Prune, Record, Row, Step
from foregone.checker.read.refusal import Refused

MOST_UNKNOWNS = 50_000


@dataclass(frozen=True, slots=True)
class Unknowns:
    """All boxes, those that were dropped first; and for each step that drops some, which."""

    cover: Cover
    dropped: dict[int, range]

    @property
    def count(self) -> int:
        return self.cover.count

    @property
    def kept(self) -> int:
        """The number of the first box that was never dropped."""
        return max((some.stop for some in self.dropped.values()), default=0)

    def least(self, form: Form) -> dict[int, int]:
        """What one record of each box adds to a form at least; boxes where that is 0 are left out."""
        return self._worth(form, True)

    def most(self, form: Form) -> dict[int, int]:
        """What one record of each box adds to a form at most."""
        return self._worth(form, False)

    def _worth(self, form: Form, least: bool) -> dict[int, int]:
        made = dict[int, int]()
        for weight, box in form:
            for i in members((kernel.inside if least == (weight > 0) else kernel.touching)(self.cover, box)):
                made[i] = made.get(i, 0) + weight
        return {i: value for i, value in sorted(made.items()) if value}

    def box_of(self, record: Record) -> int:
        """The box in which a record is counted: one that was not dropped, where there is one."""
        found = kernel.touching(self.cover, tuple((c, 1 << code) for c, code in enumerate(record[1])))
        kept = found >> self.kept << self.kept
        return next(members(kept or found))


def members(boxes: int) -> Iterator[int]:
    """The numbers of the boxes of a set."""
    text = f"{boxes:b}"[::-1]
    at = text.find("1")
    while at >= 0:
        yield at
        at = text.find("1", at + 1)


def unknowns_of(release: PlainRelease, steps: Sequence[Step]) -> Unknowns:
    """The boxes that the steps lead to. The steps were checked before."""
    state = kernel.start(release)
    boxes, dropped = list[tuple[int, ...]](), dict[int, range]()

    def take(cover: Cover, some: int) -> range:
        begin = len(boxes)
        boxes.extend(tuple(side[i] for side in cover.sides) for i in members(some))
        if len(boxes) > MOST_UNKNOWNS:
            raise Refused(f"more than {MOST_UNKNOWNS:,} unknowns, too many for such a file")
        return range(begin, len(boxes))

    for number, step in enumerate(steps):
        match step:
            case Columns(c, sets):
                state = state._replace(cover=kernel.columns(state.cover, c, sets))
            case Prune(terms):
                pruned = kernel.prune(state.cover, kernel.add_up(state, terms))
                dropped[number] = take(state.cover, state.cover.left & ~pruned.left)
                state = state._replace(cover=pruned)
            case Bound(form, bound, _):
                state.rows.append(Row(form, bound))
    take(state.cover, state.cover.left)
    sides = [list(side) for side in zip(*boxes, strict=True)]
    return Unknowns(Cover(sides, release.domain.work), dropped)
