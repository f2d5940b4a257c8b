"""What was published as constraints about the unknowns.

A row of the kernel, a form that is at most a number, becomes a constraint with the least that a record of each box adds to the
form. So every dataset that fits the release is a solution, whatever records it has: constraints say no more than was published.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from foregone.checker.kernel import Form, PlainRelease, Row
from foregone.checker.read.refusal import Refused
from foregone.vipr.certificate import AT_LEAST, AT_MOST, EQUAL, Number, ViprCertificate, added
from foregone.vipr.unknowns import Unknowns


@dataclass(frozen=True, slots=True)
class Cited:
    """A row as a sum of constraints: which ones and how many times; then `worth` of the boxes adds up to at most `right`."""

    times: dict[int, Number]
    worth: dict[int, int]
    right: int


@dataclass(frozen=True, slots=True)
class Slack:
    """An unknown for the value of a form that boxes do not tell exactly, and the constraints that say it lies between what they
    tell at least and at most.
    """

    unknown: int
    above: int
    below: int


@dataclass(slots=True)
class Model:
    """A certificate with everything that holds in each dataset, and the rows as they are cited; None where a number has no row."""

    certificate: ViprCertificate
    unknowns: Unknowns
    rows: list[Cited | None] = field(default_factory=list)
    legend: list[tuple[str, str, int]] = field(default_factory=list)  # name of a constraint, what is published, its number from 0

    def bounds(self, boxes: dict[int, int]) -> dict[int, Number]:
        """Cite that there are no fewer than 0 records in boxes, so many times; box and constraint have the same number."""
        return {box: -times for box, times in boxes.items()}


def model_of(release: PlainRelease, unknowns: Unknowns) -> Model:
    """The boxes as unknowns, and rows for statistics and rules, in the order in which proofs number them."""
    certificate = ViprCertificate(())
    model = Model(certificate, unknowns)
    for i in range(unknowns.count):
        certificate.unknown(f"x{i}")
    for i in range(unknowns.count):
        certificate.bound(f"b{i}", i)
    for k, (about, low, high) in enumerate(release.statistics):
        least, most = unknowns.least(about), unknowns.most(about)
        if low is not None and low == high and least == most:
            number = certificate.constraint(f"s{k}", EQUAL, low, least)
            model.legend.append((f"s{k}", "statistic", k))
            model.rows += [Cited({number: 1}, least, low), Cited({number: -1}, _negative(least), -low)]
            continue
        model.rows.append(None if high is None else _row(model, f"s{k}h", AT_MOST, high, least))
        if low == 0 and all(worth > 0 for worth in most.values()):  # no number of records is below 0
            model.rows.append(Cited(model.bounds(most), _negative(most), 0))
        else:
            model.rows.append(None if low is None else _row(model, f"s{k}l", AT_LEAST, low, most))
        limits = {"h": high is not None, "l": model.rows[-1] is not None and bool(low)}
        model.legend += [(f"s{k}{end}", "statistic", k) for end, there in limits.items() if there]
    for k, box in enumerate(release.rules):
        model.rows += [_row(model, f"r{k}", AT_MOST, 0, unknowns.least(((1, box),))), None]
        model.legend.append((f"r{k}", "rule", k))
    return model


def _row(model: Model, name: str, sense: str, right: int, worth: dict[int, int]) -> Cited:
    number = model.certificate.constraint(name, sense, right, worth)
    return Cited({number: 1}, worth, right) if sense == AT_MOST else Cited({number: -1}, _negative(worth), -right)


def _negative(worth: dict[int, int]) -> dict[int, int]:
    return {box: -value for box, value in worth.items()}


def slack_of(model: Model, number: int, form: Form) -> Slack:
    """An unknown for the value of a form, between what its boxes tell."""
    certificate, name = model.certificate, f"v{number}"
    unknown = certificate.unknown(name)
    least, most = _negative(model.unknowns.least(form)), model.unknowns.most(form)
    above = certificate.constraint(f"{name}l", AT_LEAST, 0, {**least, unknown: 1})
    below = certificate.constraint(f"{name}h", AT_LEAST, 0, {**most, unknown: -1})
    return Slack(unknown, above, below)


# ---------------------------------------------------------------- either-ors


@dataclass(frozen=True, slots=True)
class Ceiling:
    """Some boxes have at most `most` records, weighed: a sum of published rows says so."""

    worth: dict[int, int]
    most: int
    rows: dict[int, int]  # which rows, how many times


@dataclass(frozen=True, slots=True)
class EitherSides:
    """An either-or by an unknown that is 0 or 1: as it is cited where the left side holds, and where the right one does.

    A side that need not hold gives way by a number that is large enough, and `ceilings` are why it is.
    """

    unknown: int
    sides: tuple[int, int]
    gives: tuple[int, int]
    rows: tuple[Row, Row]
    ceilings: tuple[Ceiling, ...]


def ceiling_of(plain: dict[int, Cited], wanted: dict[int, int]) -> Ceiling | None:
    """A limit of boxes so weighed: by one published row if there is one, else by several; None if none are enough. `plain` are rows
    that only add.
    """
    whole = [(row.right * _times(wanted, row), number) for number, row in plain.items() if wanted.keys() <= row.worth.keys()]
    if whole:
        most, number = min(whole)
        return Ceiling(wanted, most, {number: _times(wanted, plain[number])})
    used, left = dict[int, int](), dict(wanted)
    while left:
        box = min(left)
        over = [(row.right, number) for number, row in plain.items() if box in row.worth]
        if not over:
            return None
        number = min(over)[1]
        row = plain[number]
        times = -(-left[box] // row.worth[box])
        used[number] = used.get(number, 0) + times
        left = {i: rest for i, worth in left.items() if (rest := worth - times * row.worth.get(i, 0)) > 0}
    return Ceiling(wanted, sum(times * plain[number].right for number, times in used.items()), used)


def only_adding(model: Model) -> dict[int, Cited]:
    """The rows in which no box counts negative, by their numbers."""
    some = ((number, row) for number, row in enumerate(model.rows) if row is not None)
    return {number: row for number, row in some if row.right >= 0 and all(worth > 0 for worth in row.worth.values())}


def _times(wanted: dict[int, int], row: Cited) -> int:
    return max((-(-worth // row.worth[box]) for box, worth in wanted.items()), default=0)


def either_of(model: Model, plain: dict[int, Cited], number: int, rows: tuple[Row, Row]) -> EitherSides:
    """An either-or as two constraints, of which one gives way."""
    certificate = model.certificate
    left, right = (model.unknowns.least(row.about) for row in rows)
    found = [ceiling_of(plain, {box: worth for box, worth in side.items() if worth > 0}) for side in (left, right)]
    ceilings = tuple(ceiling for ceiling in found if ceiling is not None)
    if len(ceilings) < 2:
        raise Refused(f"either-or {number}: no published numbers limit both of its sides, so that it cannot be written as rows")
    unknown = certificate.unknown(f"z{number}")
    certificate.constraint(f"z{number}l", AT_LEAST, 0, {unknown: 1})
    certificate.constraint(f"z{number}h", AT_MOST, 1, {unknown: 1})
    one, other = (max(0, ceiling.most - row.most) for row, ceiling in zip(rows, ceilings, strict=True))
    first = certificate.constraint(f"e{number}l", AT_MOST, rows[0].most, {**left, unknown: -one})
    second = certificate.constraint(f"e{number}r", AT_MOST, rows[1].most + other, {**right, unknown: other})
    return EitherSides(unknown, (first, second), (one, other), rows, ceilings)


def proof_of_ceilings(release: PlainRelease, unknowns: Unknowns, ceilings: Iterable[Ceiling]) -> ViprCertificate:
    """A certificate that no ceiling is broken, from the published rows alone: either-ors, which give way by them, are not in it."""
    model = model_of(release, unknowns)
    certificate, every = model.certificate, list(ceilings)
    broken = [certificate.unknown(f"c{i}") for i in range(len(every))]
    said = [
        certificate.constraint(f"c{i}", AT_LEAST, 0, {**ceiling.worth, unknown: -ceiling.most - 1})
        for i, (unknown, ceiling) in enumerate(zip(broken, every, strict=True))
    ]
    never = list[int]()
    for unknown, number, ceiling in zip(broken, said, every, strict=True):
        rows = [(row, times) for i, times in ceiling.rows.items() if (row := model.rows[i]) is not None]
        worth = added((row.worth, times) for row, times in rows)
        surplus = {box: int(value) - ceiling.worth.get(box, 0) for box, value in worth.items()}
        parts: Sequence[tuple[dict[int, Number], Number]] = [
            *((row.times, times) for row, times in rows), (model.bounds(surplus), 1), ({number: -1}, 1)
        ]
        total = added(parts)
        scale = Fraction(1, ceiling.most + 1)
        never.append(certificate.combine(0, {unknown: 1}, added([(total, scale)]), ceiling.most * scale))
    certificate.conclude(dict.fromkeys(never, 1))
    certificate.goal = tuple(broken)
    return certificate
