"""Spans cut into pieces in one sweep, against the definition."""

from __future__ import annotations

from random import Random

from foregone.tables.spans import LabelSpan, inside, pieces


def test_pieces_are_the_coarsest_that_every_span_is_made_of() -> None:
    rng = Random(5)
    for _ in range(500):
        firsts = [rng.randrange(12) for _ in range(rng.randrange(1, 6))]
        spans = [LabelSpan(first, rng.choice([None, first + rng.randrange(6)])) for first in firsts]
        cut = pieces(spans)
        members = {n: frozenset(i for i, span in enumerate(spans) if span.holds(LabelSpan(n, n))) for n in range(30)}
        for n in range(30):  # a number is in one piece, or in none where no span holds it
            assert sum(piece.holds(LabelSpan(n, n)) for piece in cut) == bool(members[n])
        for piece in cut:  # the numbers of a piece are in the same spans, and those beside it are not
            within = range(piece.first, 30 if piece.last is None else piece.last + 1)
            assert len({members[n] for n in within}) == 1
        for span in spans:
            assert [cut[i] for i in inside(span, cut)] == [piece for piece in cut if span.holds(piece)]
