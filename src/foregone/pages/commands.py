"""What a reader can do next: a sentence each, and commands to copy that are correct for the very release that the page is about."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePath
from shlex import join

from foregone.model.domain import Domain
from foregone.model.errors import what_to_do
from foregone.model.policy import Policy, by_columns, whose
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.sentences import number, plural
from foregone.pages.collection import Collection
from foregone.pages.explanations import Explanations
from foregone.pages.outcome import Outcome
from foregone.pages.ranking import AuditedRelease
from foregone.policy.judge import PolicyVerdict
from foregone.policy.sentences import policy_words

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


@dataclass(frozen=True, slots=True)
class NextStep:
    title: str
    words: str
    commands: tuple[str, ...] = ()


def after_release(
    audited: AuditedRelease, explained: Explanations, place: Place, outcome: Outcome, redact: bool
) -> list[NextStep]:
    """What to do about the outcome of one release. A redacted page names no cells."""
    steps = _prepared(place)
    if PolicyVerdict.BROKEN in (outcome.fail, outcome.review):
        steps.append(_protect(place, outcome))
        steps += [] if redact else _what_if(audited, explained, place)
    if audited.audit.open:
        reason = audited.audit.reason or "a limit was reached"
        words = f"Nobody knows yet whether the undecided statements are certain: {reason}. To settle them, {what_to_do(reason)}."
        steps.append(NextStep("Settle what is undecided", words, (join(["foregone", "audit", place.path]),)))
    if outcome.verdict == "pass":
        words = (
            "This page is about these numbers alone. Together with an earlier release, or with other tables about the same"
            f" {plural(audited.release.domain.record, 2)}, they can give away more. EARLIER stands for such a release."
        )
        both = f"{place.stem}-with-earlier"
        commands = (
            join(["foregone", "join", "EARLIER", place.path, "--out", both]),
            join(["foregone", "report", both, "--out", f"{both}.html"]),
        )
        return [*steps, NextStep("Look at it together with other releases", words, commands)]
    return steps


def after_collection(collection: Collection, place: Place, outcome: Outcome, page: str, told: int) -> list[NextStep]:
    """What to do about the outcome of many releases; `page` is this page, which tells why `told` facts are certain."""
    steps = []
    if collection.over_fail or collection.over_review:
        words = (
            f"One choice of tables to withhold that protects every {collection.noun}, with a proof that no smaller choice does."
            " This can take long."
        )
        failed = bool(collection.over_fail)
        policy = outcome.policies.fail if failed else outcome.policies.review
        commands = protect_commands(place, policy, failed, many=True)
        steps.append(NextStep("Withhold as little as possible", words, commands))
    if not told and collection.found and collection.source and collection.subject.republish is not None:
        words = "With the file that everything was made from, the page also derives the most telling facts, step by step."
        command = join(["foregone", "report", place.path, "--source", collection.source, "--out", page])
        steps.append(NextStep("See why the facts are certain", words, (command,)))
    words = "An overview; with --by a table by place, size or number of attributes; with --sql any other question."
    return [*steps, NextStep("Ask the run", words, (join(["foregone", "query", place.path]),))]


def _prepared(place: Place) -> list[NextStep]:
    if not place.prepare:
        return []
    words = f"The commands below read the release from a folder.{' In Python:' if place.python else ''}"
    return [NextStep("Write the release to a folder", words, (place.prepare,))]


def _protect(place: Place, outcome: Outcome) -> NextStep:
    failed = outcome.verdict == "fail"
    _, policy, origin = outcome.policies.both[0 if failed else 1]
    words = (
        f"The least to withhold so that nothing is over the limit ({policy_words(policy)}; {whose(origin)}), with a proof that"
        " nothing less is enough. It writes a new release and a page with both side by side; yours stays as it is. Numbers that"
        " are out already can no longer be withheld: name them after --keep."
    )
    commands = protect_commands(place, policy, failed)
    if len(commands) > 1:
        words += " The first command saves the review limit as a policy file, because protect only asks for what must not be."
    return NextStep("Withhold as little as possible", words, commands)


def _what_if(audited: AuditedRelease, explained: Explanations, place: Place) -> list[NextStep]:
    """Withhold what the first fact that is explained rests on: a start for trying things out."""
    domain = audited.release.domain
    for i, fact in enumerate(audited.listed, start=1):
        found = explained.get((fact.predicate.text(domain), fact.count))
        ways = None if found is None else found.ways
        if ways is None:
            continue
        numbers = ways.alone[:1] if ways.alone else ways.withhold
        command = what_if_command(place, audited.release, numbers)
        if command:
            some = "one number" if len(numbers) == 1 else f"{number(len(numbers))} numbers"
            words = (
                f"Without {some} fact {i} is no longer certain. This shows what else would vanish, and what would stay: others"
                " may still be over the limit. Nothing is changed. Name any other numbers or tables after --hide."
            )
            return [NextStep("Try out what withholding does", words, (command,))]
    return []
