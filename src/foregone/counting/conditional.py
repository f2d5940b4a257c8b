"""What is known of a claim when only the numbers of records by bucket are: kinds within a bucket are drawn as the prior says."""

from __future__ import annotations

from collections.abc import Sequence

from foregone.counting.prior import Masses


def chance_in(how: Masses, inside: Sequence[int], count: int, placed: dict[int, int]) -> float:
    """The chance that exactly `count` records match, given the numbers of records by bucket; `inside` are the masses that match.

    A bucket that matches as a whole, or not at all, is certain; one that a claim cuts has a binomial distribution, or, in an urn, a
    beta-binomial one.
    """
    sure, split = 0, []
    for bucket, number in placed.items():
        if inside[bucket] == how.buckets[bucket]:
            sure += number
        elif inside[bucket]:
            split.append((number, inside[bucket], how.buckets[bucket] - inside[bucket]))
    chances = [1.0]
    for number, match, other in split:
        mine = _matching(number, match, other, how.unit if how.urn else 0)
        chances = [
            sum(chances[a] * mine[total - a] for a in range(len(chances)) if 0 <= total - a <= number)
            for total in range(len(chances) + number)
        ]
    wanted = count - sure
    return chances[wanted] if 0 <= wanted < len(chances) else 0.0


def _matching(number: int, match: int, other: int, unit: int) -> list[float]:
    """The chances of 0, 1, ..., `number` matches in draws of which each adds `unit` to its own side."""
    chances = [1.0]
    for drawn in range(number):
        total = match + other + drawn * unit
        new = [0.0] * (drawn + 2)
        for matched, chance in enumerate(chances):
            yes = (match + matched * unit) / total
            new[matched + 1] += chance * yes
            new[matched] += chance * (1 - yes)
        chances = new
    return chances
