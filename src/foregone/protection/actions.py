"""What may be done to a release: actions from what a user allows, and what each costs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from foregone.model.errors import InputError, option
from foregone.model.policy import Policy
from foregone.model.release import Release
from foregone.model.shown import shown
from foregone.model.statement import LARGEST, Statement
from foregone.protection.problem import Action, Kind, Problem, is_count

SIZES = "size"


@dataclass(frozen=True, slots=True)
class Allowed:
    """`by`: withhold single cells or whole tables. `keep`: names of cells or tables that stay as they are; `june/` and `P16*`
    name several. `costs`: by name; without, 1 for each cell or, with `sizes`, its count. `withhold`: may numbers be withheld
    at all. `bases`: multiples to round to. `merges`: columns with two codes that may become one.
    """

    by: str = "cell"
    keep: tuple[str, ...] = ()
    costs: Mapping[str, int] = field(default_factory=dict)
    sizes: bool = False
    withhold: bool = True
    bases: tuple[int, ...] = ()
    merges: tuple[tuple[str, str, str], ...] = ()


def problem_of(release: Release, policy: Policy, allowed: Allowed) -> Problem:
    """The release with its primary cells withheld, and everything that may be done to the others."""
    stated = release.all_statements
    _check(release, policy, allowed)
    primary = frozenset(
        i for i, s in enumerate(release.statistics) if policy.primary is not None and policy.primary.of(s)
    )
    kept = _kept(stated, allowed.keep)
    clash = sorted(release.name_of(i) for i in primary & kept)
    if clash:
        raise InputError(f"{option('keep')}: {', '.join(map(shown, clash[:5]))} is primary and cannot be kept; leave it out of one of the two")
    open_ = [i for i in range(len(stated)) if i not in kept]
    actions: list[Action] = []
    for name, numbers in _units(release, open_, allowed, primary).items():
        cost = _cost(release, name, numbers, allowed)
        if allowed.withhold:
            kind = Kind.TABLE if allowed.by == "table" else Kind.CELL
            actions.append(Action(kind, name, cost, numbers))
        exact = frozenset(i for i in numbers if is_count(stated[i]) and stated[i].low == stated[i].high and i not in primary)
        actions += [Action(Kind.ROUND, name, cost, exact, base) for base in allowed.bases if exact]
    actions += _merges(release, allowed, kept)
    return Problem(release, policy, tuple(actions), primary)


def table_of(statement: Statement) -> str:
    """The table that a number belongs to: the one it names, or what its name starts with, up to the last dot."""
    return statement.table or statement.name.rpartition(".")[0] or statement.label


def _units(release: Release, open_: Iterable[int], allowed: Allowed, primary: frozenset[int]) -> dict[str, frozenset[int]]:
    """What is weakened together: a table, or a number (a mean or a percentage is one number, but two statements)."""
    stated = release.all_statements
    found: dict[str, set[int]] = {}
    for i in open_:
        statement = stated[i]
        nothing = statement.high is None and (statement.low or 0) == 0 and is_count(statement)
        if allowed.by == "table":
            found.setdefault(table_of(statement), set()).add(i)
        elif i not in primary and statement.high != 0 and not nothing:
            single = is_count(statement) or not statement.name
            name = _unused(release.name_of(i), found) if single else statement.name
            found.setdefault(name, set()).add(i)
    return {name: frozenset(numbers) for name, numbers in found.items()}


def _unused(name: str, taken: Mapping[str, object]) -> str:
    """Numbers may share a name; their actions must not."""
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name} ({number})"
    return free


def _cost(release: Release, name: str, numbers: frozenset[int], allowed: Allowed) -> int:
    if name in allowed.costs:
        return allowed.costs[name]
    stated = release.all_statements
    if allowed.sizes:
        return sum(max(1, abs(stated[i].low or 0)) for i in numbers)
    return sum(allowed.costs.get(release.name_of(i), 1) for i in numbers) if allowed.by == "table" else 1


def _merges(release: Release, allowed: Allowed, kept: frozenset[int]) -> list[Action]:
    made = []
    for name, one, other in allowed.merges:
        column = release.domain.column(name)
        column.mask([one, other])
        at, first, second = release.domain.index[name], column.index[one], column.index[other]
        cut = frozenset(i for i in range(len(release.all_statements)) if _tells_apart(release, i, at, first, second))
        if cut & kept:
            raise InputError(
                f"{option('merge')}: {shown(release.name_of(min(cut & kept)))} is kept and tells {shown(one)} from {shown(other)};"
                " leave out one of the two"
            )
        words = f"{name}={one} with {other}"
        cost = allowed.costs.get(words, len(cut))
        made.append(Action(Kind.MERGE, words, cost, cut, merged=(at, first, second)))
    return made


def _tells_apart(release: Release, number: int, column: int, one: int, other: int) -> bool:
    count = len(release.masks)
    terms = [release.masks[number]] if number < count else [masks for _, masks in release.workload.sum_masks[number - count]]
    return any((masks[column] >> one & 1) != (masks[column] >> other & 1) for masks in terms if column in masks)


def _kept(stated: tuple[Statement, ...], keep: Iterable[str]) -> frozenset[int]:
    found: set[int] = set()
    problems = []
    for name in keep:
        pattern = f"{name}*" if name.endswith("/") else name
        some = {
            i
            for i, s in enumerate(stated)
            if name in (s.name, s.label, table_of(s)) or fnmatchcase(s.name, pattern) or fnmatchcase(table_of(s), pattern)
        }
        if not some:
            problems.append(f"{option('keep')}: {shown(name)} is neither the name of a number nor of a table; check its spelling")
        found |= some
    if problems:
        raise InputError(problems)
    return frozenset(found)


def _check(release: Release, policy: Policy, allowed: Allowed) -> None:
    problems = []
    names = {s.name for s in release.statistics}
    if policy.primary is not None:
        for name in policy.primary.names:
            if name not in names:
                problems.append(f"primary: {shown(name)} is not the name of a published count; check its spelling")
    if policy.know.zeros_shown and policy.primary is not None:
        zeros = [s.name for s in release.statistics if policy.primary.of(s) and s.high == 0]
        problems += [f"primary: {shown(name)} is 0, and zeros-shown says that zeros stay shown; leave out one" for name in zeros[:5]]
    problems += [
        f"attribute: {shown(name)} is not a column of the release; use {', '.join(release.domain.names)}"
        for name in policy.attribute
        if name not in release.domain.index
    ]
    problems += [f"{option('round')}: {base} is no base to round to; give 2 or more" for base in allowed.bases if base < 2]
    wrong = [name for name, cost in allowed.costs.items() if type(cost) is not int or not 0 < cost <= LARGEST]
    problems += [f"{option('cost')}: the cost of {shown(name)} is not a whole number from 1 up; correct it" for name in wrong]
    if not policy.words:
        problems.append("the policy forbids nothing; give singled_out_columns, smallest_group, attribute or primary")
    if problems:
        raise InputError(problems)
