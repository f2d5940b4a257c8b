"""The listed datasets: do they fit the release, and do they refute everything that is not proved? formal/Checker.v has twins.

A claim about at least one record that is certain has the same count in every dataset that fits, so also in those listed.
Go through every claim that has: each must lie between two proved claims with that count, one inside it and one around it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import accumulate, pairwise
from operator import and_
from typing import Any

from foregone.checker import kernel
from foregone.checker.kernel import TERM, Box, Claim, Cover, Form, PlainDomain, PlainRelease, Record, full, inside, marked
from foregone.checker.read.refusal import Refused, printable
from foregone.checker.read.values import words_of

MOST_STEPS = 100_000_000  # claims or records looked at; about a minute
TOO_MANY = "there are too many claims to go through them one by one"


@cache
def only(code: int) -> int:
    """The set of one code; made once, however many records have it."""
    return 1 << code


class Witnesses:
    """Datasets side by side, one bit for each listed record."""

    def __init__(self, domain: PlainDomain, datasets: Sequence[Sequence[Record]]) -> None:
        records = [record for dataset in datasets for record in dataset]
        many = max(len(records), len(datasets)) > kernel.MOST_BOXES or len(records) * len(domain.codes) > kernel.MOST_SIDES
        if many or len(records) * len(datasets) > kernel.MOST_BITS:
            raise Refused("there are more witnesses, or more records in them, than this checker reads")
        self.datasets = datasets
        self.records = Cover([[only(codes[c]) for _, codes in records] for c in range(len(domain.codes))], domain.work)
        ends = [0, *accumulate(map(len, datasets))]
        self.of = [(1 << end) - (1 << begin) for begin, end in pairwise(ends)]  # the records of each dataset
        planes = range(max((n.bit_length() for n, _ in records), default=0))
        self.times = [marked(n >> k & 1 for n, _ in records) for k in planes]  # how many there are of each, bit by bit

    def counts(self, box: Box) -> list[int]:
        """How many records of each dataset are in a box."""
        self.records.work.spend((self.records.count + TERM) * len(self.of) * (1 + len(self.times)))
        found = [inside(self.records, box) & plane for plane in self.times]
        return [sum((plane & mine).bit_count() << k for k, plane in enumerate(found)) for mine in self.of]

    def values(self, form: Form) -> list[int]:
        """The value of a form in each dataset."""
        found = [0] * len(self.of)
        for weight, box in form:
            found = [value + weight * count for value, count in zip(found, self.counts(box), strict=True)]
        return found


def consistent(release: PlainRelease, witnesses: Witnesses) -> list[str]:
    """For each dataset why it does not fit the release; nothing, if it does. Coq: consistentb_ok, not_vacuous"""
    wrong = [""] * len(witnesses.of)
    for k, (about, low, high) in enumerate(release.statistics):
        for w, value in enumerate(witnesses.values(about)):
            if (low is not None and value < low) or (high is not None and value > high):
                wrong[w] = wrong[w] or f"has {value} where statistic {k} says {low} to {'any number' if high is None else high}"
    for k, (one, other) in enumerate(release.eithers):
        for w, (left, right) in enumerate(zip(witnesses.values(one.about), witnesses.values(other.about), strict=True)):
            if left > one.most and right > other.most:
                wrong[w] = wrong[w] or f"keeps neither side of either-or {k}"
    for r, box in enumerate(release.rules):
        for w, count in enumerate(witnesses.counts(box)):
            if count:
                wrong[w] = wrong[w] or f"has a record that rule {r} forbids"
    return wrong


def complete(
    domain: PlainDomain, claims: Sequence[Claim], datasets: Sequence[Sequence[Record]], groups: Sequence[Sequence[int]] = ()
) -> tuple[bool | None, str]:
    """Does everything that can be said, and that the datasets agree on, lie between two claims? If not, why not. Coq: exact_list

    What can be said names at least one column, and for each column a single code or one of its groups.
    """
    if not datasets:
        return False, "no dataset is listed"
    if len(claims) * len(domain.codes) > kernel.MOST_SIDES:
        return None, TOO_MANY
    steps = 0
    sides = [[dict(box).get(c, full(domain, c)) for box, _ in claims] for c in range(len(domain.codes))]

    @cache
    def counted(count: int) -> int:
        """The claims with a count."""
        nonlocal steps
        steps += len(claims)
        return marked(n == count for _, n in claims)

    @cache
    def beside(c: int, codes: int) -> tuple[int, int]:
        """The claims inside some codes of a column, and those around them."""
        nonlocal steps
        steps += len(claims)
        return marked(not side & ~codes for side in sides[c]), marked(not codes & ~side for side in sides[c])

    unnamed = [beside(c, full(domain, c))[1] for c in range(len(sides))]
    after = [*accumulate(reversed(unnamed), and_, initial=(1 << len(claims)) - 1)][::-1]  # unnamed from a column on
    records: list[Any] = [(w, n, codes) for w, dataset in enumerate(datasets) for n, codes in dataset]
    # the next column, the claims inside and around what is said so far, the records that fit it, and what it is
    stack = [(0, after[-1], after[-1], records, Box())]
    while stack:
        begin, inner, outer, rest, said = stack.pop()
        for c in range(begin, len(sides)):
            steps += 1 + len(rest) + len(rest) * (len(groups[c]) if groups else 0) // 8  # a group is looked for faster
            if steps > MOST_STEPS:
                return None, TOO_MANY
            sayable = dict[int, list[Any]]()
            for record in rest:
                sayable.setdefault(only(record[2][c]), []).append(record)
            for group in groups[c] if groups else ():
                sayable[group] = [record for record in rest if group >> record[2][c] & 1]
            for codes, part in sayable.items():
                steps += len(datasets) + len(claims) // 64
                if steps > MOST_STEPS:
                    return None, TOO_MANY
                counts = [0] * len(datasets)
                for w, n, _ in part:
                    counts[w] += n
                if not all(counts):
                    continue
                within, around = beside(c, codes)
                node = (c + 1, inner & within, outer & around, part, (*said, (c, codes)))
                if len(set(counts)) == 1 and not (node[1] & (right := counted(counts[0])) and node[2] & after[c + 1] & right):
                    text = words_of(domain, node[4])
                    return False, printable(f"'{text}' has count {counts[0]} in every witness, but is not proved")
                stack.append(node)
            outer &= unnamed[c]
    return True, ""
