"""How data are shown in messages and on a terminal: short, on one line, and never as commands to the terminal."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

MOST = 60  # characters of one value
NAMED = 8  # values of a list

# Line breaks of every kind, escape sequences, marks that turn the direction of writing, and halves of characters.
RAW = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


def plain(text: str) -> str:
    """The text on one line, with whatever could move the cursor or fake a line written as an escape.

    >>> plain("fine"), plain("2 rejected\\n3 accepted"), plain("\\x1b[2J")
    ('fine', '2 rejected\\\\n3 accepted', '\\\\x1b[2J')
    """
    return RAW.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def plain_lines(text: str) -> str:
    """Text of several lines that this package put together, safe to print."""
    return "\n".join(map(plain, text.split("\n")))


def shown(value: object) -> str:
    """A value as a message names it: in quotes if it is text, and cut when it is long.

    >>> shown("F"), shown(12), shown("x" * 100)[-23:], shown(10 ** 5000)
    ("'F'", '12', "xx'... (100 characters)", 'a number of about 5,000 digits')
    """
    if isinstance(value, str):
        return repr(value) if len(value) <= MOST else f"{value[: MOST - 20]!r}... ({len(value):,} characters)"
    if isinstance(value, int) and value.bit_length() > 3 * MOST:
        return f"a number of about {int(value.bit_length() * 0.30103):,} digits"  # in full it may not even be printable
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # a long number inside, or lists in lists in lists
        return f"a value of type {type(value).__name__}"
    return text if len(text) <= MOST else f"{text[: MOST - 3]}..."


def listed(names: Iterable[str], between: str = ", ", most: int = NAMED, where: str = "") -> str:
    """A list of names, each cut when it is long; of many names the first.

    >>> listed(["a", "b"]), listed(map(str, range(20)))
    ('a, b', '0, 1, 2, 3, 4, 5, 6, 7 and 12 more')
    """
    return some_of([name if len(name) <= MOST else f"{name[: MOST - 3]}..." for name in names], between, most, where)


def some_of(names: Sequence[str], between: str = ", ", most: int = NAMED, where: str = "") -> str:
    """All names of a list, or the first of them, how many more there are, and where somebody who acts on them finds all.

    >>> some_of(["C4", "C5", "C6", "C7"], most=2, where="protect.json")
    'C4, C5 and 2 more, all in protect.json'
    """
    return between.join(names[:most]) + and_more(len(names) - most, where)


def and_more(number: int, where: str = "") -> str:
    """The end of a list that leaves out so many; nothing for a list that is complete.

    >>> and_more(18, "left_out.csv"), and_more(0)
    (' and 18 more, all in left_out.csv', '')
    """
    return f" and {number:,} more{where and f', all in {where}'}" if number > 0 else ""


def paragraphs(text: str) -> str:
    """Lines of text for a notebook, a paragraph each.

    >>> paragraphs("a < b\\nc")
    '<p>a &lt; b</p><p>c</p>'
    """
    return "".join(f"<p>{escape(line)}</p>" for line in text.splitlines() if line)
