"""What a search that may take long needs on a terminal: Ctrl-C at any moment, and a line that shows how far it is."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from foregone.cli.progress import told
from foregone.cli.show import UNDECIDED, complain

if TYPE_CHECKING:
    from types import FrameType

    from foregone.protection.search import Watch

AGAIN = 0.2  # seconds until Ctrl-C is tried again


def _importing(frame: FrameType | None) -> bool:
    """Is a module being loaded?"""
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


@contextmanager
def stopped_early() -> Iterator[Callable[[], None]]:
    """Ctrl-C before there is anything to keep, or once more while it is written: nothing is decided, and nothing is written.

    Libraries that read files may swallow it, or make an error of their own of it; what is given checks for that.
    """
    pressed = False

    def press(number: int, frame: FrameType | None) -> None:
        nonlocal pressed
        pressed = True
        if _importing(frame):  # there an interrupt would be printed and forgotten: a moment later, then
            again = threading.Timer(AGAIN, os.kill, (os.getpid(), number))
            again.daemon = True
            again.start()
        else:
            signal.default_int_handler(number, frame)

    def check() -> None:
        if pressed:
            raise KeyboardInterrupt

    main = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGINT, press) if main else None
    try:
        yield check
    except (Exception, KeyboardInterrupt) as error:
        if isinstance(error, typer.Exit) or not (pressed or isinstance(error, KeyboardInterrupt)):
            raise
        complain(["stopped before a protection was found or written; nothing is decided"], UNDECIDED)
    finally:
        if main:
            signal.signal(signal.SIGINT, before)


@contextmanager
def live() -> Iterator[Watch]:
    """The lower and the upper bound of a search as they close."""
    with told("Protecting") as speaker:

        def watch(lower: int, upper: int | None) -> None:
            best = "none found yet" if upper is None else f"{upper:,}"
            words = f"Protecting: at least {lower:,}, best so far {best} (Ctrl-C keeps the best)"
            speaker.at("bounds", None, lambda _: f"{words}, {speaker.so_far}")

        yield watch
