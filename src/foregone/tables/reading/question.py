"""What an import asks: readings that fit, what speaks for each, and what the layout file says to choose one. Data, no words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any


class Reads(Enum):
    """How something can be read; the words for each are in sentences.py."""

    ONE_VARIABLE = "values of one variable"
    MEASURES = "measures of their own"
    TOTAL = "a total"
    OPEN_TOTAL = "a total that counts others, too"
    VALUE = "a value like the others"
    NEW = "new records each time"
    AGAIN = "the same records again"
    ROUNDED = "rounded"
    EXACT = "exact"
    OF_SECTION = "of the last section"
    OF_EVERYBODY = "of everybody"
    LABELS = "labels"
    COUNTS = "counts"
    COUNT_AMONG = "a count among other numbers"
    PERCENT_OF = "percentages of"
    TWO_VARIABLES = "two variables, one below the other"
    SAME_VARIABLE = "the same variable"
    OTHER_VARIABLE = "another variable"
    OWN_VALUES = "values of their own"
    GROUPED_VALUES = "groups of others"
    ONE_MEASURE = "one of several measures"
    LEFT_OUT = "left out"
    ROWS = "the rows that count"
    SUMS = "sums and their parts"
    LEVEL = "labels of one level"
    TWO_SETS = "one of two sets that count the same records"
    NOT_PART = "no part of the total"
    OF_WHICH = "some of those above"
    WITHOUT_ROWS = "rows left out"
    IN_UNITS = "given in thousands"
    AS_SHOWN = "counts as they stand"
    PART = "a part of a sheet that is a table"
    OTHER_RECORDS = "other records than another table"


class Speaks(Enum):
    """A kind of clue; the words for each are in sentences.py."""

    ADDS_UP = "a total adds up"
    GROUPS_ADD_UP = "parts add up to their groups"
    KIND = "labels that exclude each other by kind"
    NAMED = "the file names the variable"
    RESIDUAL = "a label for the rest"
    MEASURE_WORDS = "headings are names of measures"
    SAME_SUMS = "two sets add up to the same"
    CONTAINED = "one never exceeds another"
    EVENT_WORDS = "words for events"
    STOCK_WORDS = "words for what is there at a time"
    NEVER_FALLS = "never falls"
    FILE_SAYS = "the file says so"
    MULTIPLES = "every number is a multiple"
    MISSES = "does not add up everywhere"
    SUMS_FOUND = "equals the sum of others"
    SAID = "is called so"
    LARGEST = "is the largest"
    OTHERS_BESIDE = "most columns are not whole"
    RATE_WORDS = "words for rates and shares"
    HUNDRED = "every line adds up to 100"
    THREE_DIGITS = "three digits behind every comma"
    OPEN_ENDS = "labels that hold each other"
    DIFFERS = "two cells about the same differ"
    MOSTLY_WHOLE = "no less than all others together, in most lines"
    YEARS = "every number may be a year"
    GRADES = "nothing but the first few numbers, about equally often"
    ROW_NUMBERS = "rows have numbers in place of names"
    LEVELS = "all together are a few times one of them"
    RECORDS = "each row names a single record"
    NO_CODE = "a sign in place of a code"
    DOUBTFUL_NAME = "named like a list of things that can go together"


@dataclass(frozen=True, slots=True)
class Clue:
    """Something in the file or its numbers that speaks for a reading; `of` is what the words about it name."""

    kind: Speaks
    of: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReadingChoice:
    """One reading: what it would mean, what speaks for it, and the keys of the layout file that say so.

    `settings` are keys of the table, as TOML has them; `whole` are keys of the layout file itself, such as its rule. `others`
    are labels that could be named in place of the one in the settings.
    """

    reads: Reads
    of: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    clues: tuple[Clue, ...] = ()
    whole: Mapping[str, Any] = field(default_factory=dict)
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TableQuestion:
    """A doubt about a table: where, and the readings that fit, the likelier one first."""

    source: str  # file and sheet
    table: str
    place: str  # the part of it: columns, a row, a variable
    choices: tuple[ReadingChoice, ...]

    @property
    def kind(self) -> tuple[Reads, ...]:
        """Questions with the same readings are of one kind."""
        return tuple(choice.reads for choice in self.choices)

    @property
    def sure(self) -> ReadingChoice | None:
        """The only choice with something that speaks for it; None where there is none, or several."""
        spoken = [choice for choice in self.choices if choice.clues]
        return spoken[0] if len(spoken) == 1 else None
