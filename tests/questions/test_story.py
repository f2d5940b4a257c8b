"""A claim told in steps: each step holds by itself, and none is as large as all numbers at once."""

from __future__ import annotations

from itertools import product

import pytest

from foregone import Domain, Predicate, Release, Statistic, verify
from foregone.engine import story_of
from foregone.engine.answers.story import StoryStep


def months() -> Release:
    """Five patients in June, six in July, and nobody has left: who came?"""
    domain = Domain.of({"SEX": ["F", "M"], "AGE": ["old", "young"], "IN": ["both", "july only"]}, record="patient")
    made = []
    for name, months, all_, women, old in (("june", {"both"}, 5, 3, 1), ("july", {"both", "july only"}, 6, 4, 2)):
        for what, extra, count in (("all", {}, all_), ("women", {"SEX": "F"}, women), ("old", {"AGE": "old"}, old)):
            made.append(Statistic(Predicate.of({**extra, "IN": months}), count, count, f"{name}/{what}"))
    return Release(domain, made)


CAME = Predicate.of({"SEX": "F", "AGE": "old", "IN": "july only"})


def alone(release: Release, steps: tuple[StoryStep, ...], at: int, without: int | None = None) -> Release:
    """Nothing but what one step names."""
    step = steps[at]
    known = [release.statistics[i] for i in step.statistics]
    known += [Statistic(steps[i].predicate, steps[i].count, steps[i].count) for i in step.earlier]
    return Release(release.domain, [row for i, row in enumerate(known) if i != without], release.rules)


def test_june_and_july_are_a_story() -> None:
    release = months()
    steps = story_of(release, CAME, 1, 6)
    assert len(steps) > 2
    assert max(step.size for step in steps) <= 3
    assert all(at > i for at, step in enumerate(steps) for i in step.earlier)
    assert (steps[-1].predicate, steps[-1].count) == (CAME, 1)
    assert any(step.sums and step.comes_to == 1 for step in steps)


@pytest.mark.parametrize("at", range(4))
def test_every_step_holds_by_itself_and_needs_all_that_it_names(at: int) -> None:
    release = months()
    steps = story_of(release, CAME, 1, 6)
    step = steps[at]
    assert verify(alone(release, steps, at), step.predicate, count=step.count).verdict == "verified"
    for without in range(step.size):
        assert verify(alone(release, steps, at, without), step.predicate, count=step.count).verdict != "verified"


def test_no_story_where_steps_would_be_no_smaller() -> None:
    release = months()
    assert story_of(release, CAME, 1, 3) == ()


def test_sums_come_to_the_count_whatever_the_numbers_are() -> None:
    """Rows with one hidden cell, all values: the addition that is shown is the one that gives the cell."""
    domain = Domain.of({"SEX": ["F", "M"], "AGE": ["old", "young"]}, record="patient")
    for total, women, old, old_women in product((5, 6), (2, 3), (2, 3), (1, 2)):
        cells = [({}, total), ({"SEX": "F"}, women), ({"AGE": "old"}, old), ({"SEX": "F", "AGE": "old"}, old_women)]
        release = Release(domain, [Statistic(Predicate.of(where), n, n, f"c{k}") for k, (where, n) in enumerate(cells)])
        count = total - women - old + old_women
        steps = story_of(release, Predicate.of({"SEX": "M", "AGE": "young"}), count, 4)
        assert steps
        assert steps[-1].count == count
        for step in steps:
            assert not step.sums or step.comes_to == step.count
            assert step.size <= 3
