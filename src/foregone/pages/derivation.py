"""An explanation told step by step: who is counted, then one attribute after the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from foregone.engine import Case, Explanation, StoryStep, Ways, story_of, support, ways_from
from foregone.model.predicate import Predicate, within
from foregone.model.release import Release
from foregone.questions.ask import explain
from foregone.solvers.deadline import Deadline

TESTS = 100  # for each of the many explanations of a page
MANY = 3  # numbers that are too many for one step, where it can be told in several
WORK = 1_000  # programs to solve for each of them, where medians and means are published


@dataclass(frozen=True, slots=True)
class Step:
    """Of the records in question, all have these columns' claimed values, because of these statistics."""

    columns: tuple[str, ...]
    statistics: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Derivation:
    """The statistics a claim rests on, and how it follows.

    `anchor` is a statistic that counts exactly the records in question; each step then adds attributes of theirs. Without
    an anchor the numbers only act together, and `terms` is their sum where there is one.
    """

    statistics: tuple[int, ...]
    terms: tuple[tuple[int, Fraction], ...] = ()
    sure: bool = True
    anchor: int | None = None
    steps: tuple[Step, ...] = ()
    ways: Ways | None = None  # this and other explanations, and what would have to be withheld
    story: tuple[StoryStep, ...] = ()  # one small conclusion after another, where many numbers would otherwise be told at once


def derive(
    source: Release | Case, predicate: Predicate, count: int, work: int = WORK, deadline: Deadline | None = None
) -> Derivation:
    """Explain a claim and put the explanation in an order that a person can follow.

    Where the deadline comes first, the explanation is what was found by then: enough, but perhaps not as short as it could be. If
    nothing was found by then, `UndecidedError` is raised.
    """
    found = explain(source, predicate, count, time_limit=None if deadline is None else deadline.seconds, tests=TESTS, work=work)
    anchor = find_anchor(found)
    steps = () if anchor is None else tell(found, anchor, deadline)
    told = len(found.statistics) if anchor is None else max((len(step.statistics) for step in steps), default=0)
    story = story_of(found.release, predicate, count, told, deadline) if told > MANY else ()
    return Derivation(found.statistics, found.terms, found.sure, anchor, steps, found.ways, story)


def find_anchor(found: Explanation) -> int | None:
    """The most general of the statistics that every claimed record is counted in and that counts no others."""
    release = found.release
    claimed = found.predicate.masks(release.domain)
    fitting = [
        i
        for i in found.statistics
        if i < len(release.statistics)
        and release.statistics[i].low == release.statistics[i].high == found.low
        and within(claimed, release.masks[i])
    ]
    return min(fitting, key=lambda i: (len(release.masks[i]), i), default=None)


def tell(found: Explanation, anchor: int, deadline: Deadline | None = None) -> tuple[Step, ...]:
    """For each further column, the few of the statistics that show the anchor's records to have the claimed value.

    That they are enough needs no test: all statistics together put every claimed record among the anchor's, and there
    are as many of one as of the other.
    """
    release, count = found.release, found.low
    domain = release.domain
    values = dict(found.predicate.allowed)
    counted = release.statistics[anchor].predicate
    fixed = {name for name, codes in counted.allowed if codes == values.get(name)}
    used = [anchor]
    steps: list[Step] = []
    for name in sorted(set(values) - fixed, key=domain.index.__getitem__):
        narrowed = Predicate.of({**dict(counted.allowed), name: values[name]})
        pool = [*used, *(i for i in found.statistics if i not in used)]  # numbers already spoken of are preferred
        needed = support(release, pool, narrowed, count, deadline)
        used += [i for i in needed if i not in used]
        steps.append(Step((name,), needed))
    return merged(steps)


def merged(steps: list[Step]) -> tuple[Step, ...]:
    """Columns that follow from the very same numbers are told together, steps that need few numbers first."""
    together: dict[tuple[int, ...], list[str]] = {}
    for step in steps:
        together.setdefault(step.statistics, []).extend(step.columns)
    made = [Step(tuple(columns), statistics) for statistics, columns in together.items()]
    return tuple(sorted(made, key=lambda step: (len(step.statistics), step.statistics)))


def derivation_from(content: Mapping[str, Any]) -> Derivation:
    return Derivation(
        tuple(content["statistics"]),
        tuple((i, Fraction(coefficient)) for i, coefficient in content["terms"]),
        content["sure"],
        content["anchor"],
        tuple(Step(tuple(step["columns"]), tuple(step["statistics"])) for step in content["steps"]),
        None if content["ways"] is None else ways_from(content["ways"]),
        tuple(map(_step_from, content.get("story", ()))),
    )


def _step_from(content: Mapping[str, Any]) -> StoryStep:
    return StoryStep(
        Predicate.of({name: codes if isinstance(codes, str) else set(codes) for name, codes in content["claim"].items()}),
        content["count"],
        tuple(content["statistics"]),
        tuple(content["earlier"]),
        tuple((value, Fraction(times)) for value, times in content["sums"]),
    )
