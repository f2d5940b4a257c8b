"""Households in words, from as many of the ten study columns as a claim names."""

from __future__ import annotations

from collections.abc import Mapping

PEOPLE = {"1": "one person", "2": "two", "3": "three", "4": "four", "5": "five", "6": "six", "7": "seven or more"}
TENURE = {
    "1": "The home is owned with a mortgage.",
    "2": "The home is owned free and clear.",
    "3": "The home is rented.",
    "4": "The home is occupied without payment of rent.",
}
TYPE = {
    "1": "A married couple lives there.",
    "2": "A man heads a family without a spouse present.",
    "3": "A woman heads a family without a spouse present.",
    "4": "A man lives alone.",
    "5": "A man heads a nonfamily household and does not live alone.",
    "6": "A woman lives alone.",
    "7": "A woman heads a nonfamily household and does not live alone.",
}
DETAIL = {
    "1": "A married couple lives there with their own children under 18.",
    "2": "A married couple lives there without own children under 18.",
    "3": "An unmarried couple lives there with their own children under 18.",
    "4": "An unmarried couple lives there without own children under 18.",
    "5": "A woman lives alone.",
    "6": "A woman without a partner lives there with her own children under 18.",
    "7": "A woman without a partner lives there with relatives but no own children under 18.",
    "8": "A woman without a partner lives there with people she is not related to.",
    "9": "A man lives alone.",
    "10": "A man without a partner lives there with his own children under 18.",
    "11": "A man without a partner lives there with relatives but no own children under 18.",
    "12": "A man without a partner lives there with people he is not related to.",
}
AGE = {
    "1": "aged 15 to 24",
    "2": "aged 25 to 34",
    "3": "aged 35 to 44",
    "4": "aged 45 to 54",
    "5": "aged 55 to 59",
    "6": "aged 60 to 64",
    "7": "aged 65 to 74",
    "8": "aged 75 to 84",
    "9": "aged 85 or over",
}
RACE = {
    "1": "White",
    "2": "Black or African American",
    "3": "American Indian or Alaska Native",
    "4": "Asian",
    "5": "Native Hawaiian or Pacific Islander",
    "6": "of some other race",
    "7": "of two or more races",
}
ORIGIN = {"1": "not Hispanic or Latino", "2": "Hispanic or Latino"}


def household(codes: Mapping[str, str]) -> str:
    """A household in a few sentences; what the claim does not say is left out.

    >>> household({"HHSIZE": "2", "HHT2": "8", "THHRACE": "2", "THHLDRAGE": "2", "TEN": "3"})
    'A household of two. A woman without a partner lives there with people she is not related to. The home is rented. \
The householder is Black or African American, aged 25 to 34.'
    """
    parts = [f"A household of {PEOPLE[codes['HHSIZE']]}." if "HHSIZE" in codes else "A household."]
    if "HHT2" in codes:
        parts.append(DETAIL[codes["HHT2"]])
        if codes.get("HHT") in ("2", "3") and codes["HHT2"] in ("3", "4"):
            parts.append(TYPE[codes["HHT"]])
    elif "HHT" in codes:
        parts.append(TYPE[codes["HHT"]])
    if "TEN" in codes:
        parts.append(TENURE[codes["TEN"]])
    person = [
        words[codes[column]] for column, words in (("THHRACE", RACE), ("THHSPAN", ORIGIN), ("THHLDRAGE", AGE)) if column in codes
    ]
    if person:
        parts.append(f"The householder is {', '.join(person)}.")
    ages = [
        f"{'someone' if codes[column] == '1' else 'nobody'} {words}"
        for column, words in (("TP18", "under 18"), ("TP65", "aged 65 or over"))
        if column in codes
    ]
    if ages:
        parts.append(f"{' and '.join(ages).capitalize()} lives there.")
    if codes.get("VACS", "0") != "0":
        parts.append("The unit is vacant.")
    return " ".join(parts)
