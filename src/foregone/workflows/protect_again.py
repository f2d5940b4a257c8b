"""Protecting month after month: a pattern like the last one, and together with what is out already."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from foregone.engine import start
from foregone.formats.folder import read_release
from foregone.model.errors import InputError
from foregone.model.families import Groups
from foregone.model.figure import Figure
from foregone.model.policy import Policy, Primary
from foregone.model.protection import Alternative, Protection
from foregone.model.release import Release
from foregone.model.statement import Statistic
from foregone.policy.reader import as_read
from foregone.protection.actions import primary_cells
from foregone.questions.ask import audit
from foregone.tables.joining import IN, join
from foregone.workflows.join import short_names

LIKE, OTHER = 1, 2  # what a cell costs that was withheld last time, and any other


def costs_like(release: Release, last: Path) -> dict[str, int]:
    """What each number costs so that those are preferred that were not shown in an earlier protected release.

    Numbers are the same if they are about the same records: files of another month have other names.
    """
    before = [n for n in read_release(last).published if isinstance(n, Statistic | Figure)]
    hidden = {_about(n) for n in before if (n.hidden if isinstance(n, Statistic) else n.withheld)}
    numbers = [n for n in release.published if isinstance(n, Statistic | Figure)]
    if not {_about(n) for n in before if n.predicate.allowed} & {_about(n) for n in numbers}:
        raise InputError(
            f"--keep-like {last}: none of its numbers is about the same records as one here; give last time's protected release"
        )
    return {n.label: LIKE if _about(n) in hidden else OTHER for n in numbers}


def _about(number: Statistic | Figure) -> tuple[str, str]:
    return ("count" if isinstance(number, Statistic) else str(number.measure)), number.predicate.text()


@dataclass(frozen=True, slots=True)
class WithWhatIsOut:
    """A planned release joined with one that is out already; `name` and `out` are what their numbers' names begin with."""

    planned: Release
    joined: Release
    name: str
    out: str
    assumptions: tuple[str, ...]

    def named(self, names: Sequence[str]) -> tuple[str, ...]:
        """Names of the planned release as the joined one has them."""
        return tuple(f"{self.name}/{name}" for name in names)

    def policy(self, policy: Policy, strict: bool = False) -> Policy:
        """The policy about the joined release. Only planned cells can be primary: what is out cannot be withheld any more. In which
        of the releases somebody is, is a column of the joined release and no column of theirs: claims may name it besides, unless
        `strict`.
        """
        if policy.singled_out_columns and IN in self.joined.domain.index and not strict:
            policy = replace(policy, singled_out_columns=policy.singled_out_columns + 1)
        if policy.attribute:
            raise InputError("--already: attribute is not judged together with what is out; join the releases, and protect that")
        if policy.primary is None:
            return policy
        if policy.primary.names:
            return replace(policy, primary=Primary(names=self.named(policy.primary.names)))
        known = as_read(self.joined, policy)
        cells = [known.statistics[i].name for i in sorted(primary_cells(known, policy, start(known)))]
        mine = tuple(name for name in cells if name.startswith(f"{self.name}/"))
        if mine:
            return replace(policy, primary=Primary(names=mine))
        rest = replace(policy, primary=None, min_width=Policy().min_width, both_sides=Policy().both_sides)
        if not rest.words:
            raise InputError("--already: no planned cell is primary, so there is nothing to withhold; publish it as it is")
        return rest

    def kept(self, found: Protection, policy: Policy, groups: Groups, time_limit: float | None) -> bool:
        """Is no claim with as many columns of the releases themselves certain as the policy forbids?"""
        if found.release is None or not policy.singled_out_columns:
            return True
        audited = audit(found.release, time_limit=time_limit, groups=groups)
        facts = ((fact, any(name == IN for name, _ in fact.predicate.allowed)) for fact in audited.facts)
        return not audited.open and not any(policy.over(fact.attributes - names, fact.count) for fact, names in facts)

    def planned_part(self, found: Protection, policy: Policy) -> Protection:
        """What was found, as far as it is about the planned release, under the names that it has itself."""
        if found.release is None:
            return found
        before = {number.label: number for number in self.planned.published if isinstance(number, Statistic | Figure)}
        front = f"{self.name}/"
        marks: dict[str, str] = {}
        counts: list[Statistic] = []
        figures: list[Figure] = []
        for number in found.release.published:
            own = before.get(number.name.removeprefix(front)) if number.name.startswith(front) else None
            if isinstance(number, Statistic) and isinstance(own, Statistic):
                mark = number.mark.removeprefix(front)
                marks[mark] = number.mark
                counts.append(replace(own, low=number.low, high=number.high, gaps=number.gaps, withheld=number.withheld, mark=mark))
            elif isinstance(number, Figure) and isinstance(own, Figure):
                figures.append(own.not_shown if number.withheld else own)
        meant = {mark: found.marks[old] for mark, old in marks.items() if old in found.marks}
        domain = replace(self.planned.domain, marks=tuple(meant.items()))
        return replace(
            found,
            original=self.planned,
            policy=policy,
            release=self.planned.changed(domain=domain, statistics=counts, figures=figures),
            withheld=self._mine(found.withheld),
            cells=self._mine(found.cells),
            rounded=self._mine(found.rounded),
            alternatives=tuple(Alternative(self._without(one.actions), one.cost) for one in found.alternatives),
            done=self._without(found.done),
            still=None,  # what it says is about both releases together
            marks=meant,
        )

    def _mine(self, names: Sequence[str]) -> tuple[str, ...]:
        """Of names those of the planned release; what was not shown in the other one is out, too."""
        return tuple(name.removeprefix(f"{self.name}/") for name in names if name.startswith(f"{self.name}/"))

    def _without(self, actions: Sequence[str]) -> tuple[str, ...]:
        return tuple(words.replace(f"{self.name}/", "", 1) for words in actions)


def with_what_is_out(path: Path, planned: Release, already: Path, people: str) -> WithWhatIsOut:
    """A planned release and one that is out, which comes first in time."""
    out, name = short_names([already, path])
    made = join({out: read_release(already), name: planned}, people=people)
    return WithWhatIsOut(planned, made.release, name, out, made.assumptions)
