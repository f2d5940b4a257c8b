"""The sheet that is signed, as a page of its own that prints on two pages of paper."""

from __future__ import annotations

from foregone.model.domain import Domain
from foregone.model.review import ReviewSheet
from foregone.model.shown import and_more
from foregone.pages.template import fill

MOST_FILES = 24  # that have room on the second page
ACROSS = 100  # letters in a line of paper
ROOM = 35  # lines of paper for all sections together
# sentences of a section, and letters of each, from what reads best to what always has room
SHAPES = ((20, 600), (12, 420), (8, 420), (6, 320), (5, 260), (4, 200), (3, 200), (2, 200), (2, 100))
WHERE = "foregone review --json"
NOBODY = Domain.of({"value": ["any"]})  # the sheet speaks of no columns
BADGES = {"kept": "pass", "broken": "fail"}


def render_review(sheet: ReviewSheet) -> str:
    """The page as text. Lines that have no room on paper are in what `--json` prints, and the page says so."""
    shapes = [_sections(sheet, most, longest) for most, longest in SHAPES]
    sections = next((made for made in shapes if _height(made) <= ROOM), shapes[-1])
    return fill(
        "review.html",
        NOBODY,
        [],
        sheet=sheet,
        badge=BADGES.get(sheet.verdict, "review"),
        sections=sections,
        files=sheet.files[:MOST_FILES],
        more=and_more(len(sheet.files) - MOST_FILES, WHERE).strip(),
    )


def _sections(sheet: ReviewSheet, most: int, longest: int) -> list[tuple[str, list[str]]]:
    """The sections with so many sentences of so many letters."""
    return [(section.title, _lines(section.lines, most, longest)) for section in sheet.sections]


def _height(sections: list[tuple[str, list[str]]]) -> int:
    """How many lines of paper they take, each with its title."""
    return sum(3 + sum(-(-len(line) // ACROSS) for line in lines) for _, lines in sections)


def _lines(lines: tuple[str, ...], most: int, longest: int) -> list[str]:
    cut = [line if len(line) <= longest else f"{line[: longest - 40]}... (whole in {WHERE})" for line in lines]
    rest = len(cut) - most
    return cut if rest <= 0 else [*cut[:most], and_more(rest, WHERE).strip()]
