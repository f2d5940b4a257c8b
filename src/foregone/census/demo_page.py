"""The pages of the bundled blocks. Their explanations are stored, because working them out anew takes minutes."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

from foregone.census.demo import demo_release
from foregone.census.subjects import subject_of_release
from foregone.census.textbook import SOURCE, textbook_release
from foregone.model.audit import Audit
from foregone.model.dataset import Dataset
from foregone.model.errors import InputError
from foregone.pages.commands import Place
from foregone.pages.derivation import Derivation, derivation_from
from foregone.pages.ranking import audited_release
from foregone.pages.release_page import PageOptions
from foregone.pages.write import check_page, today, write_release_page

STORED = ("block-explained.json", "seven-explained.json")


def stored_explanations(fingerprint: str) -> dict[tuple[str, int], Derivation]:
    """What was worked out for exactly this release before; nothing for any other. A test confirms each one."""
    for name in STORED:
        content = json.loads(files("foregone.census").joinpath(name).read_text("utf-8"))
        if content["fingerprint"] == fingerprint:
            return {(entry["claim"], entry["count"]): derivation_from(entry) for entry in content["explanations"]}
    return {}


def demo_page(audit: Audit, out: Path, say: Callable[[str], None]) -> None:
    """Write the page and name it; a folder that cannot be written to does not spoil the demo."""
    place = Place("foregone-demo", prepare="foregone demo --out foregone-demo")
    _page(audit, out, say, demo_release()[1], "a synthetic census block, in which nobody is real", place)


def textbook_page(audit: Audit, out: Path, say: Callable[[str], None]) -> None:
    """The same for the textbook block."""
    place = Place("foregone-textbook", prepare="foregone demo --textbook --out foregone-textbook")
    _page(audit, out, say, textbook_release()[1], SOURCE, place)


def _page(audit: Audit, out: Path, say: Callable[[str], None], truth: Dataset | None, name: str, place: Place) -> None:
    release = audit.release
    stored = stored_explanations(release.fingerprint())
    audited = audited_release(audit, subject_of_release(release.domain), truth=truth)
    say("")
    try:
        check_page(out)
        options = PageOptions(today(), name, place=place)
        written = write_release_page(audited, stored, out, options)  # none is worked out while somebody waits for the demo
    except InputError as error:
        say(f"The page was not written: {error.problems[0]}. Use --page to write it elsewhere.")
        return
    say(f"To see all this, and why it is certain, open {written.page.absolute()} in a browser.")
