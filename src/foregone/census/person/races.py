"""Groups of combinations of races in a few words: tables add up very many of them, which nobody wants to read one by one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from foregone.census.person.tables import person_domain
from foregone.model.sentences import number, plural

LISTED = 3  # combinations that are told one by one
NAMED = 2  # of more, where nothing shorter is true of just these


def races_text(codes: Sequence[str]) -> str:
    """Some combinations of the six races.

    >>> races_text(["White", "Other"])
    'White or of some other race'
    >>> every = person_domain().column("RACE").codes
    >>> races_text([code for code in every if "+" in code])
    'of two or more races'
    >>> races_text([code for code in every if "Asian" in code])
    'Asian, alone or with other races'
    >>> races_text([code for code in every if "Asian" in code and "+" in code])
    'Asian and at least one other race'
    >>> races_text([code for code in every if "+" not in code])
    'of one race'
    >>> races_text([code for code in every if "Asian" in code and code.count("+") == 1])
    'Asian, with one other race'
    >>> races_text([code for code in every if "Asian" not in code and code.count("+") == 2])
    'of three races, but not Asian'
    >>> races_text([code for code in every if code.count("+") == 1][:5] + ["Asian"])
    'White and Black or African American, White and American Indian or Alaska Native or one of 4 other combinations of races'
    """
    if len(codes) <= LISTED:
        return " or ".join(map(_label, codes))
    chosen = {frozenset(code.split("+")) for code in codes}
    single = [code for code in person_domain().column("RACE").codes if "+" not in code]
    shared, around = frozenset.intersection(*chosen), frozenset.union(*chosen)
    least, most = (end(map(len, chosen)) for end in (min, max))
    others = [race for race in single if race in around and race not in shared]
    alike = {shared | set(some) for size in range(least, most + 1) for some in combinations(others, size - len(shared))}
    if alike != chosen:
        told = ", ".join(map(_label, codes[:NAMED]))
        return f"{told} or one of {len(codes) - NAMED} other combinations of races"
    missing = [race for race in single if race not in around]
    without = f", but not {' or '.join(map(_label, missing))}" if missing else ""
    return _counted(shared, least, most, len(around)) + without


def _counted(shared: frozenset[str], least: int, most: int, whole: int) -> str:
    """All combinations of so many races that have some in common."""
    if not shared:
        return f"of {_range(least, most, whole)} {plural('race', most)}"
    label = _label("+".join(race for race in person_domain().column("RACE").codes if race in shared))
    further = least - len(shared), most - len(shared)
    if most == whole and further[0] <= 1:
        return f"{label}{' and at least one other race' if further[0] else ', alone or with other races'}"
    return f"{label}, with {_range(*further, whole - len(shared))} other {plural('race', further[1])}"


def _range(least: int, most: int, whole: int) -> str:
    if least == most:
        return number(least)
    if most == whole:
        return f"{number(least)} or more"
    return f"{number(least)} to {number(most)}"


def _label(code: str) -> str:
    text = person_domain().column("RACE").label_of(code)
    return f"of {text}" if code == "Other" else text
