"""How the checker says no: whatever text comes with it, one printable line of bounded length comes out. And how much it works."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from foregone.checker.kernel import Fails

LONGEST = 400  # letters
MOST_WORK = 1 << 38  # bits; minutes

SENTENCES = {  # why the kernel says no
    "sets": "the boxes have more different sets of codes than this checker keeps",
    "boxes": "more than {:,} boxes, too many for this checker",
    "below zero": "a possible record makes the sum negative",
    "row": "there is no row {}",
    "bound": "the bound is {}/{}, which allows more than {}",
    "dominated": "the sum of the terms does not dominate the form on every possible record",
    "contradiction": "the terms add up to {}, which contradicts nothing",
    "negative": "a possible record makes the sum of the terms negative",
    "either-or": "there is no either-or {}",
    "form": "form {} selects other possible records than the claim",
}


class Refused(Fails):
    """A file cannot be read, or something in it is not so; the text says why."""

    def __init__(self, text: str) -> None:
        super().__init__(printable(text))


def printable(text: str) -> str:
    """One line of bounded length that a terminal shows as it is."""
    cut = text if len(text) <= LONGEST else text[: LONGEST - 4] + " ..."
    return "".join(letter if letter.isprintable() else "?" for letter in cut)


def said(error: Fails) -> str:
    """Why something was refused, in one line."""
    text = str(error) if isinstance(error, Refused) else SENTENCES[error.why].format(*error.about)
    return printable(f"step {error.step}: {printable(text)}" if error.step else text)


@contextmanager
def at(place: object) -> Iterator[None]:
    """A refusal inside says where."""
    try:
        yield
    except Fails as error:
        raise Refused(f"{str(place)[:200]}: {said(error)}") from None


class CountedWork:
    """Bits looked at so far. A file that asks for too many is refused before they are spent."""

    spent = 0

    def spend(self, bits: int) -> None:
        self.spent += bits
        if self.spent > MOST_WORK:
            raise Refused("this takes more work than the checker does")
