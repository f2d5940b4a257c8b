"""A protection in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from foregone.model.marks import ranges_words
from foregone.model.protection import Alternative, Protection, Remaining
from foregone.model.sentences import claim_sentence, plural
from foregone.model.shown import and_more, shown, some_of

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
    " Whoever sees that zeros are shown may still work out cells that are not shown."
)
NOT_CONFIRMED = "The protected release could not be audited again in time: that it keeps the policy is not confirmed."
NOT_COVERED = (
    "Not covered: what a reader concludes who knows that the least was withheld; in small tables that can tell a great deal"
    " (see `foregone help limits`)."
)


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
    lines += [_other(found, other) for other in found.alternatives if others and other.actions]  # nothing to do has no next best
    if found.warning:
        lines.append(found.warning)
    if found.policy.know is not None:
        lines.append(f"Taken to be known besides what is printed: {found.policy.know.words or 'nothing'} (the policy says so).")
    if found.done or found.primary:
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
        how = "proved" if found.proved else "the last step rests on a solver's word"
        return f"Cost {found.cost:,}, and nothing cheaper is enough ({how})."
    why = f" ({found.reason})" if found.reason else ""
    how = "" if found.proved or not found.lower_bound else ", by a solver's word"
    least = f"no choice costs less than {found.lower_bound:,}{how}"
    return f"Cost {found.cost:,}; {least}. Whether a cheaper one exists is not known{why}."


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


def _other(found: Protection, other: Alternative) -> str:
    """What another choice does differently."""
    more = tuple(words for words in other.actions if words not in found.done)
    less = tuple(words for words in found.done if words not in other.actions)
    instead = f" instead of {_names(_bare(less))}" if less else ""
    return f"Next best (cost {other.cost:,}): {_named_actions(more)}{instead}."


def _bare(actions: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(words.removeprefix(WITHHOLD) for words in actions)


def _named_actions(actions: tuple[str, ...]) -> str:
    """The word `withhold` once, if they all begin with it."""
    if not actions:
        return "nothing more"
    if all(words.startswith(WITHHOLD) for words in actions):
        return WITHHOLD + _names(_bare(actions))
    return _names(actions)


def _names(names: tuple[str, ...], most: int = NAMED, where: str = "") -> str:
    return some_of([shown(name).strip("'\"") for name in names], most=most, where=where)
