"""Questions about tables in words, with the lines of the layout file that answer them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from foregone.model.shown import listed, shown
from foregone.tables.reading.question import Clue, ReadingChoice, Reads, Speaks, TableQuestion

MOST_ASKED = 3  # questions before a summary

READS: dict[Reads, str] = {
    Reads.ONE_VARIABLE: "{0} are values of one variable: each record is counted under one of them only",
    Reads.MEASURES: "they are measures of their own, and {0} is the one to take{1}",
    Reads.TOTAL: "{0} is the total of {1}",
    Reads.OPEN_TOTAL: "{0} counts everybody, and others than {1}, too",
    Reads.VALUE: "{0} is a value of {1} like the others",
    Reads.NEW: "each {0} counts new records",
    Reads.AGAIN: "each {0} counts the same ones again, as they were then",
    Reads.ROUNDED: "the numbers are rounded to multiples of {0}{1}",
    Reads.EXACT: "they are exact",
    Reads.OF_SECTION: "{0} is of {1}",
    Reads.OF_EVERYBODY: "it is of everybody",
    Reads.LABELS: "{0} holds labels",
    Reads.COUNTS: "it counts records, as the columns beside it do",
    Reads.COUNT_AMONG: "{0} counts records",
    Reads.PERCENT_OF: "the percentages are of {0}",
    Reads.TWO_VARIABLES: "{0} are values of several variables that count the same people; take the rows of the first",
    Reads.SAME_VARIABLE: "{0} is {1}",
    Reads.OTHER_VARIABLE: "it is another variable",
    Reads.OWN_VALUES: "{0} of {1} are values of their own",
    Reads.GROUPED_VALUES: "{0} is a group of {1}",
    Reads.ONE_MEASURE: "several things are measured, and {0} counts records{1}",
    Reads.LEFT_OUT: "leave this table out",
    Reads.ROWS: "some records are counted under several of them; take {0} alone{1}",
    Reads.SUMS: "{0} are sums of others",
    Reads.TWO_SETS: "take {0}; {1} count the same records again, by another variable",
    Reads.LEVEL: "labels of several levels count the same people; take {0}",
    Reads.NOT_PART: "{0} is not part of the total",
    Reads.OF_WHICH: "{0} counts some of {1}",
    Reads.WITHOUT_ROWS: "{0} counts some of others; leave it out",
    Reads.IN_UNITS: "the numbers are given in units of {0} and rounded, so {1} stands for {2}",
    Reads.OTHER_RECORDS: "{0} counts other records than {1}, and {3} is a value of one more variable, {2}",
    Reads.PART: "{0} is a table by itself",
    Reads.AS_SHOWN: "each number counts records as it stands",
}
SPEAKS: dict[Speaks, str] = {
    Speaks.ADDS_UP: "they add up to {0}",
    Speaks.GROUPS_ADD_UP: "parts add up to {0}",
    Speaks.KIND: "they are {0}",
    Speaks.NAMED: "the file calls the variable {0}",
    Speaks.RESIDUAL: "{0} is for those who have none of the others",
    Speaks.MEASURE_WORDS: "headings name what is counted ({0})",
    Speaks.SAME_SUMS: "{0} add up to the same as {1} in every line",
    Speaks.CONTAINED: "{0} is never more than {1} in {2} lines",
    Speaks.EVENT_WORDS: "the words {0}",
    Speaks.STOCK_WORDS: "the words {0}",
    Speaks.NEVER_FALLS: "the numbers hardly ever fall over {0} dates",
    Speaks.FILE_SAYS: "the file says {0}",
    Speaks.MULTIPLES: "all {0} numbers are multiples of {1}",
    Speaks.MISSES: "{0}",
    Speaks.SUMS_FOUND: "{0} equals the sum of {1} in {2} of {3} lines",
    Speaks.SAID: "it is called {0}",
    Speaks.LARGEST: "{0} is the largest number in every line",
    Speaks.OTHERS_BESIDE: "{0} columns beside it hold numbers that are not whole",
    Speaks.RATE_WORDS: "the name of the file or the title says {0}",
    Speaks.HUNDRED: "in each of {0} lines they add up to 100, as percentages do",
    Speaks.THREE_DIGITS: "every number is like {0}, with three digits behind a comma that sets thousands or decimals apart",
    Speaks.OPEN_ENDS: "who is counted under one of {0} may be counted under another",
    Speaks.DIFFERS: "{0} shows {1}, and {2} shows {3} about the same",
    Speaks.MOSTLY_WHOLE: "in {1} of {2} lines {0} shows no less than all others together, as a table of everybody does",
    Speaks.YEARS: "every number is from {0} to {1} and may be a year",
    Speaks.GRADES: "every number is from 1 to {0}, each about as often, as grades are",
    Speaks.ROW_NUMBERS: "rows are numbered and have no names, so each may be a record by itself",
    Speaks.LEVELS: "all labels together are {1} times {0} in every line",
    Speaks.RECORDS: "rows are by {0}, so each may be a record by itself",
    Speaks.NO_CODE: "{0} is no code and may stand for all others together",
    Speaks.DOUBTFUL_NAME: "the file calls them {0}, and somebody can have several",
}


def clue_text(clue: Clue) -> str:
    return SPEAKS[clue.kind].format(*clue.of)


def choice_text(choice: ReadingChoice) -> str:
    """What a reading would mean, with what speaks for it."""
    why = f" ({'; '.join(map(clue_text, choice.clues))})" if choice.clues else ""
    return READS[choice.reads].format(*choice.of) + why


def toml_value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{json.dumps(str(key), ensure_ascii=False)} = {toml_value(some)}' for key, some in value.items())}}}"
    return f"[{', '.join(map(toml_value, value))}]"


def choice_lines(choice: ReadingChoice) -> tuple[str, ...]:
    """The lines of the layout file for a reading, ready to be pasted; those of a table go below its name."""
    lines = []
    for key, value in (choice.whole or choice.settings).items():
        if key == "variables":
            for name, entry in value.items():
                lines += [f"[variables.{toml_value(name)}]", *(f"{inner} = {toml_value(some)}" for inner, some in entry.items())]
        else:
            lines.append(f"{key} = {toml_value(value)}")
    return tuple(lines)


def where_lines(question: TableQuestion, choice: ReadingChoice) -> str:
    """The lines of a reading on one line, with the table that they belong to."""
    lines = " ".join(choice_lines(choice))
    return lines if choice.whole else f"[[table]] name = {toml_value(question.table)} {lines}"


def question_text(question: TableQuestion) -> str:
    """The question with its readings, the clues of each, and the line that says so."""
    place = f"{question.source}, table {question.table}" + (f", {question.place}" if question.place else "")
    read = "; or ".join(choice_text(choice) for choice in question.choices)
    lines = " or ".join(where_lines(question, choice) for choice in question.choices)
    return f"{place}: two readings fit: {read}. Say which in the layout file: {lines}"


def questions_text(questions: Sequence[TableQuestion]) -> list[str]:
    """One question for each file and kind, three at most, and a summary of the others."""
    first: dict[tuple[str, tuple[Reads, ...]], list[TableQuestion]] = {}
    for question in questions:
        first.setdefault((question.source.partition(", sheet ")[0], question.kind), []).append(question)
    said = []
    for alike in list(first.values())[:MOST_ASKED]:
        further = [question.table for question in alike[1:] if question.table != alike[0].table]
        more = f" (The same is asked about {listed(map(shown, dict.fromkeys(further)))}.)" if further else ""
        said.append(question_text(alike[0]) + more)
    left = sum(len(alike) for alike in list(first.values())[MOST_ASKED:])
    return said + ([f"{left} more {'question' if left == 1 else 'questions'}, all in the layout file"] if left else [])


def quoted(labels: Iterable[str]) -> str:
    return listed(map(shown, labels))
