"""What can be wrong with a row of any census file, as SQL: conditions beside words. Fields are text, n_FIELD is a number."""

from __future__ import annotations

from collections.abc import Container

from foregone.census.geography import FIELDS, STATES
from foregone.model.shown import MOST

SYNTHETIC = "SYNTHETIC"
"""What a file made by this package has in SCHEMA_BUILD_ID."""

Problem = tuple[str, str]
"""A condition, and what to say about a row for which it is true; both SQL."""


def place_problems(columns: Container[str]) -> list[Problem]:
    """Of the fields that name the block."""
    found = []
    for name in FIELDS:
        wrong = f"{not_digits(name)} OR n_{name} IS NULL OR n_{name} >= 1{'0' * FIELDS[name]}"
        if name == "TABBLKST":
            known = ", ".join(str(int(code)) for code in STATES)
            found.append((f"{wrong} OR n_{name} NOT IN ({known})", expected(name, "the two-digit code of a state")))
        elif name == "TABBLK":
            found.append((wrong, expected(name, "a block number of four digits")))
        else:
            found.append((f"{wrong} OR n_{name} = 0", expected(name, f"a code of {FIELDS[name]} digits, not 0")))
    if "TABBLKGRPCE" in columns:
        words = f"'TABBLKGRPCE is ''' || left(TABBLKGRPCE, {MOST}) || ''', but block ' || TABBLK ||"
        words += " ' is in group ' || (n_TABBLK // 1000)"
        found.append(("n_TABBLKGRPCE IS NULL OR n_TABBLKGRPCE <> n_TABBLK // 1000", words))
    return found


def not_digits(text: str) -> str:
    return f"NOT regexp_full_match({text}, '[0-9]+')"


def expected(name: str, what: str) -> str:
    return f"'{name} is ''' || left({name}, {MOST}) || ''', expected {what}'"
