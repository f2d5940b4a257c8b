"""What an organisation does not accept, and what a reader of its tables is taken to know besides them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from foregone.model.marks import range_text


@dataclass(frozen=True, slots=True)
class Primary:
    """The cells that must stay unknown: those that are certain to count so many records, or those named."""

    low: int | None = None
    high: int | None = None
    names: tuple[str, ...] = ()

    def holds(self, name: str, low: int, high: int | None) -> bool:
        """Is a count that certainly lies between `low` and `high` one of them?

        >>> Primary(1, 4).holds("T.1", 1, 4), Primary(1, 4).holds("T.1", 4, 5), Primary(names=("T.1",)).holds("T.1", 0, None)
        (True, False, True)
        """
        if self.low is None or self.high is None:
            return name in self.names
        return self.low <= low and high is not None and high <= self.high

    @property
    def text(self) -> str | list[str]:
        """As a policy file has it."""
        return list(self.names) if self.names else f"{self.low}..{self.high}"


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What a reader knows besides what is printed: `zeros_shown`, a cell that is not shown is at least 1; `primary_at_most`, a
    primary cell that is not shown is at most this.
    """

    zeros_shown: bool = False
    primary_at_most: int | None = None

    @property
    def text(self) -> list[str]:
        """As a policy file has it."""
        most = [] if self.primary_at_most is None else [f"primary<={self.primary_at_most}"]
        return (["zeros-shown"] if self.zeros_shown else []) + most

    @property
    def words(self) -> str:
        """In a phrase; empty if it is nothing."""
        parts = ["zeros are shown, so a hidden cell is at least 1"] if self.zeros_shown else []
        if self.primary_at_most is not None:
            parts.append(f"a hidden primary cell is at most {self.primary_at_most}")
        return " and ".join(parts)


@dataclass(frozen=True, slots=True)
class Policy:
    """A release breaks it when one of these holds.

    A claim about fewer than `smallest_group` records with `singled_out_columns` columns or more is certain. Of everybody in a
    group it follows which value they have in one of the columns `attribute`, from what somebody may know of them, the columns
    `attribute_from` (without: all others). A `primary` cell can have fewer than `min_width` different values, or not reach
    `both_sides` percent of its count below it and above. A cell in whose place a mark is printed, or nothing, can have fewer than
    `stars` different values (2: no mark is pierced; 0: nobody asks).

    `know` is what a reader knows besides what is printed; None: nobody has said, so it is what follows from what is printed.

    >>> Policy(singled_out_columns=3).over(columns=3, count=1)
    True
    """

    singled_out_columns: int | None = None
    smallest_group: int = 2
    attribute: tuple[str, ...] = ()
    primary: Primary | None = None
    min_width: int = 2
    both_sides: int = 0
    know: Knowledge | None = None
    stars: int = 0
    largest_baseline: float = 1.0  # a claim that is more likely than this by chance is accepted
    attribute_from: tuple[str, ...] | None = None

    @property
    def about_claims(self) -> bool:
        """Does it forbid claims about few records?"""
        return self.singled_out_columns is not None

    @property
    def knows(self) -> Knowledge:
        """What a reader is said to know."""
        return self.know or Knowledge()

    def over(self, columns: int, count: int) -> bool:
        """Would a certain claim with this number of columns, about this number of records, break the policy?"""
        return self.singled_out_columns is not None and columns >= self.singled_out_columns and count < self.smallest_group

    def reaches(self, true: int, low: int, high: int | None) -> bool:
        """Does low..high reach far enough below the true count of a primary cell and above it?"""
        share = self.both_sides * true  # in hundredths
        return 100 * (true - low) >= share and (high is None or 100 * (high - true) >= share)

    @property
    def words(self) -> tuple[str, ...]:
        """What it forbids, one phrase each."""
        said = []
        if self.singled_out_columns is not None:
            columns = "any column" if self.singled_out_columns == 1 else f"{self.singled_out_columns} columns or more"
            chance = f", unless its chance is above {self.largest_baseline:g}" if self.largest_baseline < 1 else ""
            if self.smallest_group == 2 and not chance:
                said.append(f"no record is singled out by {columns}")
            else:
                few = "exactly one record" if self.smallest_group == 2 else f"fewer than {self.smallest_group} records"
                said.append(f"no certain claim that names {columns} is about {few}{chance}")
        known = "" if self.attribute_from is None else f" by {' and '.join(self.attribute_from) or 'nothing at all'}"
        said += [f"nobody's value of {name} follows from the group they are in{known}" for name in self.attribute]
        if self.primary is not None:
            counts = range_text(self.primary.low or 0, self.primary.high)
            which = "each cell named as primary" if self.primary.names else f"each cell that is certain to count {counts}"
            reach = f", from {self.both_sides} percent below its count to {self.both_sides} percent above"
            said.append(f"{which} keeps at least {self.min_width} possible values{reach if self.both_sides else ''}")
        if self.stars == 2:
            said.append("no hidden cell can be worked out")
        elif self.stars:
            said.append(f"each hidden cell keeps at least {self.stars} possible values")
        return tuple(said)

    def json(self) -> dict[str, object]:
        """As it stands in protect.json: the keys of a policy file that say something."""
        made: dict[str, object] = {}
        if self.singled_out_columns is not None:
            made |= {"singled_out_columns": self.singled_out_columns, "smallest_group": self.smallest_group}
        if self.largest_baseline < 1:
            made["largest_baseline"] = self.largest_baseline
        if self.attribute:
            made["attribute"] = list(self.attribute)
            if self.attribute_from is not None:
                made["attribute_from"] = list(self.attribute_from)
        if self.primary is not None:
            made |= {"primary": self.primary.text, "min_width": self.min_width}
            if self.both_sides:
                made["both_sides"] = self.both_sides
        if self.stars:
            made["stars"] = "unknown" if self.stars == 2 else self.stars
        if self.know is not None:
            made["know"] = self.know.text
        return made


DEFAULT = Policy(singled_out_columns=2, stars=2)  # of one release: nobody is singled out by two values, and no mark is pierced
OF_MANY = Policy(singled_out_columns=3)  # of each of many releases, of which claims are known and nothing else
LOOKED_AT = Policy(singled_out_columns=1)  # what a person has to look at
CALLER = "the caller"  # who gives a policy that stands in no file


def by_columns(columns: int) -> Policy:
    """The default policy with another number of columns."""
    return replace(DEFAULT, singled_out_columns=columns)


@dataclass(frozen=True, slots=True)
class Policies:
    """What must not be, and what a person has to look at. `origins` tell where each comes from: the name of a file, or nothing
    where nobody has set it.
    """

    fail: Policy = DEFAULT
    review: Policy = LOOKED_AT
    origins: tuple[str, str] = field(default=("", ""), compare=False)

    @property
    def both(self) -> tuple[tuple[str, Policy, str], ...]:
        """Name, policy and origin of each."""
        fail, review = self.origins
        given = ("" if self.fail in (DEFAULT, OF_MANY) else CALLER), ("" if self.review == LOOKED_AT else CALLER)
        return ("fail", self.fail, fail or given[0]), ("review", self.review, review or given[1])


def whose(origin: str) -> str:
    """Where a policy comes from, in words that follow a description of it."""
    return f"set by {origin}" if origin else "the default"
