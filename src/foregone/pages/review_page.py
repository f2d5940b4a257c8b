"""The sheet that is signed, as a page of its own that prints on two pages of paper."""

from __future__ import annotations

from foregone.model.domain import Domain
from foregone.model.review import ReviewSheet
from foregone.model.shown import and_more
from foregone.pages.template import fill

MOST_FILES = 24  # that have room on the second page
MOST_LINES = 5  # of one section that have room on the first
LONGEST = 420  # letters of a line on paper
NOBODY = Domain.of({"value": ["any"]})  # the sheet speaks of no columns
BADGES = {"kept": "pass", "broken": "fail"}


def render_review(sheet: ReviewSheet) -> str:
    """The page as text. Lines that have no room on paper are in what `--json` prints, and the page says so."""
    sections = [(section.title, _lines(section.lines)) for section in sheet.sections]
    return fill(
        "review.html",
        NOBODY,
        [],
        sheet=sheet,
        badge=BADGES.get(sheet.verdict, "review"),
        sections=sections,
        files=sheet.files[:MOST_FILES],
        more=and_more(len(sheet.files) - MOST_FILES, "foregone review --json").strip(),
    )


def _lines(lines: tuple[str, ...]) -> list[str]:
    cut = [line if len(line) <= LONGEST else f"{line[: LONGEST - 40]}... (whole in foregone review --json)" for line in lines]
    rest = len(cut) - MOST_LINES
    return cut if rest <= 0 else [*cut[:MOST_LINES], and_more(rest, "foregone review --json").strip()]
