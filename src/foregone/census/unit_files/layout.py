"""The columns of a housing-unit file, in the spellings and codes that published files use."""

from __future__ import annotations

UNIT_COLUMNS = (
    "SCHEMA_TYPE_CODE", "SCHEMA_BUILD_ID", "TABBLKST", "TABBLKCOU", "TABTRACTCE", "TABBLKGRPCE", "TABBLK",
    "RTYPE", "GQTYPE", "TEN", "VACS", "HHSIZE", "HHT", "HHT2", "CPLT", "UPART", "MULTG", "THHLDRAGE", "THHSPAN", "THHRACE",
    "PAOC", "TP18", "TP60", "TP65", "TP75", "PAC", "HHSEX",
)  # fmt: skip
"""The full layout, in its own order."""

WIDTHS = {"TABBLKST": 2, "TABBLKCOU": 3, "TABTRACTCE": 6, "TABBLK": 4, "GQTYPE": 3, "HHT2": 2, "THHRACE": 2}
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

GEOGRAPHY = ("TABBLKST", "TABBLKCOU", "TABTRACTCE", "TABBLK")
ATTRIBUTES = ("TEN", "VACS", "HHSIZE", "HHT", "HHT2", "THHSPAN", "THHLDRAGE", "THHRACE", "TP18", "TP65")
REQUIRED = (*GEOGRAPHY, "RTYPE", *ATTRIBUTES)
OPTIONAL = ("TABBLKGRPCE", "PAC", "SCHEMA_BUILD_ID")

HIGHEST = {
    "TEN": 4, "VACS": 7, "HHSIZE": 7, "HHT": 7, "HHT2": 12, "THHSPAN": 2, "THHLDRAGE": 9, "THHRACE": 7,
    "TP18": 1, "TP65": 1, "PAC": 4,
}  # fmt: skip
"""Codes run from 1 to this in an occupied unit (TP18 and TP65: from 0), and are 0 in a vacant one; VACS the other way round."""

SYNTHETIC = "SYNTHETIC"
"""What a file made by this package has in SCHEMA_BUILD_ID."""

STATES = {
    "01": "Alabama", "02": "Alaska", "04": "Arizona", "05": "Arkansas", "06": "California", "08": "Colorado", "09": "Connecticut",
    "10": "Delaware", "11": "District of Columbia", "12": "Florida", "13": "Georgia", "15": "Hawaii", "16": "Idaho",
    "17": "Illinois", "18": "Indiana", "19": "Iowa", "20": "Kansas", "21": "Kentucky", "22": "Louisiana", "23": "Maine",
    "24": "Maryland", "25": "Massachusetts", "26": "Michigan", "27": "Minnesota", "28": "Mississippi", "29": "Missouri",
    "30": "Montana", "31": "Nebraska", "32": "Nevada", "33": "New Hampshire", "34": "New Jersey", "35": "New Mexico",
    "36": "New York", "37": "North Carolina", "38": "North Dakota", "39": "Ohio", "40": "Oklahoma", "41": "Oregon",
    "42": "Pennsylvania", "44": "Rhode Island", "45": "South Carolina", "46": "South Dakota", "47": "Tennessee", "48": "Texas",
    "49": "Utah", "50": "Vermont", "51": "Virginia", "53": "Washington", "54": "West Virginia", "55": "Wisconsin", "56": "Wyoming",
    "60": "American Samoa", "66": "Guam", "69": "Northern Mariana Islands", "72": "Puerto Rico", "78": "U.S. Virgin Islands",
}  # fmt: skip
FIFTY = tuple(code for code in STATES if code not in ("11", "60", "66", "69", "72", "78"))


def place(block: str) -> str:
    """
    >>> place("010030102001008")
    'block 1008, tract 010200, county 003, Alabama (01)'
    """
    state = block[:2]
    return f"block {block[11:]}, tract {block[5:11]}, county {block[2:5]}, {STATES.get(state, 'state')} ({state})"
