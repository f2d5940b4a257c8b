"""The recursion, compiled: the same states, numbers and samples as `graph.py` and `weighing.py` have, many times faster.

`foregone_counting.h` has the C interface. `unfolded` and `weighed` take whichever twin is in use (`foregone.loop`); numbers that
the compiled one cannot hold are left to Python.
"""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import CDLL, POINTER, Structure, byref, c_double, c_int32, c_int64, c_uint64, c_void_p
from functools import cache, cached_property
from math import comb, prod
from time import monotonic, process_time
from typing import Any, ClassVar
from weakref import finalize

import numpy as np

from foregone.counting.graph import END, MOST_STATES, MOST_STEPS, NOTHING, Graph, Steps, TooMuchWork, Unfolding, unfold
from foregone.counting.prior import Masses
from foregone.counting.problem import CountingProblem
from foregone.counting.weighing import WORD, Weighed
from foregone.loop import chosen_loop
from foregone.solvers.deadline import TIME_OUT, Deadline

VERSION = 1  # FOREGONE_COUNTING_VERSION in foregone_counting.h
DONE, LARGE, TIME = range(3)
COMPILED_STATES, COMPILED_STEPS = 2_000_000, 24_000_000  # about half a gigabyte
MOST_LIMBS = 128
MOST_WORDS = 1 << 27  # of the numbers of a graph: a gigabyte
NO_ROOM = "there is not enough memory"

Longs, Words64 = POINTER(c_int64), POINTER(c_uint64)
CALLS = {
    "space": [c_void_p, POINTER(c_void_p)],
    "unfold": [c_void_p, Longs, Longs, *[c_int64] * 4, c_double, c_double, POINTER(c_void_p)],
    "graph_sizes": [c_void_p, Longs, Longs],
    "graph_take": [c_void_p, *[Longs] * 9],
    "weigh": [c_void_p, c_void_p, POINTER(c_void_p)],
    "roots": [c_void_p, Words64],
    "distribution": [c_void_p, Words64, c_int64, Words64],
    "samples": [c_void_p, c_int64, Longs, c_uint64, c_int64, Longs, Longs, Longs],
    "free_space": [c_void_p],
    "free_graph": [c_void_p],
    "free_weights": [c_void_p],
}


class CProblem(Structure):
    """`foregone_counting_problem` in the header."""

    _fields_: ClassVar = [
        *((name, c_int64) for name in ("buckets", "rows", "either")),
        *((name, Longs) for name in ("starts", "entry_rows", "weights", "low", "high", "either_rows")),
    ]


class CPrior(Structure):
    """`foregone_counting_prior` in the header."""

    _fields_: ClassVar = [("masses", Words64), ("unit", c_uint64), *((name, c_int64) for name in ("urn", "ordered", "limbs"))]


def _calls() -> CDLL | None:
    """The calls with their types; None where the pure twin is in use, or the library is too old to count."""
    library = chosen_loop().library
    return None if library is None else _typed(library)


@cache
def _typed(library: CDLL) -> CDLL | None:
    try:
        library.foregone_counting_version.restype = c_int64
    except AttributeError:
        return None
    if library.foregone_counting_version() != VERSION:
        return None
    for name, types in CALLS.items():
        call = getattr(library, f"foregone_counting_{name}")
        call.argtypes, call.restype = types, c_int32
    return library


def _longs(values: Sequence[int]) -> Any:
    return (c_int64 * max(1, len(values)))(*values)


class CompiledSpace:
    """What is the same for all states of a problem, and of what is left of it when some records are in place."""

    def __init__(self, calls: CDLL, problem: CountingProblem) -> None:
        self.calls, self.problem = calls, problem
        starts = np.cumsum([0, *map(len, problem.entries)])
        entries = [entry for mine in problem.entries for entry in mine]
        given = CProblem(
            len(problem.entries),
            problem.rows,
            len(problem.either),
            _longs(starts.tolist()),
            _longs([row for row, _ in entries]),
            _longs([weight for _, weight in entries]),
            _longs(problem.low),
            _longs(problem.high),
            _longs([row for pair in problem.either for row in pair]),
        )
        handle = c_void_p()
        if calls.foregone_counting_space(byref(given), byref(handle)) != DONE:
            raise OverflowError("the problem has numbers that 64 bits do not hold")
        self.handle = handle.value
        finalize(self, calls.foregone_counting_free_space, handle.value)

    def unfold(
        self, problem: CountingProblem, sizes: range, deadline: Deadline, most_states: int, most_steps: int
    ) -> CompiledGraph:
        """Every state that can be reached, and the steps from it."""
        clock = -1.0 if deadline.at is None else max(0.0, deadline.at - monotonic())
        work = -1.0 if deadline.worked is None else max(0.0, deadline.worked - process_time())
        handle = c_void_p()
        how = self.calls.foregone_counting_unfold(
            self.handle,
            _longs(problem.low),
            _longs(problem.high),
            *(sizes.start, len(sizes), most_states, most_steps, clock, work),
            byref(handle),
        )
        if how == TIME:
            raise TooMuchWork(TIME_OUT)
        if how == LARGE:
            raise TooMuchWork(f"more than {most_states:,} states or {most_steps:,} steps")
        if how != DONE or handle.value is None:
            raise TooMuchWork(NO_ROOM)
        return CompiledGraph(self, handle.value, sizes)


class CompiledGraph:
    """All states of the recursion with their steps, in the compiled twin's memory."""

    def __init__(self, space: CompiledSpace, handle: int, sizes: range) -> None:
        self.calls, self.handle, self.sizes = space.calls, handle, sizes
        self.buckets, self.most_left = len(space.problem.entries), max(1, *space.problem.high)
        finalize(self, self.calls.foregone_counting_free_graph, handle)
        states, steps = c_int64(), c_int64()
        self.calls.foregone_counting_graph_sizes(handle, byref(states), byref(steps))
        self.states, self.edges = states.value, steps.value

    def plain(self) -> Graph:
        """All states and steps as Python values, as `graph.py` has them."""
        sizes = [self.states] * 3 + [self.states + 1] + [self.edges] * 4 + [len(self.sizes)]
        taken = [np.zeros(max(1, size), dtype=np.int64) for size in sizes]
        self.calls.foregone_counting_graph_take(self.handle, *(array.ctypes.data_as(Longs) for array in taken))
        records, left, places, starts, *steps, roots = (array[:size].tolist() for array, size in zip(taken, sizes, strict=True))
        bucket, number, weight, target = (tuple(column) for column in steps)
        made = []
        for at in range(self.states):
            part = slice(starts[at], starts[at + 1])
            if not records[at]:
                made.append(END)
            elif left[at] < 0:
                made.append(NOTHING)
            elif places[at]:
                made.append(Steps(records[at], left[at], bucket[part], number[part], weight[part], target[part]))
            else:
                made.append(Steps(records[at], left[at], (), (), (), target[part]))
        return Graph(tuple(made), tuple(roots))


class CompiledWeights:
    """A compiled graph with a prior's masses on it."""

    def __init__(self, graph: CompiledGraph, masses: Sequence[int], how: Masses, limbs: int) -> None:
        self.graph, self.calls, self.limbs = graph, graph.calls, limbs
        prior = CPrior((c_uint64 * max(1, len(masses)))(*masses), how.unit, how.urn, how.ordered, limbs)
        handle = c_void_p()
        if self.calls.foregone_counting_weigh(graph.handle, byref(prior), byref(handle)) != DONE or handle.value is None:
            raise TooMuchWork(NO_ROOM)
        self.handle = handle.value
        finalize(self, self.calls.foregone_counting_free_weights, handle.value)

    def _whole(self, words: Any) -> list[int]:
        raw, size = bytes(words), 8 * self.limbs
        return [int.from_bytes(raw[at : at + size], "little") for at in range(0, len(raw), size)]

    @cached_property
    def roots(self) -> list[int]:
        """The number of each state to begin with."""
        words = (c_uint64 * (len(self.graph.sizes) * self.limbs))()
        self.calls.foregone_counting_roots(self.handle, words)
        return self._whole(words)

    def distribution(self, inside: Sequence[int], most: int) -> list[list[int]]:
        """For each state to begin with: the weight of all datasets with 0, 1, ..., `most` records in the part of each bucket
        that has the mass `inside`."""
        if self.graph.states * (most + 1) * self.limbs > MOST_WORDS:
            raise TooMuchWork(NO_ROOM)
        words = (c_uint64 * (len(self.graph.sizes) * (most + 1) * self.limbs))()
        given = (c_uint64 * max(1, len(inside)))(*inside)
        if self.calls.foregone_counting_distribution(self.handle, given, most, words) != DONE:
            raise TooMuchWork(NO_ROOM)
        found = self._whole(words)
        return [found[at : at + most + 1] for at in range(0, len(found), most + 1)]

    def samples(self, roots: Sequence[int], seed: int) -> list[dict[int, int]]:
        """Datasets drawn with exactly their shares of the weight, as records per bucket: one from each of these states to begin
        with."""
        stride = max(1, self.graph.sizes[-1])
        buckets, numbers = np.empty((len(roots), stride), dtype=np.int64), np.empty((len(roots), stride), dtype=np.int64)
        lengths = np.empty(max(1, len(roots)), dtype=np.int64)
        made = self.calls.foregone_counting_samples(
            self.handle,
            *(len(roots), _longs(roots), seed, stride),
            *(array.ctypes.data_as(Longs) for array in (buckets, numbers, lengths)),
        )
        if made != DONE:
            raise TooMuchWork(NO_ROOM)
        found = []
        for mine, counts, length in zip(buckets.tolist(), numbers.tolist(), lengths.tolist(), strict=False):
            placed: dict[int, int] = {}
            for bucket, number in zip(mine[:length], counts[:length], strict=True):
                placed[bucket] = placed.get(bucket, 0) + number
            found.append(placed)
        return found


AnySpace = Unfolding | CompiledSpace
AnyGraph = Graph | CompiledGraph
AnyWeighed = Weighed | CompiledWeights


def space_of(problem: CountingProblem) -> AnySpace:
    """What is the same for all states, for the twin in use."""
    calls = _calls()
    if calls is not None:
        try:
            return CompiledSpace(calls, problem)
        except OverflowError:  # numbers beyond 64 bits are left to Python, which has no such end
            pass
    return Unfolding(problem)


def unfolded(
    problem: CountingProblem,
    sizes: range,
    deadline: Deadline,
    most_states: int | None = None,
    most_steps: int | None = None,
    space: AnySpace | None = None,
) -> AnyGraph:
    """Every state that can be reached from the problem, by the twin in use; `space` is that of a problem of which this one is
    what is left. Without limits, those of the twin: the compiled one takes less room."""
    space = space or space_of(problem)
    if isinstance(space, CompiledSpace):
        return space.unfold(problem, sizes, deadline, most_states or COMPILED_STATES, most_steps or COMPILED_STEPS)
    return unfold(problem, sizes, deadline, most_states or MOST_STATES, most_steps or MOST_STEPS, space)


def weighed(graph: AnyGraph, masses: Sequence[int], how: Masses) -> AnyWeighed:
    """A graph with a prior's masses on it. Masses that do not fit into 64 bits are left to Python."""
    if isinstance(graph, Graph):
        return Weighed(graph, masses, how)
    limbs = (greatest(masses, how, graph.sizes[-1]) * graph.most_left).bit_length() // 64 + 1
    if limbs > MOST_LIMBS or max(how.unit, sum(masses)) > WORD:
        return Weighed(graph.plain(), masses, how)
    if limbs * graph.states > MOST_WORDS:
        raise TooMuchWork(NO_ROOM)
    return CompiledWeights(graph, masses, how, limbs)


def greatest(masses: Sequence[int], how: Masses, size: int) -> int:
    """No number of a state is above this: the weight of all ways to place so many records, whatever is published."""
    total = sum(masses)
    if not how.ordered:
        return comb(total + size - 1, size) if total else 1
    if not how.urn:
        return prod([max(1, total)] * size)
    return int(prod(max(1, total) + i * how.unit for i in range(size)))
