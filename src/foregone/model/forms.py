"""The forms of a fact: every claim between one of its shortest forms and its fullest one, counted and listed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from foregone.model.families import Families

Box = Mapping[int, int]
"""Column position -> bit mask of allowed values, only where a column is named."""

MOST_STATES = 100_000  # different sets of shortest forms met while counting


def count_forms(full: Box, shortest: Sequence[Box], families: Families) -> tuple[int, ...] | None:
    """How many forms there are with each number of columns, from none up; None when they are too many to be counted.

    A form allows in each column a member of the family that holds what the fullest form allows, or anything, and lies
    inside some shortest form. Columns are taken one by one; all that matters of those taken is which shortest forms
    are still possible.

    >>> count_forms({0: 1, 1: 1}, [{0: 1}], Families(((0b011, 0b111), ())))  # first column 1, second column 1 or anything
    (0, 1, 1)
    >>> count_forms({0: 1, 1: 1}, [{0: 3}], Families(((0b011, 0b111), ())))  # first column 1 or the smaller group
    (0, 2, 2)
    """
    around = {column: families.above(column, mask) for column, mask in full.items()}
    if any(members is None for members in around.values()):
        return None
    # numbers by size are digits of one long number: naming a column moves them by one place
    place = sum(len(members or ()).bit_length() + 1 for members in around.values())
    states = {(1 << len(shortest)) - 1: 1}
    for column, members in around.items():
        new: dict[int, int] = {}
        for allowed, (blank, named) in _choices(members or (), [form.get(column) for form in shortest]).items():
            for state, numbers in states.items():
                left = state & allowed
                if left:
                    new[left] = new.get(left, 0) + blank * numbers + (named * numbers << place)
        states = new
        if len(states) > MOST_STATES:
            return None
    total = sum(states.values())
    return tuple(total >> place * size & (1 << place) - 1 for size in range(len(full) + 1))


def _choices(members: Sequence[int], sides: Sequence[int | None]) -> dict[int, tuple[int, int]]:
    """Which shortest forms a choice in a column leaves possible -> how many such choices name nothing, and something."""
    anything = sum(1 << i for i, side in enumerate(sides) if side is None)
    found = {anything: (1, 0)}
    for member in members:
        left = anything
        for i, side in enumerate(sides):
            if side is not None and not member & ~side:
                left |= 1 << i
        blank, named = found.get(left, (0, 0))
        found[left] = blank, named + 1
    return found


def list_forms(full: Box, shortest: Sequence[Box], families: Families, most: int) -> Iterator[dict[int, int]]:
    """Every form with one to `most` columns, each once."""
    columns = list(full)

    def chosen(at: int, left: list[Box], said: dict[int, int]) -> Iterator[dict[int, int]]:
        if at == len(columns):
            if said:
                yield dict(said)
            return
        column = columns[at]
        without = [form for form in left if column not in form]
        if without:
            yield from chosen(at + 1, without, said)
        for member in (families.above(column, full[column]) or ()) if len(said) < most else ():
            fitting = [form for form in left if not member & ~form.get(column, member)]
            if fitting:
                yield from chosen(at + 1, fitting, {**said, column: member})

    yield from chosen(0, list(shortest), {})
