"""What the paper found, to be shown beside a study: its numbers as data, each with where in the paper it stands."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from foregone.census.kind import Kind
from foregone.study.options import StudyOptions

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


def published(kind: Kind) -> Published:
    """The numbers about such records, from a file of this package."""
    source = files("foregone.study").joinpath(f"paper-{kind.name}.json")
    return Published(json.loads(source.read_text("utf-8")) if source.is_file() else {})
