"""What an organisation does not accept: which certain facts break its policy, and what an attacker is taken to know."""

from __future__ import annotations

from dataclasses import dataclass, field

from foregone.model.statement import Statistic, range_text


@dataclass(frozen=True, slots=True)
class Primary:
    """The cells that must stay unknown: those with a count in a range, or those named."""

    low: int | None = None
    high: int | None = None
    names: tuple[str, ...] = ()

    def holds(self, name: str, count: int) -> bool:
        """Is a cell with this name and true count one of them?"""
        if self.low is None or self.high is None:
            return name in self.names
        return self.low <= count <= self.high

    def of(self, statistic: Statistic) -> bool:
        """Is a published cell one of them? A cell whose count is not shown is only if it is named."""
        if self.names:
            return statistic.name in self.names
        return statistic.low == statistic.high and self.holds(statistic.name, statistic.low)

    @property
    def text(self) -> str | list[str]:
        """As a policy file has it."""
        return list(self.names) if self.names else f"{self.low}..{self.high}"


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What an attacker knows besides the numbers shown: `zeros_shown`, a withheld cell is at least 1; `primary_at_most`, a
    withheld primary cell is at most this.
    """

    zeros_shown: bool = False
    primary_at_most: int | None = None

    @property
    def text(self) -> list[str]:
        """As a policy file has it."""
        most = [] if self.primary_at_most is None else [f"primary<={self.primary_at_most}"]
        return (["zeros-shown"] if self.zeros_shown else []) + most


@dataclass(frozen=True, slots=True)
class Policy:
    """A release breaks it when one of these holds.

    A claim about fewer than `smallest_group` records with `singled_out_columns` columns or more is certain. Of everybody
    in a group it is certain which value they have in one of the columns `attribute`. The exact interval of a `primary` cell
    holds fewer than `min_width` values, or does not reach `both_sides` percent of the cell's count below it and above.

    >>> Policy(singled_out_columns=3).over(columns=3, count=1)
    True
    """

    singled_out_columns: int | None = None
    smallest_group: int = 2
    attribute: tuple[str, ...] = ()
    primary: Primary | None = None
    min_width: int = 2
    both_sides: int = 0
    know: Knowledge = field(default_factory=Knowledge)
    every_width: bool = False  # `min_width` is asked of every cell that is not shown, not of primary cells alone
    largest_baseline: float = 1.0  # a claim more likely than this by chance is accepted, where its chance is known

    @property
    def about_claims(self) -> bool:
        """Does it forbid claims, and not only narrow cells?"""
        return self.singled_out_columns is not None

    def over(self, columns: int, count: int) -> bool:
        """Would a certain claim with this number of columns, about this number of records, break the policy?"""
        return self.singled_out_columns is not None and columns >= self.singled_out_columns and count < self.smallest_group

    def asks(self, name: str, low: int, high: int | None) -> bool:
        """Must a cell that is not shown, of which low..high is known, stay unknown? That it is primary can be told from its name,
        or when it cannot be anything else.
        """
        if self.primary is None:
            return self.every_width
        if self.primary.names:
            return name in self.primary.names
        return high is not None and all(self.primary.holds(name, end) for end in (low, high))

    def wide_enough(self, true: int | None, low: int, high: int | None) -> bool:
        """Is what can be found out about a primary cell, low..high, little enough?"""
        if high is not None and high - low + 1 < self.min_width:
            return False
        if not self.both_sides or true is None:
            return True
        share = self.both_sides * true  # in hundredths
        return 100 * (true - low) >= share and (high is None or 100 * (high - true) >= share)

    @property
    def words(self) -> tuple[str, ...]:
        """What it forbids, one phrase each."""
        said = []
        if self.singled_out_columns is not None:
            few = "exactly one record" if self.smallest_group == 2 else f"fewer than {self.smallest_group} records"
            columns = "column" if self.singled_out_columns == 1 else "columns"
            said.append(f"no certain claim that names at least {self.singled_out_columns} {columns} is about {few}")
        said += [f"nobody's value of {name} follows from the group they are in" for name in self.attribute]
        if self.primary is not None:
            counts = range_text(self.primary.low or 0, self.primary.high)
            which = "each cell named as primary" if self.primary.names else f"each cell with a count of {counts}"
            reach = f", from {self.both_sides} percent below its count to {self.both_sides} percent above"
            said.append(f"{which} keeps at least {self.min_width} possible values{reach if self.both_sides else ''}")
        return tuple(said)

    def json(self) -> dict[str, object]:
        """As it stands in protect.json: the keys of a policy file that say something."""
        made: dict[str, object] = {}
        if self.singled_out_columns is not None:
            made |= {"singled_out_columns": self.singled_out_columns, "smallest_group": self.smallest_group}
        if self.attribute:
            made["attribute"] = list(self.attribute)
        if self.primary is not None:
            made |= {"primary": self.primary.text, "min_width": self.min_width}
            if self.both_sides:
                made["both_sides"] = self.both_sides
        if self.know.text:
            made["know"] = self.know.text
        return made


@dataclass(frozen=True, slots=True)
class Policies:
    """What must not be, and what a person has to look at; `given` are those of the two that a file speaks of."""

    fail: Policy = field(default_factory=lambda: Policy(singled_out_columns=3))
    review: Policy = field(default_factory=lambda: Policy(singled_out_columns=1))
    given: frozenset[str] = frozenset()
