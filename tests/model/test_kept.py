"""What is kept with an object is worked out once for each choice, and goes with the object."""

from __future__ import annotations

import gc
from weakref import ref

from foregone.model.kept import kept_with


class Thing:
    """Anything that can be referred to weakly."""


def test_once_for_each_choice_and_gone_with_the_object() -> None:
    calls: list[tuple[Thing, int]] = []

    @kept_with
    def made(of: Thing, number: int) -> list[int]:
        calls.append((of, number))
        return [number]

    one, other = Thing(), Thing()
    assert made(one, 1) is made(one, 1)
    assert made(one, 2) == [2]
    assert made(other, 1) is not made(one, 1)
    assert calls == [(one, 1), (one, 2), (other, 1)]
    calls.clear()
    gone = ref(one)
    del one
    gc.collect()
    assert gone() is None
