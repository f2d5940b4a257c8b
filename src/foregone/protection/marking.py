"""How cells that are not shown are printed after a protection, and what a reader makes of that.

A reader knows more than that a cell is not shown: which text stands in its place, what the footnote says of that text, and how
texts are given out. All that belongs to what is published, and a protection is judged with it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from foregone.model.errors import InputError
from foregone.model.marks import Ranges, joined, ranges_text, without
from foregone.model.policy import Knowledge, Policy
from foregone.model.release import Release
from foregone.model.shown import shown
from foregone.model.statement import Limits, Statistic
from foregone.policy.reader import table_of

MARK = "[c]"  # where the tables have no mark of their own
STYLES = ("one", "two")


@dataclass(frozen=True, slots=True)
class MarkPlan:
    """`mark` is printed in every cell that is withheld from now on; such a cell is at least `least`. `zeros`: may a cell of 0 be
    withheld? With `remarks` the cells that were not shown before get the same mark; otherwise they keep theirs, and in the tables
    of `excluded` a cell that is withheld now has none of the counts that an old mark stands for, so it is at least what is given
    there.
    """

    mark: str = MARK
    least: int = 0
    zeros: bool = False
    remarks: bool = True
    excluded: Mapping[str, int] = field(default_factory=dict)

    def limits(self, count: Statistic) -> Limits:
        """What a reader knows of a count that is withheld by itself."""
        return max(self.least, self.excluded.get(table_of(count), 0)), None

    @property
    def meaning(self) -> Ranges:
        """What the mark can stand for, wherever it is printed."""
        return ((self.least, None),)

    def may_go(self, count: Statistic) -> bool:
        """May it be withheld by itself? Where zeros stay shown, a number that may be 0 stays, too."""
        if count.high == 0:
            return self.zeros
        return count.low >= (self.limits(count)[0] or 0)


def zeros_may_go(policy: Policy) -> bool:
    """Does a policy let cells of 0 be withheld? One about attributes does, as a zero can tell what everybody has; and one with
    primary cells that may be 0, as those that it names may: if that hung on their counts, the mark would tell which one is 0.
    """
    if policy.knows.zeros_shown:
        return False
    primary = policy.primary
    return bool(policy.attribute) or (primary is not None and (bool(primary.names) or primary.low == 0))


def marking_of(release: Release, policy: Policy, style: str, mark: str, kept: Collection[int], knowing: bool) -> MarkPlan:
    """How a protection of single cells is printed. `kept` are numbers that stay as they are, and `knowing` is a reader who draws
    conclusions.
    """
    old = [s for i, s in enumerate(release.statistics) if s.hidden and i not in kept]
    texts = dict.fromkeys(s.mark for s in old if s.mark)
    # "<5" in the place of 7 would be a lie
    plain = [known for known in texts if not any(letter.isdigit() for letter in known)]
    text = mark or (plain[0] if len(texts) == len(plain) == 1 and style == "one" else MARK)
    if style == "two" and text in texts:
        raise InputError(f"--marks two: {shown(text)} is the mark of cells that were not shown before; give another with --mark")
    zeros = zeros_may_go(policy)
    told = policy.know is None and knowing and not zeros  # nobody has said what is known: then zeros are seen to be shown
    least = int(policy.knows.zeros_shown or told)
    if style == "one":  # one mark says one thing of old cells and of new ones
        return MarkPlan(text, min([least, *(s.low for s in old)]), zeros, excluded=_without_zeros(release, policy))
    return MarkPlan(text, least, zeros, False, _excluded(release, least))


def _without_zeros(release: Release, policy: Policy) -> dict[str, int]:
    """Tables in which a cell that is not shown is known not to be 0, whatever its mark stands for elsewhere."""
    if not policy.knows.zeros_shown:
        return {}
    shown: dict[str, list[bool]] = {}
    for s in release.statistics:
        shown.setdefault(table_of(s), []).append(not s.hidden)
    return {table: 1 for table, cells in shown.items() if len(cells) == 1 or any(cells)}


def _excluded(release: Release, least: int) -> dict[str, int]:
    """For tables in which every count in an old mark's range carries that mark: a new mark there stands for none of them."""
    tables: dict[str, list[Statistic]] = {}
    for s in release.statistics:
        tables.setdefault(table_of(s), []).append(s)
    found: dict[str, int] = {}
    for table, cells in tables.items():
        left: Ranges = ((least, None),)
        for mark in dict.fromkeys(s.mark for s in cells if s.mark):
            meant = joined([part for s in cells if s.mark == mark for part in s.ranges])
            if not any(_meets(s, meant) for s in cells if s.mark != mark):
                for low, high in meant:
                    left = without(left, low, high)
        if len(left) != 1 or left[0][1] is not None:
            said = ranges_text(left) or "nothing"
            raise InputError(
                f"--marks two: in table {table} a new mark would stand for {said}, as all other counts carry an old one;"
                " use --marks one"
            )
        if left[0][0] > least:
            found[table] = left[0][0]
    return found


def _meets(count: Statistic, ranges: Sequence[tuple[int, int | None]]) -> bool:
    """Can a count be in one of some ranges?"""
    return any(
        (high is None or first <= high) and (last is None or low <= last) for first, last in count.ranges for low, high in ranges
    )


def remarked(release: Release, marking: MarkPlan, kept: Collection[int], know: Knowledge, primary: Collection[int]) -> Release:
    """The release with the one mark in every cell that is not shown already, apart from those that are kept."""
    if not marking.remarks or not any(s.hidden for s in release.statistics):
        return release
    counts = [
        hidden(s, marking, know.primary_at_most if i in primary else None) if s.hidden and i not in kept else s
        for i, s in enumerate(release.statistics)
    ]
    return release.changed(statistics=counts)


def hidden(count: Statistic, marking: MarkPlan, most: int | None = None) -> Statistic:
    """A count as a reader knows it once it is withheld; `most`: it is known to be at most so many."""
    low, _ = marking.limits(count)
    return replace(count.known(low or 0, most), mark=marking.mark)
