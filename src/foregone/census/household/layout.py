"""The columns of a housing-unit file, in the spellings and codes that published files use."""

from __future__ import annotations

from foregone.census.geography import FIELDS
from foregone.census.packing import Packing

PACKING = Packing(4)
"""No code of a housing-unit file needs more bits."""

UNIT_COLUMNS = (
    "SCHEMA_TYPE_CODE", "SCHEMA_BUILD_ID", "TABBLKST", "TABBLKCOU", "TABTRACTCE", "TABBLKGRPCE", "TABBLK",
    "RTYPE", "GQTYPE", "TEN", "VACS", "HHSIZE", "HHT", "HHT2", "CPLT", "UPART", "MULTG", "THHLDRAGE", "THHSPAN", "THHRACE",
    "PAOC", "TP18", "TP60", "TP65", "TP75", "PAC", "HHSEX",
)  # fmt: skip
"""The full layout, in its own order."""

WIDTHS = {**FIELDS, "GQTYPE": 3, "HHT2": 2, "THHRACE": 2}
"""Digits of codes that are written with leading zeros."""

SPELLINGS = {
    "TABTRACT": "TABTRACTCE",
    "TABBLKGRP": "TABBLKGRPCE",
    "HHLDRAGE": "THHLDRAGE",
    "HHSPAN": "THHSPAN",
    "HHRACE": "THHRACE",
    "P18": "TP18",
    "P65": "TP65",
}
"""Older names of the columns that are read."""

ATTRIBUTES = ("TEN", "VACS", "HHSIZE", "HHT", "HHT2", "THHSPAN", "THHLDRAGE", "THHRACE", "TP18", "TP65")
REQUIRED = (*FIELDS, "RTYPE", *ATTRIBUTES)
OPTIONAL = ("TABBLKGRPCE", "PAC", "SCHEMA_BUILD_ID")

HIGHEST = {
    "TEN": 4, "VACS": 7, "HHSIZE": 7, "HHT": 7, "HHT2": 12, "THHSPAN": 2, "THHLDRAGE": 9, "THHRACE": 7,
    "TP18": 1, "TP65": 1, "PAC": 4,
}  # fmt: skip
"""Codes run from 1 to this in an occupied unit (TP18 and TP65: from 0), and are 0 in a vacant one; VACS the other way round."""
