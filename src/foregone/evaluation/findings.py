"""All that a study found, in one noun: what its tables, its pictures and its page are made from; and the paper's own numbers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from typing import Any

import numpy as np

from foregone.census.geography import place_of
from foregone.census.priors import ClaimsOfBlocks, GuessedClaims, claims_of_blocks
from foregone.census.records import RecordKind
from foregone.evaluation.beyond import BeyondResult
from foregone.evaluation.experiments import Experiment
from foregone.evaluation.measure import BlockResult
from foregone.evaluation.sample import ChosenBlocks, StudyOptions
from foregone.model.domain import Domain
from foregone.model.sentences import plural
from foregone.protection.many import ProtectionOfMany

EXAMPLES = 12
MEANT = {  # what the paper has numbers about
    "sizes": "block sizes",
    "marginal_sets": "sets of columns that the tables ask about",
    "values": "values of the published counts",
    "identified": "records described by claims",
    "blocks_with_claims": "blocks with claims",
    "chances": "how likely the claims were",
    "ablation": "counts withheld",
    "columns": "columns that claims name",
    "combinations": "combinations of columns",
    "whole": "whole blocks",
}

Protected = tuple[tuple[str, ...], ProtectionOfMany]
"""Tables that are kept whatever happens, and what could be published besides."""


@dataclass(frozen=True, slots=True)
class PaperNumbers:
    """What the paper found about one kind of record, each number with where it stands there. Any of them may be missing, or all."""

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

    def per_block(self, widths: Iterable[int], which: str, claims: str) -> list[float | None]:
        """Records that its claims describe, per block: its totals over its number of blocks. (What it prints for the national
        median is over fewer.)"""
        blocks = self.get("blocks", "value")
        totals = self.by_width(widths, "identified", "total", which, claims)
        return [None if total is None or not blocks else round(total / blocks, 4) for total in totals]

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


def published(kind: RecordKind) -> PaperNumbers:
    """The paper's numbers about such records, from a file of this package."""
    source = files("foregone.evaluation").joinpath(f"paper-{kind.name}.json")
    return PaperNumbers(json.loads(source.read_text("utf-8")) if source.is_file() else {})


@dataclass(frozen=True, slots=True, order=True)
class Example:
    """A claim about exactly one record of a block, in words; `chance` is how likely it was, by the block's tract."""

    block: str
    columns: int
    words: str
    chance: float


@dataclass(frozen=True)
class Findings:
    """The blocks looked at, what was measured in each, how likely the claims were, and how long each part took."""

    options: StudyOptions
    kind: RecordKind
    domain: Domain
    chosen: ChosenBlocks
    measured: dict[str, BlockResult]
    claims: ClaimsOfBlocks
    guessed: dict[str, GuessedClaims]
    synthetic: bool
    seconds: dict[str, float]
    protected: Sequence[Protected] | None = None  # what could still be published, if that was asked
    beyond: Sequence[BeyondResult] | None = None  # what lies beyond certain, if that was asked
    others: tuple[Findings, ...] = ()  # the same blocks, with the tables read in other ways
    experiments: tuple[Experiment, ...] = ()  # on what differs from the paper

    @property
    def readings(self) -> list[str]:
        """The ways in which the tables are read, the first of which the files and pictures are about."""
        return [one.options.variant for one in (self, *self.others)]

    @property
    def names(self) -> tuple[str, ...]:
        return self.domain.names

    @property
    def widths(self) -> range:
        return range(self.options.min_columns, len(self.names) + 1)

    @property
    def noun(self) -> str:
        """What one record is called."""
        return self.kind.records[self.options.units]

    @property
    def nouns(self) -> str:
        return plural(self.noun, 2)

    @property
    def queries(self) -> int:
        """How many counts are published of each block."""
        return len(self.kind.book.queries(self.options.variant))

    @property
    def undecided(self) -> int:
        return sum(m.undecided for m in self.measured.values())

    def of(self, which: str) -> list[BlockResult]:
        return [self.measured[block] for block in self.chosen.of(which)]

    def named(self, mask: int) -> str:
        """The columns that a claim names."""
        return " ".join(name for i, name in enumerate(self.names) if self.kind.packing.value_at(mask, i))

    @cached_property
    def paper(self) -> PaperNumbers:
        """The published numbers about such records; there may be none."""
        return published(self.kind)

    @cached_property
    def examples(self) -> list[Example]:
        """In each state the singleton that names most columns and was least to be expected."""
        claims, chances = self.claims, self.guessed["tract"].chance
        best: dict[str, tuple[tuple[int, float, str, int], int]] = {}
        for i in np.flatnonzero(claims.count == 1).tolist():
            block = str(claims.block[i])
            rank = (-int(claims.columns[i]), float(chances[i]), block, i)
            state = place_of(block, "state")
            if state not in best or rank < best[state][0]:
                best[state] = rank, i
        return sorted(
            Example(
                str(claims.block[i]),
                int(claims.columns[i]),
                sentence(int(claims.mask[i]), int(claims.value[i]), self.kind, self.domain),
                float(chances[i]),
            )
            for _, i in sorted(best.values())[:EXAMPLES]
        )


def all_claims(chosen: ChosenBlocks, measured: dict[str, BlockResult]) -> ClaimsOfBlocks:
    """The claims of all blocks behind each other."""
    return claims_of_blocks((which, block, size, measured[block].claims) for which, block, size in chosen.blocks)


def sentence(mask: int, value: int, kind: RecordKind, domain: Domain) -> str:
    """A packed claim in words."""
    packing, texts = kind.packing, kind.texts(domain)
    named = [i for i in range(len(domain.columns)) if packing.value_at(mask, i)]
    return kind.sentence({domain.columns[i].name: frozenset([texts[i][packing.value_at(value, i)]]) for i in named})
