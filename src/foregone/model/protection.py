"""A protection: what was done to a release, what it costs, how sure it is that nothing cheaper would do, and all of it in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from foregone.model.errors import as_spoken
from foregone.model.figure import Figure
from foregone.model.marks import Ranges, ranges_words
from foregone.model.policy import Policy
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.sentences import claim_sentence, plural
from foregone.model.shown import and_more, paragraphs, shown, some_of

MOST_NAMED = 6  # numbers that are left, by name
WITHHOLD = "withhold "  # how the words of most actions begin
NAMED = 12  # names that are listed in a sentence
RECORD = "protect.json"  # has all names
KEPT = "Checked again as a reader would, marks and footnote included: the protected release keeps the policy."
KEPT_LINEARLY = (
    "Against an attacker who only adds and subtracts, the protected release keeps the policy."
    " Whoever works out more may still find out withheld cells."
)
KEPT_AS_SAID = (
    "For a reader who knows no more than the policy says, the protected release keeps the policy."
    " Whoever sees that zeros are shown may still work out hidden cells."
)
NOT_CONFIRMED = "The protected release could not be audited again in time: that it keeps the policy is not confirmed."
NOT_COVERED = (
    "Not covered (--reader any): what a reader concludes who knows that the least was withheld; in small tables that can tell a"
    " great deal (see `foregone help limits`). --reader knows-the-rule covers it."
)


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another choice that protects as well: what it does instead, and what it costs in all."""

    actions: tuple[str, ...]
    cost: int


@dataclass(frozen=True, slots=True)
class Remaining:
    """What is certain although a policy is kept: facts about as few records as it forbids, but with fewer columns."""

    facts: int
    columns: int  # of the fact with the most
    example: Predicate  # such a fact
    count: int  # of records that the example is about


@dataclass(frozen=True)
class Protection:
    """A release that keeps a policy. `release` is what may be published; `withheld` names the cells, or with `by` table the
    tables, that are not shown any more; no protection costs less than `lower_bound`.

    When nothing was found, `release` is None: `impossible` says why no allowed set is enough, or `reason` why the search ended.
    """

    original: Release = field(repr=False)
    policy: Policy
    attacker: str
    by: str
    release: Release | None
    withheld: tuple[str, ...]
    cells: tuple[str, ...]  # all cells that are not shown
    rounded: tuple[str, ...]
    merged: tuple[str, ...]
    cost: int | None
    lower_bound: int
    before: int | None
    after: int | None
    primary: int = 0  # cells that the policy itself says are withheld
    proved: bool = False  # the lower bound, in whole numbers; otherwise it rests on a solver's word
    reason: str = ""
    impossible: str = ""
    alternatives: tuple[Alternative, ...] = ()
    left: int = 0  # numbers that still say something other than 0
    shown: int = 0  # such numbers before
    done: tuple[str, ...] = ()  # the actions, in the words of the alternatives; primary cells are withheld without one
    still: Remaining | None = None  # what the policy does not forbid; None: not looked for, or not known
    marks: Mapping[str, Ranges] = field(default_factory=dict)  # printed in cells that are not shown, and what they can stand for
    seconds: Mapping[str, float] = field(default_factory=dict, compare=False)
    certificate: Mapping[str, Any] | None = field(default=None, compare=False, repr=False)
    reader: str = ""  # "shown" or "not shown" to withstand somebody who knows the rule; nothing where nobody asked
    reader_why: str = ""  # how it is shown, or why not
    joined: Release | None = field(default=None, repr=False)  # with what is out already, if it was protected together with that
    assumptions: tuple[str, ...] = ()  # what that takes for granted

    @property
    def optimal(self) -> bool:
        """Is it proved that nothing cheaper is enough? For a reader who knows the rule: that nothing before it in the order is."""
        return self.cost is not None and self.lower_bound >= self.cost and self.reader != "not shown"

    def json(self) -> dict[str, Any]:
        """What is written beside the protected release: nothing about what is withheld but its names."""
        return {
            "withheld": list(self.withheld),
            **({"cells": list(self.cells)} if self.by == "table" else {}),
            **({"rounded": list(self.rounded)} if self.rounded else {}),
            **({"merged": list(self.merged)} if self.merged else {}),
            "cost": self.cost,
            "lower_bound": self.lower_bound,
            "optimal": self.optimal,
            "policy": self.policy.json(),
            "attacker": self.attacker,
            **({"reader": self.reader} if self.reader else {}),
            "before": self.before,
            "after": self.after,
        }

    @property
    def warning(self) -> str:
        """Where withholding is the wrong tool: so little would be left. A search that was stopped may find better."""
        if self.release is None or not (self.done or self.primary) or 2 * self.left > self.shown:
            return ""
        names = [n.label for n in self.release.published if not n.withheld and (isinstance(n, Figure) or n.high != 0)]
        which = f": {', '.join(names)}" if 0 < len(names) <= MOST_NAMED else ""
        only = f"only {self.left:,} would stay published{which}" if self.left else "nothing would stay published"
        if not self.optimal:
            numbers = f"of {self.shown:,} {plural('number', self.shown)} other than 0, {only}"
            return f"This is the best found so far: {numbers}. With more time a choice may be found that leaves more."
        return (
            f"Withholding is the wrong tool here: of {self.shown:,} {plural('number', self.shown)} other than 0, {only}."
            " Publish this for a larger area or for fewer columns, or add noise."
        )

    def summary(self) -> str:
        """A few sentences for people."""
        return as_spoken(protection_summary(self))

    def __repr__(self) -> str:
        return f"<Protection of {self.original!r}\n{self.summary()}>"

    def _repr_html_(self) -> str:
        return paragraphs(self.summary())


def protection_summary(found: Protection, most: int = NAMED, others: bool = True) -> str:
    """What was done, a line each; of long lists the first names, up to `most`, and where all are. `others`: the next best choices,
    too.
    """
    lines = [f"Policy: {'; '.join(found.policy.words)}.", _before(found.before)]
    if found.impossible:
        return "\n".join([*lines, f"No allowed choice is enough: {found.impossible}"])
    if found.release is None:
        return "\n".join([*lines, f"No protection was found: {found.reason}."])
    lines += [f"{sentence}" for sentence in _done(found, most)]
    lines += _printed(found)
    if found.cost:  # nothing to do costs nothing, and needs no proof
        lines.append(_proved(found))
    less = found.policy.know is not None and not found.policy.know.zeros_shown
    kept = KEPT_LINEARLY if found.attacker == "linear" else KEPT_AS_SAID if less else KEPT
    lines.append(NOT_CONFIRMED if found.after != 0 else kept)
    if found.still is not None:
        lines.append(_still(found, found.still))
    if others:  # nothing to do has no next best
        lines += [f"Next best (cost {one.cost:,}): {other_choice(found, one)}." for one in found.alternatives if one.actions]
    if found.warning:
        lines.append(found.warning)
    if found.policy.know is not None:
        lines.append(f"Taken to be known besides what is printed: {found.policy.know.words or 'nothing'} (the policy says so).")
    if found.reader:
        lines.append(_read_by(found))
    elif found.done or found.primary:
        lines.append(NOT_COVERED)
    return "\n".join(lines)


def _before(violations: int | None) -> str:
    """
    >>> _before(1), _before(0)
    ('The release breaks this policy: 1 violation.', 'The release keeps this policy as it is.')
    """
    if violations is None:
        return "Whether the release breaks this policy as it is was not found out in time."
    number = f"{violations:,} {plural('violation', violations)}"
    return f"The release breaks this policy: {number}." if violations else "The release keeps this policy as it is."


def _done(found: Protection, most: int) -> list[str]:
    if not found.withheld and not found.rounded and not found.merged:
        return ["Nothing has to be withheld."]
    said = []
    if found.withheld:
        what = "table" if found.by == "table" else "cell"
        primary = f", {found.primary:,} of them primary" if found.primary and found.by == "cell" else ""
        inside = f" with {len(found.cells):,} cells" if found.by == "table" else ""
        number = len(found.withheld)
        said.append(f"Withhold {number:,} {plural(what, number)}{inside}{primary}: {_names(found.withheld, most, RECORD)}.")
        said += _standing(found.withheld, found.original.places, most)
    if found.rounded:
        said.append(f"Round {_names(found.rounded, most, RECORD)}.")
    if found.merged:
        said.append(f"Merge {_names(found.merged, most, RECORD)}.")
    return said


def _printed(found: Protection) -> list[str]:
    """What to print in cells that are not shown, and in the footnote: the protection is judged with that."""
    if found.release is None or not (found.done or found.primary):
        return []
    before = {count.mark for count in found.original.statistics}
    figures = sum(figure.withheld for figure in found.release.figures) if len(found.marks) == 1 else 0
    said = []
    for mark, ranges in found.marks.items():
        number = sum(count.mark == mark for count in found.release.statistics) + figures
        cells = {1: "the cell that is", 2: "both cells that are"}.get(number, f"all {number:,} cells that are")
        where = f"in {cells} not shown"
        if len(found.marks) > 1:  # old marks stay where they are
            where = f"{'only where it stood before' if mark in before else 'in the cells withheld now'} ({number:,})"
        said.append(f'Print {mark} {where}, with one footnote: "{mark} not shown; stands for {ranges_words(ranges)}".')
    return said


def _proved(found: Protection) -> str:
    if found.optimal:
        how = "proved" if found.proved else "reported by a solver, not proved"
        if found.reader:
            return f"Cost {found.cost:,}: the first choice in the public order that is enough ({how})."
        return f"Cost {found.cost:,}, and nothing cheaper is enough ({how})."
    why = f" ({found.reason})" if found.reason else ""
    how = "" if found.proved or not found.lower_bound else " (reported by a solver, not proved)"
    least = f"no choice costs less than {found.lower_bound:,}{how}"
    return f"Cost {found.cost:,}; {least}. Whether a cheaper one exists is not known{why}."


def _read_by(found: Protection) -> str:
    """What is promised about somebody who knows how the choice was made."""
    if found.reader == "shown":
        return f"Whoever knows the rule by which this was chosen finds out nothing that the policy forbids: {found.reader_why}."
    return (
        "Not shown: whether it withstands a reader who knows the rule by which this was chosen"
        f" ({found.reader_why}). It withstands one who does not."
    )


def _standing(names: Sequence[str], places: Mapping[str, str], most: int) -> list[str]:
    """Where numbers stand in the files that they were imported from, file by file; nothing if that is not known of all of them."""
    files: dict[str, dict[str, list[str]]] = {}
    for name in names[:most]:
        kind, _, rest = places.get(name, "").partition(" ")
        cell, _, file = rest.partition(" of ")
        if not file:
            return []
        files.setdefault(file, {}).setdefault(kind, []).append(cell)
    every = [(kind, cells, file) for file, kinds in files.items() for kind, cells in kinds.items()]
    parts = [f"{plural(kind, len(cells))} {', '.join(cells)} of {file}" for kind, cells, file in every]
    return [f"In your files: {'; '.join(parts)}{and_more(len(names) - most, RECORD)}."] if parts else []


def _still(found: Protection, still: Remaining) -> str:
    few = f"exactly one {found.original.domain.record}"
    if found.policy.smallest_group > 2:
        few = f"fewer than {found.policy.smallest_group} {plural(found.original.domain.record, 2)}"
    if not still.facts:
        return f"With fewer columns, no claim about {few} is certain either."
    many = f"{still.facts:,} {plural('fact', still.facts)} about {few} with fewer columns"
    example = claim_sentence(found.original.domain, still.example, still.count)
    return f"Still certain, as the policy does not forbid it: {many}. {'For example: ' if still.facts > 1 else ''}{example}"


def other_choice(found: Protection, other: Alternative, most: int = NAMED) -> str:
    """What another choice does differently; of long lists the first names, up to `most`."""
    more = tuple(words for words in other.actions if words not in found.done)
    less = tuple(words for words in found.done if words not in other.actions)
    instead = f" instead of {_names(_bare(less), most)}" if less else ""
    return f"{_named_actions(more, most)}{instead}"


def _bare(actions: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(words.removeprefix(WITHHOLD) for words in actions)


def _named_actions(actions: tuple[str, ...], most: int = NAMED) -> str:
    """The word `withhold` once, if they all begin with it."""
    if not actions:
        return "nothing more"
    if all(words.startswith(WITHHOLD) for words in actions):
        return WITHHOLD + _names(_bare(actions), most)
    return _names(actions, most)


def _names(names: tuple[str, ...], most: int = NAMED, where: str = "") -> str:
    return some_of([shown(name).strip("'\"") for name in names], most=most, where=where)
