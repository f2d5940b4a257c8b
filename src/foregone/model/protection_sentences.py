"""A protection in words."""

from __future__ import annotations

from foregone.model.protection import Protection
from foregone.model.sentences import plural
from foregone.model.shown import shown

NAMED = 12  # names that are listed in a sentence
KEPT = "Audited with what the policy says an attacker knows, the protected release keeps the policy."
KEPT_LINEARLY = (
    "Against an attacker who only adds and subtracts, the protected release keeps the policy."
    " Whoever works out more may still find out withheld cells."
)
NOT_CONFIRMED = "The protected release could not be audited again in time: that it keeps the policy is not confirmed."
NOT_COVERED = "Not covered: what somebody might infer from knowing that this was the cheapest choice."


def protection_summary(found: Protection) -> str:
    lines = [f"Policy: {'; '.join(found.policy.words)}.", _before(found.before)]
    if found.impossible:
        return "\n".join([*lines, f"No allowed choice is enough: {found.impossible}"])
    if found.release is None:
        return "\n".join([*lines, f"No protection was found: {found.reason}."])
    lines += [f"{sentence}" for sentence in _done(found)]
    if found.cost:  # nothing to do costs nothing, and needs no proof
        lines.append(_proved(found))
    lines.append(NOT_CONFIRMED if found.after != 0 else KEPT_LINEARLY if found.attacker == "linear" else KEPT)
    for other in found.alternatives:
        if other.actions:  # nothing to do has no next best
            lines.append(f"Next best (cost {other.cost:,}): {_names(other.actions)}.")
    if found.warning:
        lines.append(found.warning)
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


def _done(found: Protection) -> list[str]:
    if not found.withheld and not found.rounded and not found.merged:
        return ["Nothing has to be withheld."]
    said = []
    if found.withheld:
        what = "table" if found.by == "table" else "cell"
        primary = f", {found.primary:,} of them primary" if found.primary and found.by == "cell" else ""
        inside = f" with {len(found.cells):,} cells" if found.by == "table" else ""
        number = len(found.withheld)
        said.append(f"Withhold {number:,} {plural(what, number)}{inside}{primary}: {_names(found.withheld)}.")
    if found.rounded:
        said.append(f"Round {_names(found.rounded)}.")
    if found.merged:
        said.append(f"Merge {_names(found.merged)}.")
    return said


def _proved(found: Protection) -> str:
    if found.optimal:
        how = "proved" if found.proved else "the last step rests on a solver's word"
        return f"Cost {found.cost:,}, and nothing cheaper is enough ({how})."
    why = f" ({found.reason})" if found.reason else ""
    return f"Cost {found.cost:,}; no choice costs less than {found.lower_bound:,}. Whether a cheaper one exists is not known{why}."


def _names(names: tuple[str, ...]) -> str:
    listed = ", ".join(shown(name).strip("'\"") for name in names[:NAMED])
    return listed if len(names) <= NAMED else f"{listed} and {len(names) - NAMED:,} more"
