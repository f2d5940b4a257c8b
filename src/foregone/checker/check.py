"""An independent checker of proofs. This page, `world.py` and `complete.py` are all you need to trust.

It uses the standard library and the plain nouns of the package, whole numbers only, and no solver. It never asks how a
proof was found. It works out from the release which records are possible, and then, for each claim, whether the
published numbers, added up as the proof says, leave no other count. docs/soundness.md has one lemma per step.
"""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from foregone.checker.complete import nothing_missed
from foregone.checker.possible import Rejected, World, as_dict, as_int, as_list
from foregone.checker.seal import FORMAT, VERSION, digest
from foregone.model.errors import InputError
from foregone.model.release import Release

MAX_BYTES = 256 * 1024 * 1024
MAX_DEPTH = 400


@dataclass
class Checked:
    """What was accepted, and what was rejected for which reason."""

    accepted: int = 0
    rejected: list[str] = field(default_factory=list)
    complete: bool | None = None  # with check --complete: was nothing missed?
    reason: str = ""


def read_proofs(path: Path) -> Any:
    """The file as data; anything that is not sensible JSON is bad input, however large or deep."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise InputError(f"{path}: larger than {MAX_BYTES:,} bytes; proofs of one release are far smaller")
        return json.loads(path.read_bytes())
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); check the path") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not a proofs file ({type(error).__name__}); write one with audit --proofs") from None


def combination(world: World, entry: Any) -> tuple[dict[int, int], int, list[tuple[int, int]]]:
    """Terms of a proof, added up cell by cell: (sum of the multipliers of each cell, denominator, terms)."""
    terms = []
    for pair in as_list(as_dict(entry, "combination").get("terms"), "terms"):
        if not isinstance(pair, list) or len(pair) != 2:
            raise Rejected("a term is not a pair of statistic and multiplier")
        terms.append((world.statistic(pair[0]), as_int(pair[1], "multiplier")))
    denominator = as_int(entry.get("denominator"), "denominator")
    if denominator < 1:
        raise Rejected("the denominator is not positive")
    sums: dict[int, int] = defaultdict(int)
    for i, multiplier in terms:
        for cell in world.inside[i]:
            sums[cell] += multiplier
    return sums, denominator, terms


def check_equal(world: World, entry: Any, members: set[int], count: int) -> None:
    """The combination is exactly 1 on the members' cells and 0 elsewhere, so the count is the combination of the counts."""
    sums, denominator, terms = combination(world, entry)
    for cell in world.cells:
        if sums.get(cell, 0) != (denominator if cell in members else 0):
            raise Rejected("the combination is not the claim's indicator on every possible record")
    total = 0
    for i, multiplier in terms:
        statistic = world.release.statistics[i]
        if statistic.low != statistic.high:
            raise Rejected(f"statistic {i} is a range, not an exact number")
        total += multiplier * statistic.low
    if total != denominator * count:
        raise Rejected(f"the combination of the published numbers is {total}/{denominator}, not {count}")


def check_at_most(
    world: World, node: Any, members: set[int], sign: int, target: int, held: dict[int, tuple[int, int | None]], depth: int = 0
) -> None:
    """sign * (number of records in the members' cells) is at most target, given limits on the cells held by splits."""
    if depth > MAX_DEPTH:
        raise Rejected(f"the search tree is deeper than {MAX_DEPTH}")
    if "split" in as_dict(node, "proof"):
        cell, at = world.cell(node["split"]), as_int(node.get("at"), "at")
        least, most = held.get(cell, (0, None))
        check_at_most(world, node.get("below"), members, sign, target, {**held, cell: (least, at)}, depth + 1)
        check_at_most(world, node.get("above"), members, sign, target, {**held, cell: (max(least, at + 1), most)}, depth + 1)
        return
    sums, denominator, terms = combination(world, node)
    objective = 0 if node.get("impossible") is True else sign  # a part that nothing fits is shown with objective 0
    goal = -1 if node.get("impossible") is True else target
    total = 0
    for i, multiplier in terms:
        limit = world.release.statistics[i].high if multiplier > 0 else world.release.statistics[i].low
        if limit is None:
            raise Rejected(f"statistic {i} has no upper limit to multiply")
        total += multiplier * limit
    for cell in world.cells:
        rest = (denominator * objective if cell in members else 0) - sums.get(cell, 0)
        if cell in held:
            least, most = held[cell]
            if rest > 0 and most is None:
                raise Rejected("the combination does not dominate the claim on a cell without an upper limit")
            total += rest * (least if rest <= 0 or most is None else most)
        elif rest > 0:
            raise Rejected("the combination does not dominate the claim on every possible record")
    if total // denominator > goal:
        raise Rejected(f"the bound is {total}/{denominator}, which allows more than {goal}")


def check_fact(world: World, fact: Any) -> frozenset[int]:
    """One fact: its claim, count, proof and shorter forms. Returns the possible records it is about."""
    claim = as_dict(as_dict(fact, "fact").get("claim"), "claim")
    count = as_int(fact.get("count"), "count")
    if count < 0 or fact.get("ground") not in ("published", "linear", "bound", "search"):
        raise Rejected("a fact has a count from 0 up and one of the four grounds")
    surely, perhaps = world.select(claim)
    # at most all cells that a match can be in, at least all cells that lie wholly inside
    touched = {world.records[number][1] for number in perhaps}
    whole = {cell for cell in touched if all(number in surely for number in world.cells[cell])}
    proof = as_dict(fact.get("proof"), "proof")
    if "equal" in proof:
        if touched != whole:
            raise Rejected("the claim cuts through records that the statistics do not tell apart")
        check_equal(world, proof["equal"], whole, count)
    else:
        check_at_most(world, proof.get("upper"), touched, 1, count, {})
        check_at_most(world, proof.get("lower"), whole, -1, -count, {})
    for form in as_list(fact.get("forms"), "forms"):
        names = as_list(form, "form")
        if not all(isinstance(name, str) and name in claim for name in names):
            raise Rejected("a shorter form names a column that the claim does not")
        if world.select({name: claim[name] for name in names}) != (surely, perhaps):
            raise Rejected(f"the form {names} selects other possible records than the claim")
    return frozenset(surely if touched == whole else ())


def check(release: Release, document: Any, complete: bool = False) -> Checked:
    """Check every proof of a file against the release; with `complete`, also that no certain claim is missing."""
    result = Checked()
    try:
        if as_dict(document, "file").get("format") != FORMAT or document.get("version") != VERSION:
            raise Rejected(f"not a proofs file of version {VERSION}")
        if document.get("digest") != digest(document):
            raise Rejected("changed since it was written: the digest does not fit")
        if document.get("release") != release.fingerprint():
            raise Rejected("made for another release: the fingerprints differ")
        world = World(release, document.get("exclusions"))
        for number, lemma in enumerate(as_list(document.get("lemmas"), "lemmas"), start=1):
            try:
                cells = {world.cell(codes) for codes in as_list(as_dict(lemma, "lemma").get("empty"), "empty")}
                check_at_most(world, lemma.get("proof"), cells, 1, 0, {})
            except Rejected as error:
                raise Rejected(f"lemma {number}: {error}") from None
            world.remove(cells)
        facts = as_list(document.get("facts"), "facts")
    except Rejected as error:
        result.rejected.append(str(error))
        return result
    proved: dict[frozenset[int], int] = {}
    for number, fact in enumerate(facts, start=1):
        try:
            about = check_fact(world, fact)
            proved[about] = fact["count"]
            result.accepted += 1
        except Rejected as error:
            result.rejected.append(f"fact {number}: {error}")
    if complete:
        result.complete, result.reason = nothing_missed(world, document.get("witnesses"), proved)
    return result

