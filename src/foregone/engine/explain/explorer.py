"""All the ways in which published numbers force an answer: implicit hitting sets over what is enough and what breaks it.

Two kinds of set meet. A *core* is enough for the answer. A *break* is what some dataset that gives another answer does not fit.
Every core has something in common with every break. So a smallest set that hits all breaks found so far, if it is a core,
is a smallest core; and a smallest set that hits all cores, if the answer is open without it, is the least that has to be
withheld. When every set that hits all cores found contains a break, there is no further core.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from foregone.engine.explain.subsets import Forced, Open, Subsets
from foregone.engine.explain.switches import Statements, members, set_of
from foregone.solvers.answer import Undecided
from foregone.solvers.cover import another, bits, fewest, minimal

Rank = Sequence[int]
"""For each statement its place in the order in which explanations had better use them: the last is left out first."""


@dataclass
class Explorer:
    """Cores and breaks found so far. Undecided tests never add to what is called proved."""

    subsets: Subsets
    rank: Rank
    cores: list[Statements] = field(default_factory=list)  # irreducible, unless noted in `unsure`
    unsure: set[Statements] = field(default_factory=set)

    def core_within(self, kept: Statements) -> Statements | None:
        """An irreducible core among these statements, if they are enough; None when they are not, or when that is not known."""
        found = self.subsets.verdict(kept)
        if not isinstance(found, Forced):
            return None
        core, sure = self.shrunk(found.core)
        self._note(core, sure)
        return core

    def shrunk(self, core: Statements) -> tuple[Statements, bool]:
        """A core without whatever can be left out, and whether every test on the way was decided."""
        sure, needed = True, 0
        while True:
            if core == needed:
                return core, sure
            element = max(bits(core & ~needed), key=lambda e: self.rank[e.bit_length() - 1])
            found = self.subsets.verdict(core & ~element)
            if isinstance(found, Forced):
                core = found.core
            else:
                needed |= element
                sure &= isinstance(found, Open)

    def grown(self, kept: Statements) -> Statements | None:
        """What a dataset breaks that fits these statements, gives another answer, and fits as many others as was found."""
        found = self.subsets.verdict(kept)
        if not isinstance(found, Open):
            return None
        fuller = [self.subsets.fuller(kept, failure) for failure in range(len(self.subsets.failures))]
        broken = min([found.broken, *(f.broken for f in fuller if f is not None)], key=int.bit_count)
        tried = 0
        while broken & ~tried:
            element = bits(broken & ~tried)[0]
            tried |= element
            found = self.subsets.verdict(self.subsets.everything & ~broken | element)
            if isinstance(found, Open):
                broken = found.broken
        return broken

    def smallest(self) -> tuple[Statements, bool]:
        """A core with as few statements as possible, and whether that is proved. At least one core must be known."""
        subsets = self.subsets
        best = min(self.cores, key=int.bit_count)
        breaks = minimal(example.broken for example in subsets.examples)
        while not subsets.exhausted:
            hit, least = fewest(breaks, subsets.deadline, best.bit_count())
            if least >= best.bit_count():
                return best, True
            if hit.bit_count() > least:
                break  # out of time
            broken = self.grown(hit)
            if broken is None:
                core = self.core_within(hit)
                if core is None:
                    break  # not decided
                best = min(best, core, key=int.bit_count)
                if core.bit_count() <= least:
                    return core, core not in self.unsure
                continue
            breaks = minimal([*breaks, broken])
        return best, False

    def withheld(self) -> tuple[Statements, int]:
        """As few statements as possible without which the answer is open, and a proved lower limit on their number.

        0 stands for statements that were not found in time.
        """
        subsets = self.subsets
        while True:
            hit, least = fewest(self.cores, subsets.deadline)
            rest = subsets.everything & ~hit
            found = subsets.verdict(rest)
            if isinstance(found, Open):
                return found.broken, least
            if subsets.exhausted or not isinstance(found, Forced):
                return 0, least
            while (core := self.core_within(rest)) is not None:  # one after another, each apart from those before
                rest &= ~core
                if subsets.exhausted:
                    break

    def all_cores(self, most: int) -> bool:
        """Look for every core until there are more than `most`; True when there are no others."""
        subsets = self.subsets
        breaks = minimal(example.broken for example in subsets.examples)
        while len(self.cores) <= most and not subsets.exhausted:
            left = another(self.cores, breaks, subsets.deadline)
            if left is None:
                return not self.unsure
            if isinstance(left, Undecided):
                return False
            rest = subsets.everything & ~left
            found = subsets.verdict(rest)
            if isinstance(found, Open):
                breaks = minimal([*breaks, found.broken])
            elif self.core_within(rest) is None:
                return False
        return False

    def preferred(self, kept: Statements) -> Statements | None:
        """An irreducible core among these statements that uses the first of them by rank."""
        pool = sorted(members(kept), key=self.rank.__getitem__)

        def enough(chosen: list[int]) -> bool | None:
            found = self.subsets.verdict(set_of(chosen))
            return None if isinstance(found, Undecided) else isinstance(found, Forced)

        if not enough(pool):
            return None
        chosen, sure = irreducible(pool, enough)
        self._note(set_of(chosen), sure)
        return set_of(chosen)

    def _note(self, core: Statements, sure: bool) -> None:
        if core not in self.cores:
            self.cores.append(core)
            if not sure:
                self.unsure.add(core)


def irreducible(pool: Sequence[int], enough: Callable[[list[int]], bool | None]) -> tuple[list[int], bool]:
    """A subset of the pool that is enough while no part of it is, and whether that is sure; it prefers what comes first.

    The whole pool must be enough. A test that cannot be decided counts as not enough: the set may then be larger than
    need be, and is reported as not sure.

    >>> irreducible(range(9), lambda chosen: 2 in chosen and 7 in chosen)
    ([2, 7], True)
    """
    unsure = False

    def test(chosen: list[int]) -> bool:
        nonlocal unsure
        answer = enough(sorted(chosen))
        unsure |= answer is None
        return answer is True

    def explain(background: list[int], added: bool, rest: list[int]) -> list[int]:
        if added and test(background):
            return []
        if len(rest) == 1:
            return rest
        half = len(rest) // 2
        left, right = rest[:half], rest[half:]
        second = explain(background + left, True, right)
        first = explain(background + second, bool(second), left)
        return first + second

    if not pool or test([]):
        return [], True
    return sorted(explain([], False, list(pool))), not unsure
