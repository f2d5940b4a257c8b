"""What would still be certain if a release were changed: both are audited, compared and judged by the same policies."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from foregone.census.subjects import subject_of_release
from foregone.engine import Case
from foregone.formats.beside import AllLeftOut, left_out_of, read_assumptions
from foregone.formats.folder import read_release
from foregone.formats.outputs import write_text
from foregone.model.domain import near
from foregone.model.errors import InputError, refuse
from foregone.model.policy import Policies
from foregone.model.progress import Progress
from foregone.model.release import Release
from foregone.model.shown import shown
from foregone.pages.before_after import render_what_if
from foregone.pages.outcome import Outcome, judged_outcome
from foregone.pages.write import today
from foregone.policy.judge import Judged
from foregone.policy.reader import as_read
from foregone.questions.ask import audit
from foregone.questions.compare import Comparison, compare


@dataclass(frozen=True, slots=True)
class Change:
    """What would be published instead: some numbers withheld, counts rounded to multiples of `base`, counts from 1 to `below` - 1
    given as that range, and single counts, by name, rounded to a multiple of their own.
    """

    hide: tuple[str, ...] = ()
    base: int = 1
    below: int = 0
    rounded: tuple[tuple[str, int], ...] = ()

    @property
    def coarser(self) -> bool:
        """Are counts rounded, or given as ranges?"""
        return self.base > 1 or self.below > 1 or bool(self.rounded)

    def of(self, release: Release) -> Release:
        known = {count.name for count in release.statistics}
        refuse(
            f"--round-only: there is no count called {shown(name)}; use the name of one{near(name, list(known))}"
            for name, _ in self.rounded
            if name not in known
        )
        made = release.round(self.base, self.below) if self.base > 1 or self.below > 1 else release
        for name, base in self.rounded:
            made = made.round(base, names=(name,))
        try:
            return made.hide(*self.hide) if self.hide else made
        except InputError as error:
            raise InputError([f"--hide: {problem}" for problem in error.problems]) from None

    @property
    def text(self) -> str:
        parts = [f"{', '.join(self.hide)} withheld"] if self.hide else []
        parts += [f"counts from 1 to {self.below - 1} given as that range"] if self.below > 1 else []
        parts += [f"{'other ' if self.below > 1 else ''}counts rounded to multiples of {self.base}"] if self.base > 1 else []
        parts += [f"{name} rounded to a multiple of {base}" for name, base in self.rounded]
        return "; ".join(parts) or "nothing changed"


@dataclass(frozen=True, slots=True)
class WhatIf:
    """A release as it is and as it would be, each audited as the reader of a policy sees it."""

    path: Path
    change: Change
    published: Release
    changed: Release
    found: Comparison
    policies: Policies
    time_limit: float | None
    max_records: int
    assumptions: tuple[str, ...]
    left_out: AllLeftOut  # beside what the changed release does not show

    def outcomes(self) -> tuple[Outcome, Outcome]:
        """Pass, review or fail, before and after."""
        before, after = (
            judged_outcome(Judged(audited, time_limit=self.time_limit, max_records=self.max_records), self.policies)
            for audited in (self.found.before, self.found.after)
        )
        return before, after


def what_if(
    path: Path,
    change: Change,
    policies: Policies,
    *,
    time_limit: float | None = None,
    max_records: int,
    progress: Progress | None = None,
) -> WhatIf:
    """Audit a release as it is and as it would be; nothing is written."""
    published = read_release(path)
    changed = change.of(published)
    first, second = as_read(published, policies.fail), as_read(changed, policies.fail)
    if not (second.workload.sums or second.workload.alternatives):  # the compiled loop is quicker than anything carried over
        before, after = (audit(read, time_limit=time_limit, max_records=max_records, progress=progress) for read in (first, second))
    else:
        case = Case(first, time_limit, max_records)
        before = audit(case, time_limit=time_limit, max_records=max_records, progress=progress)
        weaker = case.weaker(second, time_limit, max_records)
        after = audit(weaker, time_limit=time_limit, max_records=max_records, progress=progress)
    assumed, left_out = read_assumptions(path), left_out_of(path, changed)
    return WhatIf(path, change, published, changed, compare(before, after), policies, time_limit, max_records, assumed, left_out)


def write_page(found: WhatIf, outcomes: tuple[Outcome, Outcome], out: Path) -> None:
    """The page with both sides. It shows numbers that would be withheld."""
    subject = subject_of_release(found.published.domain)
    write_text(out, render_what_if(found.found, found.change.text, subject, outcomes, found.path.name or str(found.path), today()))
