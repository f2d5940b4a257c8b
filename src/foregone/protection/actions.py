"""What may be done to a release: actions from what a user allows, and what each costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from math import prod

from foregone.engine import Case, intervals_of, start
from foregone.model.errors import InputError, UndecidedError, option
from foregone.model.families import Groups
from foregone.model.figure import Figure, Measure
from foregone.model.policy import Policy
from foregone.model.predicate import within
from foregone.model.release import Number, Release
from foregone.model.shown import shown
from foregone.model.statement import LARGEST, LARGEST_BASE, Statistic
from foregone.policy.judge import check_columns
from foregone.policy.reader import table_of
from foregone.protection.cell_blocks import CLEAR, Blocking, beside_small, cell_blocks, known_in, totals_of_columns
from foregone.protection.marking import STYLES, MarkPlan, marking_of, remarked
from foregone.protection.problem import Action, ActionKind, Problem, numbers_of

SPARSE = 20  # cells other than totals, and no more: then all totals are withheld together, or none
LARGE = 3  # totals of at least so many times the least count that may be shown stay shown where cells are withheld in blocks


@dataclass(frozen=True, slots=True)
class Allowed:
    """`by`: withhold single cells or whole tables. `keep`: names of cells or tables that stay as they are; `june/` and `P16*`
    name several. `costs`: by name; without, 1 for each cell or, with `sizes`, its count. `withhold`: may numbers be withheld
    at all. `bases`: multiples to round to. `merges`: columns with two codes that may become one. `marks`: cells that are not shown
    get "one" mark, or "two", one for those that were not shown before and one for the others. `mark`: the text of the new one.
    `blocks`: cells are withheld in blocks (`cell_blocks`). What is asked for twice counts once.
    """

    by: str = "cell"
    keep: tuple[str, ...] = ()
    costs: Mapping[str, int] = field(default_factory=dict)
    sizes: bool = False
    withhold: bool = True
    bases: tuple[int, ...] = ()
    merges: tuple[tuple[str, str, str], ...] = ()
    marks: str = "one"
    mark: str = ""
    blocks: bool = False

    def __post_init__(self) -> None:
        merges: dict[tuple[str, frozenset[str]], tuple[str, str, str]] = {}
        for name, one, other in self.merges:
            merges.setdefault((name, frozenset({one, other})), (name, one, other))  # in either order
        object.__setattr__(self, "keep", tuple(dict.fromkeys(self.keep)))
        object.__setattr__(self, "bases", tuple(dict.fromkeys(self.bases)))
        object.__setattr__(self, "merges", tuple(merges.values()))

    @property
    def unit(self) -> int:
        """What a withheld cell costs unless somebody says otherwise: twice as much as a rounded one, where there is a choice."""
        return 2 if self.bases else 1


def problem_of(
    release: Release,
    policy: Policy,
    allowed: Allowed,
    groups: Groups = Groups.PUBLISHED,
    knowing: bool = True,
    case: Case | None = None,
) -> Problem:
    """The release with its primary cells withheld, as a reader knows it, and everything that may be done to the others.

    `release` is what is to be protected, with what the policy says is known (`as_read`). `knowing`: the reader draws conclusions
    from how marks are given out.
    """
    stated = numbers_of(release)
    _check(release, policy, allowed)
    primary = primary_cells(release, policy, case)
    kept = kept_numbers(stated, allowed.keep)
    clash = sorted(stated[i].label for i in primary & kept)
    if clash:
        listed = ", ".join(map(shown, clash[:5]))
        raise InputError(f"{option('keep')}: {listed} is primary and cannot be kept; leave one of the two out")
    if allowed.by == "table" and policy.knows.zeros_shown:
        _check_whole_tables(release, kept)
    marking = MarkPlan("", int(policy.knows.zeros_shown), True, False)
    if allowed.by == "cell":
        marking = marking_of(release, policy, allowed.marks, allowed.mark, kept, knowing)
    _check_zeros(release, policy, primary, marking)
    true = {i: s.low for i, s in enumerate(release.statistics) if not s.open}
    unknown = [release.statistics[i].label for i in sorted(primary - true.keys())]
    if policy.both_sides and unknown:
        raise UndecidedError(f"both_sides could not be judged: the true count of {unknown[0]} is not known here; leave it out")
    before, release = release, remarked(release, marking, kept, policy.knows, primary)
    open_ = [i for i in range(len(stated)) if i not in kept]
    actions: list[Action] = []
    totals = totals_of(release)
    blocking = blocks_of(release, policy, kept, marking) if allowed.blocks else Blocking({}, (), {})
    blocks = blocking.first
    units = _in_blocks(release, blocks, primary) if allowed.blocks else _units(release, open_, allowed, primary, marking)
    for name, numbers in units.items():
        cost, worth = _cost(release, name, numbers - primary, allowed), sum(totals.get(i, 0) for i in numbers - primary)
        if numbers & set(blocking.large):
            cost += sum(allowed.costs.get(s.label, allowed.unit) for s in release.statistics)  # more than all others together
        if allowed.withhold:
            kind = ActionKind.TABLE if allowed.by == "table" else ActionKind.CELL
            actions.append(Action(kind, name, cost, numbers, worth))
        exact = frozenset(i for i in numbers - primary if true.get(i))
        rounding = cost if name in allowed.costs or allowed.sizes else max(1, len(exact))
        actions += [Action(ActionKind.ROUND, name, rounding, exact, worth, base) for base in allowed.bases if exact]
    actions += _merges(release, allowed, kept)
    whole = {blocks[i] for i in primary if i in blocks}
    must = frozenset(a for a, action in enumerate(actions) if allowed.blocks and blocks[min(action.numbers)] in whole)
    return Problem(release, policy, tuple(actions), primary, groups, marking, true, before, must)


def blocks_of(release: Release, policy: Policy, kept: Collection[int], marking: MarkPlan) -> Blocking:
    """The blocks of cells that may be withheld. Large totals are one block: they are withheld together, where nothing else helps. A
    total that counts hardly more than it is known to is small whatever its size: it tells what is in it. (And were it large from a
    fixed number on, a small one could often have one size only.) Where there are few other cells, all totals are one block, and
    their sizes do not matter: whether a total is needed often hangs on single records there.
    """
    primary, counts = policy.primary, release.statistics
    named = {i for i, s in enumerate(counts) if primary is not None and s.name in primary.names}
    may = [i for i, s in enumerate(counts) if i not in kept and not s.hidden and marking.may_go(s)]
    every = totals_of_columns(release)
    cells = [i for i in may if i not in every]
    totals = {i: side for i, side in every.items() if i not in named}
    if len(cells) <= SPARSE:
        together = [i for i in may if i in totals]
        made = cell_blocks(release, [i for i in may if i not in totals], {})
        return Blocking(made | dict.fromkeys(together, min(together, default=0)), (), {})
    known = known_in(release, totals, cells, marking.least)
    large_from = {i: max(least_large(policy), known[i] + CLEAR) for i in totals}
    stay = {i: side for i, side in totals.items() if counts[i].low >= large_from[i]}
    free = {i: side for i, side in totals.items() if i in may}
    for i in beside_small(release, free, stay, known):
        del stay[i]
    large = [i for i in may if i in stay]
    made = cell_blocks(release, [i for i in may if i not in stay], stay) | dict.fromkeys(large, min(large, default=0))
    return Blocking(made, large, large_from)


def least_large(policy: Policy) -> int:
    """From how many records on a total is large: several times the least count that may be shown."""
    small = [policy.primary.high or 0] if policy.primary is not None else []
    return LARGE * (1 + max([*small, *([policy.smallest_group - 1] if policy.about_claims else [])], default=0))


def primary_cells(release: Release, policy: Policy, case: Case | None = None) -> frozenset[int]:
    """The counts that must stay unknown: what is certain about a count decides, whether it is shown or not. A case that is open
    already is gone on with, and its time limit is kept.
    """
    primary = policy.primary
    if primary is None:
        return frozenset()
    if primary.names:
        return frozenset(i for i, s in enumerate(release.statistics) if s.name in primary.names)
    open_ = [i for i, s in enumerate(release.statistics) if s.open]
    known = intervals_of(case or start(release), open_)[0] if open_ else []
    certain = dict(zip(open_, known, strict=True))
    found, unsure = set[int](), list[str]()
    for i, s in enumerate(release.statistics):
        low, high = (certain[i].low, certain[i].high) if i in certain else (s.low, s.high)
        if primary.holds(s.name, low, high):
            found.add(i)
        elif i in certain and not certain[i].proved:
            unsure.append(s.label)
    if unsure:
        raise UndecidedError(f"primary: whether {unsure[0]} is primary was not found out in time; name the primary cells instead")
    return frozenset(found)


def totals_of(release: Release) -> dict[int, int]:
    """Which counts are totals of others in their table, and how dear they are: the grand total of a table above all.

    A total names fewer columns than others, or a group of values of which others name a part; a grand total holds all others.
    """
    domain = release.domain
    tables: dict[str, list[tuple[int, dict[int, int]]]] = {}
    for i, s in enumerate(release.statistics):  # numbers that name no table are looked at as one
        tables.setdefault(s.table or s.name.rpartition(".")[0], []).append((i, s.predicate.masks(domain)))
    found: dict[int, int] = {}
    for cells in tables.values():
        alike: dict[frozenset[int], list[dict[int, int]]] = {}
        for _, masks in cells:
            alike.setdefault(frozenset(masks), []).append(masks)
        least = {columns: min(map(_size, some)) for columns, some in alike.items()}
        totals = [
            (i, masks)
            for i, masks in cells
            if any(masks.keys() < others for others in alike)
            or (
                _size(masks) > least[frozenset(masks)]
                and any(other != masks and within(other, masks) for other in alike[frozenset(masks)])
            )
        ]
        for i, masks in totals:
            grand = all(within(other, masks) for _, other in cells)
            found[i] = 1 + len(totals) if grand else 1
    return found


def _size(masks: Mapping[int, int]) -> int:
    """How many combinations of the values that a condition names it allows."""
    return prod(mask.bit_count() for mask in masks.values())


def base_cost(problem: Problem, allowed: Allowed) -> int:
    """Primary cells are withheld in any case, and cost what others cost; those that were not shown before cost nothing."""
    counts = problem.release.statistics
    new = [i for i in problem.primary if not counts[i].hidden]
    if allowed.sizes:
        return sum(max(1, counts[i].low) for i in new)
    return sum(allowed.costs.get(counts[i].label, allowed.unit) for i in new)


def _units(
    release: Release, open_: Iterable[int], allowed: Allowed, primary: frozenset[int], marking: MarkPlan
) -> dict[str, frozenset[int]]:
    """What is weakened together: a table, or a number."""
    numbers = numbers_of(release)
    found: dict[str, set[int]] = {}
    alone = Counter(table_of(count) for count in release.statistics)
    for i in open_:
        number = numbers[i]
        if allowed.by == "table":
            # a table of one number is read as a cell, which is not 0 where zeros stay shown
            if not (isinstance(number, Statistic) and alone[table_of(number)] == 1 and number.low < marking.least):
                found.setdefault(table_of(number), set()).add(i)
        elif i not in primary and not _nothing_to_withhold(number, marking):
            found[_unused(number.label, found)] = {i}
    return {name: frozenset(numbers) for name, numbers in found.items()}


def _in_blocks(release: Release, blocks: Mapping[int, int], primary: frozenset[int]) -> dict[str, frozenset[int]]:
    """The cells of each block that are not withheld anyway."""
    found: dict[str, frozenset[int]] = {}
    for first in sorted(set(blocks.values())):
        cells = frozenset(i for i, block in blocks.items() if block == first) - primary
        if cells:
            found[_unused(", ".join(release.statistics[i].label for i in sorted(cells)), found)] = cells
    return found


def _nothing_to_withhold(number: Number, marking: MarkPlan) -> bool:
    """What is not shown has nothing more to give, and zeros stay shown unless a policy needs them withheld."""
    if isinstance(number, Statistic):
        return number.hidden or not marking.may_go(number)
    return isinstance(number, Figure) and number.withheld


def _unused(name: str, taken: Mapping[str, object]) -> str:
    """Numbers may share a name; their actions must not."""
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name} ({number})"
    return free


def _cost(release: Release, name: str, numbers: frozenset[int], allowed: Allowed) -> int:
    stated = numbers_of(release)
    if name in allowed.costs and not allowed.blocks:
        return allowed.costs[name]
    if allowed.sizes:
        sizes = [number.low for i in numbers if isinstance(number := stated[i], Statistic)]
        return sum(max(1, size) for size in sizes) + len(numbers) - len(sizes)
    several = allowed.by == "table" or allowed.blocks
    return sum(allowed.costs.get(stated[i].label, allowed.unit) for i in numbers) if several else allowed.unit


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
        words = _words(name, one, other)
        merged = (release.domain.index[name], column.index[one], column.index[other])
        made.append(Action(ActionKind.MERGE, words, allowed.costs.get(words, max(1, len(cut))), cut, merged=merged))
    return made


def _words(name: str, one: str, other: str) -> str:
    """A merge as a cost file names it."""
    return f"{name}={one} with {other}"


def _tells_apart(number: Number, column: str, one: str, other: str) -> bool:
    """Does it treat two codes differently? A sum, mean or median over the column itself does."""
    if isinstance(number, Figure) and number.of == column:
        return True
    named = (codes for predicate in number.predicates for name, codes in predicate.allowed if name == column)
    return any((one in codes) != (other in codes) for codes in named)


def kept_numbers(numbers: Sequence[Number], keep: Iterable[str]) -> frozenset[int]:
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
    stated = numbers_of(release)
    known = {n.label for n in stated} | {table_of(n) for n in stated} | {_words(*merge) for merge in allowed.merges}
    problems += [
        f"{option('cost')}: {shown(name)} is neither a number, a table nor a merge here; check its spelling"
        for name in allowed.costs
        if name not in known
    ]
    problems += [
        f"{option('round')}: {base} is not a base to round to; give 2 to {LARGEST_BASE:,}"
        for base in allowed.bases
        if not 2 <= base <= LARGEST_BASE
    ]
    alone = [(name, one) for name, one, other in allowed.merges if one == other]
    problems += [f"{option('merge')}: {name}={one}|{one} is one value; give two values of {name}" for name, one in alone]
    if allowed.marks not in STYLES:
        problems.append(f"{option('marks')}: {shown(allowed.marks)} is not understood; use {' or '.join(STYLES)}")
    if allowed.mark != allowed.mark.strip() or not allowed.mark.isprintable() or any(letter.isdigit() for letter in allowed.mark):
        why = "could be read as a number or not be seen; use a sign such as * or [c]"
        problems.append(f"{option('mark')}: {shown(allowed.mark)} {why}")
    wrong = [name for name, cost in allowed.costs.items() if type(cost) is not int or not 0 < cost <= LARGEST]
    problems += [f"{option('cost')}: the cost of {shown(name)} is not a whole number from 1 up; correct it" for name in wrong]
    if allowed.by == "table" and allowed.merges and policy.knows.zeros_shown:
        problems.append(
            f'{option("merge")}: where tables are withheld and know has "zeros-shown", it is not clear what a reader makes of a'
            " table of which a merge leaves one number; leave out one of the three"
        )
    if not policy.words:
        problems.append("the policy forbids nothing; give singled_out_columns, smallest_group, attribute, primary or stars")
    if problems:
        raise InputError(problems)
    check_columns(policy, release)


def _check_whole_tables(release: Release, kept: frozenset[int]) -> None:
    """Of a table that is withheld but for one cell a reader who knows that zeros are shown would know that no other cell is 0."""
    some = {table_of(s) for i, s in enumerate(release.statistics) if i in kept}
    cut = sorted({table_of(s) for i, s in enumerate(release.statistics) if i not in kept} & some)
    if cut:
        raise InputError(
            f'{option("keep")}: where tables are withheld and know has "zeros-shown", a table stays or goes as a whole, and of'
            f" {shown(cut[0])} only some cells would be kept; keep all of it or none"
        )


def _check_zeros(release: Release, policy: Policy, primary: frozenset[int], marking: MarkPlan) -> None:
    """A primary cell that may be 0 cannot be withheld under a mark that stands for at least 1."""
    most = policy.knows.primary_at_most
    counts = [release.statistics[i] for i in sorted(primary)]
    zeros = [s.label for s in counts if not s.hidden and s.low < (marking.limits(s)[0] or 0)]
    problems = [f"primary: {shown(name)} may be 0, and zeros stay shown; leave out one of the two" for name in zeros[:5]]
    above = [s.label for s in counts if most is not None and s.low > most]
    problems += [f"primary: {shown(name)} is more than {most}, which know says is the most; correct one" for name in above[:5]]
    if problems:
        raise InputError(problems)
