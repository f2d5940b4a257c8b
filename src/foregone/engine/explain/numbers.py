"""What can be known or not known by itself: every published number, with all that it says and nothing that others say."""

from __future__ import annotations

from dataclasses import dataclass, replace

from foregone.model.measures import said_by
from foregone.model.release import Release
from foregone.model.statement import Either


@dataclass(frozen=True, slots=True)
class PublishedNumbers:
    """The published numbers of a release, the counts first.

    `release` says the same, but so that each number can be left out: what a mean says is put without the count that it is a
    mean of. `parts` are, for each number, the statements and either-ors that it makes there; `named`, what it is called in the
    original, numbered as in `Release.statements`: a mean or a median by the first thing it says. The last numbers are figures,
    those of the original that say something: `figures` are their places there.
    """

    release: Release
    parts: tuple[tuple[int, ...], ...]
    named: tuple[int, ...]
    figures: tuple[int, ...] = ()


def published_numbers(release: Release) -> PublishedNumbers:
    counts = release.statistics
    if not release.figures and not any(count.gaps for count in counts):
        numbers = tuple(range(len(release.statements)))
        return PublishedNumbers(release, tuple((i,) for i in numbers), numbers)
    first: dict[int, int] = {}  # of what was printed, the first statement that it makes
    for i, stated in enumerate(release.statements):
        first.setdefault(id(stated.printed), i)
    figures = tuple(f for f, figure in enumerate(release.figures) if id(figure) in first)
    told = [release.figures[f] for f in figures]
    further = [*release.own, *(either for count in counts for either in count.either_ors)]
    further += said_by(release.domain, [count.known(0, None) for count in counts], told)
    further.sort(key=lambda stated: isinstance(stated, Either))  # as a release numbers them
    printed = [*counts, *release.own, *told]
    parts: dict[int, list[int]] = {id(row): [] for row in printed}
    for i, row in enumerate([*counts, *(stated.printed for stated in further)]):
        parts[id(row)].append(i)
    plain = [replace(count, gaps=()) for count in counts]  # what the gaps say is among the either-ors
    apart = Release(release.domain, plain, release.rules, further)
    return PublishedNumbers(apart, tuple(map(tuple, parts.values())), tuple(first[id(row)] for row in printed), figures)
