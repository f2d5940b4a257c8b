"""The stored explanations of the bundled releases: `python -m tests.census.explanations` works them out and stores them anew.

It takes some minutes, which is why they are stored. Run it after a change to audits, to explanations, to what is told of a
release, or to a bundled release; a test says when it is due.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import foregone.census
from foregone import Dataset, Release, audit
from foregone.census.demo import demo_release
from foregone.census.textbook import textbook_release
from foregone.model.subject import ANY
from foregone.pages.derivation import Derivation, derivation_json
from foregone.pages.explanations import explain_facts
from foregone.pages.ranking import RankedFact, audited_release

FOLDER = Path(foregone.census.__file__).parent
BUNDLED: Mapping[str, Callable[[], tuple[Release, Dataset]]] = {
    "block-explained.json": demo_release,
    "seven-explained.json": textbook_release,
}


def told(release: Release) -> tuple[RankedFact, ...]:
    """The facts that the page of a release tells one by one, in its order."""
    return audited_release(audit(release), ANY).listed


def explanations_text(release: Release, explained: Mapping[tuple[str, int], Derivation]) -> str:
    """One line for each, so that a change is easy to see."""
    entries = [{"claim": claim, "count": count, **derivation_json(found)} for (claim, count), found in explained.items()]
    lines = ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in entries)
    return f'{{"fingerprint": "{release.fingerprint()}", "explanations": [\n{lines}\n]}}\n'


if __name__ == "__main__":
    for name, bundled in BUNDLED.items():
        release, _ = bundled()
        facts = told(release)
        made = explain_facts(release, facts, len(facts), progress=lambda _, done, of: print(f"{done} of {of}", end="\r"))
        (FOLDER / name).write_text(explanations_text(release, made), "utf-8")
        print(f"{name}: {len(made)} of {len(facts)} facts explained.")
