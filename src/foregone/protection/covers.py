"""The rule for readers who know it, where there are too many datasets to list: *cover datasets*.

Some datasets, the true one among them, all show the same under a pattern. Each is proved to be protected by no earlier pattern,
so whatever the rule did before, none of them is published yet. And they are a stable list (`listed`). Then all of them are on the
largest stable list, whatever else may be on it: they are published under this pattern, and a reader who knows the rule can rule
out none of them. Where such datasets are not found, nothing is shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, islice

from foregone.engine import MAX_RECORDS, Case, generate
from foregone.model.dataset import Dataset, Record
from foregone.model.errors import ForegoneError, UndecidedError
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.protection.attack import Attacker, BreachExplanation, Safe, ask
from foregone.protection.exact import ExactAttacker
from foregone.protection.listed import ListedDatasets
from foregone.protection.patterns import PublicRule
from foregone.protection.problem import Problem
from foregone.protection.published import protected_release
from foregone.protection.search import ChoiceSearch
from foregone.protection.standing_in import StandIns, least_of, too_small, totals_alike
from foregone.solvers.cover import Covering
from foregone.solvers.deadline import Deadline

MOST_COVERS = 40  # datasets in a cover
MOST_TRIES = 60  # datasets of which it is found out under which pattern they come first
MOST_MOVES = 4_000  # changes to a dataset that are looked at for one claim


@dataclass(frozen=True)
class FirstPattern:
    """The first pattern of the public order that protects a dataset from readers who do not know the rule, and why no other does.
    """

    problem: Problem
    taken: frozenset[int]
    pattern: int
    explanations: tuple[BreachExplanation, ...]


def first_pattern(
    rule: PublicRule, problem: Problem, attacker: Attacker, deadline: Deadline, found: ChoiceSearch | None = None
) -> FirstPattern | str:
    """The first pattern that protects, or why it was not found. A search that has ended may be gone on with."""
    search = found or ChoiceSearch(problem, attacker, deadline)
    known = search.found if found is not None else search.run()
    if known.impossible is not None:
        return "no allowed choice is enough"
    if not known.optimal or known.upper is None:
        return known.reason or "the time limit was reached"
    explained, most, best = list(known.explanations), known.upper, known.taken
    fixed: list[int] = []  # needed, as nothing equally good goes without
    without: list[int] = []
    for a in rule.in_order(problem):
        if a not in best:
            without.append(a)
            continue
        if a in problem.must or any(e.clause == {a} and not e.given for e in explained):
            fixed.append(a)
            continue
        covering = Covering(problem.costs)
        for explanation in explained:
            covering.add(explanation.clause, explanation.given)
        for item in (*problem.must, *fixed):
            covering.add([item])
        for item in (*without, a):
            covering.forbid([item])
        other = _safe_within(covering, attacker, most, explained, problem, deadline)
        if isinstance(other, str):
            return other
        if other is None:
            fixed.append(a)
        else:
            best = other
            without.append(a)
    return FirstPattern(problem, best, rule.pattern(problem, best), tuple(explained))


def _safe_within(
    covering: Covering, attacker: Attacker, most: int, explained: list[BreachExplanation], problem: Problem, deadline: Deadline
) -> frozenset[int] | str | None:
    """A choice that protects and costs at most so much; None when there is none."""
    while True:
        if deadline.passed():
            return "the time limit was reached"
        choice = covering.cheapest(deadline)
        if covering.impossible or (choice is not None and choice.bound > most):
            return None
        if choice is None:
            return "the covering problem could not be solved to the end"
        if problem.cost(choice.chosen) > most:
            return "the covering problem could not be solved to the end"
        taken, before = set(choice.chosen), len(explained)

        def each(explanation: BreachExplanation, taken: set[int] = taken) -> None:
            if covering.add(explanation.clause, explanation.given):
                explained.append(explanation)
            if explanation.clause and not explanation.clause & taken:
                taken.add(min(explanation.clause, key=lambda a: (problem.costs[a], a)))

        outcome = ask(attacker.explanations(taken, deadline), each)
        if len(explained) == before:
            return choice.chosen if isinstance(outcome, Safe) else "what a choice leaves could not be decided"


class CoverSearch:
    """Looks for datasets that cover for the true one; `cover` has those found, the true one first."""

    def __init__(
        self, rule: PublicRule, truth: Dataset, first: FirstPattern, deadline: Deadline, max_records: int = MAX_RECORDS
    ) -> None:
        self.rule, self.first, self._deadline, self._most = rule, first, deadline, max_records
        self.shown: Release = protected_release(first.problem, first.taken)
        self.cover: list[Dataset] = [truth]
        self.patterns: list[FirstPattern] = [first]
        self.why = ""
        self._tried: set[Dataset] = {truth}
        self._rows = [s.predicate for s in self.shown.statistics if not s.open]
        self._within: dict[Record, int] = {}

    def run(self) -> bool:
        """Was a cover found?"""
        try:
            if not self._determined(self.rule.release):
                self.why = "attributes can be covered for only where the tables determine every record"
                return False
            return self._run()
        except UndecidedError as error:
            self.why = str(error)
            return False

    def _run(self) -> bool:
        while True:
            certain = self.too_certain()
            if not certain:
                return True
            if len(self.cover) >= MOST_COVERS or len(self._tried) > MOST_TRIES or self._deadline.passed():
                self.why = "the time limit was reached" if self._deadline.passed() else "no cover was found within the tries"
                return False
            if not any(self._try(dataset) for dataset in self._candidates(certain)):
                self.why = self.why or "no further dataset was found that would have been published in the same way"
                return False

    @cached_property
    def _stand_ins(self) -> StandIns:
        """Datasets with the same blocks, in which every block that is withheld for a count in it has to be: it is too small, or a
        total that is no more than its parts are known to be.
        """
        rule, counts, parts = self.rule, self.rule.release.statistics, []
        known = {s.predicate: s.low for s in self.shown.statistics}
        for cells in rule.together(self.first.pattern):
            reasons = [(i, too_small(rule.policy, counts[i]) or least_of(rule.release, i, known)) for i in cells]
            found = [(counts[i].predicate, *limits) for i, limits in reasons if limits is not None]
            parts += [found] if any(low <= self.cover[0].count(p) <= high for p, low, high in found) else []
        limits, orders = totals_alike(rule.release, rule.blocking.large_from)
        return StandIns(self.shown, self.cover[0], parts, limits, orders, self._deadline)

    def _case(self, release: Release) -> Case:
        return Case(release, self._deadline, self._most)

    def _determined(self, release: Release) -> bool:
        """Is there one dataset only? Others with the same counts might tell an attribute; of claims and cells less is known then.
        """
        return not self.rule.policy.attribute or generate(self._case(release), 1).complete is True

    def too_certain(self) -> list[Predicate]:
        """Counts that have to vary more among the cover datasets."""
        seen = self.rule.release.changed(domain=self.first.problem.domain)
        listed = ListedDatasets(seen, self.rule.policy, self.rule.groups, self.cover, everything=False)
        places = {(s.predicate, s.name, s.table): i for i, s in enumerate(self.rule.release.statistics)}
        hidden = [places[s.predicate, s.name, s.table] for s in self.shown.statistics if s.hidden]
        return listed.too_certain(hidden, [pattern.problem.primary for pattern in self.patterns])

    def _try(self, dataset: Dataset) -> bool:
        """Would it be published in the same way?"""
        if dataset in self._tried or self._deadline.passed() or len(self._tried) > MOST_TRIES:
            return False
        self._tried.add(dataset)
        numbers = self.rule.release.statistics
        if not all(s.holds(n) for s, n in zip(numbers, dataset.counts(s.predicate for s in numbers), strict=True) if s.open):
            return False
        try:
            problem = self.rule.problem_of(dataset)
        except ForegoneError:
            return False
        theirs, mine = replace(self.rule, release=problem.release).blocking, self.rule.blocking
        if theirs.first != mine.first or set(theirs.large) != set(mine.large):
            return False  # it has other zeros or other large totals
        taken = self.rule.taken(problem, self.first.pattern)
        if taken is None or protected_release(problem, taken).statistics != self.shown.statistics:
            return False
        if self.rule.cost(problem, taken) != self.rule.cost(self.first.problem, self.first.taken):
            return False
        if not self._determined(self.rule.release_of(dataset)):
            return False
        first = first_pattern(self.rule, problem, ExactAttacker(problem, self._most), self._deadline)
        if isinstance(first, str) or first.pattern != self.first.pattern:
            return False
        self.cover.append(dataset)
        self.patterns.append(first)
        return True

    def _candidates(self, certain: Sequence[Predicate]) -> Iterator[Dataset]:
        """Datasets that show the same and in which counts differ: first a dataset with many small changes at once, then one
        change at a time, then whatever fits.
        """
        stand_in = self._stand_ins.next(certain, self.cover)
        if stand_in is not None:
            yield stand_in
        for begin in dict.fromkeys((self.cover[0], self.cover[-1])):
            yield from self._near(begin, certain)
        case = self._case(self.shown)
        if case.first_witness() is not True:
            return
        for predicate in certain[:6]:
            seen = [dataset.count(predicate) for dataset in self.cover]
            before = len(case.pool)
            case.at_most(predicate, max(seen))
            case.at_least(predicate, min(seen))
            yield from (case.dataset(number) for number in range(before, len(case.pool)))

    def _near(self, truth: Dataset, certain: Sequence[Predicate]) -> Iterator[Dataset]:
        changes = {predicate: list(islice(self._changed(truth, predicate), 6)) for predicate in certain[:MOST_TRIES]}
        for turn in range(3):
            together = truth
            for predicate, found in changes.items():
                if together.count(predicate) == truth.count(predicate):
                    options = found if together is truth else list(islice(self._changed(together, predicate), 6))
                    if options:
                        together = options[turn % len(options)]
            if together is not truth:
                yield together
        for found in changes.values():
            yield from found

    def _changed(self, dataset: Dataset, predicate: Predicate) -> Iterator[Dataset]:
        """The dataset with one record changed, or values of two exchanged, so that what is shown stays and one count does not."""
        kinds, at = dict(dataset.kinds), dataset.domain.index
        looked = 0
        # with one change a record can leave the count, or come in if it differs in one column
        missing = {record: sum(record[at[name]] not in codes for name, codes in predicate.allowed) for record in kinds}
        for one in sorted((record for record, columns in missing.items() if columns < 2), key=missing.__getitem__, reverse=True):
            for change in (*self._moves(one), *(pair for other in kinds if other != one for pair in self._swaps(one, other))):
                looked += 1
                if looked > MOST_MOVES:
                    return
                old, new = change
                if sum(map(self._membership, old), 0) != sum(map(self._membership, new), 0):
                    continue
                counts = dict(kinds)
                for record in old:
                    counts[record] -= 1
                for record in new:
                    counts[record] = counts.get(record, 0) + 1
                made = Dataset.of_kinds(dataset.domain, counts)
                if made.count(predicate) != dataset.count(predicate) and not made.broken(self.shown):
                    yield made

    def _moves(self, record: Record) -> Iterator[tuple[list[Record], list[Record]]]:
        for c, column in enumerate(self.rule.release.domain.columns):
            for code in column.codes:
                if code != record[c]:
                    yield [record], [(*record[:c], code, *record[c + 1 :])]

    def _swaps(self, one: Record, other: Record) -> Iterator[tuple[list[Record], list[Record]]]:
        differ = [c for c in range(len(one)) if one[c] != other[c]]
        for size in range(1, len(differ) // 2 + 1):
            for columns in combinations(differ, size):
                swapped = [tuple(b[c] if c in columns else a[c] for c in range(len(a))) for a, b in ((one, other), (other, one))]
                yield [one, other], swapped

    def _membership(self, record: Record) -> int:
        """In which numbers that are shown a record counts: a digit for each, so that sums can be compared."""
        if record not in self._within:
            at = {name: record[c] for c, name in enumerate(self.rule.release.domain.names)}
            inside = (all(at[name] in codes for name, codes in row.allowed) for row in self._rows)
            self._within[record] = sum(1 << 2 * k for k, there in enumerate(inside) if there)
        return self._within[record]
