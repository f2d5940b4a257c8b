"""The kinds of census record there are."""

from __future__ import annotations

from foregone.census.household.kind import HOUSEHOLDS
from foregone.census.kind import Kind
from foregone.census.person.kind import PERSONS

KINDS = {kind.name: kind for kind in (HOUSEHOLDS, PERSONS)}


def kind_of(subject: str) -> Kind:
    """By the name that `--subject` gives it."""
    return KINDS[subject]
