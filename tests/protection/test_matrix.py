"""Every kind of policy with every kind of action withstands a reader who knows the rule; `python -m benchmarks.minimality --matrix`
goes through all of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from foregone.protection.listed import ListedDatasets
from foregone.protection.world import SmallWorld
from tests.protection.knowing import World
from tests.protection.matrix import ACTIONS, LINE, POLICIES, SQUARE, all_at_once, one_by_one, outcome, refused, releases

PAIRS = [(policy, action) for policy in POLICIES for action in ACTIONS]
REFUSALS = re.compile("use `marks` one|leave out one of the three|a policy about attributes names it|is not a column")


def judged(world: World, policy: str, action: str) -> int | None:
    """How many datasets are broken; None where this pair is refused."""
    options, rules = ACTIONS[action], POLICIES[policy]
    some = releases(world, options)
    why = refused(some, rules, options)
    if why:
        assert REFUSALS.search(why), why
        assert "\n" not in why
        return None
    return outcome(world, rules, all_at_once(some, rules, options), options.get("groups") == "none").broken


@pytest.mark.slow
@pytest.mark.parametrize("turn", range(3))
def test_nothing_is_broken_for_any_policy_and_any_action(turn: int) -> None:
    """A part of the matrix: every action with some policies, other ones in the line than in the square."""
    done = 0
    for k, (policy, action) in enumerate(PAIRS):
        for world, every in ((LINE, 13), (SQUARE, 29)):
            if k % every == turn:
                broken = judged(world, policy, action)
                assert not broken, (world, policy, action)
                done += broken == 0
    assert done > 20


@pytest.mark.slow
def test_in_blocks_what_is_shown_covers_for_what_is_shown() -> None:
    """More than 15 cells: only datasets are kept of which the program itself finds covers."""
    world, policy = World((2, 5), 3), POLICIES["primary 1..2"]
    found = outcome(world, policy, one_by_one(releases(world, {}), policy, {}))
    assert found.broken == 0
    assert found.touched > 20


@pytest.mark.parametrize("action", ["cells", "tables", "cells or rounding", "merging", "one mark beside a star"])
def test_the_program_does_with_each_dataset_what_is_judged(action: str) -> None:
    for policy in ("by 1 column", "primary 1..2", "primary by name"):
        some, options = releases(LINE, ACTIONS[action])[::4], ACTIONS[action]
        together = all_at_once(some, POLICIES[policy], options)
        assert [one.text for one in one_by_one(some, POLICIES[policy], options)] == [one.text for one in together]


def all_alike(_self: SmallWorld, _pattern: int, some: list[int]) -> list[list[int]]:
    return [list(some)] if some else []


PLANTED: list[tuple[type, str, Callable[..., Any], str, str]] = [
    (ListedDatasets, "_claimed", lambda *_: False, "by 1 column", "cells"),
    (ListedDatasets, "_narrow", lambda *_: False, "primary 1..2", "cells"),
    (ListedDatasets, "_narrow", lambda *_: False, "primary by name", "tables"),
    (ListedDatasets, "_one_sided", lambda *_: False, "primary 2..2, both_sides 30", "cells"),
    (ListedDatasets, "_values", lambda *_: 2, "stars", "one mark beside a star"),
    (ListedDatasets, "_telling", lambda *_: iter(()), "attribute", "tables"),
    (SmallWorld, "_shown_alike", all_alike, "by 1 column", "cells"),
    (SmallWorld, "_shown_alike", all_alike, "groups of 3", "cells or rounding"),
    (SmallWorld, "_shown_alike", all_alike, "by 1 column", "cells or merging"),
]


@pytest.mark.parametrize(("where", "name", "wrong", "policy", "action"), PLANTED)
def test_what_is_wrong_is_seen(
    where: type, name: str, wrong: Callable[..., Any], policy: str, action: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(where, name, wrong)
    some = releases(LINE, ACTIONS[action])
    found = outcome(LINE, POLICIES[policy], all_at_once(some, POLICIES[policy], ACTIONS[action]))
    assert found.broken > 0
