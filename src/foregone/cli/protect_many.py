"""`foregone protect` for many releases: one choice of tables for all of them."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING

from foregone.cli.show import NO, UNDECIDED, say, say_lines, stop
from foregone.model.errors import InputError
from foregone.model.families import Groups

if TYPE_CHECKING:
    from foregone.census.sources import RunOptions
    from foregone.model.policy import Knowledge, Policy
    from foregone.protection.search import Watch


@dataclass(frozen=True, slots=True)
class Many:
    """What is asked about all releases of a source."""

    policy: Policy | Path | None
    keep: tuple[str, ...]
    know: Knowledge | None
    limit: int | None
    time_limit: float | None
    groups: Groups
    max_records: int
    workers: int | None


def is_many(path: Path) -> bool:
    """Everything but a single release: a unit file, a run, a folder or a table of releases."""
    if path.is_dir():
        return not (path / "domain.json").exists() or (path / "predicates.csv").exists()
    if path.suffix == ".parquet" and path.is_file():
        from foregone.formats.folder import read_release

        try:
            read_release(path)
        except InputError:
            return True
    return path.is_file() and path.suffix not in (".json", ".parquet")


def protect_each(path: Path, out: Path, asked: Many, watch: Watch | None, check: Callable[[], None]) -> None:
    """Find one choice of tables for all releases of a source, and write it down; `check` raises when somebody wants to stop."""
    from foregone.census.sources import open_run_source
    from foregone.formats.protection import write_record
    from foregone.protection.many import protect_many
    from foregone.protection.protect import as_policy

    rules = as_policy(asked.policy, asked.know)
    source, options = _source_of(path, asked.limit)
    with open_run_source(source, options) as opened:
        named = [release for part in opened.parts for release in opened.read(part).releases()]
    wrong = [release for _, release, _ in named if isinstance(release, str)]
    check()
    if wrong:
        raise InputError(wrong)
    found = protect_many(
        [(name, release) for name, release, _ in named if not isinstance(release, str)],
        rules,
        asked.keep,
        asked.time_limit,
        asked.groups,
        asked.max_records,
        watch,
        asked.workers or os.cpu_count() or 1,
    )
    say_lines(found.summary())
    if found.withheld is not None:
        write_record(found.json(), [(name, name in found.withheld) for name in found.names], out)
        say(f"The tables are listed in {out}.")
    if found.impossible:
        stop(NO)
    if not found.optimal:
        stop(UNDECIDED)


def _source_of(path: Path, limit: int | None) -> tuple[Path, RunOptions]:
    """The input of a run and which part of it the run was about; any other path is an input itself."""
    from foregone.batch.run_folder import is_run
    from foregone.batch.store import read_about
    from foregone.census.sources import RunOptions

    if not is_run(path):
        return path, RunOptions(limit=limit)
    about = read_about(path / "run.json")
    name, options = about.get("input", {}).get("name", ""), about.get("options", {})
    words = [Path(word) for word in about.get("command", []) if isinstance(word, str) and Path(word).name == name]
    places = [*(place for word in words for place in (word, path.parent / word)), path.parent / name]
    found = next((place for place in places if place.exists()), None)
    if not name or found is None:
        raise InputError(f"{path}: its input {name or '(not named)'} is not there any more; give the input itself")
    known = {field.name: options[field.name] for field in fields(RunOptions) if field.name in options}
    least = [number for number in (limit, known.get("limit")) if number is not None]
    return found, RunOptions(**{**known, "limit": min(least, default=None)})
