"""What `foregone protect` does: the least to withhold, of one release or of many; and what that leaves on disk."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from foregone.census.subjects import subject_of_release
from foregone.engine import MAX_RECORDS
from foregone.formats.beside import place_rows, read_assumptions
from foregone.formats.folder import read_release
from foregone.formats.outputs import check_outputs, fill, new_folder, write_text
from foregone.formats.protection import (
    CERTIFICATE,
    DECISIONS,
    JOINED,
    private_folder,
    read_costs,
    still_assumed,
    write_private,
    write_protection,
    write_record,
)
from foregone.formats.single import release_json
from foregone.formats.text import is_there, json_text, read_text
from foregone.model.errors import InputError
from foregone.model.families import Groups
from foregone.model.intervals import Interval
from foregone.model.policy import OF_MANY, Knowledge, Policy, by_columns
from foregone.model.protection import Protection
from foregone.model.release import Release
from foregone.pages.before_after import render_protection
from foregone.pages.write import today
from foregone.protection.protect import as_policy, protect
from foregone.protection.search import Watch
from foregone.publishing.sources import found_again, source_texts
from foregone.questions.ask import intervals
from foregone.workflows.protect_again import costs_like, with_what_is_out

if TYPE_CHECKING:  # what is for many releases alone is loaded when there are many
    from foregone.census.sources import RunOptions
    from foregone.protection.many import ProtectionOfMany

RELEASES = "releases"  # the folder of those that a certificate is about and that no folder holds
PAGE_SECONDS = 30.0  # to find out for the page what cells that are not shown can still be


@dataclass(frozen=True, slots=True, kw_only=True)
class ProtectionAsked:
    """What must not be, what may be done about it, and for how long to look; see `foregone.protect`.

    The policy is that of a file, or the default, perhaps with another number of `columns`. `costs` may be a file, too. `limit` and
    `workers` are for many releases: how many of them, and how many processes.
    """

    policy: Path | None = None
    columns: int | None = None
    by: str = "cell"
    know: Knowledge | None = None
    attacker: str = "exact"
    reader: str = "any"
    keep: tuple[str, ...] = ()
    costs: Mapping[str, int] | Path | str = "one"
    withhold: bool = True
    round_to: tuple[int, ...] = ()
    merge: tuple[tuple[str, str, str], ...] = ()
    marks: str = "one"
    mark: str = ""
    proofs: bool = False
    groups: Groups = Groups.PUBLISHED
    alternatives: int = 0
    keep_like: Path | None = None  # an earlier protected release, whose pattern is preferred
    already: Path | None = None  # a release that is out, and cannot be changed any more
    people: str = "changed"  # what may have happened to the people since then
    time_limit: float | None = None
    max_records: int = MAX_RECORDS
    limit: int | None = None
    workers: int | None = None

    @property
    def for_many(self) -> bool:
        """Can all of it be asked about many releases at once?"""
        exact = self.attacker == "exact" and self.reader == "any" and self.costs == "one"
        again = self.keep_like is not None or self.already is not None
        return self.by == "table" and exact and not self.round_to and not self.merge and not again


def is_many(path: Path) -> bool:
    """Everything but a single release: a unit file, a run, a folder or a table of releases."""
    if path.is_dir():
        return not (path / "domain.json").exists() or (path / "predicates.csv").exists()
    if path.suffix == ".parquet" and path.is_file():
        try:
            read_release(path)
        except InputError:
            return True
    return path.is_file() and path.suffix not in (".json", ".parquet")


def protect_files(
    path: Path, asked: ProtectionAsked, watch: Watch | None = None, interrupted: Callable[[], None] = lambda: None
) -> Protection | ProtectionOfMany:
    """Find the least to withhold of a release, or one choice of tables for all releases of a source.

    `watch` is told the bounds as they close; `interrupted` raises if somebody wanted to stop while files were read.
    """
    if is_many(path):
        return _many(path, asked, watch, interrupted)
    published = read_release(path)
    interrupted()
    most = len(published.domain.columns)
    if asked.columns is not None and asked.columns > most:
        raise InputError(f"--columns {asked.columns}: a {published.domain.record} has {most} columns here; use 1 to {most}")
    chosen = asked.policy if asked.columns is None else by_columns(asked.columns)
    costs = _costs(asked, published)
    if asked.already is None:
        return _protected(published, chosen, asked, asked.keep, costs, watch)
    rules = as_policy(chosen, asked.know)
    if asked.merge or asked.reader != "any":
        raise InputError("--already: does not go with --merge and --reader knows-the-rule; join the releases, and protect that")
    both = with_what_is_out(path, published, asked.already, asked.people)
    priced = costs if isinstance(costs, str) else {f"{both.name}/{name}": cost for name, cost in costs.items()}
    kept = (f"{both.out}/", *both.named(asked.keep))
    told = replace(asked, know=None)  # it is in the policy
    found = _protected(both.joined, both.policy(rules), told, kept, priced, watch)
    if not both.kept(found, rules, asked.groups, asked.time_limit):
        found = _protected(both.joined, both.policy(rules, strict=True), told, kept, priced, watch)
    if found.impossible:
        return replace(found, impossible=f"{found.impossible} What is out in {asked.already} cannot be withheld any more.")
    return replace(both.planned_part(found, rules), joined=both.joined, assumptions=both.assumptions)


def check_files_output(release: Path, files: Path, others: Sequence[Path | None]) -> None:
    """Refuse a folder for the files, or a release that has none, before any work is done."""
    rows = place_rows(release)
    if not rows:
        raise InputError(f"--files: {release} was not imported from files, so there are none to write back; leave it out")
    found = [found_again(file, release) for file in dict.fromkeys(row[1] for row in rows)]
    check_outputs([*others, *found], folders={"--files": files})


def _protected(
    published: Release,
    policy: Policy | Path | None,
    asked: ProtectionAsked,
    keep: Sequence[str],
    costs: Mapping[str, int] | str,
    watch: Watch | None,
) -> Protection:
    return protect(
        published,
        policy,
        by=asked.by,
        know=asked.know,
        attacker=asked.attacker,
        keep=keep,
        costs=costs,
        withhold=asked.withhold,
        round_to=asked.round_to,
        merge=asked.merge,
        time_limit=asked.time_limit,
        alternatives=asked.alternatives,
        max_records=asked.max_records,
        watch=watch,
        proofs=asked.proofs,
        groups=asked.groups,
        marks=asked.marks,
        mark=asked.mark,
        reader=asked.reader,
    )


def _costs(asked: ProtectionAsked, published: Release) -> Mapping[str, int] | str:
    """What numbers cost, as asked; or so that last time's pattern is preferred."""
    if asked.keep_like is None:
        return read_costs(asked.costs) if isinstance(asked.costs, Path) else asked.costs
    if asked.costs != "one" or asked.round_to or asked.merge:
        raise InputError("--keep-like: says what numbers cost; leave out --cost, --round and --merge")
    return costs_like(published, asked.keep_like)


def _many(path: Path, asked: ProtectionAsked, watch: Watch | None, interrupted: Callable[[], None]) -> ProtectionOfMany:
    from foregone.census.sources import open_run_source
    from foregone.protection.many import protect_many

    if asked.reader != "any":
        raise InputError(f"{path}: --reader knows-the-rule is for one release at a time; leave it out for many")
    if not asked.for_many:
        raise InputError(f"{path}: for many releases use --by table, with --policy, --columns, --keep, --limit and --proofs alone")
    # of many releases claims are judged, and nothing else
    usual: Policy = replace(OF_MANY, singled_out_columns=asked.columns or OF_MANY.singled_out_columns)
    rules = as_policy(asked.policy or usual, asked.know)
    source, options = _source_of(path, asked.limit)
    with open_run_source(source, options) as opened:
        named = [release for part in opened.parts for release in opened.read(part).releases()]
    wrong = [release for _, release, _ in named if isinstance(release, str)]
    interrupted()
    if wrong:
        raise InputError(wrong)
    releases = [(name, release) for name, release, _ in named if not isinstance(release, str)]
    if asked.proofs and not _holds_releases(source):  # the checker reads releases and nothing else, so they are written for it
        releases = [(f"{name}.json", release) for name, release in releases]
    found = protect_many(
        releases,
        rules,
        asked.keep,
        asked.time_limit,
        asked.groups,
        asked.max_records,
        watch,
        asked.workers or os.cpu_count() or 1,
        asked.proofs,
    )
    return found if _holds_releases(source) or found.certificate is None else replace(found, proved_of=dict(releases))


def _holds_releases(source: Path) -> bool:
    """Is it a folder of releases, each in a place of its own?"""
    return source.is_dir() and not (source / "predicates.csv").exists()


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


@dataclass(frozen=True, slots=True)
class WrittenOut:
    """Where everything went. `folder` is all that may be published; `private`, the page and the certificate tell what is withheld.
    None stands for a page or a certificate that has no file of its own: it is in the private folder, if it was made.
    """

    folder: Path
    private: Path
    page: Path | None
    certificate: Path | None


def write_protected(
    found: Protection,
    release: Path,
    out: Path,
    page: Path | None = None,
    certificate: Path | None = None,
    asked: ProtectionAsked | None = None,
) -> WrittenOut:
    """Write a protected release to `out`, with what the original at `release` says about its numbers and still holds; and what is
    needed later to write its files and to review it, beside it.
    """
    shown = render_protection(found, subject_of_release(found.original.domain), today(), _possible(found))
    proof = "" if found.certificate is None else json.dumps(found.certificate, separators=(",", ":"), ensure_ascii=False) + "\n"
    write_protection(found, out, still_assumed(found, read_assumptions(release)), place_rows(release))
    write_private(found, out, "" if page else shown, "" if certificate else proof, _further(found, release, asked, out))
    if page is not None:
        write_text(page, shown)
    if certificate is not None and proof:
        write_text(certificate, proof)
    return WrittenOut(out, private_folder(out), page, certificate)


def _possible(found: Protection) -> list[Interval]:
    """What each cell that is not shown can still be, for the page."""
    if found.release is None or not (found.done or found.primary):
        return []
    return [cell for cell in intervals(found.release, hidden=True, time_limit=PAGE_SECONDS) if cell.withheld or cell.mark]


def _further(found: Protection, release: Path, asked: ProtectionAsked | None, out: Path) -> dict[str, str]:
    """What else is kept private: from which files the release came, what was asked, what it was protected together with, and what
    was decided about a release that this one takes the place of.
    """
    texts = source_texts(release, _told(asked))
    if is_there(decided := private_folder(out) / DECISIONS):
        texts[DECISIONS] = read_text(decided)
    return texts | ({} if found.joined is None else {JOINED: json_text(release_json(found.joined))})


def _told(asked: ProtectionAsked | None) -> dict[str, Any]:
    """What was asked, by option, as far as somebody asked for anything but the usual."""
    if asked is None:
        return {}
    usual = ProtectionAsked()
    given = {field.name: getattr(asked, field.name) for field in fields(asked)}
    texts = {name: value if isinstance(value, str | int | bool) else _plain(value) for name, value in given.items()}
    return {name: text for name, text in texts.items() if given[name] != getattr(usual, name)}


def _plain(value: object) -> Any:
    """A value of an option as JSON has it."""
    if isinstance(value, tuple):
        return [_plain(part) if isinstance(part, tuple) else part for part in value]
    return dict(value) if isinstance(value, Mapping) else value.words if isinstance(value, Knowledge) else str(value)


def publish_choice(found: ProtectionOfMany, out: Path, certificate: Path | None = None) -> Path | None:
    """Write down which tables of many releases may be published, and the certificate, if there is one; where that is. Releases that
    are in no folder of their own are written beside it.
    """
    write_record(found.json(), [(name, name in (found.withheld or ())) for name in found.names], out)
    if found.certificate is None:
        return None
    proof, private = json.dumps(found.certificate, separators=(",", ":"), ensure_ascii=False) + "\n", private_folder(out)
    if certificate is not None:
        write_text(certificate, proof)
    if certificate is None or found.proved_of:
        with new_folder(private) as folder:
            folder.chmod(0o700)
            fill(folder, {CERTIFICATE: proof} if certificate is None else {})
            if found.proved_of:
                (folder / RELEASES).mkdir()
                fill(folder / RELEASES, {name: json_text(release_json(release)) for name, release in found.proved_of.items()})
    return certificate or private / CERTIFICATE
