"""The page about a protection: before and after side by side, the cells that changed in their tables, the next best choices."""

from __future__ import annotations

from foregone.batch.subject import Subject
from foregone.model.protection import Protection, protection_summary
from foregone.model.release import Release
from foregone.pages.template import fill
from foregone.pages.views.tables import side_by_side

MOST_NAMES = 20_000


def render_protection(found: Protection, subject: Subject, date: str) -> str:
    """The page as text. It holds numbers that are withheld, and says so."""
    assert found.release is not None
    return fill(
        "protection.html",
        found.original.domain,
        [],
        headline=_headline(found),
        lead=f"{'; '.join(found.policy.words)}.",
        badge="Proved smallest" if found.optimal else "Protected, not proved smallest",
        verdict="pass" if found.optimal else "review",
        # the next best choices have a section of their own; lists are complete, as people follow them cell by cell
        lines=protection_summary(found, MOST_NAMES, others=False).splitlines(),
        alternatives=found.alternatives,
        sides=side_by_side(found.original, found.release, subject),
        prints=[_printed(release) for release in (found.original, found.release)],
        date=date,
    )


def _printed(release: Release) -> dict[int, str]:
    """What stands in place of counts that are not shown."""
    return {i: count.mark or "withheld" for i, count in enumerate(release.statistics) if count.hidden}


def _headline(found: Protection) -> str:
    what = "table" if found.by == "table" else "cell"
    number = len(found.withheld)
    some = f"{number:,} {what if number == 1 else what + 's'} withheld"
    return f"{some}, and nothing less would do" if found.optimal else f"{some}, perhaps more than needed"
