"""What footnotes say about signs in a table."""

from __future__ import annotations

import re

from foregone.tables.values import is_dash

ZERO = re.compile(r"(=|:|is|means|denotes|indicates|represents|stands for)?\s*(an? )?(exact(ly)? |true )?(nil|zero|0|none|no )")
NEARLY = re.compile(r"or (less|fewer|negligible|rounds|not)|rounded|less than|negligible")


def note_about(sign: str, footnotes: tuple[str, ...]) -> str:
    """The footnote that begins with a sign, if there is one.

    >>> note_about("*", ("Source: clinic", "* Fewer than 5"))
    '* Fewer than 5'
    """
    return next((note for note in footnotes if note.startswith(sign) and note != sign), "")


def dash_is_zero(footnotes: tuple[str, ...]) -> bool:
    """Does a footnote say that a dash means zero?

    >>> dash_is_zero(("- = nil",)), dash_is_zero(("- not available",))
    (True, False)
    """
    for note in footnotes:
        words = note.replace("'", " ").replace('"', " ").replace("(", " ").replace(")", " ").split()
        if words and is_dash(words[0].rstrip(":=")):
            rest = " ".join(words[1:]).lower()
            if ZERO.match(rest) and not NEARLY.search(rest):
                return True
    return False
