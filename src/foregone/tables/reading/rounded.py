"""Numbers that are all multiples of one base are rounded, unless somebody says otherwise."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from math import gcd

from foregone.tables.reading.numbers import common_multiple, plain
from foregone.tables.reading.question import Clue, ReadingChoice, Reads, Speaks, TableQuestion
from foregone.tables.table import Table
from foregone.tables.values import CellKind, Meaning, value_of


def rounded_question(
    table: Table, meaning: Meaning, doubted: bool = False, beside: Iterable[str] = ()
) -> TableQuestion | None:
    """Are all numbers multiples of one base, and no rule was named that says so? `doubted`: a total does not add up.

    `beside` are further numbers of the file: where there are few, they tell with them.
    """
    if meaning.rule is not None or meaning.exact or table.unit > 1:
        return None
    cells = [entry for entry in table.entries if not entry.percent and not entry.withheld]
    texts = [entry.shown for entry in cells if doubted or None not in entry.labels]  # totals follow from the others
    numbers = [number for text in texts if (number := plain(text, table.dotted)) is not None]
    base = common_multiple(numbers, doubted)
    if not base and reduce(gcd, numbers, 0) > 1:
        numbers = [*numbers, *(number for text in beside if (number := plain(text, table.dotted)) is not None)]
        base = common_multiple(numbers)
    if not base:
        return None
    clue = Clue(Speaks.MULTIPLES, (f"{len(numbers):,}", str(base)))
    known = meaning.rules_that_fit({text for text in texts if value_of(text, table.dotted).kind != CellKind.BLANK})
    rule = f"round:{base}" if base != 3 else "rr3"
    others = f"; a rule that fits, too, is {' or '.join(known)}" if known else ""
    return TableQuestion(
        table.source,
        table.name,
        "",
        (
            ReadingChoice(Reads.ROUNDED, (str(base), others), whole={"rule": rule}, clues=(clue,)),
            ReadingChoice(Reads.EXACT, whole={"rule": "exact"}),
        ),
    )
