"""What would change if some numbers were withheld or rounded: the whole truth where that takes a moment, and otherwise, within a
second, what becomes of every fact that is certain now.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from shlex import join
from time import perf_counter

from foregone.engine import Case, RestingFacts, limits_of
from foregone.model.audit import Fact
from foregone.model.errors import InputError, UndecidedError
from foregone.model.intervals import Interval
from foregone.model.policy import DEFAULT
from foregone.model.release import Release
from foregone.pages.ranking import RankedFact, audited_release
from foregone.policy.judge import Judged
from foregone.policy.reader import as_read
from foregone.questions.ask import audit
from foregone.questions.compare import compare
from foregone.solvers.deadline import Deadline
from foregone.workbench.desk import DeskAudit
from foregone.workbench.state import Try
from foregone.workflows.what_if import Change

SOON = 0.7  # seconds for an answer
QUICK = 0.25  # an audit that took no longer is simply made again


@dataclass(frozen=True, slots=True)
class TriedOut:
    """What becomes of the facts, and what the cells that are then not shown must be. `whole`: everything was looked at again; else
    only what is certain now, and of cells those that are not shown because of this, and those that were pierced.
    """

    changed: Release
    stay: tuple[Fact, ...]
    vanish: tuple[Fact, ...]
    open: tuple[Fact, ...]
    cells: Mapping[str, Interval]
    whole: bool
    seconds: float
    ones: tuple[int, int]  # facts about exactly one record, before and after
    pierced: tuple[int, int]  # marks that can be worked out, before and after

    @property
    def unfinished(self) -> bool:
        """Was there no time for all of it?"""
        return not self.whole and (bool(self.open) or any(not cell.proved for cell in self.cells.values()))


def change_of(trying: Try) -> Change:
    """What is tried as the command line has it."""
    hide = tuple(name for name, action in trying if action == "withhold")
    rounded = tuple((name, int(action.removeprefix("round:"))) for name, action in trying if action.startswith("round:"))
    return Change(hide, rounded=rounded)


def try_command(path: str, trying: Try) -> str:
    """The command that asks what would be certain with the same numbers withheld or rounded."""
    change = change_of(trying)
    words = [word for name in change.hide for word in ("--hide", name)]
    words += [word for name, base in change.rounded for word in ("--round-only", f"{name}={base}")]
    return join(["foregone", "audit", path, *words])


def try_out(found: DeskAudit, resting: RestingFacts, trying: Try, patient: bool) -> TriedOut:
    """What would be certain then. Without patience the answer takes about a second, and may leave some facts open."""
    begun = perf_counter()
    assert found.reading.release is not None
    known = {count.name for count in found.reading.release.published}
    if unknown := [name for name, _ in trying if name not in known]:
        raise InputError(f"{unknown[0]}: is not a number of these tables any more; start again with “Show everything”")
    changed = as_read(change_of(trying).of(found.reading.release), DEFAULT)
    alike = changed.figures == found.release.figures and len(changed.statements) == len(found.release.statements)
    if not trying:
        return _unchanged(found)
    if found.seconds < QUICK or not alike:
        return _whole(found, changed, begun)
    return _soon(found, resting, changed, Deadline.after(None if patient else SOON), begun)


def _unchanged(found: DeskAudit) -> TriedOut:
    cells = {cell.name: cell for cell in found.audited.hidden}
    facts = tuple(found.audited.audit.facts)
    ones, pierced = _ones(facts), sum(cell.known for cell in cells.values())
    return TriedOut(found.release, facts, (), (), cells, True, 0.0, (ones, ones), (pierced, pierced))


def _whole(found: DeskAudit, changed: Release, begun: float) -> TriedOut:
    before = found.audited.audit
    after = audit(found.case.weaker(changed))
    made = audited_release(after, found.subject, judged=Judged(after))
    compared = compare(before, after)
    cells = {cell.name: cell for cell in made.hidden}
    pierced = sum(cell.known for cell in found.audited.hidden), sum(cell.known for cell in made.hidden)
    ones = _ones(before.facts), _ones(after.facts)
    return TriedOut(changed, compared.stay, compared.vanish, compared.open, cells, True, perf_counter() - begun, ones, pierced)


def _soon(found: DeskAudit, resting: RestingFacts, changed: Release, deadline: Deadline, begun: float) -> TriedOut:
    wider = resting.wider(changed, deadline)
    hidden = {cell.name: cell for cell in found.audited.hidden}
    before = {count.name: count for count in found.release.statistics}
    asked = [count for count in changed.statistics if count.open and (count.name not in hidden or hidden[count.name].known)]
    cells, first = dict(hidden), Deadline.after(SOON / 2) if deadline.seconds is not None else deadline
    for count in asked:
        blank = Interval(
            count.name, count.table, count.predicate, count.low, count.high, count.low, count.high, count.withheld, False,
            mark=before[count.name].mark,
        )  # fmt: skip
        cells[count.name] = _bounded(wider.case, hidden.get(count.name, blank), first) or blank
    without = resting.without(wider, deadline)
    ones = _ones(found.audited.audit.facts), _ones((*without.stay, *without.open))
    pierced = sum(cell.known for cell in hidden.values()), sum(cell.known for cell in cells.values())
    seconds = perf_counter() - begun
    return TriedOut(changed, without.stay, without.vanish, without.open, cells, False, seconds, ones, pierced)


def _bounded(case: Case, cell: Interval, deadline: Deadline) -> Interval | None:
    """What a cell must be in the changed release; None where there was no time to find out."""
    if deadline.passed():
        return None
    try:
        low, high = limits_of(case.until(deadline), cell.predicate)
    except UndecidedError:
        return None
    return replace(cell, low=low, high=high, proved=True)


def _ones(facts: tuple[Fact, ...]) -> int:
    return sum(fact.count == 1 for fact in facts)


def told_first(found: DeskAudit, facts: tuple[Fact, ...], most: int) -> list[RankedFact]:
    """Facts in the order in which people want to read them, the first of them."""
    wanted = {(fact.predicate, fact.count) for fact in facts}
    return [fact for fact in found.audited.facts if (fact.predicate, fact.count) in wanted][:most]
