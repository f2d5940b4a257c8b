"""Why the facts on a page are certain: derivations of the most telling ones."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from foregone.formats.text import regular_file
from foregone.model.errors import InputError, UndecidedError
from foregone.model.progress import Progress
from foregone.model.release import Release
from foregone.pages.collection import Collection, LocatedFact
from foregone.pages.derivation import Derivation, derive
from foregone.pages.ranking import RankedFact, rank_facts
from foregone.questions.ask import audit

Explanations = Mapping[tuple[str, int], Derivation]
"""Of facts of one release, by claim and count; what is explained is the claim without groups that tell nothing."""


def explain_facts(
    release: Release,
    facts: Sequence[RankedFact],
    most: int,
    known: Explanations | None = None,
    progress: Progress | None = None,
) -> dict[tuple[str, int], Derivation]:
    """Why the first `most` facts are certain; those too large to be explained are left out."""
    made = {}
    chosen = facts[:most]
    for i, fact in enumerate(chosen):
        key = (fact.predicate.text(release.domain), fact.count)
        if progress is not None:
            progress("explaining", i, len(chosen))
        if known is not None and key in known:
            made[key] = known[key]
            continue
        try:
            made[key] = derive(release, fact.telling, fact.count)
        except UndecidedError:
            continue
    return made


@dataclass(frozen=True, slots=True)
class ExplainedFact:
    """A release among many, made again, and the fact with the shortest ways to say it."""

    release: Release
    fact: RankedFact
    derivation: Derivation


LocatedExplanations = Mapping[tuple[str, str, int], ExplainedFact]
"""Of facts of many releases, by release, claim and count."""


def explain_located(
    collection: Collection, source: Path, chosen: Iterable[LocatedFact], progress: Progress | None = None
) -> dict[tuple[str, str, int], ExplainedFact]:
    """Explanations of the chosen facts, from releases made again out of the file that the collection was made from."""
    if collection.subject.republish is None:
        raise InputError(f"{source}: the releases of {collection.path} cannot be made again from a file of records")
    _same_file(collection, source)
    wanted = list(chosen)
    releases = collection.subject.republish(source, [located.release for located in wanted])
    made: dict[tuple[str, str, int], ExplainedFact] = {}
    for i, located in enumerate(wanted):
        if progress:
            progress("explaining", i, len(wanted))
        release, fact = releases[located.release], located.fact
        try:
            derivation = derive(release, fact.predicate, fact.count)
        except UndecidedError:
            continue
        claim = fact.predicate.text(release.domain)
        made[located.release, claim, fact.count] = ExplainedFact(release, _with_keys(release, fact), derivation)
    return made


def _with_keys(release: Release, fact: RankedFact) -> RankedFact:
    """The fact with the shortest claims that say the same, which neither runs nor studies store."""
    for other in rank_facts(audit(release)):
        if other.count == fact.count and other.predicate.within(fact.predicate):
            keys = tuple(key for key in other.keys if fact.predicate.within(key))
            return replace(fact, keys=keys, idle=other.idle & set(fact.names), counted=None)
    return fact


def _same_file(collection: Collection, source: Path) -> None:
    regular_file(source, f"give the unit file that the {collection.kind} was made from")
    try:
        with source.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(
            f"{source}: cannot be read ({error.strerror}); give the unit file that the {collection.kind} was made from"
        ) from None
    if found != collection.fingerprint:
        name = collection.about.get("input", {}).get("name", "unknown")
        raise InputError(f"{source}: is not the file that {collection.path} was made from ({name}); its fingerprint is another one")
