"""A protection in words."""

from __future__ import annotations

from foregone.model.protection import Protection
from foregone.model.sentences import plural
from foregone.model.shown import shown

NAMED = 12  # names that are listed in a sentence
NOT_COVERED = "Not covered: what somebody might infer from the fact that exactly this set was the cheapest."


def protection_summary(found: Protection) -> str:
    lines = []
    broken = "in an unknown number of ways" if found.before is None else f"in {found.before:,} {plural('way', found.before)}"
    rules = "; ".join(found.policy.words)
    lines.append(f"The policy ({rules}) is broken {broken}." if found.before != 0 else f"The policy ({rules}) is not broken.")
    if found.impossible:
        return "\n".join([*lines, f"No allowed set is enough: {found.impossible}"])
    if found.release is None:
        return "\n".join([*lines, f"No protection was found: {found.reason}."])
    lines += [f"{sentence}" for sentence in _done(found)]
    if found.cost is not None:
        lines.append(_proved(found))
    left = "is broken no more" if found.after == 0 else "could not be judged again"
    lines.append(f"Audited again with what an attacker knows, the policy {left}.")
    for other in found.alternatives:
        lines.append(f"Next best (cost {other.cost:,}): {_names(other.actions)}.")
    if found.warning:
        lines.append(found.warning)
    lines.append(NOT_COVERED)
    return "\n".join(lines)


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
        how = "proved" if found.proved else "by a solver's word for the last step"
        return f"Cost {found.cost:,}, and nothing cheaper is enough ({how})."
    why = f" ({found.reason})" if found.reason else ""
    return f"Cost {found.cost:,}; no protection costs less than {found.lower_bound:,}; between the two nothing is known{why}."


def _names(names: tuple[str, ...]) -> str:
    listed = ", ".join(shown(name).strip("'\"") for name in names[:NAMED])
    return listed if len(names) <= NAMED else f"{listed} and {len(names) - NAMED:,} more"
