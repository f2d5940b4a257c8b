"""Which facts of an audit stay certain when some published counts say less: the answer within a moment, without another audit.

A fact rests on the numbers that its proof uses. Where none of these changed, the same proof still holds, and nothing has to be
asked. Only the others are asked again, of the same possible records with wider limits. Numbers that decide which records are
possible at all (zeros, and totals that use up all records) concern every fact.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from foregone.engine.bounds.rowspace import Combination
from foregone.engine.bounds.trees import AtMost, Between, Exceeds, Form, Lemma, Tree, leaves
from foregone.engine.case import Case
from foregone.engine.claims.evidence import Evidence
from foregone.engine.system.linear import LinearSystem
from foregone.model.audit import Audit, Fact
from foregone.model.release import Release
from foregone.solvers.answer import NO_LIMIT
from foregone.solvers.arrays import Ints
from foregone.solvers.deadline import Deadline

KNOWN = 64  # datasets that come along: more of them take longer to look at than they save


@dataclass(frozen=True, slots=True)
class FactsWithout:
    """The facts of an audit by what becomes of them; `open` were not decided in time."""

    stay: tuple[Fact, ...]
    vanish: tuple[Fact, ...]
    open: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class WiderCase:
    """The case of a release in which some counts, by their `numbers`, say less. `alike`: all its records were possible before."""

    case: Case
    numbers: frozenset[int]
    alike: bool


class RestingFacts:
    """The facts of an audit, each with the published counts that its proof rests on."""

    def __init__(self, audit: Audit) -> None:
        assert isinstance(audit.evidence, Evidence), "an audit of the cells engine"
        self.audit, self.evidence = audit, audit.evidence

    def wider(self, changed: Release, deadline: Deadline) -> WiderCase:
        """The case of a release with the same counts, of which some say less."""
        pairs = zip(self.audit.release.statistics, changed.statistics, strict=True)
        numbers = frozenset(i for i, (old, new) in enumerate(pairs) if (old.low, old.high) != (new.low, new.high))
        evidence = self.evidence
        if numbers & self._of_all:
            first = Case.of(evidence.system, deadline, evidence.witnesses, evidence.lemmas)
            return WiderCase(first.weaker(changed, deadline), numbers, False)
        made = Case.of(widened(evidence.system, changed, numbers), deadline, evidence.witnesses[-KNOWN:])
        made.prover.parts = ()
        return WiderCase(made, numbers, True)

    def without(self, wider: WiderCase, deadline: Deadline) -> FactsWithout:
        """What becomes of each fact."""
        case = wider.case.until(deadline)
        stay, vanish, open_ = list[Fact](), list[Fact](), list[Fact]()
        for fact in self.audit.facts:
            if wider.alike and not wider.numbers & self._rests[fact.predicate, fact.count]:
                stay.append(fact)
                continue
            (stay if (certain := _certain(case, fact)) else open_ if certain is None else vanish).append(fact)
        return FactsWithout(tuple(stay), tuple(vanish), tuple(open_))

    @cached_property
    def _rests(self) -> dict[tuple[object, int], frozenset[int]]:
        evidence, system = self.evidence, self.evidence.system
        lemmas = {lemma.form: lemma for lemma in evidence.lemmas}
        made: dict[tuple[object, int], frozenset[int]] = {}
        for fact in evidence.certain:
            assert fact.reason is not None
            reason = fact.reason.evidence
            match reason:
                case Combination(multipliers):
                    used = _sources(system, [multipliers])
                case Between(upper, lower):
                    used = _of_trees(system, (upper, lower), lemmas)
            made[evidence.predicate(evidence.box(fact)), fact.count] = frozenset(used)
        return made

    @cached_property
    def _of_all(self) -> frozenset[int]:
        """Counts that say which records are possible, and with that concern every fact."""
        evidence, system = self.evidence, self.evidence.system
        zeros = (i for i, count in enumerate(self.audit.release.statistics) if count.high == 0)
        uses_up = (number for some in system.exclusions for number in (some.container, *some.parts))
        empties = [lemma.proof for lemma in evidence.lemmas if len(lemma.buckets)]
        lemmas = {lemma.form: lemma for lemma in evidence.lemmas}
        return frozenset((*zeros, *uses_up, *_of_trees(system, empties, lemmas)))


def _certain(case: Case, fact: Fact) -> bool | None:
    """Is it still certain? None where that was not found out in time."""
    if any(count != fact.count for count in case.counts(fact.predicate)):
        return False
    for answer in (case.at_most(fact.predicate, fact.count), case.at_least(fact.predicate, fact.count)):
        if isinstance(answer, Exceeds):
            return False
        if not isinstance(answer, AtMost):
            return None
    return True


def widened(system: LinearSystem, changed: Release, numbers: Iterable[int]) -> LinearSystem:
    """The system with other limits of some counts; which records are possible must not rest on them."""
    low, high, least, most = (some.copy() for some in (system.low, system.high, system.low_source, system.high_source))
    row_of = system.row_of
    for row in {int(row_of[i]) for i in numbers} - {-1}:
        members = [int(i) for i in np.flatnonzero(row_of == row)]
        low[row], high[row], least[row], most[row] = 0, NO_LIMIT, -1, -1
        for i in members:
            count = changed.statistics[i]
            if count.low > low[row]:
                low[row], least[row] = count.low, i
            if count.high is not None and count.high < high[row]:
                high[row], most[row] = count.high, i
    return replace(system.limited(low, high, least, most), release=changed)


def _of_trees(system: LinearSystem, trees: Sequence[Tree], lemmas: Mapping[Form, Lemma]) -> set[int]:
    """The counts that some trees rest on, also by way of lemmas that they cite."""
    used, todo, seen = set[int](), list(trees), set[int]()
    while todo:
        for leaf in leaves(todo.pop()):
            used |= _sources(system, [leaf.certificate.multipliers])
            for form, _ in leaf.certificate.further:
                lemma = lemmas.get(form)
                if lemma is not None and id(lemma) not in seen:
                    seen.add(id(lemma))
                    todo.append(lemma.proof)
    return used


def _sources(system: LinearSystem, every: Iterable[Ints]) -> set[int]:
    """The statements whose limits some multipliers use: a positive one the upper, a negative one the lower."""
    used = set[int]()
    for multipliers in every:
        used.update(int(i) for i in system.high_source[multipliers > 0])
        used.update(int(i) for i in system.low_source[multipliers < 0])
    return used - {-1}
