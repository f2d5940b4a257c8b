"""What is worked out from an object once and kept as long as the object is in use."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

Of = TypeVar("Of")
Further = ParamSpec("Further")
Made = TypeVar("Made")


def kept_with(make: Callable[Concatenate[Of, Further], Made]) -> Callable[Concatenate[Of, Further], Made]:
    """Call the function once for each first argument, such as a workload, and each choice of the others; they must be hashable.

    The first argument is not kept alive: when nobody uses it any more, what was worked out for it goes too.
    """
    known: WeakKeyDictionary[Of, dict[Any, Made]] = WeakKeyDictionary()

    @wraps(make)
    def found(of: Of, /, *args: Further.args, **kwargs: Further.kwargs) -> Made:
        kept, key = known.setdefault(of, {}), (args, *kwargs.items())
        if key not in kept:
            kept[key] = make(of, *args, **kwargs)
        return kept[key]

    return found
