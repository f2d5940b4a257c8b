"""In how many ways published numbers force an answer, and what withholding some of them does about it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from foregone.engine.explain.explorer import Explorer
from foregone.engine.explain.own_part import OwnPart
from foregone.engine.explain.subsets import Forced, Open, Subsets
from foregone.engine.explain.switches import Statements, members
from foregone.model.release import Release
from foregone.model.sentences import number
from foregone.model.shown import some_of
from foregone.solvers.cover import bits, fewest

MOST_WAYS = 100
MOST_NAMED = 6  # numbers that a sentence names of which one is enough


@dataclass(frozen=True, slots=True)
class Ways:
    """Sets of published numbers that each force the same answer and from which nothing can be left out, shortest first.

    Numbers are those of `Release.statements`; one that says several things, as a median does, is called by the first of them.
    `complete`: there are no others. `shortest`: it is proved that none has fewer numbers than the first. `alone` are the
    numbers any one of which, withheld, leaves the answer open, each tested; None when that is not known. `withhold` is a set that
    does so together (empty when none was found), and at least `least` numbers are needed for it.
    """

    sets: tuple[tuple[int, ...], ...]
    complete: bool
    shortest: bool
    alone: tuple[int, ...] | None
    withhold: tuple[int, ...]
    least: int

    @property
    def named(self) -> tuple[int, ...]:
        """Numbers that `ways_sentences` names, where they are not redacted."""
        if self.alone:
            return self.alone[:MOST_NAMED]
        return self.withhold if 1 < self.least == len(self.withhold) else ()

    def json(self) -> dict[str, Any]:
        return {
            "found": [list(some) for some in self.sets],
            "complete": self.complete,
            "shortest": self.shortest,
            "alone": None if self.alone is None else list(self.alone),
            "withhold": list(self.withhold),
            "least": self.least,
        }


def ways_from(content: Mapping[str, Any]) -> Ways:
    return Ways(
        tuple(tuple(some) for some in content["found"]),
        content["complete"],
        content["shortest"],
        None if content["alone"] is None else tuple(content["alone"]),
        tuple(content["withhold"]),
        content["least"],
    )


def find_ways(explorer: Explorer, most: int, tests: int | None) -> Ways:
    """Look for further ways, beside those the explorer knows: first what must be withheld, then a shortest one, then all."""
    if 0 in explorer.cores:  # it is certain whatever is published
        return Ways(((),), True, True, (), (), 0)
    subsets = explorer.subsets
    whole, begin = subsets.deadline, subsets.tests
    seconds = whole.left()

    def until(share: float) -> None:
        subsets.most_tests = None if tests is None else begin + int(share * tests)
        subsets.deadline = whole.sooner(max(0.0, whole.left() - (1 - share) * seconds)) if whole.at is not None else whole

    until(0.4)
    withhold, least = explorer.withheld()
    alone = _alone(subsets, explorer.cores)
    until(0.75)
    shortest, proved = explorer.smallest()
    until(1.0)
    complete = explorer.all_cores(most)
    subsets.deadline = whole
    # one that was not reduced to the end may hold another: it counts only where there is nothing else
    known = [core for core in explorer.cores if core not in explorer.unsure] or [min(explorer.cores, key=int.bit_count)]
    ranked = sorted(known, key=lambda core: (core.bit_count(), core != shortest, members(core)))

    def named(some: Iterable[int]) -> tuple[int, ...]:
        return tuple(subsets.items.named[k] for k in some)

    sets = tuple(named(members(core)) for core in ranked)
    return Ways(sets, complete, proved, None if alone is None else named(alone), named(members(withhold)), least)


def ways_of_part(part: OwnPart, own: Explorer, every: Explorer, most: int, tests: int | None) -> Ways:
    """Ways for the part of a release that a claim is about. `own` knows its own numbers, which must be enough, `every` also what is
    left of totals: whoever withholds has to think of these, too.

    Ways through totals are not listed: each is many, one for every way to work out the rest of the total.
    """
    ways = find_ways(own, most, tests)
    if part.totals and ways.sets[0]:
        subsets, begin = every.subsets, every.subsets.tests
        every.cores, every.unsure = [*own.cores], set(own.unsure)  # own numbers come first, so they are the same sets

        def until(share: float) -> None:
            subsets.most_tests = None if tests is None else begin + int(share * tests)

        until(0.5)
        withhold, least = every.withheld()
        alone = _alone(subsets, every.cores)
        until(0.75)
        shortest, proved = every.smallest()
        until(1.0)
        through = part.left_of_totals
        complete = ways.complete and not any(core & through for core in every.cores) and every.all_cores(most)
        complete = complete and not any(core & through for core in every.cores)
        if any(core & through for core in every.cores):
            # such a way uses numbers of other parts, and one of these may be in several: all count as one, which is not too much
            beyond = 1 << len(subsets.items.parts)
            least = fewest([core & ~through | (beyond if core & through else 0) for core in every.cores], subsets.deadline)[1]
        proved = proved and shortest.bit_count() == len(ways.sets[0])
        named = subsets.items.named
        alone_ = None if alone is None else tuple(named[k] for k in alone)
        ways = Ways(ways.sets, complete, proved, alone_, tuple(named[k] for k in members(withhold)), least)

    def whole(some: Iterable[int]) -> tuple[int, ...]:
        return tuple(part.numbers[i] for i in some)

    alone_ = None if ways.alone is None else whole(ways.alone)
    return replace(ways, sets=tuple(map(whole, ways.sets)), alone=alone_, withhold=whole(ways.withhold))


def _alone(subsets: Subsets, cores: Sequence[Statements]) -> tuple[int, ...] | None:
    """Only what is in every way known can be such a number; each is tested."""
    common = subsets.everything
    for core in cores:
        common &= core
    found = []
    for element in bits(common):
        match subsets.verdict(subsets.everything & ~element):
            case Open():
                found.append(element.bit_length() - 1)
            case Forced():
                pass
            case _:
                return None
    return tuple(found)


def ways_sentences(release: Release, ways: Ways, redact: bool = False, sure: bool = True) -> list[str]:
    """How many explanations there are, and what withholding numbers would do; nothing that was not tested.

    With `redact` no number is named. Not `sure`: perhaps some of the first set can be left out.
    """
    amount = len(ways.sets)
    if not amount or not ways.sets[0]:
        return []
    return [*(_how_many(ways, amount) if sure else []), *_withholding(ways, None if redact else release)]


def _how_many(ways: Ways, amount: int) -> list[str]:
    size = len(ways.sets[0])
    few = "No single number is enough." if size == 2 else f"No set of fewer than {number(size)} is enough."
    fewer = few if ways.shortest else "None of them can be left out here, but a shorter explanation may exist."
    if ways.complete and amount == 1:
        return ["No other published numbers force it." if size > 1 else "Nothing else that is published forces it."]
    if ways.complete:
        told = f"There are {number(amount)} different explanations in all; this one is as short as any."
    else:
        told = "" if amount == 1 else f"At least {number(amount)} different sets of published numbers force it; there may be more."
    return [line for line in (fewer if size > 1 else "", told) if line]


def _withholding(ways: Ways, release: Release | None) -> list[str]:
    """Never let a reader think that hiding one number is enough when it is not. Without a release no number is named."""
    if ways.alone:
        if len(ways.alone) == 1:
            what = "one of these numbers" if release is None else f"{release.name_of(ways.alone[0])} alone"
        elif ways.alone == ways.sets[0]:
            what = "any one of them"
        elif release is None:
            what = f"any one of {number(len(ways.alone))} of these numbers"
        else:
            what = f"{'either' if len(ways.alone) == 2 else 'any one of'} {_some(release, ways.alone, 'or')}"
        return [f"Withholding {what} would leave the count uncertain; withholding any other single number would not."]
    if ways.least > 1:
        enough = len(ways.withhold)
        known = "" if not enough else f", and {number(enough)} would be enough" if enough > ways.least else " and would be enough"
        if release is not None and 0 < enough == ways.least:
            known = f"; {_some(release, ways.withhold, 'and')} would be enough"
        return [
            "Withholding any single number changes nothing, because the others still force it. At least"
            f" {number(ways.least)} have to be withheld{known}."
        ]
    return ["Other published numbers may force the same, so withholding one of these may not be enough."]


def _some(release: Release, numbers: Sequence[int], word: str) -> str:
    """The names of published numbers: all of them where all are meant (and), else of many the first."""
    names = [release.name_of(i) for i in numbers]
    if len(names) > MOST_NAMED and word == "or":
        return f"{number(len(names))} numbers ({some_of(names, most=MOST_NAMED)})"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {word} {names[-1]}"
