"""Households in words, from as many of the ten study columns as a claim names."""

from __future__ import annotations

from collections.abc import Mapping

PEOPLE = {"1": "one person", "2": "two", "3": "three", "4": "four", "5": "five", "6": "six", "7": "seven or more"}
TENURE = {
    "1": "owned with a mortgage",
    "2": "owned free and clear",
    "3": "rented",
    "4": "occupied without payment of rent",
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
AGES = {  # of the householder: from, to
    "1": (15, 24),
    "2": (25, 34),
    "3": (35, 44),
    "4": (45, 54),
    "5": (55, 59),
    "6": (60, 64),
    "7": (65, 74),
    "8": (75, 84),
    "9": (85, None),
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


def household(codes: Mapping[str, str | frozenset[str]]) -> str:
    """A household in a few sentences; what the claim does not say is left out, and a group of values is told as one.

    >>> household({"HHSIZE": "2", "HHT2": "8", "THHRACE": "2", "THHLDRAGE": "2", "TEN": "3"})
    'A household of two. A woman without a partner lives there with people she is not related to. The home is rented. \
The householder is Black or African American, aged 25 to 34.'
    >>> household({"HHSIZE": frozenset("234567"), "HHT": frozenset("46"), "TEN": frozenset("34"), "THHLDRAGE": frozenset("789")})
    'A household of two or more. Either a man lives alone, or a woman lives alone. The home is rented or occupied without \
payment of rent. The householder is aged 65 or over.'
    """
    told = {column: [value] if isinstance(value, str) else sorted(value, key=int) for column, value in codes.items()}
    parts = [f"A household of {_people(told['HHSIZE'])}." if "HHSIZE" in told else "A household."]
    if "HHT2" in told:
        parts.append(_either([DETAIL[code] for code in told["HHT2"]]))
        if set(told.get("HHT", "?")) <= {"2", "3"} and set(told["HHT2"]) <= {"3", "4"}:
            parts.append(_either([TYPE[code] for code in told["HHT"]]))
    elif "HHT" in told:
        parts.append(_either([TYPE[code] for code in told["HHT"]]))
    if "TEN" in told:
        parts.append(f"The home is {' or '.join(TENURE[code] for code in told['TEN'])}.")
    person = [
        " or ".join(words[code] for code in told[column])
        for column, words in (("THHRACE", RACE), ("THHSPAN", ORIGIN))
        if column in told
    ]
    if "THHLDRAGE" in told:
        person.append(f"aged {_ages(told['THHLDRAGE'])}")
    if person:
        parts.append(f"The householder is {', '.join(person)}.")
    ages = [
        f"{'someone' if told[column] == ['1'] else 'nobody'} {words}"
        for column, words in (("TP18", "under 18"), ("TP65", "aged 65 or over"))
        if column in told
    ]
    if ages:
        parts.append(f"{' and '.join(ages).capitalize()} lives there.")
    if "0" not in told.get("VACS", ["0"]):
        parts.append("The unit is vacant.")
    return " ".join(parts)


def _people(codes: list[str]) -> str:
    """How many people: a number, or what a group of numbers has in common."""
    if len(codes) == 1:
        return PEOPLE[codes[0]]
    words = {**PEOPLE, "1": "one", "7": "seven"}
    if len(codes) > int(codes[-1]) - int(codes[0]):  # no number between them is missing
        return f"{words[codes[0]]} or more" if codes[-1] == "7" else f"{words[codes[0]]} to {words[codes[-1]]}"
    return " or ".join(PEOPLE[code] for code in codes)


def _ages(codes: list[str]) -> str:
    """Ages; those that follow on each other are told as one."""
    spans: list[tuple[int, int | None]] = []
    for low, high in (AGES[code] for code in codes):
        if spans and spans[-1][1] == low - 1:
            spans[-1] = spans[-1][0], high
        else:
            spans.append((low, high))
    return " or ".join(f"{low} or over" if high is None else f"{low} to {high}" for low, high in spans)


def _either(sentences: list[str]) -> str:
    """One sentence out of several, of which one is true."""
    if len(sentences) == 1:
        return sentences[0]
    return f"Either {', or '.join(text[0].lower() + text[1:].removesuffix('.') for text in sentences)}."
