"""What can be known or not known by itself: every published number, with all that it says and nothing that others say."""

from __future__ import annotations

from dataclasses import dataclass, replace

from foregone.model.measures import said_by
from foregone.model.release import Release


@dataclass(frozen=True, slots=True)
class Items:
    """The published numbers of a release, the counts first.

    `release` says the same, but so that each number can be left out: what a mean says is put without the count that it is a
    mean of. `parts` are, for each number, the statements and either-ors that it makes there; `named`, what it is called in the
    original, numbered as in `Release.everything`: a mean or a median by the first thing it says.
    """

    release: Release
    parts: tuple[tuple[int, ...], ...]
    named: tuple[int, ...]


def items_of(release: Release) -> Items:
    if not release.figures:
        numbers = range(len(release.workload.queries) + len(release.origins))
        return Items(release, tuple((i,) for i in numbers), tuple(numbers))
    count = len(release.statistics)
    first: dict[int, int] = {}
    for i, origin in enumerate(release.origins, start=count):
        if origin is not None:
            first.setdefault(origin, i)
    told = [release.figures[f] for f in sorted(first)]
    unknown = [replace(statistic, low=0, high=None) for statistic in release.statistics]
    said = said_by(release.domain, unknown, told)
    sums, choices = release.loose
    statements, alternatives = (*sums, *said.statements), (*choices, *said.alternatives)
    apart = Release(release.domain, release.statistics, release.rules, statements, alternatives)
    free = [i for i, origin in enumerate(release.origins, start=count) if origin is None]
    after = count + len(statements)
    parts: list[tuple[int, ...]] = [(i,) for i in (*range(count + len(sums)), *range(after, after + len(choices)))]
    for f in range(len(told)):
        own = [count + len(sums) + k for k, source in enumerate(said.sources[0]) if source == f]
        parts.append((*own, *(after + len(choices) + k for k, source in enumerate(said.sources[1]) if source == f)))
    return Items(apart, tuple(parts), (*range(count), *free, *(first[f] for f in sorted(first))))
