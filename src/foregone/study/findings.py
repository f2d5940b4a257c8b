"""All that a study found, in one noun: what its pictures and its page are made from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from foregone.model.sentences import plural
from foregone.study.baseline import Floats
from foregone.study.examples import Example
from foregone.study.options import StudyOptions
from foregone.study.protection import Protected
from foregone.study.published import Published
from foregone.study.tables import AllClaims, StudyResults


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
