"""One release with the compiled loop: the same `Audit` as the Python engine makes, or why it fell back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from time import perf_counter
from typing import Any

import numpy as np

from foregone.engine.case import Case
from foregone.engine.claims.audit_loop import find_facts
from foregone.engine.claims.evidence import Evidence, sums_of
from foregone.engine.claims.singled_out import without_proof
from foregone.engine.native.library import WORDS, Status
from foregone.engine.native.plan import FACT, LINE_NUMBERS, LoopPlan, LoopResults, plan_of
from foregone.engine.system.blueprint import blueprint
from foregone.engine.system.linear import MAX_RECORDS, LinearSystem, compile_release
from foregone.engine.system.witness import Witness
from foregone.loop import NATIVE
from foregone.model.audit import Audit, Fact, PrintedHow
from foregone.model.claim import Ground
from foregone.model.dataset import Dataset
from foregone.model.families import Groups
from foregone.model.kept import kept_with
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.workload import Workload
from foregone.solvers.answer import NO_LIMIT
from foregone.solvers.arrays import Bools, Ints
from foregone.solvers.deadline import Deadline

GROUNDS = (Ground.PUBLISHED, Ground.LINEAR, Ground.BOUND)
PRINTED = (PrintedHow.NO, PrintedHow.PARTLY, PrintedHow.YES)  # by the number FOREGONE_FACT_PUBLISHED of a fact
MOST_REMEMBERED = 200_000  # predicates of a workload


@dataclass(frozen=True, slots=True)
class Fell:
    """A release that the compiled loop left to the Python engine: why, and a number that says how much (see the header)."""

    status: Status
    detail: int

    def __str__(self) -> str:
        return WORDS[self.status]


def audit_natively(
    release: Release,
    groups: Groups,
    max_records: int = MAX_RECORDS,
    seconds: float | None = None,
    system: LinearSystem | None = None,
) -> Audit | Fell | None:
    """Every certain claim; None where no plan can be made of the workload. `system` is the release compiled, if it is already."""
    plan = plan_of(release.workload, groups)
    if plan is None:
        return None
    begin = perf_counter()
    found = plan.run(*_limits(release), forms=True, max_records=max_records, seconds=seconds)
    line = dict(zip(LINE_NUMBERS, found.summary[0].tolist(), strict=False))
    if line["status"] != Status.DONE:
        return Fell(Status(line["status"]), line["detail"])
    facts = tuple(_facts(words_of(release.workload), plan, found))
    evidence = LaterEvidence(release, facts, groups, max_records, system)
    size, took = (line["least"], line["most"]), {"total": perf_counter() - begin}
    return Audit(release, facts, (), "", line["live"], line["cells"], "", groups, size, took, evidence, NATIVE)


def only_dataset(release: Release, max_records: int = MAX_RECORDS, seconds: float | None = None) -> Dataset | None:
    """The only dataset that fits, if there is just one and single bounds show it; None says nothing."""
    plan = plan_of(release.workload, Groups.NONE)  # no claim is asked for, so none has to name groups
    if plan is None:
        return None
    found = plan.run(*_limits(release), only=True, max_records=max_records, seconds=seconds)
    return next((datasets[0] for datasets in datasets_of(release.workload, found)), None)


def _limits(release: Release) -> tuple[Ints, Ints | None]:
    """Least and greatest numbers, as one row each; no greatest ones where the counts are exact."""
    low = np.array([release.low], dtype=np.int64)
    if release.high is release.low:
        return low, None
    return low, np.array([[NO_LIMIT if high is None else high for high in release.high]], dtype=np.int64)


def _facts(words: MaskWords, plan: LoopPlan, found: LoopResults) -> list[Fact]:
    forms, at, k, made = found.forms.astype(np.uint64).tolist(), 0, plan.columns, []
    codes = found.facts[:, FACT:].astype(np.uint64).tolist()
    for row, box in zip(found.facts[:, :FACT].tolist(), codes, strict=True):
        _, count, _, ground, _, published, _ = row
        idle, brought, number = forms[at : at + 3]
        at += 3
        shortest = tuple([words.predicate(tuple(forms[at + i * k : at + (i + 1) * k])) for i in range(number)])
        at += number * k
        sizes = tuple(forms[at + 1 : at + 1 + forms[at]])
        at += 1 + forms[at]
        predicate, silent = words.predicate(tuple(box)), words.names(idle)
        told = Fact(predicate, count, GROUNDS[ground], shortest, sizes, bool(published), silent, brought=words.names(brought))
        made.append(told)
    return made


def datasets_of(workload: Workload, found: LoopResults) -> Iterator[list[Dataset]]:
    """Of each release that was done, the datasets found that fit it; of an atom's values, which nothing tells apart, the first."""
    atoms = blueprint(workload).atoms
    for datasets in kinds_of(workload, found):
        made = []
        for dataset in datasets:
            kinds: dict[tuple[str, ...], int] = {}
            for record, times in dataset:
                coded = tuple([atoms.code(c, atom) for c, atom in enumerate(record)])
                kinds[coded] = kinds.get(coded, 0) + times
            made.append(Dataset.of_kinds(workload.domain, kinds))
        yield made


def kinds_of(workload: Workload, found: LoopResults) -> Iterator[list[list[tuple[tuple[int, ...], int]]]]:
    """The datasets that the loop lists of each release: their different records, as atoms, and how often each occurs."""
    columns, numbers, at = len(workload.domain.columns), found.datasets.tolist(), 0
    for status in found.statuses:
        if status == Status.DONE:
            made = []
            many, at = numbers[at], at + 1
            for _ in range(many):
                size, at = numbers[at], at + 1
                end = at + size * (columns + 1)
                made.append([(tuple(numbers[i : i + columns]), numbers[i + columns]) for i in range(at, end, columns + 1)])
                at = end
            yield made


def _witness(buckets: list[int], counts: list[int]) -> Witness:
    """Several records of a dataset may lie in one bucket."""
    return Witness.of_records(np.repeat(np.array(buckets, dtype=np.int64), counts))


class MaskWords:
    """Masks in the words of a domain; the same few return in many facts."""

    def __init__(self, workload: Workload) -> None:
        self._columns, self._names = workload.domain.columns, workload.domain.names
        self._order = sorted(range(len(self._names)), key=self._names.__getitem__)
        self._conditions: dict[tuple[int, int], tuple[str, frozenset[str]]] = {}
        self._predicates: dict[tuple[int, ...], Predicate] = {}
        self._sets: dict[int, frozenset[str]] = {}

    def predicate(self, box: tuple[int, ...]) -> Predicate:
        """From the codes that are allowed in each column, 0 where it is not named."""
        found = self._predicates.get(box)
        if found is None:
            if len(self._predicates) >= MOST_REMEMBERED:
                self._predicates.clear()
            found = Predicate(tuple([self._condition(c, box[c]) for c in self._order if box[c]]))
            self._predicates[box] = found
        return found

    def names(self, columns: int) -> frozenset[str]:
        """From columns as a bit mask."""
        if columns not in self._sets:
            self._sets[columns] = frozenset(name for c, name in enumerate(self._names) if columns >> c & 1)
        return self._sets[columns]

    def _condition(self, c: int, mask: int) -> tuple[str, frozenset[str]]:
        if (c, mask) not in self._conditions:
            column = self._columns[c]
            self._conditions[c, mask] = column.name, frozenset(column.codes_of(mask))
        return self._conditions[c, mask]


@kept_with
def words_of(workload: Workload) -> MaskWords:
    """Made when first needed and kept as long as the workload is."""
    return MaskWords(workload)


class LaterEvidence(Evidence):
    """Why the facts are certain, worked out by the Python engine when somebody asks: proofs are the same as without the loop.

    Much that is told about an audit needs less: the facts, the possible records, and the datasets that the compiled loop found. A
    bucket that none of these fills is empty, or it made no difference whether it is.
    """

    def __init__(
        self, release: Release, told: tuple[Fact, ...], groups: Groups, max_records: int, system: LinearSystem | None = None
    ) -> None:
        vars(self).update(_asked=(release, told, max_records), groups=groups)
        if system is not None:
            vars(self)["system"] = system

    def __getattr__(self, name: str) -> Any:
        """Called for what is not there yet."""
        if name not in ("system", "facts", "lemmas", "witnesses"):
            raise AttributeError(name)
        release, _, max_records = vars(self)["_asked"]
        if name == "system":
            vars(self)["system"] = compile_release(release, max_records)
        else:
            case = Case.of(self.system, Deadline())
            case.first_witness()
            found = find_facts(case, groups=self.groups)
            vars(self).update(facts=tuple(found.facts), lemmas=tuple(found.lemmas), witnesses=tuple(case.pool))
        return vars(self)[name]

    @cached_property
    def _met(self) -> list[Witness]:
        """The datasets that the compiled loop found; none where there is no such loop any more."""
        release, _, max_records = vars(self)["_asked"]
        plan = plan_of(release.workload, self.groups)
        if plan is None:
            return []
        found = plan.run(*_limits(release), datasets=True, max_records=max_records)
        pairs = zip(self.system.records.tolist(), self.system.bucket_of.tolist(), strict=True)
        at = {tuple(record): bucket for record, bucket in pairs}
        (datasets,) = kinds_of(release.workload, found)
        return [_witness([at[record] for record, _ in kinds], [times for _, times in kinds]) for kinds in datasets]

    @cached_property
    def _unmet(self) -> Bools:
        """Buckets that no dataset of the compiled loop fills: all that are empty, and perhaps some that are not."""
        unmet = np.ones(self.system.buckets, dtype=bool)
        for witness in self._met:
            unmet[witness.buckets] = False
        return unmet

    def ground(self, fact: Fact, form: Predicate) -> Ground:
        """What is printed to the letter is a row of the system, and so a combination of rows. The loop shows that buckets are empty
        by single bounds. Whether one more bucket of the fact itself is taken for empty makes no difference to a form's ground."""
        if not self._met:
            return super().ground(fact, form)
        ground = Ground.LINEAR if fact.ground is None or fact.ground == Ground.PUBLISHED else fact.ground
        return self.ground_resting_on(self._beyond(fact), Ground.BOUND, ground, fact, form)

    def _beyond(self, fact: Fact) -> Bools:
        """Buckets that no dataset fills, if some form of the fact matches records in them; else none."""
        if fact.predicate not in self._reaching:
            unmet = self._unmet[self.system.bucket_of]
            reaching = any((self._matching(form) & unmet).any() for form in fact.shortest)
            self._reaching[fact.predicate] = self._unmet if reaching else np.zeros_like(self._unmet)
        return self._reaching[fact.predicate]

    @cached_property
    def _reaching(self) -> dict[Predicate, Bools]:
        return {}

    def singled_out(self, attributes: int) -> tuple[int, int]:
        """Where the datasets at hand close the gap nothing needs a proof."""
        _, told, _ = vars(self)["_asked"]
        if self._met:
            sets = [self._whole(fact) for fact in told if fact.count == 1 and fact.attributes >= attributes]
            low, high, _ = without_proof(self.system, sets, self._met)
            if low == high:
                return low, high
        return super().singled_out(attributes)

    def sums(self, facts: Sequence[Fact], known: Sequence[bool]) -> list[bool]:
        """Where it is the same whether all or none of the buckets in doubt are empty, nobody needs to know which are."""
        if self._met:
            whole = [self._whole(fact) for fact in facts]
            none, every = (sums_of([b[~gone[b]] for b in whole], known) for gone in (np.zeros_like(self._unmet), self._unmet))
            if none == every:
                return none
        return super().sums(facts, known)

    def _whole(self, fact: Fact) -> Ints:
        return np.flatnonzero(self.system.footprint(fact.predicate)[0])

    def __getstate__(self) -> dict[str, object]:
        known = super().__getstate__() if "facts" in vars(self) else {"groups": self.groups}
        return {**known, "_asked": vars(self)["_asked"]}
