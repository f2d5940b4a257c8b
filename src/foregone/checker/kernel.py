"""The kernel: what a proof is, and when it holds. Whole numbers, pure functions, and nothing of the other files of the checker.

formal/Checker.v is the same program in Coq; where a comment ends in *Coq:*, it names the theorem about the twin of that function.
A box has a set of codes for each column; a set of codes is a whole number whose bit i tells whether the column's code i is in it.
Only the columns that a box restricts are written down. What fails is told by a name and some numbers; others make words of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from copy import copy
from functools import reduce
from operator import or_
from typing import NamedTuple, Protocol, assert_never

Box = tuple[tuple[int, int], ...]  # (column, codes as bits), columns in order
Form = tuple[tuple[int, Box], ...]  # whole weights: the sum of weight times matching records
Claim = tuple[Box, int]  # exactly so many records are in the box
Record = tuple[int, tuple[int, ...]]  # how many there are of it, at least 1, and the positions of its codes
Terms = Sequence[tuple[int, int]]  # (number of a row, how many times): different rows from 0 on, each at least once

MOST_BOXES = 1_000_000
MOST_SIDES = 30_000_000  # boxes times columns
MOST_BITS = 1 << 32  # of the sets of boxes that are kept
TERM = 1000  # the least that anything costs, in bits of work


class Fails(Exception):
    """A proof does not hold, or something is too large: a name for the reason, and the numbers that belong to it."""

    step = 0  # in which step of a file, from 1 on

    def __init__(self, why: str, *about: int | None) -> None:
        super().__init__(why, *about)
        self.why, self.about = why, about


class Work(Protocol):
    """Counts the bits that are looked at, and may stop what takes too long. No proof holds because of it."""

    spent: int

    def spend(self, bits: int) -> None: ...


# ---------------------------------------------------------------- what is published


class Row(NamedTuple):
    """The value of the form is at most a number."""

    about: Form
    most: int


class PlainStatistic(NamedTuple):
    """low <= value of the form <= high in every dataset that fits; None leaves an end open."""

    about: Form
    low: int | None
    high: int | None


class PlainDomain(NamedTuple):
    """The columns, numbered, and the codes of each, numbered; and the work done on a file about them."""

    columns: dict[str, int]
    codes: tuple[dict[str, int], ...]
    work: Work


class PlainRelease(NamedTuple):
    """What was published: no record is in a box of `rules`, and of two rows in `eithers` at least one holds. Not looked at here:
    a fingerprint, boxes whose groups claims may name, and names of counts, which are the first of the statistics."""

    domain: PlainDomain
    statistics: tuple[PlainStatistic, ...]
    rules: tuple[Box, ...]
    eithers: tuple[tuple[Row, Row], ...]
    fingerprint: str = ""
    named: tuple[Box, ...] = ()
    names: tuple[str, ...] = ()


def full(domain: PlainDomain, c: int) -> int:
    """All codes of a column."""
    return (1 << len(domain.codes[c])) - 1


# ---------------------------------------------------------------- the cover: boxes with every record of every dataset that fits
# A set of boxes is a whole number with one bit per box. A sum for each box is a list of such sets: set number k holds the boxes
# whose sum has bit k. Numbers of any size are exact, and one operation serves all boxes; the twins in Coq go box by box.

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
                raise Fails("sets")
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
    """The boxes of the cover all of whose records are in the box. Coq: inside_ok"""
    return cover.meeting(box, True)


def touching(cover: Cover, box: Box) -> int:
    """The boxes of the cover that are not apart from the box. Coq: apart_ok"""
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


def scale(times: int, form: Form) -> Form:
    return tuple((times * weight, box) for weight, box in form)


def neg(form: Form) -> Form:
    return scale(-1, form)


def most(cover: Cover, form: Form) -> tuple[Sums, Sums]:
    """What one record of each box adds to the form is at most the first sum less the second. Coq: most_ok"""
    cover.work.spend(TERM * len(form))
    plus, minus = Sums(), Sums()
    for weight, box in form:
        if weight > 0:
            add(cover, plus, weight, touching(cover, box))
        else:
            add(cover, minus, -weight, inside(cover, box))
    return plus, minus


def least(cover: Cover, form: Form) -> tuple[Sums, Sums]:
    """It is at least the first sum less the second. Coq: least_ok"""
    minus, plus = most(cover, neg(form))
    return plus, minus


def never_positive(cover: Cover, form: Form) -> bool:
    """No record of any box makes the form positive. Coq: never_positive_ok"""
    return not above(*most(cover, form), cover.left)


def columns(cover: Cover, c: int, sets: Sequence[int]) -> Cover:
    """Boxes whose codes in a column are among the sets, cut into their parts in each of them; others stay. Coq: columns_ok"""
    union, kinds = reduce(or_, sets, 0), set(cover.sides[c])
    cover.work.spend(64 * len(sets) * len(kinds) * (union.bit_length() + 300))  # memory is dearer than time
    parts = {side: [side & s for s in sets if side & s] if not side & ~union else [side] for side in kinds}
    left = [i for i, bit in enumerate(f"{cover.left:b}"[::-1]) if bit == "1"]
    made = sum(len(parts[side]) * n for side, n in Counter(cover.sides[c][i] for i in left).items())
    if made > MOST_BOXES or made * len(cover.sides) > MOST_SIDES:
        raise Fails("boxes", MOST_BOXES)
    cover.work.spend(64 * made * len(cover.sides))
    source = [i for i in left for _ in parts[cover.sides[c][i]]]
    sides = [[side[i] for i in source] for side in cover.sides]
    sides[c] = [part for i in left for part in parts[cover.sides[c][i]]]
    return Cover(sides, cover.work)


def prune(cover: Cover, row: Row) -> Cover:
    """Without the boxes that would push the form above its bound; only where no box can make the form negative. Coq: prune_ok"""
    plus, minus = least(cover, row.about)
    if above(minus, plus, cover.left):
        raise Fails("below zero")
    add(cover, minus if row.most >= 0 else plus, abs(row.most), cover.left)
    made = copy(cover)  # what is known of its boxes stays known
    made.left &= ~above(plus, minus, cover.left)
    return made


# ---------------------------------------------------------------- proofs


class Leaf(NamedTuple):
    """The sum of the terms, divided by `over`, which is at least 1, is the bound."""

    terms: Terms
    over: int


class Nothing(NamedTuple):
    """The terms contradict each other: nothing fits this branch."""

    terms: Terms


class Split(NamedTuple):
    """Either the form is at most `at`, or it is at least one more."""

    form: Form
    at: int
    below: Leaf | Nothing | Split | PlainEither
    above: Leaf | Nothing | Split | PlainEither


class PlainEither(NamedTuple):
    """Of an either-or of the release, numbered from 0, the left side holds, or the right side."""

    number: int
    left: Leaf | Nothing | Split | PlainEither
    right: Leaf | Nothing | Split | PlainEither


class Columns(NamedTuple):
    """Look at a column, some codes at a time."""

    column: int
    sets: list[int]


class Prune(NamedTuple):
    """Drop the boxes that a sum of rows leaves empty."""

    terms: Terms


class Bound(NamedTuple):
    """A lemma: the form is at most the bound, and becomes a row."""

    form: Form
    bound: int
    proof: Leaf | Nothing | Split | PlainEither


class PlainFact(NamedTuple):
    """Exactly so many records are in the box, and in each of the other ways to say the same."""

    what: Box
    times: int
    forms: list[Box]
    upper: Leaf | Nothing | Split | PlainEither
    lower: Leaf | Nothing | Split | PlainEither


Tree = Leaf | Nothing | Split | PlainEither
Step = Columns | Prune | Bound


class State(NamedTuple):
    """The rows so far, None where a number has no row; the cover; and the either-ors. Rows grow with every lemma."""

    rows: list[Row | None]
    cover: Cover
    eithers: Sequence[tuple[Row, Row]]


def start(release: PlainRelease) -> State:
    """Statistic k has row 2k (its high) and row 2k + 1 (its low); rules follow on with even numbers, then lemmas. Coq: start_ok"""
    rows = list[Row | None]()
    for statistic in release.statistics:
        rows.append(None if statistic.high is None else Row(statistic.about, statistic.high))
        rows.append(None if statistic.low is None else Row(neg(statistic.about), -statistic.low))
    for box in release.rules:
        rows += [Row(((1, box),), 0), None]
    domain = release.domain
    return State(rows, Cover([[full(domain, c)] for c in range(len(domain.codes))], domain.work), release.eithers)


def add_up(state: State, terms: Terms) -> Row:
    """Rows times positive numbers, added up. Coq: add_up_ok"""
    form, total = list[tuple[int, Box]](), 0
    for number, times in terms:
        row = state.rows[number] if number < len(state.rows) else None
        if row is None:
            raise Fails("row", number)
        state.cover.work.spend(TERM * len(row.about))
        form += scale(times, row.about)
        total += times * row.most
    return Row(tuple(form), total)


def at_most(state: State, form: Form, goal: int, tree: Tree) -> None:
    """The tree proves that the form is at most the goal, or this raises. Coq: at_most_ok"""
    match tree:
        case Leaf(terms, over):
            added, total = add_up(state, terms)
            if total // over > goal:
                raise Fails("bound", total, over, goal)
            if not never_positive(state.cover, scale(over, form) + neg(added)):
                raise Fails("dominated")
        case Nothing(terms):
            added, total = add_up(state, terms)
            if total >= 0:
                raise Fails("contradiction", total)
            if not never_positive(state.cover, neg(added)):
                raise Fails("negative")
        case Split(split, at, below, beyond):
            branch(state, Row(split, at), form, goal, below)
            branch(state, Row(neg(split), -(at + 1)), form, goal, beyond)
        case PlainEither(number, left, right):
            if number >= len(state.eithers):
                raise Fails("either-or", number)
            one, other = state.eithers[number]
            branch(state, one, form, goal, left)
            branch(state, other, form, goal, right)
        case _:
            assert_never(tree)


def branch(state: State, row: Row, form: Form, goal: int, tree: Tree) -> None:
    """Check a tree where one more row holds, which is known in this branch only."""
    state.rows.append(row)
    try:
        at_most(state, form, goal, tree)
    finally:
        state.rows.pop()


def build(release: PlainRelease, steps: Sequence[Step]) -> State:
    """The state after all steps; the first that fails is named. Coq: advance_ok, build_ok"""
    state = start(release)
    for number, step in enumerate(steps, start=1):
        try:
            match step:
                case Columns(c, sets):
                    state = state._replace(cover=columns(state.cover, c, sets))
                case Prune(terms):
                    state = state._replace(cover=prune(state.cover, add_up(state, terms)))
                case Bound(form, bound, proof):
                    at_most(state, form, bound, proof)
                    state.rows.append(Row(form, bound))
                case _:
                    assert_never(step)
        except Fails as error:
            error.step = number
            raise
    return state._replace(cover=columns(state.cover, 0, ()))  # cuts nothing, forgets the boxes that were dropped


def same(cover: Cover, p: Box, q: Box) -> bool:
    """On every box of the cover the two have the same records. Coq: same_ok"""
    return not cover.left & (touching(cover, q) & ~inside(cover, p) | touching(cover, p) & ~inside(cover, q))


def fact_ok(state: State, fact: PlainFact) -> list[Claim]:
    """The claims of a fact that holds: so many records are in the box, and in each of the other ways to say the same. Coq: sound"""
    at_most(state, ((1, fact.what),), fact.times, fact.upper)
    at_most(state, ((-1, fact.what),), -fact.times, fact.lower)
    for number, form in enumerate(fact.forms, start=1):
        if not same(state.cover, fact.what, form):
            raise Fails("form", number)
    return [(box, fact.times) for box in (fact.what, *fact.forms)]
