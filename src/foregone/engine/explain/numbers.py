"""What can be known or not known by itself: every published number, with all that it says and nothing that others say."""

from __future__ import annotations

from dataclasses import dataclass, replace

from foregone.model.measures import said_by
from foregone.model.release import Release


@dataclass(frozen=True, slots=True)
class PublishedNumbers:
    """The published numbers of a release, the counts first.

    `release` says the same, but so that each number can be left out: what a mean says is put without the count that it is a
    mean of. `parts` are, for each number, the statements and either-ors that it makes there; `named`, what it is called in the
    original, numbered as in `Release.everything`: a mean or a median by the first thing it says. The last numbers are figures,
    those of the original that say something: `figures` are their places there.
    """

    release: Release
    parts: tuple[tuple[int, ...], ...]
    named: tuple[int, ...]
    figures: tuple[int, ...] = ()


def published_numbers(release: Release) -> PublishedNumbers:
    if not release.figures and not release.marked:
        numbers = range(len(release.workload.queries) + len(release.origins))
        return PublishedNumbers(release, tuple((i,) for i in numbers), tuple(numbers))
    count = len(release.statistics)
    first: dict[int, int] = {}
    for i, origin in enumerate(release.origins, start=count):
        if origin is not None and origin >= count:
            first.setdefault(origin - count, i)
    told = [release.figures[f] for f in sorted(first)]
    unknown = [statistic.known(0, None) for statistic in release.statistics]
    said = said_by(release.domain, unknown, told)
    sums, choices = release.loose
    between = [(i, either) for i, statistic in enumerate(release.statistics) for either in statistic.either_ors]
    statements, alternatives = (*sums, *said.statements), (*choices, *(either for _, either in between), *said.alternatives)
    counts = [replace(statistic, gaps=()) for statistic in release.statistics]  # what the gaps say is among the alternatives
    apart = Release(release.domain, counts, release.rules, statements, alternatives)
    free = [i for i, origin in enumerate(release.origins, start=count) if origin is None]
    after = count + len(statements)
    gaps = after + len(choices)
    parts: list[tuple[int, ...]] = [
        (i, *(gaps + k for k, (source, _) in enumerate(between) if source == i)) for i in range(count)
    ]
    parts += [(i,) for i in (*range(count, count + len(sums)), *range(after, gaps))]
    for f in range(len(told)):
        own = [count + len(sums) + k for k, source in enumerate(said.sources[0]) if source == f]
        last = gaps + len(between)
        parts.append((*own, *(last + k for k, source in enumerate(said.sources[1]) if source == f)))
    figures = tuple(sorted(first))
    return PublishedNumbers(apart, tuple(parts), (*range(count), *free, *(first[f] for f in figures)), figures)
