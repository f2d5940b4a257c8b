"""Does a release keep a policy? Every command, page and run asks here, so that a policy means one thing.

What is judged is the release as a reader sees it: with the marks that it prints, and with what the policy says is known besides
(`as_read`). An answer is one of three. A part of a policy that cannot be judged, for lack of time or of data, leaves it undecided:
it never passes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from foregone.engine import MAX_RECORDS, Case, DifferentValues, Evidence, Following, following, intervals_of, start
from foregone.model.audit import Audit, Fact
from foregone.model.claim import Claim
from foregone.model.domain import unknown_column
from foregone.model.errors import InputError
from foregone.model.families import Groups
from foregone.model.intervals import Interval
from foregone.model.policy import Policy
from foregone.model.predicate import Predicate
from foregone.model.progress import Progress
from foregone.model.release import Release
from foregone.solvers.answer import Undecided
from foregone.solvers.deadline import Deadline

ONE_RELEASE = "a run keeps certain claims and nothing else; audit each release with this policy"


class PolicyVerdict(StrEnum):
    KEPT = "kept"
    BROKEN = "broken"
    UNDECIDED = "undecided"

    def __bool__(self) -> bool:
        raise TypeError("whether a policy is kept has three answers; compare with PolicyVerdict.KEPT")


@dataclass(frozen=True, slots=True)
class Told:
    """A claim about few records is certain, in the shortest words that name as many columns as the policy forbids.

    `printed`: some of its words are those of a number that is published as it is. `everybody`: it is about all records.
    """

    predicate: Predicate
    count: int
    printed: bool = False
    everybody: bool = False


@dataclass(frozen=True, slots=True)
class Narrow:
    """Too few values are possible for a count: it lies between `low` and `high`, with gaps or without."""

    number: int
    label: str
    low: int
    high: int | None
    mark: str = ""
    primary: bool = False
    shown: bool = False


Breach = Told | Narrow | Following


@dataclass(frozen=True, slots=True)
class Doubt:
    """A part of a policy, by its key, that could not be judged, and why."""

    key: str
    reason: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """How a release breaks a policy, and what could not be judged."""

    policy: Policy
    breaches: tuple[Breach, ...] = ()
    doubts: tuple[Doubt, ...] = ()

    @property
    def verdict(self) -> PolicyVerdict:
        return PolicyVerdict.BROKEN if self.breaches else PolicyVerdict.UNDECIDED if self.doubts else PolicyVerdict.KEPT

    @property
    def told(self) -> tuple[Told, ...]:
        return tuple(breach for breach in self.breaches if isinstance(breach, Told))

    @property
    def narrow(self) -> tuple[Narrow, ...]:
        return tuple(breach for breach in self.breaches if isinstance(breach, Narrow))

    @property
    def followed(self) -> tuple[Following, ...]:
        return tuple(breach for breach in self.breaches if isinstance(breach, Following))


@dataclass(frozen=True)
class Judged:
    """A release that was audited, and what else is known for judging it.

    `chances`: how likely each certain claim is by chance. `true`: the true numbers of published counts. `primary`: the counts that
    were primary in the release that this one protects; without, they are found here. `cells`: what the counts that are not shown or
    given as ranges must be, if somebody has worked it out.
    """

    audit: Audit
    chances: Mapping[Claim, float | None] | None = None
    true: Mapping[int, int] | None = None
    primary: frozenset[int] | None = None
    cells: tuple[Interval, ...] | None = None
    time_limit: float | None = None
    max_records: int = MAX_RECORDS
    progress: Progress | None = None

    @property
    def release(self) -> Release:
        return self.audit.release

    @cached_property
    def case(self) -> Case:
        """What the audit found out, to go on from."""
        deadline, evidence = Deadline.after(self.time_limit), self.audit.evidence
        if isinstance(evidence, Evidence):
            return Case.of(evidence.system, deadline, evidence.witnesses, evidence.lemmas)
        return start(self.release, deadline, self.max_records)

    @property
    def known(self) -> Mapping[int, Interval]:
        """For each count that is not shown exactly what it must be."""
        return self.intervals([i for i, s in enumerate(self.release.statistics) if s.open])

    def intervals(self, numbers: Sequence[int]) -> Mapping[int, Interval]:
        """What some counts must be; each is worked out once."""
        if self.cells is not None and not self._worked_out:
            given = [i for i, s in enumerate(self.release.statistics) if s.open]
            self._worked_out.update(zip(given, self.cells, strict=True))
        asked = [i for i in numbers if i not in self._worked_out]
        if asked:
            self._worked_out.update(zip(asked, intervals_of(self.case, asked, self.progress)[0], strict=True))
        return {i: self._worked_out[i] for i in numbers}

    @cached_property
    def values(self) -> DifferentValues:
        """Asks how many different values a count can have."""
        return DifferentValues(self.case)

    @cached_property
    def _worked_out(self) -> dict[int, Interval]:
        return {}


def judge(policy: Policy, judged: Judged) -> Judgement:
    """How an audited release breaks a policy: cells that can be worked out first, then claims, then attributes."""
    check_columns(policy, judged.release)
    breaches: list[Breach] = []
    doubts: dict[str, Doubt] = {}
    for part in (_cells, _claims, _attributes):
        for found in part(policy, judged):
            if isinstance(found, Doubt):
                doubts.setdefault(found.key, found)
            else:
                breaches.append(found)
    return Judgement(policy, tuple(breaches), tuple(doubts.values()))


def pierced(judged: Judged) -> Judgement:
    """The marks, and cells left empty, that can be worked out, whether or not a policy forbids it."""
    return judge(Policy(stars=2), judged)


def check_columns(policy: Policy, release: Release) -> None:
    """Columns that a policy names must be there."""
    named = [("attribute", name) for name in policy.attribute] + [("attribute_from", name) for name in policy.attribute_from or ()]
    problems = [f"{key}: {unknown_column(name, release.domain.names)}" for key, name in named if name not in release.domain.index]
    if problems:
        raise InputError(problems)


def _claims(policy: Policy, judged: Judged) -> Iterator[Breach | Doubt]:
    """Certain claims about fewer records than the policy allows."""
    if not policy.about_claims:
        return
    by_chance = policy.largest_baseline < 1
    if by_chance and judged.chances is None:
        yield Doubt("largest_baseline", "how likely a claim is by chance is not known without a table to guess from")
        return
    for fact in judged.audit.facts:
        if policy.over(fact.attributes, fact.count):
            if judged.audit.reason and not policy.over(_counting(judged, fact), fact.count):
                yield Doubt("singled_out_columns", judged.audit.reason)
                continue
            chance = (judged.chances or {}).get(fact.claim)
            if by_chance and chance is None:
                yield Doubt("largest_baseline", "how likely a claim is by chance is not known, as the number of records is not")
            elif chance is None or chance <= policy.largest_baseline:
                yield told(policy, fact)
    if any(policy.over(fact.attributes, fact.count) for fact in judged.audit.open):
        yield Doubt("singled_out_columns", judged.audit.reason or "some claims stayed undecided")


def _counting(judged: Judged, fact: Fact) -> int:
    """How many columns of a fact certainly count where a limit was reached: those in which a known dataset has somebody with
    another value. All of them, where it is certain how many records there are: then it is known what everybody has.
    """
    evidence = judged.audit.evidence
    if not isinstance(evidence, Evidence) or evidence.counted or evidence.groups == Groups.NONE:
        return fact.attributes
    system, domain = evidence.system, judged.release.domain
    seen = system.records[judged.case.pool.occupied[system.bucket_of]]
    masks = fact.predicate.masks(domain)
    return sum(any(system.atoms.groups[c][atom] & ~mask for atom in set(seen[:, c].tolist())) for c, mask in masks.items())


def told(policy: Policy, fact: Fact) -> Told:
    """A certain fact that breaks a policy, in the shortest words that do."""
    everybody = any(not form.allowed for form in fact.shortest)
    return Told(_shortest(policy, fact), fact.count, fact.published, everybody)


def _shortest(policy: Policy, fact: Fact) -> Predicate:
    """A form of the fact with as few columns as the policy forbids, or its shortest if that has more."""
    form = min(fact.shortest, key=len)
    named = {name for name, _ in form.allowed} | fact.idle
    further = [pair for pair in fact.predicate.allowed if pair[0] not in named]
    wanted = max(0, (policy.singled_out_columns or 1) - len(form))
    return Predicate(tuple(sorted((*form.allowed, *further[:wanted]))))


def _cells(policy: Policy, judged: Judged) -> Iterator[Breach | Doubt]:
    """Counts of which too much is known: those that are not shown, and primary ones."""
    if policy.primary is None and not policy.stars:
        return
    statistics = judged.release.statistics
    if policy.primary is not None and judged.primary is None:
        missing = [name for name in policy.primary.names if all(s.name != name for s in statistics)]
        if missing:
            yield Doubt("primary", f"no published count is called {missing[0]}")
    if doubtful := [i for i, statistic in enumerate(statistics) if statistic.open and _in_question(policy, judged, i)]:
        judged.values.spread(doubtful)
    asked = [i for i in range(len(statistics)) if _in_question(policy, judged, i)]
    known = judged.intervals([i for i in asked if statistics[i].open])
    sides_judged = True
    for i in asked:
        statistic, found = statistics[i], known.get(i)
        low, high = (statistic.low, statistic.high) if found is None else (found.low, found.high)
        proved = found is None or found.proved
        primary = _primary(policy, judged, i, low, high)
        wanted = max(policy.min_width if primary else 0, policy.stars if statistic.hidden else 0)
        if not proved and not primary and _may_be_primary(policy, judged, low, high):
            yield Doubt("primary", f"what {statistic.label} must be could not be decided")
        if not wanted:
            continue
        narrow = Narrow(i, statistic.label, low, high, statistic.mark, primary, not statistic.open)
        enough = _wide(judged, i, low, high, proved, wanted)
        if enough is False:
            yield narrow
        elif isinstance(enough, Undecided):
            key = "min_width" if primary else "stars"
            yield Doubt(key, f"what {statistic.label} must be could not be decided ({enough.reason})")
        elif primary and policy.both_sides:
            true = _true(judged, i)
            sides_judged = sides_judged and true is not None
            if true is not None and not policy.reaches(true, low, high):
                yield narrow
    if policy.both_sides and (judged.true is None or not sides_judged):
        yield Doubt("both_sides", "the true counts of primary cells are not known here")


def _in_question(policy: Policy, judged: Judged, i: int) -> bool:
    """Can too little be possible for a count, as far as the datasets tell that are known already?"""
    statistic = judged.release.statistics[i]
    if policy.primary is not None:
        if not statistic.open:
            return _primary(policy, judged, i, statistic.low, statistic.high)
        seen = judged.values.seen(i)
        wanted = max(policy.min_width, policy.stars if statistic.hidden else 0)
        if len(seen) >= wanted and not policy.both_sides:
            return False  # enough is possible, whether it is primary or not
        if not seen or _primary(policy, judged, i, min(seen), max(seen)):  # one value outside, and it is not
            return True
    return statistic.hidden and len(judged.values.seen(i)) < policy.stars


def _primary(policy: Policy, judged: Judged, i: int, low: int, high: int | None) -> bool:
    if policy.primary is None:
        return False
    if judged.primary is not None:
        return i in judged.primary
    return policy.primary.holds(judged.release.statistics[i].name, low, high)


def _may_be_primary(policy: Policy, judged: Judged, low: int, high: int | None) -> bool:
    """Could a count be primary that lies somewhere between `low` and `high`?"""
    primary = policy.primary
    if primary is None or judged.primary is not None or primary.low is None or primary.high is None:
        return False
    return low <= primary.high and (high is None or high >= primary.low)


def _wide(judged: Judged, i: int, low: int, high: int | None, proved: bool, wanted: int) -> bool | Undecided:
    """Can a count have so many different values?"""
    if high is not None and high - low + 1 < wanted:
        return False
    if len(judged.values.seen(i)) >= wanted or (proved and (high is None or (wanted <= 2 and high > low))):
        return True  # both ends are values that some dataset has
    if not proved:
        return Undecided("a limit was reached")
    return judged.values.at_least(i, low, high, wanted)


def _true(judged: Judged, i: int) -> int | None:
    if judged.true is not None and i in judged.true:
        return judged.true[i]
    statistic = judged.release.statistics[i]
    return None if statistic.open else statistic.low


def _attributes(policy: Policy, judged: Judged) -> Iterator[Breach | Doubt]:
    """Values that follow of everybody in a group."""
    for name in policy.attribute:
        found = following(judged.case, name, policy.attribute_from, judged.audit.groups)
        yield from found.found
        if found.reason:
            yield Doubt("attribute", found.reason)


def over_sql(policy: Policy, columns: str) -> str:
    """`Policy.over` as a condition of SQL, for facts that a run keeps as rows of a file with a column `count`.

    `columns` is the column with the number of columns that a policy counts. What else a policy asks cannot be judged from rows
    (`not_in_rows`).

    >>> over_sql(Policy(singled_out_columns=3), "attributes")
    'attributes >= 3 AND count < 2'
    """
    if policy.singled_out_columns is None or policy.largest_baseline < 1:
        return "FALSE"
    return f"{columns} >= {policy.singled_out_columns} AND count < {policy.smallest_group}"


def not_in_rows(policy: Policy) -> tuple[Doubt, ...]:
    """The parts of a policy that rows of claims do not tell anything about.

    >>> [doubt.key for doubt in not_in_rows(Policy(singled_out_columns=3, attribute=("DX",), stars=2))]
    ['attribute', 'stars']
    """
    keys = {
        "attribute": bool(policy.attribute),
        "primary": policy.primary is not None,
        "both_sides": policy.both_sides > 0,
        "stars": policy.stars > 0,
        "know": policy.know is not None and policy.know.words != "",
    }
    doubts = [Doubt(key, ONE_RELEASE) for key, asked in keys.items() if asked]
    if policy.largest_baseline < 1 and policy.about_claims:
        doubts.append(Doubt("largest_baseline", "how likely a claim is by chance is not part of a run"))
    return tuple(doubts)
