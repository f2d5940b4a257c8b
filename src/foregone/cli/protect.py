"""`foregone protect`: provably the least to withhold."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from foregone.cli.options import LIMIT, GroupsOption, MaxRecords
from foregone.cli.progress import log, looking, ticking
from foregone.cli.show import NO, UNDECIDED, complain, errors_as_lines, say, say_assumptions, say_lines, say_places, stop
from foregone.model.errors import InputError
from foregone.model.groups import Groups

if TYPE_CHECKING:
    from types import FrameType

    from foregone.model.policy import Knowledge
    from foregone.protection.search import Watch


AGAIN = 0.2  # seconds until Ctrl-C is tried again


class By(StrEnum):
    cell = "cell"
    table = "table"


class AttackerName(StrEnum):
    exact = "exact"
    linear = "linear"


def protect(
    release: Annotated[
        Path,
        typer.Argument(
            metavar="RELEASE",
            help="A folder with domain.json and statistics.csv, or a .json or .parquet file. With --by table also a unit file, a"
            " run, or a folder of releases: one choice of tables for all of them.",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", help="The new folder for the protected release, which is what you publish.")],
    policy: Annotated[
        Path | None,
        typer.Option("--policy", help="A policy file (TOML): what must not be certain. Default: nobody singled out by 3 columns."),
    ] = None,
    by: Annotated[By, typer.Option("--by", help="What to withhold: single cells, or whole tables.")] = By.cell,
    know: Annotated[
        list[str] | None,
        typer.Option("--know", help="What an attacker knows: zeros-shown (a withheld cell is at least 1), primary<=3. Repeatable."),
    ] = None,
    attacker: Annotated[
        AttackerName,
        typer.Option("--attacker", help="exact: works out all that follows. linear: only adds and subtracts; for comparison."),
    ] = AttackerName.exact,
    keep: Annotated[
        list[str] | None,
        typer.Option("--keep", metavar="NAME|TABLE", help="A cell or table that must stay published; june/ and P16* name several."),
    ] = None,
    cost: Annotated[
        str,
        typer.Option(
            "--cost", metavar="one|size|FILE", help="What a withheld cell costs: 1, its count, or a cost from a CSV file."
        ),
    ] = "one",
    round_: Annotated[
        list[int] | None, typer.Option("--round", metavar="BASE", help="Also allow numbers to be rounded to a multiple of this.")
    ] = None,
    merge: Annotated[
        list[str] | None,
        typer.Option("--merge", metavar="COLUMN=CODE|CODE", help="Two values of a column that may be merged into one."),
    ] = None,
    withhold: Annotated[bool, typer.Option("--withhold/--no-withhold", help="Whether numbers may be withheld at all.")] = True,
    proofs: Annotated[
        Path | None,
        typer.Option("--proofs", help="Write the certificate here (.json), for `foregone check`; keep it secret."),
    ] = None,
    page: Annotated[
        Path | None, typer.Option("--page", help="Also write a page (.html), before and after side by side; keep it secret.")
    ] = None,
    groups: GroupsOption = Groups.PUBLISHED,
    alternatives: Annotated[int, typer.Option("--alternatives", min=0, help="How many other choices to show, cheapest first.")] = 1,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="For many releases: only the first N.")] = None,
    workers: Annotated[
        int | None, typer.Option("--workers", min=1, help="For many releases: processes; all cores by default.")
    ] = None,
    time_limit: Annotated[
        float | None,
        typer.Option(
            "--time-limit", metavar="SECONDS", min=0.0, help="Stop after this long, with the best protection found so far."
        ),
    ] = None,
    max_records: MaxRecords = LIMIT,
) -> None:
    """Withhold the least that keeps a policy, and prove it is the least.

    Exit 0: proved smallest. Exit 3: protected, but not proved smallest, or nothing found in time. Exit 1: no allowed choice
    is enough. Stop it with Ctrl-C at any time: the best protection so far is written, with the bound that was proved.
    """
    with errors_as_lines(release), stopped_early() as check:
        import json

        from foregone.cli.protect_many import Many, is_many, protect_each
        from foregone.formats.assumptions import read_assumptions
        from foregone.formats.folder import read_release
        from foregone.formats.outputs import write_text
        from foregone.formats.protection import check_protected_output, read_costs, write_protection
        from foregone.protection.protect import protect as run

        costs = Path(cost) if cost not in ("one", "size") else None
        if page is not None and page.suffix not in (".html", ".htm"):
            raise InputError(f"{page}: a page is an .html file; give a name that ends in .html")
        check_protected_output(out, [release, policy, costs], {"--proofs": proofs, "--page": page})
        if is_many(release):
            if by != By.table or attacker != AttackerName.exact or costs is not None or cost != "one" or round_ or merge or proofs:
                raise InputError(
                    f"{release}: for many releases use --by table, with --policy, --keep and --limit alone"
                )
            asked = Many(policy, tuple(keep or ()), _known(know or []), limit, time_limit, groups, max_records, workers)
            with live() as watch:
                protect_each(release, out, asked, watch, check)
            return
        published = read_release(release)
        check()
        with live() as watch:
            found = run(
                published,
                policy,
                by.value,
                _known(know or []),
                attacker.value,
                keep or (),
                cost if costs is None else read_costs(costs),
                withhold,
                round_ or (),
                [_pair(text) for text in merge or ()],
                time_limit,
                alternatives,
                max_records,
                watch,
                proofs is not None,
                groups,
            )
        say_lines(found.summary())
        say_places(published, found.summary())
        say_assumptions(release)
        if found.release is not None:
            write_protection(found, out, read_assumptions(release))
            say(f"The protected release is in {out}; protect.json in it says what was done.")
        if page is not None and found.release is not None:
            from foregone.census.subjects import subject_of_release
            from foregone.pages.protection_page import write_protection_page
            from foregone.pages.write import today

            write_protection_page(found, subject_of_release(published.domain), page, today())
            say(f"The page is {page}. It shows what was withheld: do not publish it.")
        if proofs is not None and found.certificate is not None:
            write_text(proofs, json.dumps(found.certificate, separators=(",", ":"), ensure_ascii=False) + "\n")
            say(f"The certificate is {proofs}. It tells what was withheld: do not publish it.")
        if found.impossible:
            stop(NO)
        if not found.optimal:
            stop(UNDECIDED)


def _known(words: list[str]) -> Knowledge | None:
    from foregone.formats.policy import KNOW, read_knowledge

    known = read_knowledge(words)
    if known is None:
        raise InputError(f"--know: {', '.join(words)}: {KNOW}")
    return known if words else None


def _pair(text: str) -> tuple[str, str, str]:
    name, equals, codes = text.partition("=")
    one, bar, other = codes.partition("|")
    if not equals or not bar or not name.strip() or not one.strip() or not other.strip() or "|" in other:
        raise InputError(f"--merge: {text!r} is not understood; write COLUMN=CODE|CODE, two values of one column")
    return name.strip(), one.strip(), other.strip()


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
    """The lower and the upper bound as they close: on one line of stderr if a person is looking, else a line now and then."""

    def words(lower: int, upper: int | None) -> str:
        best = "none found yet" if upper is None else f"{upper:,}"
        return f"Protecting: at least {lower:,}, best so far {best} (Ctrl-C keeps the best)"

    if not looking():
        with ticking(log("Protecting")) as speaker:
            yield lambda lower, upper: speaker.at("bounds", None, lambda _: f"{words(lower, upper)}, {speaker.so_far}")
        return
    from rich.console import Console
    from rich.status import Status

    with Status("Protecting", console=Console(stderr=True)) as status:
        yield lambda lower, upper: status.update(words(lower, upper))
