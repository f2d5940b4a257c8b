"""One mark, one footnote: what is printed about a mark, how a reader understands it, and which old lines it takes the place of."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from foregone.model.marks import Ranges, ranges_words

SAYS = " not shown; stands for "
NUMBERS = re.compile(r"any number|(?:(?:at least )?[0-9]+(?: to [0-9]+)?)(?: or (?:at least )?[0-9]+(?: to [0-9]+)?)*")
FEW = re.compile(
    r"(?i)\b(?:fewer|less|lower|smaller) than [0-9]+|\b(?:under|below) [0-9]+|[<≤] ?[0-9]+|\b[0-9]+ ?(?:to|-|–) ?[0-9]+\b"
)
HIDES = re.compile(
    r"(?i)suppress|not shown|not displayed|withheld|hidden|disclos|confidential|replaced|masked|asterisk|\bstars?\b"
    r"|small (?:number|count|cell)"
)
SENTENCE = re.compile(r"[^;.]*(?:[.](?=[0-9])[^;.]*)*[;.]*\s*")


def footnote(mark: str, ranges: Ranges) -> str:
    """
    >>> footnote("[c]", ((1, None),)), footnote("*", ((0, None),))
    ('[c] not shown; stands for at least 1', '* not shown; stands for any number')
    """
    return f"{mark}{SAYS}{ranges_words(ranges)}"


def meaning_of(text: str, mark: str) -> Ranges | None:
    """What a text says that a mark stands for, as somebody reads it; None if it says nothing of the kind.

    >>> meaning_of("Source: clinic. [c] not shown; stands for 0 or at least 5.", "[c]")
    ((0, 0), (5, None))
    """
    at = text.find(f"{mark}{SAYS}")
    found = None if at < 0 else NUMBERS.match(text, at + len(mark) + len(SAYS))
    if found is None:
        return None
    if found[0] == "any number":
        return ((0, None),)
    made: list[tuple[int, int | None]] = []
    for part in found[0].split(" or "):
        low, _, high = part.removeprefix("at least ").partition(" to ")
        made.append((int(low), None if part.startswith("at least") else int(high or low)))
    return tuple(made)


def renewed(text: str, old: Collection[str], notes: Mapping[str, str]) -> str | None:
    """A line of text with what it says about signs that are gone, or about numbers too small to be shown, taken back; the
    footnotes `notes` stand in the place of the first such remark. None for a line that says nothing of the kind.

    >>> renewed("* Fewer than 5. Source: clinic", ["*"], {"[c]": "[c] not shown; stands for at least 1"})
    '[c] not shown; stands for at least 1. Source: clinic'
    >>> renewed("Patients (* = 1 to 4) by age", ["*"], {"[c]": "[c] not shown; stands for at least 1"})
    'Patients ([c] not shown; stands for at least 1) by age'
    >>> renewed("Source: clinic", ["*"], {})
    """
    new, told = " ".join(notes.values()), False

    def instead() -> str:
        nonlocal told
        said, told = ("" if told else new), True
        return said

    def inside(found: re.Match[str]) -> str:
        return f"({instead()})" if _about(found[1], old) else found[0]

    made = re.sub(r"\(([^()]*)\)", inside, text)
    if told:
        return made.replace("()", "").strip()
    pieces: list[str] = []
    for found in SENTENCE.finditer(text):
        piece = found[0]
        core = piece.strip().rstrip(";.")
        if core and _about(core, old):
            said = instead()
            pieces.append(said + piece[len(piece.rstrip().rstrip(";.")) :] if said else "")
        else:
            pieces.append(piece)
    return "".join(pieces).strip() if told else None


def _about(text: str, old: Collection[str]) -> bool:
    """Does a text explain a sign that is printed in place of numbers, or which numbers are not shown?"""
    for sign in old:
        whole = rf"(?<![\w{re.escape(sign)}]){re.escape(sign)}(?![\w{re.escape(sign)}])"
        if text.strip().startswith(sign) and text.strip() != sign:
            return True
        if (
            re.search(whole, text)
            and text.strip() != sign
            and (FEW.search(text) or HIDES.search(text) or re.search(rf"{whole}\s*[=:]", text))
        ):
            return True
    return FEW.search(text) is not None and HIDES.search(text) is not None
