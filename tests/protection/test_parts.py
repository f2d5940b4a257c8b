"""Protections of releases that fall into places: the same cost and the same proof as without taking them apart."""

from __future__ import annotations

from random import Random

import pytest

from foregone import Policy, Primary, Release, check, protect
from foregone.engine import start
from foregone.model.errors import ContradictionError, InputError, UndecidedError
from foregone.protection import parts
from foregone.protection.actions import Allowed, problem_of
from foregone.protection.parts import places_of
from foregone.solvers.deadline import Deadline
from tests.glued import glued

POLICIES = [
    Policy(primary=Primary(1, 2)),
    Policy(primary=Primary(1, 1), min_width=3),
    Policy(stars=2),
    Policy(singled_out_columns=2, stars=2),
    Policy(singled_out_columns=1),
    Policy(singled_out_columns=3),
    Policy(singled_out_columns=2, smallest_group=3),
    Policy(attribute=("A",)),
    Policy(attribute=("A",), attribute_from=("B",)),
    Policy(attribute=("PLACE",)),
]


def taken_apart(release: Release, policy: Policy) -> int:
    """Into how many places."""
    return len(places_of(problem_of(release, policy, Allowed("cell", (), {}, False, True, (), ())), start(release)))


@pytest.mark.parametrize("number", range(len(POLICIES)))
def test_a_protection_by_places_costs_the_same(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    policy, apart, done = POLICIES[number], 0, 0
    for seed in range(100 * number, 100 * number + 14):
        rng = Random(seed)
        release, _ = glued(rng, ties=rng.random() < 0.3, sums=False, narrow=False)
        try:
            whole = protect(release, policy, proofs=seed % 2 == 0)
            monkeypatch.setattr(parts, "MANY", 0)
            found = protect(release, policy, proofs=True)
            apart += taken_apart(release, policy) > 1
        except (ContradictionError, InputError):
            continue
        except UndecidedError as error:
            assert "certificate" in str(error)  # noqa: PT017
            continue
        finally:
            monkeypatch.setattr(parts, "MANY", 1 << 30)
        assert (found.cost, found.lower_bound) == (whole.cost, whole.lower_bound), seed
        assert bool(found.impossible) == bool(whole.impossible), seed
        assert found.after == whole.after, seed
        if found.certificate is not None:
            checked = check(release, dict(found.certificate))
            assert checked.rejected == [], (seed, checked)
        done += 1
    assert done > 5
    assert apart > 2 or number in (8, 9)


def test_places_without_a_finished_search_have_a_choice_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything at the places that were not searched, the least at those that were."""
    monkeypatch.setattr(parts, "MANY", 0)
    for seed in range(40):
        release, _ = glued(Random(seed), ties=False, places=3, ranges=False)
        policy = Policy(primary=Primary(1, 1))
        problem = problem_of(release, policy, Allowed("cell", (), {}, False, True, (), ()))
        places = places_of(problem, start(release))
        whole = protect(release, policy)
        if len(places) < 2 or whole.cost is None or whole.cost == whole.primary:
            continue
        searching = parts.PlacesSearch(problem, places, Deadline(), None)
        for search in searching.searches:
            search.start(nothing=True)
        first = searching.found
        assert first.upper is not None
        assert not first.optimal
        assert "of 3 independent parts" in first.reason or len(places) == 2
        searching.searches[0].run()
        assert searching.found.upper is not None
        assert searching.found.upper <= first.upper
        assert searching.run().optimal
        return
    pytest.fail("no release of this kind")
