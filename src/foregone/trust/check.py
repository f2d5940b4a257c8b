"""An independent checker of proofs. Read it from top to bottom: it is all you need to trust.

It uses the standard library and the plain nouns of the package, whole numbers only, and no solver. It never asks how a
proof was found. It works out from the release which records are possible, and then, for each claim, whether the
published numbers, added up as the proof says, leave no other count. docs/soundness.md has one lemma per step.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from foregone.errors import InputError
from foregone.release import Release

MAX_BYTES = 256 * 1024 * 1024
MAX_RECORDS = 1_000_000
MAX_DEPTH = 400
MAX_CLAIMS = 3_000_000


class Rejected(Exception):
    """A proof, or the whole file, does not hold; the text says why."""


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


# --- the possible records ---------------------------------------------------------------------------------------------


class World:
    """The records that the published zeros and the rules leave possible, worked out from the release alone.

    A record is a tuple of atoms, one per column; an atom is a set of codes that no statistic and no rule tells apart.
    Everything a record belongs to is one big number: bit i for statistic i, and further bits for the rules.
    """

    def __init__(self, release: Release, exclusions: Any) -> None:
        self.release = release
        self.count = len(release.statistics)
        columns = range(len(release.domain.columns))
        tests = [*release.masks, *release.rule_masks]
        full = (1 << len(tests)) - 1
        self.atoms: list[dict[int, set[str]]] = []
        for c in columns:
            groups: dict[int, set[str]] = defaultdict(set)
            for position, code in enumerate(release.domain.columns[c].codes):
                belongs = full
                for bit, masks in enumerate(tests):
                    if c in masks and not masks[c] >> position & 1:
                        belongs &= ~(1 << bit)
                groups[belongs].add(code)
            self.atoms.append(dict(groups))
        self.scope = [set(masks) for masks in tests]  # the columns that each statistic and rule looks at
        self.zeros = [i for i, s in enumerate(release.statistics) if s.high == 0]
        self.zeros += range(self.count, len(tests))
        self.alive = [set(groups) for groups in self.atoms]
        self._drop_dead_atoms()
        self.exclusions = [self._exclusion(entry) for entry in as_list(exclusions, "exclusions")]
        self.records = list(self._join())
        self.cells: dict[int, list[int]] = defaultdict(list)  # records in exactly the same statistics
        for number, (_, belongs) in enumerate(self.records):
            self.cells[belongs].append(number)
        self.inside: list[list[int]] = [[] for _ in range(self.count)]  # statistic -> cells
        self.having: list[dict[int, set[int]]] = [defaultdict(set) for _ in columns]  # column, atom -> records
        for belongs in self.cells:
            for i in bits_of(belongs):
                self.inside[i].append(belongs)
        for number, (record, _) in enumerate(self.records):
            for c, atom in enumerate(record):
                self.having[c][atom].add(number)

    def allowed(self, c: int, bit: int) -> set[int]:
        """The alive atoms of a column that statistic or rule `bit` allows."""
        return {atom for atom in self.alive[c] if atom >> bit & 1}

    def _drop_dead_atoms(self) -> None:
        """An atom is dead when an empty box restricts nothing but its column, among atoms still alive."""
        changed = True
        while changed:
            changed = False
            for bit in self.zeros:
                limits = {c: self.allowed(c, bit) for c in self.scope[bit]}
                limits = {c: atoms for c, atoms in limits.items() if atoms != self.alive[c]}
                if len(limits) == 1:
                    (c, atoms), = limits.items()
                    if atoms:
                        self.alive[c] -= atoms
                        changed = True
                elif not limits and all(self.alive[c] for c in self.scope[bit]):
                    self.alive = [set() for _ in self.alive]  # an empty box that holds everything

    def _exclusion(self, entry: Any) -> tuple[int, int, set[int]]:
        """Parts that lie inside a container, do not overlap, and use up all its records leave nothing else in it."""
        container = self.statistic(as_dict(entry, "exclusion").get("container"))
        parts = [self.statistic(part) for part in as_list(entry.get("parts"), "parts")]
        high = self.release.statistics[container].high
        if high is None or sum(self.release.statistics[part].low for part in parts) < high:
            raise Rejected(f"exclusion: the parts need not use up statistic {container}")
        boxes = []
        for part in parts:
            scope = self.scope[part] | self.scope[container]
            if any(self.allowed(c, part) - self.allowed(c, container) for c in scope) and all(
                self.allowed(c, part) for c in scope
            ):
                raise Rejected(f"exclusion: statistic {part} is not inside statistic {container}")
            boxes.append({c: self.allowed(c, part) for c in self.scope[part]})
        seen: set[tuple[tuple[int, int], ...]] = set()
        single = {tuple(sorted(box)) for box in boxes if all(len(atoms) == 1 for atoms in box.values())}
        for i, box in enumerate(boxes):
            if len(single) == 1 and all(len(atoms) == 1 for atoms in box.values()):
                point = tuple(sorted((c, next(iter(atoms))) for c, atoms in box.items()))
                if point in seen:
                    raise Rejected(f"exclusion: the parts of statistic {container} overlap")
                seen.add(point)
                rest = [other for other in boxes[:i] if any(len(atoms) != 1 for atoms in other.values())]
            else:
                rest = boxes[:i]
            for other in rest:
                if all(box.get(c, self.alive[c]) & other.get(c, self.alive[c]) for c in {*box, *other}):
                    raise Rejected(f"exclusion: the parts of statistic {container} overlap")
        scope = set().union(self.scope[container], *(self.scope[part] for part in parts))
        return 1 << container, sum(1 << part for part in parts), scope

    def _join(self) -> Iterator[tuple[tuple[int, ...], int]]:
        """List possible records one column at a time, dropping what an empty box or an exclusion rules out."""
        left, joined = set(range(len(self.atoms))), list[int]()
        partial: list[tuple[tuple[int, ...], int]] = [((), (1 << len(self.scope)) - 1)]
        while left:
            column = min(left, key=lambda c: (len(self.alive[c]) / (1 + self._closed_by(joined, c)), c))
            left.remove(column)
            joined.append(column)
            known = set(joined)
            zeros = sum(1 << bit for bit in self.zeros if column in self.scope[bit] and self.scope[bit] <= known)
            rules = [(box, parts) for box, parts, scope in self.exclusions if column in scope and scope <= known]
            partial = [
                ((*record, atom), both)
                for record, belongs in partial
                for atom in self.alive[column]
                if not (both := belongs & atom) & zeros and not any(both & box and not both & parts for box, parts in rules)
            ]
            if len(partial) > MAX_RECORDS:
                raise Rejected(f"more than {MAX_RECORDS:,} records stay possible, too many for this checker")
        back = sorted(range(len(joined)), key=joined.__getitem__)
        for record, belongs in sorted(partial):
            if not any(not self.scope[bit] for bit in self.zeros):
                yield tuple(record[i] for i in back), belongs & ((1 << self.count) - 1)

    def _closed_by(self, joined: list[int], column: int) -> int:
        known = {*joined, column}
        return sum(column in self.scope[bit] and self.scope[bit] <= known for bit in self.zeros)

    def statistic(self, index: Any) -> int:
        if isinstance(index, bool) or not isinstance(index, int) or not 0 <= index < self.count:
            raise Rejected(f"there is no statistic number {index!r}")
        return index

    def cell(self, codes: Any) -> int:
        """The cell of a record given by its codes."""
        values = as_list(codes, "record")
        if len(values) != len(self.atoms):
            raise Rejected("a record does not have one code per column")
        atoms = tuple(next((a for a, group in g.items() if v in group), -1) for g, v in zip(self.atoms, values, strict=True))
        numbers = set.intersection(*(self.having[c].get(atom, set()) for c, atom in enumerate(atoms)))
        for number in numbers:
            return self.records[number][1]
        raise Rejected(f"the record {values} is not possible")

    def select(self, claim: Mapping[str, str]) -> set[int]:
        """Possible records that a claim selects; a claim that names one value of an atom of several selects none surely."""
        chosen: set[int] | None = None
        for name, code in claim.items():
            if name not in self.release.domain.index:
                raise Rejected(f"{name!r} is not a column")
            c = self.release.domain.index[name]
            atom = next((a for a, group in self.atoms[c].items() if code in group), None)
            if atom is None or (len(self.atoms[c][atom]) > 1 and self.having[c].get(atom)):
                raise Rejected(f"no statistic tells {name}={code!r} apart from other values")
            found = self.having[c].get(atom, set())
            chosen = set(found) if chosen is None else chosen & found
        return set(range(len(self.records))) if chosen is None else chosen

    def remove(self, cells: set[int]) -> None:
        """Cells shown to be empty are not possible after all."""
        for cell in cells:
            for number in self.cells.pop(cell, []):
                for c, atom in enumerate(self.records[number][0]):
                    self.having[c][atom].discard(number)
        self.inside = [[cell for cell in found if cell in self.cells] for found in self.inside]


# --- proofs -----------------------------------------------------------------------------------------------------------


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
    if count < 0 or not all(isinstance(value, str) for pair in claim.items() for value in pair):
        raise Rejected("a claim maps columns to codes and has a count from 0 up")
    chosen = world.select(claim)
    members = {world.records[number][1] for number in chosen}
    if any(number not in chosen for cell in members for number in world.cells[cell]):
        raise Rejected("the claim cuts through records that the statistics do not tell apart")
    proof = as_dict(fact.get("proof"), "proof")
    ground = fact.get("ground")
    if ground not in ("published", "linear", "bound", "search"):
        raise Rejected(f"{ground!r} is not a ground")
    if "equal" in proof:
        check_equal(world, proof["equal"], members, count)
    else:
        check_at_most(world, proof.get("upper"), members, 1, count, {})
        check_at_most(world, proof.get("lower"), members, -1, -count, {})
    for form in as_list(fact.get("forms"), "forms"):
        names = as_list(form, "form")
        if not all(isinstance(name, str) and name in claim for name in names):
            raise Rejected("a shorter form names a column that the claim does not")
        if world.select({name: claim[name] for name in names}) != chosen:
            raise Rejected(f"the form {names} selects other possible records than the claim")
    return frozenset(chosen)


def check(release: Release, document: Any, complete: bool = False) -> Checked:
    """Check every proof of a file against the release; with `complete`, also that no certain claim is missing."""
    result = Checked()
    try:
        if as_dict(document, "file").get("format") != "foregone-proofs" or document.get("version") != 1:
            raise Rejected("not a proofs file of version 1")
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
            proved[check_fact(world, fact)] = fact["count"]
            result.accepted += 1
        except Rejected as error:
            result.rejected.append(f"fact {number}: {error}")
    if complete:
        from foregone.trust.complete import nothing_missed

        result.complete, result.reason = nothing_missed(world, document.get("witnesses"), proved)
    return result


# --- small matters ----------------------------------------------------------------------------------------------------


def bits_of(mask: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def as_list(value: Any, what: str) -> list[Any]:
    if not isinstance(value, list):
        raise Rejected(f"{what}: a list was expected")
    return value


def as_dict(value: Any, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Rejected(f"{what}: an object was expected")
    return value


def as_int(value: Any, what: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise Rejected(f"{what}: a whole number was expected")
    return value
