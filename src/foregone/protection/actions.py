"""What may be done to a release: actions from what a user allows, and what each costs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from foregone.model.errors import InputError, option
from foregone.model.families import Groups
from foregone.model.figure import Figure, Measure
from foregone.model.policy import Policy
from foregone.model.release import Release
from foregone.model.shown import shown
from foregone.model.statement import LARGEST, Either, Statement, Statistic
from foregone.protection.problem import Action, Kind, Number, Problem, numbers_of


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


def problem_of(release: Release, policy: Policy, allowed: Allowed, groups: Groups = Groups.PUBLISHED) -> Problem:
    """The release with its primary cells withheld, and everything that may be done to the others."""
    stated = numbers_of(release)
    _check(release, policy, allowed)
    primary = frozenset(
        i for i, s in enumerate(release.statistics) if policy.primary is not None and policy.primary.of(s)
    )
    kept = _kept(stated, allowed.keep)
    clash = sorted(stated[i].label for i in primary & kept)
    if clash:
        listed = ", ".join(map(shown, clash[:5]))
        raise InputError(f"{option('keep')}: {listed} is primary and cannot be kept; leave one of the two out")
    open_ = [i for i in range(len(stated)) if i not in kept]
    actions: list[Action] = []
    for name, numbers in _units(release, open_, allowed, primary).items():
        cost = _cost(release, name, numbers - primary, allowed)
        if allowed.withhold:
            kind = Kind.TABLE if allowed.by == "table" else Kind.CELL
            actions.append(Action(kind, name, cost, numbers))
        exact = frozenset(i for i in numbers - primary if isinstance(s := stated[i], Statistic) and s.low == s.high)
        actions += [Action(Kind.ROUND, name, cost, exact, base) for base in allowed.bases if exact]
    actions += _merges(release, allowed, kept)
    return Problem(release, policy, tuple(actions), primary, groups)


def base_cost(problem: Problem, allowed: Allowed) -> int:
    """Primary cells are withheld in any case, and cost what others cost."""
    counts = problem.release.statistics
    if allowed.sizes:
        return sum(max(1, counts[i].low) for i in problem.primary)
    return sum(allowed.costs.get(counts[i].label, 1) for i in problem.primary)


def table_of(number: Number) -> str:
    """The table that a number belongs to: the one it names, or what its name starts with, up to the last dot."""
    return number.table or number.name.rpartition(".")[0] or number.label


def _units(release: Release, open_: Iterable[int], allowed: Allowed, primary: frozenset[int]) -> dict[str, frozenset[int]]:
    """What is weakened together: a table, or a number."""
    numbers = numbers_of(release)
    found: dict[str, set[int]] = {}
    for i in open_:
        number = numbers[i]
        if allowed.by == "table":
            found.setdefault(table_of(number), set()).add(i)
        elif i not in primary and not _nothing_to_withhold(number):
            found[_unused(number.label, found)] = {i}
    return {name: frozenset(numbers) for name, numbers in found.items()}


def _nothing_to_withhold(number: Number) -> bool:
    """Zeros stay shown, and what is withheld already has nothing more to give."""
    if isinstance(number, Statistic):
        return number.high == 0 or (number.high is None and number.low == 0)
    return isinstance(number, Figure) and number.withheld


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
    stated = numbers_of(release)
    if allowed.sizes:
        sizes = [number.low for i in numbers if isinstance(number := stated[i], Statistic)]
        return sum(max(1, size) for size in sizes) + len(numbers) - len(sizes)
    return sum(allowed.costs.get(stated[i].label, 1) for i in numbers) if allowed.by == "table" else 1


def _merges(release: Release, allowed: Allowed, kept: frozenset[int]) -> list[Action]:
    made = []
    numbers = numbers_of(release)
    for name, one, other in allowed.merges:
        column = release.domain.column(name)
        column.mask([one, other])
        cut = frozenset(i for i, number in enumerate(numbers) if _tells_apart(number, name, one, other))
        bases = {numbers[i].name for i in cut}  # a percentage goes with the count that it is of
        cut |= {i for i, n in enumerate(numbers) if isinstance(n, Figure) and n.measure is Measure.PERCENT and n.of in bases - {""}}
        if cut & kept:
            raise InputError(
                f"{option('merge')}: {shown(numbers[min(cut & kept)].label)} is kept and tells {shown(one)} from {shown(other)};"
                " leave out one of the two"
            )
        words = f"{name}={one} with {other}"
        merged = (release.domain.index[name], column.index[one], column.index[other])
        made.append(Action(Kind.MERGE, words, allowed.costs.get(words, max(1, len(cut))), cut, merged=merged))
    return made


def _tells_apart(number: Number, column: str, one: str, other: str) -> bool:
    """Does it treat two codes differently? A sum, mean or median over the column itself does."""
    match number:
        case Statistic() | Figure():
            predicates = [number.predicate]
        case Statement():
            predicates = [predicate for _, predicate in number.terms]
        case Either():
            predicates = [predicate for side in number.sides for _, predicate in side.terms]
    if isinstance(number, Figure) and number.of == column:
        return True
    named = (codes for predicate in predicates for name, codes in predicate.allowed if name == column)
    return any((one in codes) != (other in codes) for codes in named)


def _kept(numbers: Sequence[Number], keep: Iterable[str]) -> frozenset[int]:
    found: set[int] = set()
    problems = []
    for name in keep:
        pattern = f"{name}*" if name.endswith("/") else name
        some = {
            i
            for i, n in enumerate(numbers)
            if name in (n.name, n.label, table_of(n)) or fnmatchcase(n.name, pattern) or fnmatchcase(table_of(n), pattern)
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
        unknown = [name for name in policy.primary.names if name not in names]
        problems += [f"primary: {shown(name)} is not the name of a published count; check its spelling" for name in unknown]
    if policy.know.zeros_shown and policy.primary is not None:
        zeros = [s.name for s in release.statistics if policy.primary.of(s) and s.high == 0]
        problems += [f"primary: {shown(name)} is 0, and zeros-shown says that zeros stay; leave out one" for name in zeros[:5]]
    problems += [
        f"attribute: {shown(name)} is not a column of the release; use {', '.join(release.domain.names)}"
        for name in policy.attribute
        if name not in release.domain.index
    ]
    problems += [f"{option('round')}: {base} is not a base to round to; give 2 or more" for base in allowed.bases if base < 2]
    wrong = [name for name, cost in allowed.costs.items() if type(cost) is not int or not 0 < cost <= LARGEST]
    problems += [f"{option('cost')}: the cost of {shown(name)} is not a whole number from 1 up; correct it" for name in wrong]
    if not policy.words:
        problems.append("the policy forbids nothing; give singled_out_columns, smallest_group, attribute or primary")
    if problems:
        raise InputError(problems)
