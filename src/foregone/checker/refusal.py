"""How the checker says no: whatever text comes with it, one printable line of bounded length comes out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

LONGEST = 400  # letters
MOST_WORK = 1 << 38  # bits; minutes
TERM = 1000  # bits that could be looked at in the time that anything at all takes


class Refused(Exception):
    """A file cannot be read, or a proof does not hold; the text says why."""

    def __init__(self, text: str) -> None:
        super().__init__(printable(text))


def printable(text: str) -> str:
    """One line of bounded length that a terminal shows as it is."""
    cut = text if len(text) <= LONGEST else text[: LONGEST - 4] + " ..."
    return "".join(letter if letter.isprintable() else "?" for letter in cut)


@contextmanager
def at(place: object) -> Iterator[None]:
    """A refusal inside says where."""
    try:
        yield
    except Refused as error:
        raise Refused(f"{str(place)[:200]}: {error}") from None


class Work:
    """Bits looked at so far. A file that asks for too many is refused before they are spent."""

    spent = 0

    def spend(self, bits: int) -> None:
        self.spent += bits
        if self.spent > MOST_WORK:
            raise Refused("this takes more work than the checker does")
