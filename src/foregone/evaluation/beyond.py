"""Beyond certain, for one block of the study: are claims true as often as their shares say, and what does a register make of it?

The true records decide, and nothing here that proposes or weighs a claim sees them. A prior made from records knows the block's
state without the block's own tract. Runs in worker processes; counting is limited by steps and not by the clock, so that the same
study always finds the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random

import numpy as np

from foregone.batch.plan import Ints
from foregone.census.geography import place_of
from foregone.census.kinds import publisher
from foregone.census.records import Publisher
from foregone.census.unit_files.units import UnitFile
from foregone.counting.counted import CountedRelease, count_out
from foregone.counting.graph import TooMuchWork
from foregone.counting.prior import HISTOGRAMS, UNIFORM, Prior, Shares
from foregone.counting.ranking import likely_claims, likely_records
from foregone.engine import Case
from foregone.evaluation.sample import StudyOptions
from foregone.model.claim import Claim
from foregone.model.dataset import Dataset, Record
from foregone.model.domain import Domain
from foregone.questions.ask import generate
from foregone.questions.link import Assumption, link
from foregone.solvers.deadline import Deadline

STATE, WITNESSES = "state", "witnesses"
PRIORS = (UNIFORM, HISTOGRAMS, "polya:10", STATE, f"polya:10:{STATE}")
WEIGHINGS = (*PRIORS, WITNESSES)  # the last are the paper's K datasets, each of which counts the same
CONCENTRATION = Fraction(10)
MOST_STATES = 30_000  # of the recursion; blocks that need more are left out, and counted
SAMPLES, RECORDS, CLAIMS, DATASETS = 200, 10, 15, 100  # for each block and prior
COVERAGES = (0.25, 0.5, 0.75, 1.0)  # of the block's records in the register
OUTSIDERS = (0.0, 0.25)  # people in the register who are not in the block, for each who is
REGISTER = {"household": ("HHSIZE", "THHLDRAGE", "THHRACE"), "person": ("SEX", "AGE")}  # what a register knows


@dataclass(frozen=True, slots=True)
class BeyondTask:
    """A block, and the records of its state without its tract: codes, and how often each occurs."""

    block: str
    codes: Ints
    options: StudyOptions
    others: Ints
    numbers: Ints

    @property
    def cost(self) -> float:
        """Seconds, roughly, to tell large blocks from small ones."""
        return float(len(self.codes))


@dataclass(frozen=True, slots=True)
class JudgedClaim:
    """A claim, or a full record, that was proposed: in what share of the datasets it holds, and whether it is true."""

    weighing: str
    record: bool  # it is about a full record, that it occurs at all
    share: float
    true: bool


@dataclass(frozen=True, slots=True)
class LinkedRegister:
    """What a register makes of a block: how many people are in it, are matched, and learnt about; and how many of these wrongly."""

    coverage: float
    outsiders: float
    assumption: str
    people: int
    matched: int
    wrongly: int
    learnt: int
    falsely: int


@dataclass(frozen=True, slots=True)
class BeyondResult:
    """What was found in one block; `counted`: all its datasets were."""

    block: str
    counted: bool
    judged: tuple[JudgedClaim, ...]
    covered: tuple[LinkedRegister, ...]


def beyond_tasks(units: UnitFile, records: dict[str, Ints], options: StudyOptions) -> Iterator[BeyondTask]:
    """A task for each block."""
    known: dict[str, tuple[Ints, Ints]] = {}
    for block, codes in records.items():
        tract = place_of(block, "tract")
        if tract not in known:
            found = units.base.execute(
                "SELECT code, count(*) AS n FROM units WHERE state = ? AND tract <> ? GROUP BY code ORDER BY code",
                [place_of(block, "state"), tract],
            ).fetchnumpy()
            known[tract] = np.asarray(found["code"], dtype=np.int64), np.asarray(found["n"], dtype=np.int64)
        yield BeyondTask(block, codes, options, *known[tract])


def beyond(task: BeyondTask) -> BeyondResult:
    """Judge what is proposed, then link registers of known coverage. The edit rules are known: they belong to what is published."""
    options = task.options
    tables = publisher(options.subject, options.variant, options.units, True)
    case, truth = Case(tables.release(task.codes)), tables.dataset(task.codes)
    domain = case.release.domain
    numbers = _numbers(task, tables)
    covered = tuple(_linked(case, truth, list(numbers), options.subject, int(task.block)))
    try:
        counted = count_out(case, Deadline(), MOST_STATES)
    except TooMuchWork:
        return BeyondResult(task.block, False, (), covered)
    judged = [
        one for name in PRIORS for one in _judged(name, *_weighed(counted, _prior(name, domain, numbers), int(task.block)), truth)
    ]
    datasets = list(generate(case, DATASETS).datasets)
    judged += _judged(WITNESSES, datasets, lambda claim: _frequency(datasets, claim), truth)
    return BeyondResult(task.block, True, tuple(judged), covered)


def _numbers(task: BeyondTask, tables: Publisher) -> dict[Record, int]:
    """The records of the state without the tract, with how often each occurs."""
    columns, made = tables.domain.columns, dict[Record, int]()
    for row, number in zip(tables.positions(task.others).tolist(), task.numbers.tolist(), strict=True):
        record = tuple(c.codes[at] for c, at in zip(columns, row, strict=True))
        made[record] = made.get(record, 0) + number
    return made


def _prior(name: str, domain: Domain, numbers: dict[Record, int]) -> Prior:
    """By name; that of a state has one record more, spread evenly over all kinds, so that what was never seen is not impossible."""
    concentration = CONCENTRATION if name.startswith("polya:") else None
    if not name.endswith(STATE):
        return Prior(name, concentration)
    return Prior(name, concentration, Shares(domain.names, {record: n * domain.size for record, n in numbers.items()}, 1))


Share = Callable[[Claim], float]


def _weighed(counted: CountedRelease, prior: Prior, seed: int) -> tuple[list[Dataset], Share]:
    """Perfect samples, which propose, and exact shares, which judge."""

    def share(claim: Claim) -> float:
        return float(counted.distribution(prior, claim.predicate, claim.count)[claim.count])

    return counted.datasets_of(prior, SAMPLES, Random(seed)), share


def _frequency(datasets: Sequence[Dataset], claim: Claim) -> float:
    return sum(dataset.count(claim.predicate) == claim.count for dataset in datasets) / len(datasets)


def _judged(name: str, datasets: list[Dataset], share: Share, truth: Dataset) -> Iterator[JudgedClaim]:
    around = likely_records(datasets, RECORDS)
    for claim in around:
        yield JudgedClaim(name, True, 1 - share(Claim(claim.predicate, 0)), truth.count(claim.predicate) > 0)
    for claim in [*around, *likely_claims(datasets, around, CLAIMS)]:
        yield JudgedClaim(name, False, share(claim), truth.count(claim.predicate) == claim.count)


def _linked(case: Case, truth: Dataset, others: Sequence[Record], subject: str, seed: int) -> Iterator[LinkedRegister]:
    """Registers drawn from the block, of known coverage, some with people from elsewhere in the state. What everybody there has
    who looks the same in the register is not learnt from tables."""
    domain, random, on = case.release.domain, Random(seed), REGISTER[subject]
    at = [domain.index[name] for name in on]
    elsewhere_have: dict[tuple[Record, str], set[str]] = {}
    for record in others:
        for name, code in zip(domain.names, record, strict=True):
            elsewhere_have.setdefault((tuple(record[i] for i in at), name), set()).add(code)
    inside = list(truth.records)
    random.shuffle(inside)
    for coverage in COVERAGES:
        here = inside[: max(1, round(coverage * len(inside)))]
        for rate in OUTSIDERS:
            elsewhere = random.choices(others, k=round(rate * len(here))) if others else []
            people = [*here, *elsewhere]
            register = {name: [person[i] for person in people] for name, i in zip(on, at, strict=True)}
            for assumption in (Assumption.TABLES, Assumption.REGISTER):
                found = link(case, register, on, assumption)
                matches = [found.found[i] for i in found.of_person]
                outside = [False] * len(here) + [True] * len(elsewhere)
                told = [
                    [(name, code) for name, code in match.learnt if elsewhere_have.get((match.values, name)) != {code}]
                    for match in matches
                ]
                wrong = [any(p[domain.index[name]] != code for name, code in said) for p, said in zip(people, told, strict=True)]
                yield LinkedRegister(
                    coverage,
                    rate,
                    assumption.value,
                    len(people),
                    sum(match.matched for match in matches),
                    sum(match.matched and beyond for match, beyond in zip(matches, outside, strict=True)),
                    sum(map(bool, told)),
                    sum(wrong),
                )
