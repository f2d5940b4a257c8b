"""Which subject a release, or the folder of a run, is about."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import replace
from typing import Any

from foregone.census.geography import BLOCKS
from foregone.census.household.subject import COUNTED, NO_BASELINE, RECORDS, assumptions, household_subject
from foregone.census.household.tables import OFFICIAL, variants
from foregone.model.domain import Domain
from foregone.model.errors import InputError
from foregone.model.subject import ANY, Subject

SETTINGS = ("variant", "rules", "units")


def subject_of_release(domain: Domain) -> Subject:
    """Households where these are the columns and codes of the household study, else anything."""
    households = household_subject(OFFICIAL)
    return households if households.knows(domain) else ANY


def subject_of_run(about: Mapping[str, Any], columns: Container[str]) -> Subject:
    """The subject of a run, from its run.json and the columns of its summary; either may say little.

    Releases of any kind may be named by the codes of blocks, so that places are known all the same.
    """
    options = about.get("options", {})
    variant, units, edit = options.get("variant", ""), options.get("units", ""), options.get("rules") == "edit"
    if variant in variants() and units in RECORDS:
        found = household_subject(variant, units, edit)
    else:
        found = Subject(record=RECORDS.get(units, ANY.record), geography=BLOCKS, counted=COUNTED, baseline=NO_BASELINE)
        found = replace(found, assumptions=assumptions(variant, edit), republish=_unknown)
    found = replace(found, settings=tuple(f"{name} {options[name]}" for name in SETTINGS if options.get(name)))
    if COUNTED not in columns:
        found = replace(found, record=ANY.record, domain=None, sentence=None, tables=(), counted="", settings=())
        found = replace(found, assumptions=ANY.assumptions)
    return found if about.get("noun") == BLOCKS.noun else replace(found, republish=None)


def _unknown(*_: object) -> Any:
    raise InputError("run.json does not say which tables were published (variant, units), so they cannot be made again")
