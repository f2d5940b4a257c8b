"""Sentences about singled-out records, like the paper's first table.

What the paper found, to be shown beside a study: its numbers as data, each with where in the paper it stands.

All that a study found, in one noun: what its pictures and its page are made from."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import numpy as np

from foregone.census.geography import describe, place_of
from foregone.census.priors import Floats
from foregone.census.records import RecordKind
from foregone.model.domain import Domain
from foregone.model.sentences import plural
from foregone.study.sample import StudyOptions
from foregone.study.tables import AllClaims, Protected, StudyResults

NUMBER = 12


@dataclass(frozen=True, slots=True, order=True)
class Example:
    """A claim about exactly one record of a block, in words; `chance` is how likely it was, by the block's tract."""

    block: str
    columns: int
    words: str
    chance: float


def examples(claims: AllClaims, chances: Floats, kind: RecordKind, domain: Domain) -> list[Example]:
    """In each state the singleton that names most columns and was least to be expected."""
    best: dict[str, tuple[tuple[int, float, str, int], int]] = {}
    for i in np.flatnonzero(claims.count == 1).tolist():
        block = str(claims.block[i])
        rank = (-int(claims.columns[i]), float(chances[i]), block, i)
        state = place_of(block, "state")
        if state not in best or rank < best[state][0]:
            best[state] = rank, i
    told = [i for _, i in sorted(best.values())[:NUMBER]]
    return sorted(
        Example(
            str(claims.block[i]),
            int(claims.columns[i]),
            sentence(int(claims.mask[i]), int(claims.value[i]), kind, domain),
            float(chances[i]),
        )
        for i in told
    )


def sentence(mask: int, value: int, kind: RecordKind, domain: Domain) -> str:
    """A packed claim in words."""
    packing, texts = kind.packing, kind.texts(domain)
    named = [i for i in range(len(domain.columns)) if packing.value_at(mask, i)]
    return kind.sentence({domain.columns[i].name: frozenset([texts[i][packing.value_at(value, i)]]) for i in named})


def markdown(found: list[Example], kind: RecordKind, synthetic: bool) -> str:
    lines = [f"# {kind.counted.capitalize()} singled out by published tables", ""]
    if synthetic:
        lines += ["**The file is synthetic: nobody described here is real.**", ""]
    lines += [
        f"Each line describes exactly one {kind.name} of its block, in every dataset that matches the block's published tables.",
        "",
        "| place | columns | what is certain |",
        "|---|---|---|",
        *(f"| {describe(one.block)} | {one.columns} | {one.words} |" for one in found),
    ]
    return "\n".join(lines) + "\n"


MEANT = {
    "sizes": "block sizes",
    "values": "values of the published counts",
    "identified": "records described by claims",
    "blocks_with_claims": "blocks with claims",
    "chances": "how likely the claims were",
    "ablation": "counts withheld",
    "columns": "columns that claims name",
    "combinations": "combinations of columns",
    "whole": "whole blocks",
}


@dataclass(frozen=True, slots=True)
class Published:
    """The numbers about one kind of record; there may be none, and any of them may be missing."""

    content: dict[str, Any]

    def __bool__(self) -> bool:
        return bool(self.content)

    def get(self, *path: str) -> Any:
        """What lies at the end of the path, or None."""
        at: Any = self.content
        for name in path:
            at = at.get(name) if isinstance(at, dict) else None
        return at

    def by_width(self, widths: Iterable[int], *path: str) -> list[Any]:
        """For each number of columns the paper's number, or None."""
        return [self.get(*path, str(k)) for k in widths]

    @property
    def sources(self) -> list[tuple[str, str]]:
        """What is shown of the paper, and where it stands there."""
        return [(words, self.get(name, "from")) for name, words in MEANT.items() if self.get(name, "from")]

    def differences(self, options: StudyOptions, synthetic: bool, queries: int) -> list[str]:
        """Why the paper's numbers are no yardstick for this study."""
        if not self:
            return []
        here = {
            "per_state": f"a set has up to {options.per_state} blocks per state; in the paper {self.get('settings', 'per_state')}",
            "min_columns": f"claims have {options.min_columns} or more columns; in the paper {self.get('settings', 'min_columns')}",
            "variant": f"the tables are others: {queries} counts per block; in the paper {self.get('values', 'queries')}",
            "units": "vacant housing units are records, too",
            "rules": "the row about edit rules has no counterpart",
        }
        asked = {name: getattr(options, name) for name in here}
        found = [f"the records come from a generator, and the paper's from {self.get('data')}"] if synthetic else []
        found += [words for name, words in here.items() if self.get("settings", name) not in (None, asked[name])]
        if options.time_limit is not None:
            found.append(f"an audit stops after {options.time_limit:g} seconds")
        return [*found, "other blocks were drawn"]


def published(kind: RecordKind) -> Published:
    """The numbers about such records, from a file of this package."""
    source = files("foregone.study").joinpath(f"paper-{kind.name}.json")
    return Published(json.loads(source.read_text("utf-8")) if source.is_file() else {})


@dataclass(frozen=True, slots=True)
class Findings:
    """`paper` holds the published numbers about such records; it may hold none."""

    results: StudyResults
    claims: AllClaims
    chances: dict[str, Floats]
    examples: list[Example]
    paper: Published
    options: StudyOptions
    synthetic: bool
    undecided: int
    protected: Sequence[Protected] | None = None  # what could still be published, if that was asked

    @property
    def noun(self) -> str:
        """What one record is called."""
        return self.results.kind.records[self.options.units]

    @property
    def nouns(self) -> str:
        return plural(self.noun, 2)

    @property
    def queries(self) -> int:
        """How many counts are published of each block."""
        return len(self.results.kind.book.queries(self.options.variant))
