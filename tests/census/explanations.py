"""The stored explanations of the bundled releases: `python -m tests.census.explanations` works them out and stores them anew.

It takes some minutes, which is why they are stored. Run it after a change to audits, to explanations, to what is told of a
release, or to a bundled release; a test says when it is due.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import foregone.census
from foregone import Dataset, Predicate, Release, UndecidedError, audit
from foregone.batch.subject import ANY
from foregone.census.demo import demo_release, stored_explanations, textbook_release
from foregone.engine import forced
from foregone.model.errors import InputError
from foregone.pages.derivation import Derivation, derive
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


def better(stored: Derivation | None, fresh: Derivation | None) -> Derivation | None:
    """The one that is easier to follow: step by step from one number, or else with fewer numbers; of equals the fresh one."""

    def effort(found: Derivation) -> tuple[bool, int]:
        return found.anchor is None, len(found.statistics)

    return min((found for found in (fresh, stored) if found is not None), key=effort, default=None)


def renewed(
    release: Release, facts: Sequence[RankedFact], fresh: Mapping[tuple[str, int], Derivation]
) -> dict[tuple[str, int], Derivation]:
    """What is worth storing: an explanation that was found once is kept while it is better, after an exact test that it holds."""
    stored = stored_explanations(release.fingerprint())
    made = {}
    for fact in facts:
        key = fact.predicate.text(release.domain), fact.count
        chosen = better(stored.get(key), fresh.get(key))
        if chosen is not None and chosen is not fresh.get(key) and not still_holds(release, fact, chosen):
            chosen = fresh.get(key)
        if chosen is not None:
            made[key] = chosen
    return made


def derivation_json(derivation: Derivation) -> dict[str, Any]:
    return {
        "statistics": list(derivation.statistics),
        "terms": [[i, str(coefficient)] for i, coefficient in derivation.terms],
        "sure": derivation.sure,
        "anchor": derivation.anchor,
        "steps": [{"columns": list(step.columns), "statistics": list(step.statistics)} for step in derivation.steps],
        "ways": None if derivation.ways is None else derivation.ways.json(),
    }


def confirm(release: Release, predicate: Predicate, count: int, derivation: Derivation) -> Derivation:
    """A stored explanation, after an exact test that its statistics are really enough."""
    if forced(release, derivation.statistics, predicate, count, count) is not True:
        raise InputError(f"the stored explanation of {predicate.text(release.domain)!r} does not fit the release; compute it anew")
    return derivation


def still_holds(release: Release, fact: RankedFact, found: Derivation) -> bool:
    """Is it about what is told of the fact today, and enough for it?"""
    names = {name for name, _ in fact.telling.allowed}
    if any(name not in names for step in found.steps for name in step.columns):
        return False
    try:
        confirm(release, fact.telling, fact.count, found)
    except InputError:
        return False
    return True


def explained(release: Release, fact: RankedFact) -> Derivation | None:
    """Why a fact is certain, worked out alone, so that a test can do the same for any one of them."""
    print(fact.predicate.text(release.domain))
    with suppress(UndecidedError):
        return derive(release, fact.telling, fact.count)
    return None


def main() -> None:
    for name, bundled in BUNDLED.items():
        release, _ = bundled()
        facts = told(release)
        fresh = {(fact.predicate.text(release.domain), fact.count): found for fact in facts if (found := explained(release, fact))}
        made = renewed(release, facts, fresh)
        (FOLDER / name).write_text(explanations_text(release, made), "utf-8")
        new = sum(made[key] == fresh.get(key) for key in made)
        print(f"{name}: {len(made)} of {len(facts)} facts explained, {new} of them anew.")


if __name__ == "__main__":
    main()
