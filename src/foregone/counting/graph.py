"""The recursion over what is left to place, unfolded once: every state, and the steps from it to smaller ones.

Let Z(r) be the total weight of all ways to place records so that the rows get what is left of them, r. Weights are a product over
buckets: of k records in bucket C, f_C(k). For any row i with r_i > 0 left,

    r_i Z(r) = sum over buckets C of row i and numbers l >= 1 of  a_iC g_C(l) Z(r - l A_C),

where A_C are the weights of a record of C in all rows and k f_C(k) = sum over l of g_C(l) f_C(k - l). Independent records,
f(k) = q^k / k!, have g(1) = q and nothing else; a Polya urn, f(k) = a (a+1) ... (a+k-1) / k!, has g(l) = a for every l; with a =
the number of kinds of record in the bucket, f counts multisets. So one graph of states serves every prior; `weighing.py` puts
numbers on it. The compiled twin is `counting.hpp`; `compiled.py` takes whichever is in use.

Of all rows the one with the fewest possible buckets is taken. A row that is only known to lie in a range is first given each of its
values in turn, where that promises fewer steps. States are equal when the same is left in every row, whatever was placed.
"""

from __future__ import annotations

from dataclasses import dataclass

from foregone.counting.problem import CountingProblem
from foregone.solvers.deadline import Deadline

State = tuple[int, ...]
"""What is left: the number each row may still get, then, for all rows but exact ones, how much less will do."""

MOST_STATES = 300_000
MOST_STEPS = 3_000_000
CLOCK = 256  # states between two looks at the clock


class TooMuchWork(Exception):
    """More states or steps than are allowed, or no time left; the message says which."""


@dataclass(frozen=True, slots=True)
class Steps:
    """From one state: into smaller ones by placing `l` records of a bucket (divide the sum by `left`), or, without buckets, by
    fixing a row to each of its values (just add)."""

    records: int  # that are left to place
    left: int
    bucket: tuple[int, ...]
    number: tuple[int, ...]
    weight: tuple[int, ...]  # of a record of the bucket in the chosen row
    target: tuple[int, ...]


END = Steps(0, 0, (), (), (), ())  # nothing left to place, and everything kept
NOTHING = Steps(0, -1, (), (), (), ())  # no way leads on


@dataclass(frozen=True, slots=True)
class Graph:
    """All states with their steps; every step leads to a state that comes earlier in the list. `roots` are the states to begin
    with."""

    steps: tuple[Steps, ...]
    roots: tuple[int, ...]

    @property
    def states(self) -> int:
        return len(self.steps)

    @property
    def edges(self) -> int:
        return sum(len(steps.target) for steps in self.steps)


class Unfolding:
    """What is the same for all states of a problem, and of what is left of it when some records are in place."""

    def __init__(self, problem: CountingProblem) -> None:
        self.problem = problem
        rows = problem.rows
        self.free = {row for pair in problem.either for row in pair}
        self.ranged = [row for row in range(rows) if row not in self.free and problem.low[row] < problem.high[row]]
        self.slack_at = {row: rows + i for i, row in enumerate(self.ranged)}
        self.lightest, self.heaviest = [0] * rows, [0] * rows
        by_weight: list[dict[int, int]] = [{} for _ in range(rows)]
        for bucket, entries in enumerate(problem.entries):
            for row, weight in entries:
                self.lightest[row], self.heaviest[row] = min(self.lightest[row], weight), max(self.heaviest[row], weight)
                by_weight[row][weight] = by_weight[row].get(weight, 0) | 1 << bucket
        self.members = [sum(masks.values()) for masks in by_weight]  # the buckets of each row, as bits
        self.by_weight = [sorted(masks.items()) for masks in by_weight]
        # rows without negative weights: a bucket is out of the question when one record of it is more than is left
        self.counting = [row for row in range(rows) if row not in self.free and not self.lightest[row]]
        self.signed = [row for row in range(rows) if row not in self.free and self.lightest[row]]
        self.weight_in = [dict(entries) for entries in problem.entries]
        self.all = (1 << len(problem.entries)) - 1
        self.exact = [row for row in self.counting if row not in self.slack_at]
        self.plain = [row for row in self.counting if self.heaviest[row] <= 1]
        self.others = [row for row in self.counting if self.heaviest[row] > 1]

    def state(self, high: list[int], slack: dict[int, int]) -> State | None:
        """The state in its one written form; None when a glance shows that nothing can follow from it."""
        records = high[0]
        for row in self.exact:
            if high[row] < 0 or high[row] > records * self.heaviest[row]:
                return None
        slacks = []
        for row in self.ranged:
            most, least = high[row], high[row] - slack[row]
            ceiling, floor = records * self.heaviest[row], records * self.lightest[row]
            if most < floor or least > ceiling:
                return None
            most, least = min(most, ceiling), max(least, floor)
            high[row] = most
            slacks.append(most - least)
        for row in self.signed:
            if row not in self.slack_at and not records * self.lightest[row] <= high[row] <= records * self.heaviest[row]:
                return None
        if self.free:  # a side that is kept whatever comes is as good as any other that is
            for one, other in self.problem.either:
                if all(high[row] < records * self.lightest[row] for row in (one, other)):
                    return None
                if any(high[row] >= records * self.heaviest[row] for row in (one, other)):
                    high[one] = high[other] = records * max(self.heaviest[one], self.heaviest[other])
        return (*high, *slacks)

    def alive(self, state: State) -> int:
        """The buckets that can still get a record, as bits."""
        alive = self.all
        for row in self.plain:
            if not state[row]:
                alive &= ~self.members[row]
        for row in self.others:
            for weight, mask in self.by_weight[row]:
                if weight > state[row]:
                    alive &= ~mask
        return alive

    def unfold(self, state: State) -> tuple[Steps, list[State]]:
        """The steps from a state, and where they lead; targets are filled in by whoever numbers the states."""
        rows, records = self.problem.rows, state[0]
        if not records:
            return END, []
        alive = self.alive(state)
        best, chosen, members = 0, -1, 0
        for row in self.counting:
            left = state[row]
            slack = state[self.slack_at[row]] if row in self.slack_at else 0
            mine = self.members[row] & alive
            if left > slack and not mine:
                return NOTHING, []
            if not left or not mine or (slack and slack == left == records * self.heaviest[row]):
                continue  # it says nothing any more
            cost = mine.bit_count() * (slack + 1)
            if chosen < 0 or cost < best:
                best, chosen, members = cost, row, mine
        assert chosen >= 0, "the number of records is a row"
        if chosen in self.slack_at and state[self.slack_at[chosen]]:
            return self._fixed(state, chosen)
        slacks = {row: state[at] for row, at in self.slack_at.items()}
        bucket, number, weights, found = [], [], [], []
        while members:
            low = members & -members
            members ^= low
            name = low.bit_length() - 1
            high, times = list(state[:rows]), 0
            while True:
                times += 1
                for row, weight in self.problem.entries[name]:
                    high[row] -= weight
                if any(high[row] < 0 for row, _ in self.problem.entries[name] if not self.lightest[row] and row not in self.free):
                    break
                made = self.state(list(high), slacks)
                if made is not None:
                    bucket.append(name)
                    number.append(times)
                    weights.append(self.weight_in[name][chosen])
                    found.append(made)
        return Steps(records, state[chosen], tuple(bucket), tuple(number), tuple(weights), ()), found

    def _fixed(self, state: State, row: int) -> tuple[Steps, list[State]]:
        found = []
        slack = {other: state[at] for other, at in self.slack_at.items()}
        for value in range(state[row] - slack[row], state[row] + 1):
            high = list(state[: self.problem.rows])
            high[row] = value
            made = self.state(high, slack | {row: 0})
            if made is not None:
                found.append(made)
        return Steps(state[0], 1, (), (), (), ()), found


def unfold(
    problem: CountingProblem,
    sizes: range,
    deadline: Deadline,
    most_states: int = MOST_STATES,
    most_steps: int = MOST_STEPS,
    space: Unfolding | None = None,
) -> Graph:
    """Every state that can be reached from the problem, with each of these numbers of records.

    `space` is that of a problem of which this one is what is left, where there is one.
    """
    space = space or Unfolding(problem)
    numbers: dict[State, int] = {}
    found: list[tuple[State, Steps, list[int]]] = []
    todo: list[State] = []

    def number(state: State) -> int:
        known = numbers.get(state)
        if known is None:
            known = numbers[state] = len(numbers)
            todo.append(state)
        return known

    begin = []
    for size in sizes:
        made = space.state([size, *problem.high[1:]], {row: problem.high[row] - problem.low[row] for row in space.ranged})
        begin.append(None if made is None else number(made))
    edges = 0
    for at, state in enumerate(todo):  # grows
        steps, targets = space.unfold(state)
        found.append((state, steps, [number(target) for target in targets]))
        edges += len(targets)
        if len(todo) > most_states or edges > most_steps:
            raise TooMuchWork(f"more than {most_states:,} states or {most_steps:,} steps")
        if at % CLOCK == 0 and deadline.passed():
            raise TooMuchWork("the time limit was reached")

    def rank(at: int) -> tuple[int, int]:
        """Fewer records first and, among as many, those with fewer open ranges."""
        state = found[at][0]
        return state[0], sum(1 for slack in state[problem.rows :] if slack)

    order = sorted(range(len(found)), key=rank)
    place = {old: new for new, old in enumerate(order)}
    numbered = tuple(
        Steps(s.records, s.left, s.bucket, s.number, s.weight, tuple(place[t] for t in targets)) if targets else s
        for _, s, targets in (found[old] for old in order)
    )
    return Graph(numbered, tuple(-1 if root is None else place[root] for root in begin))
