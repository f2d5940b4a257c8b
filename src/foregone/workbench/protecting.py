"""Protecting and publishing, as the process for long work does them: workflows that leave their results in the folder.

A small file beside each result says what it was made from, so that a screen knows when it is out of date.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from shlex import join
from typing import Any

from foregone.formats.beside import read_assumptions
from foregone.formats.folder import read_release
from foregone.formats.outputs import write_text
from foregone.formats.policy import read_policy
from foregone.formats.protection import private_folder
from foregone.model.errors import InputError
from foregone.model.policy import Policy
from foregone.model.protection import Protection, protection_summary
from foregone.model.release import Release
from foregone.pages.release_page import PageOptions, headline
from foregone.workbench.desk import FILES, PROTECTED, Desk, Listener, audit_reading
from foregone.workbench.folder import MADE, cleared, is_plain
from foregone.workbench.state import WantedRule, WorkState
from foregone.workflows.protect import ProtectionAsked, protect_files, write_protected
from foregone.workflows.publish import publish
from foregone.workflows.review import record_decision, review, sheet_page

POLICY, PROTECTION, PUBLISHED = "policy.toml", "protected.json", "published.json"
CERTIFICATE = "certificate.json"
MOST_NAMES = 20_000


def policy_text(wanted: WantedRule) -> str:
    """The rule as a policy file."""
    lines = [f"singled_out_columns = {wanted.columns}"] if wanted.columns else []
    lines += ['stars = "unknown"' if wanted.stars == 2 else f"stars = {wanted.stars}"] if wanted.stars else []
    return "\n".join(lines) + "\n"


def policy_of(wanted: WantedRule, policies: tuple[str, ...]) -> tuple[Policy, Path]:
    """The rule, and the file that says it: one of the folder, or the one that is made here."""
    if wanted.policy:
        if wanted.policy not in policies:
            raise InputError(f"{wanted.policy}: is not there any more; choose another rule")
        return read_policy(Path(wanted.policy)), Path(wanted.policy)
    if not wanted.columns and not wanted.stars:
        raise InputError("nothing is forbidden yet; choose at least one rule")
    path = Path(MADE) / POLICY
    if not is_plain(path) or path.read_text("utf-8") != policy_text(wanted):
        write_text(path, policy_text(wanted), silent=True)
    return read_policy(path), path


def protect_command(release: Path, policy: Path, wanted: WantedRule) -> str:
    """The command that protects the same release by the same rule, from the working folder."""
    words = ["foregone", "protect", str(release), "--policy", str(policy)]
    words += [word for name in wanted.keep for word in ("--keep", name)]
    words += ["--cost", wanted.cost] if wanted.cost != "one" else []
    return join([*words, "--proofs", f"{MADE}/{CERTIFICATE}", "--out", f"{MADE}/{PROTECTED}"])


def made_from(desk: Desk, state: WorkState) -> str:
    """Changes with the tables, how they are read, and the rule."""
    wanted = state.wanted
    own = Path(wanted.policy).read_text("utf-8") if wanted.policy and is_plain(Path(wanted.policy)) else ""
    return hashlib.sha256(repr((desk.key(state), wanted, own)).encode()).hexdigest()


def protect_task(desk: Desk, listener: Listener, state: WorkState) -> str:
    """Find the least to withhold and write it down; when it is stopped, the best that was found."""
    reading = desk.reading(state)
    if reading.release is None:
        raise InputError("the tables are not read yet: answer what is asked on the first screen")
    _, policy = policy_of(state.wanted, desk.folder.policies())
    unknown = [name for name in state.wanted.keep if name not in {count.name for count in reading.release.published}]
    if unknown:
        raise InputError(f"{unknown[0]} is to stay, but is not a number of these tables any more; let go of it")

    def watch(lower: int, upper: int | None) -> None:
        best = "nothing found yet" if upper is None else f"best so far {upper:,}"
        listener(f"No choice costs less than {lower:,}; {best}", None if not upper else lower / upper)

    listener("Looking for the least to withhold")
    costs = state.wanted.cost
    asked = ProtectionAsked(policy=policy, keep=state.wanted.keep, costs=costs, proofs=True, alternatives=1)
    found = protect_files(reading.path, asked, watch)
    assert isinstance(found, Protection)
    if found.release is None:
        lines = protection_summary(found, MOST_NAMES).splitlines()
        raise InputError([*lines, "let go of numbers that must stay, or choose a weaker rule"] if found.impossible else lines)
    listener("Writing the protected release")
    cleared(desk.folder.inside(FILES))
    certificate = Path(MADE) / CERTIFICATE
    write_protected(found, reading.path, Path(MADE) / PROTECTED, certificate=certificate, asked=asked)
    record = {
        "from": made_from(desk, state),
        "cells": list(found.cells),
        "cost": found.cost,
        "lower": found.lower_bound,
        "optimal": found.optimal and (not found.cost or found.proved),
        "kept": found.after == 0,
        "lines": protection_summary(found, MOST_NAMES, others=False).splitlines(),
        "others": [{"cost": other.cost, "actions": list(other.actions)} for other in found.alternatives],
        "policy": str(policy),
    }
    write_text(desk.folder.inside(PROTECTION), json.dumps(record, ensure_ascii=False, indent=1) + "\n", silent=True)
    return ""


def publish_task(desk: Desk, listener: Listener, state: WorkState) -> str:
    """Write the files, read them again as a reader would, and say what that reader can tell."""
    record = current(desk, state, PROTECTION)
    if not record:
        raise InputError("what is to be published is not protected yet; find the least to withhold first")
    files, protected = Path(MADE) / FILES, Path(MADE) / PROTECTED
    listener("Writing the files and reading them again")
    cleared(desk.folder.inside(FILES))
    made = publish(protected, files)
    listener("Auditing them as a reader would")
    release = read_release(protected)
    audited = audit_reading(desk.reading(state), release, listener).audited
    told = {
        "from": record["from"],
        "files": [
            {
                "name": file.name,
                "sha256": file.sha256,
                "cells": [[cell.sheet, cell.cell, cell.text, cell.why] for cell in file.cells],
                "taken_out": list(file.taken_out),
                "look_at": list(file.look_at),
            }
            for file in made.files
        ],
        "footnotes": list(made.footnotes),
        "headline": list(headline(audited, PageOptions(""))),
    }
    write_text(desk.folder.inside(PUBLISHED), json.dumps(told, ensure_ascii=False, indent=1) + "\n", silent=True)
    return ""


def sign_off_task(desk: Desk, listener: Listener, state: WorkState) -> str:
    """The sheet for whoever has to sign, as a page of its own."""
    record = current(desk, state, PROTECTION)
    if not record:
        raise InputError("there is nothing to sign yet; find the least to withhold first")
    listener("Gathering what a reviewer has to know")
    release, policy, certificate = Path(MADE) / PROTECTED, Path(str(record["policy"])), Path(MADE) / CERTIFICATE
    proof = certificate if is_plain(certificate) else None
    sheet = review(release, proof, policy)
    if state.signature is not None and sheet.decision != state.signature:
        sheet = review(release, proof, policy, state.signature)
        record_decision(sheet, release)
    return sheet_page(sheet)


def review_command(state: WorkState) -> str:
    """The sheet on the command line, with the decision where there is one."""
    words = ["foregone", "review", f"{MADE}/{PROTECTED}", "--certificate", f"{MADE}/{CERTIFICATE}"]
    if (sign := state.signature) is not None:
        words += ["--accept" if sign.accepted else "--reject", "--name", sign.name, "--date", sign.date]
        words += ["--reason", sign.reason] if sign.reason else []
    return join([*words, "--out", f"{MADE}/sign-off.html"])


def current(desk: Desk, state: WorkState, name: str) -> Mapping[str, Any]:
    """What a result says about itself, if it is there and not out of date."""
    try:
        content = json.loads(desk.folder.inside(name).read_text("utf-8")) if is_plain(desk.folder.inside(name)) else {}
    except ValueError:
        return {}
    return content if isinstance(content, dict) and content.get("from") == made_from(desk, state) else {}


def protected_release() -> Release:
    return read_release(Path(MADE) / PROTECTED)


def private_files(desk: Desk) -> list[str]:
    """What must not be published, by where it lies."""
    folder = private_folder(desk.folder.inside(PROTECTED))
    inside = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    own = [CERTIFICATE] if is_plain(desk.folder.inside(CERTIFICATE)) else []
    return [f"{MADE}/{name}" for name in own] + [f"{MADE}/{folder.name}/{name}" for name in inside]


def assumed() -> tuple[str, ...]:
    """What everything about the protected release takes for granted."""
    return read_assumptions(Path(MADE) / PROTECTED)
