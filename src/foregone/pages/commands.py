"""Commands to copy from a page: correct for the very release that it is about."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePath
from shlex import join

from foregone.model.domain import Domain
from foregone.model.policy import Policy, by_columns
from foregone.model.predicate import Predicate
from foregone.model.release import Release

STRICT = "strict.toml"  # the policy file that a page proposes


@dataclass(frozen=True, slots=True)
class Place:
    """Where a command finds what a page is about, and the limits it is judged by.

    `path` and `policy` are as the user gave them. Where `path` does not exist yet, `prepare` makes it: a command or, after
    `python`, a line of Python.
    """

    path: str
    policy: str = ""
    prepare: str = ""
    python: bool = False

    @property
    def stem(self) -> str:
        """A name to call new files after."""
        return PurePath(self.path).stem or "release"


IN_PYTHON = Place("release", prepare='release.write("release")', python=True)  # a release that is nowhere on disk
HIDDEN_PLACE = Place("RELEASE")  # on a redacted page


def protect_commands(place: Place, policy: Policy, failed: bool, many: bool = False) -> tuple[str, ...]:
    """The least to withhold. A policy file says what must not be; what is merely looked at needs one of its own."""
    words = ["foregone", "protect", place.path, *(["--by", "table"] if many else [])]
    out = ["--out", f"{place.stem}-protected", *([] if many else ["--page", f"{place.stem}-protected.html"])]
    if failed:
        return (join([*words, *(["--policy", place.policy] if place.policy else []), *out]),)
    columns = policy.singled_out_columns
    if columns is not None and policy in (Policy(columns), by_columns(columns)):
        return (join([*words, "--columns", str(columns), *out]),)
    lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in policy.json().items()]
    write = join(["printf", r"%s\n", *lines])
    return (f"{write} > {STRICT}", join([*words, "--policy", STRICT, *out]))


def what_if_command(place: Place, release: Release, numbers: Iterable[int]) -> str:
    """What would still be certain without some of the numbers; nothing where one of them has no name of its own."""
    names = [_name(release, i) for i in numbers]
    if not names or not all(names):
        return ""
    hidden = [word for name in names for word in ("--hide", name)]
    return join(["foregone", "audit", place.path, *hidden, "--page", f"{place.stem}-what-if.html"])


def _name(release: Release, i: int) -> str:
    """The name by which a number can be withheld on its own."""
    source = release.statements[i].source
    alone = source is not None and sum(row.name == source.name for row in release.published) == 1
    return source.name if source is not None and alone else ""


def explain_command(path: str, domain: Domain, predicate: Predicate, count: int) -> str:
    return join(["foregone", "explain", path, predicate.text(domain), "--count", str(count)])
