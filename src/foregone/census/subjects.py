"""Which subject a release, or the folder of a run, is about: the words, tables and rules that pages and runs need to know."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from foregone.batch.subject import ANY, Subject, TableDefinition
from foregone.census.geography import BLOCKS
from foregone.census.kinds import KINDS, publisher
from foregone.census.records import RecordKind
from foregone.census.unit_files.units import open_units
from foregone.model.domain import Domain
from foregone.model.errors import InputError
from foregone.model.release import Release

SETTINGS = ("variant", "rules", "units")
OLDEST = next(iter(KINDS))  # runs that say nothing about their subject are from when there was but one
OFFICIAL = "official"
NO_BASELINE = "none; with --prior-table tract or state a run tells what guessers would get"


@cache
def census_subject(name: str, variant: str, units: str = "", edit: bool = False) -> Subject:
    """The blocks of a file, published by one variant of the tables; with `edit` the edit rules count as known."""
    kind = KINDS[name]
    units = units or kind.units
    domain = kind.domain(variant, units)
    familiar = Subject(domain=kind.domain(OFFICIAL, kind.units)).knows(domain)  # the sentences are about the columns of the study
    return Subject(
        record=kind.records[units],
        domain=domain,
        sentence=kind.sentence if familiar else None,
        tables=_every_table(kind) if familiar else (),
        geography=BLOCKS,
        counted=kind.counted,
        settings=(f"variant {variant}", f"rules {'edit' if edit else 'none'}", f"units {units}"),
        assumptions=assumptions(kind, variant, edit),
        baseline=NO_BASELINE,
        republish=partial(republish, name, variant, units, edit),
        publish=()
        if variant not in kind.book.variants  # a choice of tables has no name that a command knows
        else (
            *("foregone", "census", "release", "{source}", "{release}", "--out", "release-{release}"),
            *("--subject", name, "--variant", variant),
            *(("--units", units) if units != kind.units else ()),
            *(("--edit",) if edit else ()),
        ),
    )


def assumptions(kind: RecordKind, variant: str, edit: bool) -> tuple[tuple[str, str], ...]:
    return (
        ("Tables", describe_variant(kind, variant)),
        ("Given as ranges", "none: every number is taken as exact, and the number of records of each block as known"),
        ("Rules", f"the rules of valid {kind.counted} count as known" if edit else "none"),
    )


def describe_variant(kind: RecordKind, variant: str) -> str:
    """Which tables were published about each block."""
    if not kind.book.knows(variant):
        return f"variant {variant}"
    number = len(kind.book.queries(variant))
    return f"variant {variant}: {number:,} published numbers for each block. {kind.book.about(variant)}"


def republish(name: str, variant: str, units: str, edit: bool, source: Path, blocks: Iterable[str]) -> dict[str, Release]:
    """The releases of some blocks, tabulated again from the file."""
    published = publisher(name, variant, units, edit)
    with open_units(source, variant, units, KINDS[name]) as opened:
        return {block: published.release(codes) for block, codes in opened.records(blocks).items()}


@cache
def _every_table(kind: RecordKind) -> tuple[TableDefinition, ...]:
    """Of all variants: which of them a release follows is seen from its numbers."""
    return tuple(table for variant in kind.book.variants for table in kind.book.tables(variant))


def subject_of_release(domain: Domain) -> Subject:
    """Households or persons where these are the columns and codes of such a study, else anything."""
    found = (census_subject(name, OFFICIAL) for name in KINDS)
    return next((subject for subject in found if subject.knows(domain)), ANY)


def subject_of_run(about: Mapping[str, Any], columns: Container[str]) -> Subject:
    """The subject of a run, from its run.json and the columns of its summary; either may say little.

    Releases of any kind may be named by the codes of blocks, so that places are known all the same.
    """
    options = about.get("options", {})
    kind = KINDS.get(options.get("subject", OLDEST), KINDS[OLDEST])
    variant, units, edit = options.get("variant", ""), options.get("units", ""), options.get("rules") == "edit"
    if kind.book.knows(variant) and units in kind.records:
        found = census_subject(kind.name, variant, units, edit)
    else:
        found = Subject(record=kind.records.get(units, ANY.record), geography=BLOCKS, counted=kind.counted, baseline=NO_BASELINE)
        found = replace(found, assumptions=assumptions(kind, variant, edit), republish=_unknown)
    found = replace(found, settings=tuple(f"{name} {options[name]}" for name in SETTINGS if options.get(name)))
    if kind.counted not in columns:
        found = replace(found, record=ANY.record, domain=None, sentence=None, tables=(), counted="", settings=())
        found = replace(found, assumptions=ANY.assumptions)
    return found if about.get("noun") == BLOCKS.noun else replace(found, republish=None, publish=())


def _unknown(*_: object) -> Any:
    raise InputError("run.json does not say which tables were published (variant, units), so they cannot be made again")
