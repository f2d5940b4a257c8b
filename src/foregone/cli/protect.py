"""`foregone protect`: provably the least to withhold."""

from __future__ import annotations

import os
import shlex
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum, StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from foregone.cli.answers import tell
from foregone.cli.options import LIMIT, GroupsOption, MaxRecords, argument, option, seconds
from foregone.cli.progress import told
from foregone.cli.show import DONE, NO, UNDECIDED, complain, say, say_assumed, say_lines, stop
from foregone.cli.tables import People
from foregone.model.errors import InputError
from foregone.model.families import Groups

if TYPE_CHECKING:
    from types import FrameType

    from foregone.model.policy import Knowledge
    from foregone.model.protection import Protection
    from foregone.protection.search import Watch
    from foregone.workflows.protect import ProtectionAsked

AGAIN = 0.2  # seconds until Ctrl-C is tried again


By = StrEnum("By", ["cell", "table"])
Marks = StrEnum("Marks", ["one", "two"])
AttackerName = StrEnum("AttackerName", ["exact", "linear"])
ReaderName = StrEnum("ReaderName", [("any", "any"), ("knows_the_rule", "knows-the-rule")])
ANY = ReaderName("any")


def protect(
    context: typer.Context,
    release: Annotated[
        Path,
        argument(
            "RELEASE",
            "A folder with domain.json and statistics.csv, or a .json or .parquet file. With --by table also a unit file, a"
            " run, or a folder of releases: one choice of tables for all of them.",
        ),
    ],
    out: Annotated[
        Path,
        option("--out", "The new folder for the protected release, which is what you publish. What you keep goes to OUT-private."),
    ],
    policy: Annotated[
        Path | None,
        option(
            "--policy",
            "A policy file (TOML): what must not be certain. Default: nobody is singled out by 2 columns or more, and no cell"
            " that is not shown can be worked out.",
        ),
    ] = None,
    columns: Annotated[
        int | None,
        option(
            "--columns",
            "The default policy with another number: nobody may be singled out by N columns or more.",
            metavar="N",
            min=1,
        ),
    ] = None,
    by: Annotated[By, option("--by", "What to withhold: single cells, or whole tables.")] = By.cell,
    know: Annotated[
        list[str] | None,
        option(
            "--know",
            "What a reader knows besides what is printed: zeros-shown (a cell that is not shown is at least 1), primary<=3."
            " Repeatable. Without it, what follows from what is printed.",
        ),
    ] = None,
    attacker: Annotated[
        AttackerName, option("--attacker", "exact: works out all that follows. linear: only adds and subtracts; for comparison.")
    ] = AttackerName.exact,
    reader: Annotated[
        ReaderName,
        option(
            "--reader",
            "any: reads what is published. knows-the-rule: also knows by which rule it was chosen; more may have to be withheld,"
            " and exit 3 means that it is not shown to withstand such a reader.",
        ),
    ] = ANY,
    keep: Annotated[
        list[str] | None,
        option("--keep", "A cell or table that must stay published; june/ and P16* name several.", metavar="NAME|TABLE"),
    ] = None,
    cost: Annotated[
        str, option("--cost", "What a withheld cell costs: 1, its count, or a cost from a CSV file.", metavar="one|size|FILE")
    ] = "one",
    round_: Annotated[
        list[int] | None, option("--round", "Also allow numbers to be rounded to a multiple of this.", metavar="BASE")
    ] = None,
    merge: Annotated[
        list[str] | None, option("--merge", "Two values of a column that may be merged into one.", metavar="COLUMN=CODE|CODE")
    ] = None,
    withhold: Annotated[bool, option("--withhold/--no-withhold", "Whether numbers may be withheld at all.")] = True,
    marks: Annotated[
        Marks,
        option(
            "--marks", "one: every cell that is not shown gets the same mark. two: old stars keep theirs, and new ones get another."
        ),
    ] = Marks.one,
    mark: Annotated[
        str, option("--mark", "Printed where a number is not shown. Default: the tables' own mark, or [c].", metavar="TEXT")
    ] = "",
    proofs: Annotated[
        str | None,
        option(
            "--proofs",
            "Write the certificate, for `foregone check`: to this file (.json), or to OUT-private. Keep it secret.",
            metavar="[FILE]",
        ),
    ] = None,
    page: Annotated[
        Path | None,
        option("--page", "Where the page goes (.html), before and after side by side. Default: OUT-private. Keep it secret."),
    ] = None,
    files: Annotated[
        Path | None,
        option("--files", "Also write the imported files back in their own layout, marked, to this new folder."),
    ] = None,
    keep_like: Annotated[
        Path | None,
        option(
            "--keep-like",
            "An earlier protected release: a cell withheld then costs 1, any other 2. A changing pattern gives numbers away.",
            metavar="LAST",
        ),
    ] = None,
    already: Annotated[
        Path | None,
        option("--already", "A release about overlapping people that is out: protect together with it.", metavar="FOLDER"),
    ] = None,
    people: Annotated[
        People, option("--people", "With --already, what may have happened since: nothing, arrivals, departures, or either.")
    ] = People.changed,
    groups: GroupsOption = Groups.PUBLISHED,
    alternatives: Annotated[int, option("--alternatives", "How many other choices to show, cheapest first.", min=0)] = 1,
    limit: Annotated[int | None, option("--limit", "For many releases: only the first N.", min=1)] = None,
    workers: Annotated[int | None, option("--workers", "For many releases: processes; all cores by default.", min=1)] = None,
    time_limit: Annotated[float | None, seconds("Stop after this long, with the best protection found so far.")] = None,
    max_records: MaxRecords = LIMIT,
) -> None:
    """Withhold the least that keeps a policy, and prove it is the least.

    Exit 0: proved smallest. Exit 3: protected, but not proved smallest, or nothing found in time. Exit 1: no allowed choice
    is enough. Stop it with Ctrl-C at any time: the best protection so far is written, with the bound that was proved.
    """
    with stopped_early() as check:
        from foregone.cli.publish import publish_or_say, say_published
        from foregone.formats.protection import check_protected_output, private_folder
        from foregone.model.protection import Protection
        from foregone.workflows.protect import RELEASES, ProtectionAsked, check_files_output, protect_files, publish_choice

        if policy is not None and columns is not None:
            raise InputError(f"--columns and --policy: {policy} says how many columns; leave out one of the two")
        if page is not None and page.suffix not in (".html", ".htm"):
            raise InputError(f"{page}: a page is an .html file; give a name that ends in .html")
        costs = Path(cost) if cost not in ("one", "size") else cost
        certificate = Path(proofs) if proofs else None
        inputs = [release, policy, costs if isinstance(costs, Path) else None, keep_like, already]
        check_protected_output(out, inputs, {"--proofs": certificate, "--page": page})
        if files is not None:
            check_files_output(release, files, [*inputs, out])
        asked = ProtectionAsked(
            policy=policy,
            columns=columns,
            by=by.value,
            know=_known(know or []),
            attacker=attacker.value,
            reader=reader.value,
            keep=tuple(keep or ()),
            costs=costs,
            withhold=withhold,
            round_to=tuple(round_ or ()),
            merge=tuple(_pair(text) for text in merge or ()),
            marks=marks.value,
            mark=mark,
            proofs=proofs is not None,
            groups=groups,
            alternatives=alternatives,
            keep_like=keep_like,
            already=already,
            people=people.value,
            time_limit=time_limit,
            max_records=max_records,
            limit=limit,
            workers=workers,
        )
        with live() as watch:
            found = protect_files(release, asked, watch, check)
        tell(found.json, out=out)
        say_lines(found.summary())
        if isinstance(found, Protection):
            _say_stricter(context, found, policy)
            _publish(found, release, out, page, certificate, asked, files is None)
            if files is not None and found.release is not None:
                say_published(publish_or_say(out, files))
            sure = found.optimal and found.after is not None and (not found.cost or found.proved)
        else:
            if found.withheld is not None:
                proof = publish_choice(found, out, certificate)
                say(f"The tables are listed in {out}.")
                if proof is not None:
                    about = private_folder(out) / RELEASES if found.proved_of else release
                    say(f"Keep private: the certificate {proof}. To check it: {_to_check(about, proof)}")
            sure = found.optimal and found.proved
        stop(NO if found.impossible else DONE if sure else UNDECIDED)


def _publish(
    found: Protection,
    release: Path,
    out: Path,
    page: Path | None,
    certificate: Path | None,
    asked: ProtectionAsked,
    warn: bool,
) -> None:
    """Write what was found and say where it is: what is published, and what is not. `warn` about numbers that were left out and
    are not looked at any more.
    """
    from foregone.formats.beside import left_out_of, read_assumptions
    from foregone.workflows.protect import write_protected

    assumed = read_assumptions(release)
    if found.release is None:
        say_assumed(assumed)
        return
    say_assumed((*assumed, *found.assumptions), left_out_of(release, found.release).warning if warn else "")
    made = write_protected(found, release, out, page, certificate, asked)
    what = "The protected release is in" if found.done or found.primary else "The release as it was is in"
    say(f"{what} {out}{', which is all that may be published' if found.after == 0 else ''}.")
    kept = [("page", page), *([("certificate", certificate)] if found.certificate is not None or certificate else [])]
    inside = ["what was done", *(f"the {name}" for name, path in kept if not path)]
    beside = [f"the {name} {path}" for name, path in kept if path]
    private = " and ".join([f"{made.private} ({', '.join(inside)})", *beside])
    say(f"Keep private: {private}. Whoever reads that can tell what is withheld.")
    say(f"For its page: foregone report {shlex.quote(str(out))} --out {shlex.quote(str(out) + '.html')}")


def _say_stricter(context: typer.Context, found: Protection, policy: Path | None) -> None:
    """How to forbid what the policy does not: as a command, or as a line of the policy file."""
    if found.still is None or not found.still.facts:
        return
    columns = found.still.columns
    how = again(context, columns=columns) if policy is None else f"in {policy}, singled_out_columns = {columns}"
    say(f"To forbid what is still certain: {how}")


def _to_check(release: Path, proof: Path) -> str:
    return shlex.join(["foregone", "check", str(release), str(proof)])


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


def again(context: typer.Context, **changed: object) -> str:
    """The command that is running with some of its options changed, as a line for a shell."""
    given = {**context.params, **changed}
    words: list[str] = []
    for parameter in context.command.params:
        name = parameter.name or ""
        source = context.get_parameter_source(name)
        if name in changed or (source is not None and source.name == "COMMANDLINE"):
            words += _words(parameter.param_type_name == "option", parameter.opts, parameter.secondary_opts, given[name])
    return shlex.join(["foregone", *(context.info_name or "").split(), *words])


def _words(option: bool, names: list[str], opposite: list[str], value: object) -> Iterator[str]:
    if isinstance(value, bool):
        yield names[0] if value else opposite[0]
        return
    for one in value if isinstance(value, list | tuple) else [value]:
        if option:
            yield max(names, key=len)
        yield str(one.value if isinstance(one, Enum) else one)


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
