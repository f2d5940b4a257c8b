"""The page of the bundled block. Its explanations are stored, because working them out anew takes a minute or two."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

from foregone.model.audit import Audit
from foregone.model.errors import InputError
from foregone.pages.derivation import Why, why_from
from foregone.pages.ranking import findings
from foregone.pages.release_page import Options, explanations
from foregone.pages.write import check_page, today, write_report


def stored_explanations(fingerprint: str) -> dict[tuple[str, int], Why]:
    """What was worked out for exactly this release before; nothing for any other. A test confirms each one."""
    content = json.loads(files("foregone.census").joinpath("block-explained.json").read_text("utf-8"))
    if content["fingerprint"] != fingerprint:
        return {}
    return {(entry["claim"], entry["count"]): why_from(entry) for entry in content["explanations"]}


def demo_page(audit: Audit, out: Path, say: Callable[[str], None]) -> None:
    """Write the page and name it; a folder that cannot be written to does not spoil the demo."""
    found = findings(audit)
    stored = stored_explanations(audit.release.fingerprint())
    explained = explanations(audit, found, len(stored), stored)
    say("")
    try:
        check_page(out)
        options = Options(today(), "a synthetic census block, in which nobody is real")
        written = write_report(audit, found, explained, out, options)
    except InputError as error:
        say(f"The page that shows all this was not written: {error.problems[0]}. Say where with --page.")
        return
    say(f"See it, and why it cannot be otherwise: open {written.page.absolute()} in a browser.")
