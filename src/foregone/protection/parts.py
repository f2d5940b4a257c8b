"""A protection of many places, one place after another.

*When places can be told apart.* There is a column of which every published number names one single value; a value is a place. No
action weakens numbers of two places. Then what is left after any choice falls apart: datasets that fit are combinations of datasets
of the places, each place with its own numbers and its own actions.

*Why a policy can be judged place by place.*
Cells: a count is about one place, and what it can be depends on that place alone.
Claims: a claim is certain exactly when its count is in every place. If it is about few records, then in a place that has some of
them the claim with the place added is about as few or fewer, names as many columns or more, and is certain. The other way round, a
certain claim about records of one place is a certain claim of the release. That holds while all columns of every claim count, and
they do when datasets are known in which people have values outside of whatever a claim can name; otherwise nothing is taken apart.
Attributes: if everybody in a group has a value, so has everybody in the group at a place; the place must be a column that groups
may name, and not itself the attribute.

So a choice protects exactly when its actions at each place protect that place: cheapest choices are put together from cheapest
choices, and lower bounds add up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_

from foregone.engine import MAX_RECORDS, Case
from foregone.model.families import Groups
from foregone.model.release import Release
from foregone.policy.judge import Narrow
from foregone.protection.attack import BreachExplanation
from foregone.protection.exact import ExactAttacker
from foregone.protection.problem import Needed, Problem
from foregone.protection.search import ChoiceSearch, Found, Share, Watch
from foregone.solvers.deadline import Deadline

MANY = 60  # numbers of a release that is taken apart; fewer are quick as they are


@dataclass(frozen=True, slots=True)
class OnePlace:
    """One place as a problem of its own; its actions and its counts as the whole numbers them."""

    problem: Problem
    actions: tuple[int, ...]
    numbers: tuple[int, ...]

    def explanation(self, whole: Problem, own: BreachExplanation) -> BreachExplanation:
        """An explanation of this place as one of the whole."""
        breach = own.breach
        if isinstance(breach, Narrow):
            breach = replace(breach, number=self.numbers[breach.number])
        needed = tuple(self._needed(whole, part) for part in own.needed)
        return replace(own, breach=breach, needed=needed, clause=self.taken(own.clause), given=self.taken(own.given))

    def taken(self, own: frozenset[int]) -> frozenset[int]:
        return frozenset(self.actions[a] for a in own)

    def _needed(self, whole: Problem, part: Needed) -> Needed:
        row = whole.rows[self.numbers[part.row.sources[0]]]
        bare = part.row.count is not None and not part.row.count.gaps
        return Needed(row.bare if bare else row, part.low, part.high)


def places_of(problem: Problem, case: Case) -> list[OnePlace]:
    """The places of a problem; none where it cannot be taken apart, or is too small for it. The case knows a dataset."""
    rows, policy, domain = problem.rows, problem.policy, problem.release.domain
    if len(rows) < MANY or problem.merges or any(row.count is None for row in rows) or not _all_columns_count(problem, case):
        return []
    best = list[int]()
    for c, column in enumerate(domain.columns):
        grouped = policy.attribute_from is None or column.name in policy.attribute_from
        if column.name in policy.attribute or (policy.attribute and not grouped):
            continue
        sides = [masks.get(c, column.full) for masks in problem.release.masks]
        if all(side.bit_count() == 1 for side in sides) and all(
            len({sides[i] for i in action.numbers}) == 1 for action in problem.actions
        ):
            best = sides if len(set(sides)) > len(set(best)) else best
    values = list(dict.fromkeys(best))
    return [_place(problem, best, value) for value in values] if len(values) > 1 else []


def _place(problem: Problem, sides: Sequence[int], value: int) -> OnePlace:
    """One place. Of records elsewhere nothing is said there: there may be any number."""
    numbers = tuple(i for i, side in enumerate(sides) if side == value)
    actions = tuple(a for a, action in enumerate(problem.actions) if action.numbers and sides[min(action.numbers)] == value)
    at = {i: k for k, i in enumerate(numbers)}
    own = [replace(problem.actions[a], numbers=frozenset(at[i] for i in problem.actions[a].numbers)) for a in actions]
    release = Release(problem.domain, [problem.release.statistics[i] for i in numbers], problem.release.rules)
    primary = frozenset(at[i] for i in problem.primary if i in at)
    true = {at[i]: count for i, count in problem.true.items() if i in at}
    alone = replace(problem, release=release, actions=tuple(own), primary=primary, true=true, before=None)
    return OnePlace(alone, actions, numbers)


def _all_columns_count(problem: Problem, case: Case) -> bool:
    """Does somebody have a value outside of whatever a claim can name, in every column, in datasets that are known?"""
    if not problem.policy.about_claims or problem.groups == Groups.NONE:
        return True
    system = case.system
    seen = system.records[case.pool.occupied[system.bucket_of]]
    for c, column in enumerate(problem.domain.columns):
        had = reduce(or_, (system.atoms.groups[c][atom] for atom in set(seen[:, c].tolist())), 0)
        groups = [sum(1 << column.index[code] for code in codes) for _, codes in column.groups]
        named = [mask for mask in (*(1 << i for i in range(len(column.codes))), *groups) if mask != column.full]
        if any(not had & ~mask for mask in named):
            return False
    return True


class PlacesSearch:
    """The search for every place, one after another; each may take its share of the time that is left."""

    def __init__(
        self, problem: Problem, places: Sequence[OnePlace], deadline: Deadline, watch: Watch | None, max_records: int = MAX_RECORDS
    ) -> None:
        self.problem, self.places, self.deadline = problem, places, deadline
        self._watch = watch
        self.searches = [ChoiceSearch(p.problem, ExactAttacker(p.problem, max_records), deadline, self._tell) for p in places]

    def run(self) -> Found:
        """What is known of all places together. A place whose search was not finished has its best choice, everything at worst; one
        of which nothing is known leaves the whole without a choice.
        """
        order = range(len(self.searches))
        for step in ("start", "run"):  # first of every place whether nothing has to be done there, or all that may be is enough
            for i in order:
                search = self.searches[i]
                share = self.deadline.left() / (len(order) - i)
                search.deadline = self.deadline if step == "start" or self.deadline.at is None else self.deadline.sooner(share)
                if step == "run":
                    search.run()
                else:
                    try:
                        search.start(nothing=True)
                    except KeyboardInterrupt:
                        search.found.stopped = True
                if search.found.stopped or search.found.impossible is not None:
                    return self.found
        return self.found

    @property
    def found(self) -> Found:
        """What is known now of all places together."""
        own = [search.found for search in self.searches]
        taken, explained, shares = frozenset[int](), list[BreachExplanation](), list[Share]()
        for place, found in zip(self.places, own, strict=True):
            taken |= place.taken(found.taken)
            at = range(len(explained), len(explained) + len(found.explanations))
            shares.append(Share(place.actions, at, found.lower))
            explained += [place.explanation(self.problem, e) for e in found.explanations]
        broken = [(place, found.impossible) for place, found in zip(self.places, own, strict=True)]
        lost = next((place.explanation(self.problem, why) for place, why in broken if why is not None), None)
        uppers = [found.upper for found in own if found.upper is not None]
        safe, lower, rounds = len(uppers) == len(own) and lost is None, sum(f.lower for f in own), sum(f.rounds for f in own)
        upper, taken = (sum(uppers), taken) if safe else (None, frozenset())
        stopped = any(found.stopped for found in own)
        return Found(0 if lost else lower, upper, taken, explained, lost, self._reason(own), stopped, rounds, tuple(shares))

    def _reason(self, own: Sequence[Found]) -> str:
        left = [found for found in own if not found.optimal]
        if any(found.stopped for found in own):
            return "stopped"
        lost = next((found.reason for found in own if found.impossible is not None), "")
        if lost or not left:
            return lost
        reason = next((found.reason for found in left if found.reason), "the time limit was reached")
        return f"{reason} ({len(own) - len(left):,} of {len(own):,} independent parts are done)"

    def _tell(self, *_: object) -> None:
        if self._watch is not None:
            own = [search.found for search in self.searches]
            uppers = [found.upper for found in own if found.upper is not None]
            self._watch(sum(found.lower for found in own), sum(uppers) if len(uppers) == len(own) else None)

    def alternatives(self, number: int, deadline: Deadline) -> list[frozenset[int]]:
        """The next best choices: another one at a single place."""
        best, made = self.found.taken, list[frozenset[int]]()
        for place, search in zip(self.places, self.searches, strict=True) if number else ():
            own = place.taken(search.found.taken)
            made += [best - own | place.taken(other) for other in search.alternatives(number, deadline)]
            if deadline.passed():
                break
        return sorted(made, key=lambda taken: (self.problem.weight(taken), sorted(taken)))[:number]
