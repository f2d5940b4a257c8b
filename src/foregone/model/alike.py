"""Texts that people take for the same: whatever their case, kind of dash and blanks."""

from __future__ import annotations

from collections.abc import Iterable

DASHES = "-‐‑‒–—―−"


def folded(text: str) -> str:
    """A text without what nobody would tell two labels apart by: case, kinds of dash, blanks.

    >>> folded("18 – 24") == folded("18-24"), folded("Male") == folded(" MALE")
    (True, True)
    """
    plain = "".join("-" if c in DASHES else c for c in text.casefold())
    return " ".join(plain.replace("-", " - ").split()).replace(" - ", "-")


def meant(text: str, known: Iterable[str]) -> str | None:
    """The one known text that this one is taken for; None when there is none, or several.

    >>> meant("18–24", ["18-24", "25+"]), meant("m", ["M", "m"]), meant("x", ["y"])
    ('18-24', 'm', None)
    """
    names = list(known)
    if text in names:
        return text
    alike = [name for name in names if folded(name) == folded(text)]
    return alike[0] if len(alike) == 1 else None
