"""The bound of a covering problem, beside all choices."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from foregone.solvers.cover import Covering
from foregone.solvers.deadline import Deadline

Sets = list[tuple[frozenset[int], frozenset[int]]]
ITEMS = st.frozensets(st.integers(0, 4), max_size=3)


@given(st.lists(st.integers(1, 4), min_size=5, max_size=5), st.lists(st.tuples(ITEMS.filter(bool), ITEMS), max_size=6))
def test_no_choice_costs_less(costs: list[int], sets: Sets) -> None:
    covering = Covering(costs)
    for items, known in sets:
        covering.add(items, known)
    bound = {True: covering.least(), False: covering.least(Deadline.after(0.0))}
    fits = [
        sum(costs[i] for i in chosen)
        for size in range(6)
        for chosen in map(set, combinations(range(5), size))
        if all(items & chosen or items & known or not known <= chosen for items, known in sets)
    ]
    assert bound[True] == min(fits)
    assert 0 <= bound[False] <= min(fits)
