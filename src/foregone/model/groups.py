"""Whether claims may name groups of values; by itself, because every command that offers the choice loads it."""

from __future__ import annotations

from enum import StrEnum


class Groups(StrEnum):
    """Which groups of values claims may name beside single values."""

    PUBLISHED = "published"  # those that the tables use, those that the domain declares, and what they share
    NONE = "none"  # single values only, as in the paper
