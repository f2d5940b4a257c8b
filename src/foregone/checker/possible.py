"""The first half of the checker: which records are possible, worked out from the release alone.

Standard library and plain nouns only. Whole numbers as sets of bits are all the machinery there is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from foregone.model.release import Release

MAX_RECORDS = 1_000_000


class Rejected(Exception):
    """A proof, or the whole file, does not hold; the text says why."""


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

    def atom(self, c: int, code: Any) -> int:
        """The atom of a column that holds a code."""
        for atom, group in self.atoms[c].items():
            if isinstance(code, str) and code in group:
                return atom
        raise Rejected(f"{code!r} is not a value of {self.release.domain.columns[c].name}")

    def cell(self, codes: Any) -> int:
        """The cell of a record given by its codes."""
        values = as_list(codes, "record")
        if len(values) != len(self.atoms):
            raise Rejected("a record does not have one code per column")
        numbers = set.intersection(*(self.having[c].get(self.atom(c, value), set()) for c, value in enumerate(values)))
        for number in numbers:
            return self.records[number][1]
        raise Rejected(f"the record {values} is not possible")

    def select(self, claim: Mapping[str, Any]) -> tuple[set[int], set[int]]:
        """Possible records that match a claim (column -> code, or list of codes) for sure, and those that may match.

        The two differ only where a claim names some but not all values of an atom.
        """
        surely: set[int] | None = None
        perhaps: set[int] | None = None
        for name, value in claim.items():
            codes = [value] if isinstance(value, str) else as_list(value, f"codes of {name}")
            if name not in self.release.domain.index or not codes:
                raise Rejected(f"{name!r} is not a column, or no code is named")
            c = self.release.domain.index[name]
            atoms = {self.atom(c, code) for code in codes}
            touched = set().union(*(self.having[c].get(atom, set()) for atom in atoms))
            inside = set().union(*(self.having[c].get(a, set()) for a in atoms if self.atoms[c][a] <= set(codes)))
            surely = inside if surely is None else surely & inside
            perhaps = touched if perhaps is None else perhaps & touched
        if surely is None or perhaps is None:
            everything = {number for numbers in self.cells.values() for number in numbers}
            return everything, everything
        return surely, perhaps

    def remove(self, cells: set[int]) -> None:
        """Cells shown to be empty are not possible after all."""
        for cell in cells:
            for number in self.cells.pop(cell, []):
                for c, atom in enumerate(self.records[number][0]):
                    self.having[c][atom].discard(number)
        self.inside = [[cell for cell in found if cell in self.cells] for found in self.inside]


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
