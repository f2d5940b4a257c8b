"""The page about a protection shows what changed, and says that it is confidential."""

from __future__ import annotations

import re

from foregone import protect
from foregone.census.subjects import subject_of_release
from foregone.pages.before_after import render_protection
from tests.protection.test_small_cases import CLINICS, SHOWN


def test_before_and_after() -> None:
    found = protect(CLINICS, SHOWN, alternatives=1)
    page = render_protection(found, subject_of_release(CLINICS.domain), "2026-01-01")
    assert "4 cells withheld, and nothing less would do" in page
    assert "Confidential" in page
    assert page.count("Not covered (--reader any): what a reader concludes who knows that the least was withheld") == 1
    assert len(re.findall('class="(side )?used"', page)) == 4
    assert page.count('<span class="sr">changed: </span>') == 4
    assert "The next best choices" in page
    assert "withheld" in page or "at least 1" in page
