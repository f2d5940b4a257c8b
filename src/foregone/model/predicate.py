"""A condition on records: for some columns, the set of values allowed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from foregone.model.alike import meant
from foregone.model.domain import Domain
from foregone.model.errors import InputError, gathered, refuse
from foregone.model.shown import listed, shown


@dataclass(frozen=True, slots=True)
class Predicate:
    """A record matches when every named column has one of its allowed values.

    >>> Predicate.of({"SEX": "F", "AGE": ["65-74", "75-84"]}).text()
    'AGE=65-74|75-84, SEX=F'
    """

    allowed: tuple[tuple[str, frozenset[str]], ...] = ()

    @classmethod
    def of(cls, conditions: Mapping[str, str | Iterable[str]]) -> Predicate:
        """A predicate from a dict: column to a code, or to a list of codes."""
        pairs = []
        for name, codes in conditions.items():
            if not isinstance(codes, Iterable) or not all(isinstance(code, str) for code in codes):
                raise InputError(f"column {name}: {shown(codes)} is not text; write its codes in quotes, such as '1'")
            values = frozenset((codes,) if isinstance(codes, str) else codes)
            if not values:
                raise InputError(f"column {name} has an empty set of values, which no record can match; name a value or drop it")
            pairs.append((name, values))
        return cls(tuple(sorted(pairs, key=lambda pair: pair[0])))

    @classmethod
    def parse(cls, text: str, domain: Domain) -> Predicate:
        """Read `SEX=F, AGE=65-74|75-84`; an empty text matches every record. Case and kind of dash do not matter.

        Codes may hold commas and equal signs as long as the reading is unambiguous: a comma
        starts a new condition only where a column name and `=` follow it.
        """
        conditions: dict[str, list[str]] = {}
        problems: list[str] = []
        for part in split_conditions(text, domain):
            name, equals, values = part.partition("=")
            name = meant(name.strip(), domain.names) or name.strip()
            if not equals or not name or not values.strip():
                problems.append(f"claim text: cannot read {shown(part.strip())}; write COLUMN=value|value, COLUMN=value")
                continue
            if name in conditions:
                problems.append(f"claim text: column {name} appears twice; join its values with '|'")
                continue
            with gathered(problems, "claim text: "):
                column = domain.column(name)
                conditions[name] = [code for value in values.split("|") for code in column.codes_meant(value.strip())]
        refuse(problems)
        return cls.of(conditions)

    def within(self, other: Predicate) -> bool:
        """Does every record that matches this match the other, whatever the domain?

        >>> Predicate.of({"SEX": "F", "AGE": "1"}).within(Predicate.of({"AGE": ["1", "2"]}))
        True
        """
        mine = dict(self.allowed)
        return all(name in mine and mine[name] <= codes for name, codes in other.allowed)

    def masks(self, domain: Domain, known: dict[tuple[str, frozenset[str]], int] | None = None) -> dict[int, int]:
        """Column position -> bit mask of allowed values, only where a column is really restricted.

        `known` keeps the masks of conditions from one call to the next, as many statistics name the same ones.
        """
        known = {} if known is None else known
        masks = {}
        for condition in self.allowed:
            mask = known.get(condition)
            if mask is None:
                mask = known[condition] = domain.column(condition[0]).mask(condition[1])
            at = domain.index[condition[0]]
            if mask != domain.columns[at].full:
                masks[at] = mask
        return masks

    def box(self, domain: Domain) -> dict[int, int]:
        """The values allowed in every named column, also where any value is, as bit masks in the domain's order."""
        masks = {domain.index[name]: domain.column(name).mask(codes) for name, codes in self.allowed}
        return {column: masks[column] for column in sorted(masks)}

    def text(self, domain: Domain | None = None) -> str:
        """The predicate as a user would type it, columns and values in the domain's order when it is given."""
        if domain is None:
            return ", ".join(f"{name}={'|'.join(sorted(codes))}" for name, codes in self.allowed)
        ordered = sorted(self.allowed, key=lambda pair: domain.index[pair[0]])
        return ", ".join(f"{name}={'|'.join(domain.column(name).ordered(codes))}" for name, codes in ordered)

    def positions(self, domain: Domain) -> list[tuple[int, ...]]:
        """The places of the values in each column of the domain, by which facts are sorted; none where a column is not named."""
        codes = dict(self.allowed)
        return [tuple(sorted(map(c.index.__getitem__, codes.get(c.name, ())))) for c in domain.columns]

    def __repr__(self) -> str:
        """As a user would type it, cut where it names very many values."""
        conditions = (f"{name}={listed(sorted(codes), '|')}" for name, codes in self.allowed)
        return f"Predicate({listed(conditions)})"

    def __len__(self) -> int:
        return len(self.allowed)


def within(masks: Mapping[int, int], others: Mapping[int, int]) -> bool:
    """Does every record that matches the masks, as `Predicate.masks` makes them, match the others?

    >>> within({0: 0b001, 1: 0b1}, {0: 0b011}), within({1: 0b1}, {0: 0b011})
    (True, False)
    """
    return all(column in masks and not masks[column] & ~mask for column, mask in others.items())


def split_conditions(text: str, domain: Domain) -> list[str]:
    parts: list[str] = []
    for piece in text.split(","):
        starts = meant(piece.partition("=")[0].strip(), domain.names) is not None
        if parts and not starts and "=" not in piece:
            parts[-1] += "," + piece  # a comma inside a code, as in "Chicago, IL"
        else:
            parts.append(piece)
    return [] if not text.strip() else parts
