"""The audit loop: witnesses propose, exact arithmetic decides, until no witness is missing and no claim is open."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from time import perf_counter

import numpy as np

from foregone.engine.bounds.apart import ApartProver
from foregone.engine.bounds.prover import Prover
from foregone.engine.bounds.rowspace import Combination, RowSpace
from foregone.engine.bounds.trees import Between, Exceeds, Lemma, TreeLeaf
from foregone.engine.case import Case
from foregone.engine.claims.buckets_of_claim import Extent, Extents
from foregone.engine.claims.closed_sets import Candidates, candidates, claimable
from foregone.engine.claims.doubtful_buckets import AFTER, bury
from foregone.engine.claims.in_bulk import between_bounds
from foregone.engine.claims.items import BLANK, Values, atom_items
from foregone.engine.claims.walks import hunt, scatter, walk
from foregone.engine.system.witness import Witness
from foregone.model.claim import Ground
from foregone.model.families import Groups
from foregone.model.progress import Progress
from foregone.solvers.answer import Undecided
from foregone.solvers.arrays import Bools, Ints

WALK = 4  # stops of the first random walk over witnesses
GRACE = 5.0  # seconds beyond the time limit in which the claims still open may be listed


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a claim is certain; a combination may rest on the lemmas."""

    ground: Ground
    evidence: Combination | Between


@dataclass(frozen=True, slots=True)
class ClosedFact:
    """A closed claim that is certain (reason given) or open (reason None), with what its other forms need.

    `blocked`: sets of its items, as bit masks over layers, that other possible records have (see `Extents.blocked`).
    """

    closed: Values
    count: int
    extent: Extent
    reason: Reason | None
    blocked: tuple[int, ...] = ()

    @property
    def ground(self) -> Ground | None:
        return None if self.reason is None else self.reason.ground


@dataclass
class Facts:
    """What the loop has found out so far, and what it took."""

    case: Case
    facts: list[ClosedFact] = field(default_factory=list)
    dead: Bools = field(default_factory=lambda: np.zeros(0, dtype=bool))
    lemmas: list[Lemma] = field(default_factory=list)
    thinned: RowSpace | None = None  # the same over the buckets not known to be empty
    reason: str = ""
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def prover(self) -> Prover:
        return self.case.prover


def dead_ground(lemmas: Iterable[Lemma]) -> Ground:
    """The ground that anything resting on the lemmas has at least."""
    return Ground.SEARCH if not all(isinstance(lemma.proof, TreeLeaf) for lemma in lemmas) else Ground.BOUND


def find_facts(case: Case, progress: Progress | None = None, groups: Groups = Groups.PUBLISHED, forms: bool = True) -> Facts:
    """Every claim with a count of at least 1 that holds in all consistent datasets, as closed facts.

    Claims name single values and, as `groups` tells, groups of values. Without `forms` it is not found out which other forms facts
    have. The case must know a witness. On return each closed claim that survives all witnesses is proved, or
    open because a limit was reached; every other claim is refuted by a witness in the pool.

    Where the system falls into independent parts, a claim about records of one part is decided there, and of claims about records
    of several, each part's share is.
    """
    prover, system = case.prover, case.system
    found = Facts(case, dead=prover.known.empty, lemmas=prover.lemmas)
    clock = _Clock(found.seconds)
    with clock("linear"):
        space = case.rowspace
    items = atom_items(system.release.workload, groups)
    values = claimable(system, items)
    extents = Extents(system, items)
    settled: dict[bytes, Reason] = {}
    apart, within = prover.apart, Candidates.of([], [])
    if apart is not None:
        with clock("parts"):
            within, settled = _of_parts(found, apart, groups, progress)
    else:
        with clock("witnesses"):
            walk(prover, prover.pool.witnesses[0], WALK)
            scatter(prover)
    while True:
        before = len(prover.pool)
        with clock("candidates"):
            seen = candidates(prover.pool, values, prover.deadline.later(GRACE), None if apart is None else apart.part_of)
            claims = _compared(found, extents, seen if apart is None else seen.and_others(within))
            if apart is not None:
                claims = _not_of_several(found, apart, claims, seen)
        # every new witness thins out the claims; they are worked out anew only when nothing more is found this way
        while True:
            known = len(prover.pool)
            doubts = [claim.extent.doubt for claim in claims if len(claim.extent.doubt)]
            doubt = np.zeros(system.buckets, dtype=bool)
            for buckets in doubts:
                doubt[buckets] = True
            with clock("linear"):
                _express(space, Ground.LINEAR, claims, settled)
            if apart is None:
                with clock("bounds"):
                    _bounded_in_bulk(found, claims, settled)
                with clock("moves"):  # no move changes what follows from the rows
                    unsettled = [claim.extent.inner for claim in claims if claim.key not in settled]
                    hunt(prover, doubt, unsettled, doubts)
            if len(prover.pool) == known:
                with clock("bounds"):
                    found.reason = bury(prover, doubt, doubts) or found.reason
            if len(prover.pool) == known:
                break
            with clock("candidates"):
                claims = _surviving(found, extents, claims, prover.pool.witnesses[known:])
        with clock("verdicts"):
            found.facts = _judge(found, claims, settled, progress)
        if len(prover.pool) == before and forms:
            with clock("bounds"):
                _settle_values(found)
        if len(prover.pool) == before:
            with clock("forms"):
                found.facts = _with_forms(found, extents) if forms else found.facts
            return found


def _of_parts(
    found: Facts, apart: ApartProver, groups: Groups, progress: Progress | None
) -> tuple[Candidates, dict[bytes, Reason]]:
    """What the independent parts have to say by themselves: closed claims, and why they are certain, by the buckets they select."""
    closed, counts = list[Values](), list[int]()
    settled: dict[bytes, Reason] = {}
    rows = found.case.system.rows
    for i, part in enumerate(apart.parts):
        if progress:
            progress("auditing independent parts", i, len(apart.parts))
        own = find_facts(Case.asking(apart.prover(i)), groups=groups, forms=False)
        found.reason = own.reason or found.reason
        for fact in own.facts:
            closed.append(fact.closed)
            counts.append(fact.count)
            if fact.reason is not None:
                match fact.reason.evidence:
                    case Combination(multipliers=multipliers, denominator=denominator):
                        why: Combination | Between = Combination(part.multipliers(multipliers, rows), denominator)
                    case Between(upper=upper, lower=lower):
                        why = Between(apart.proof(i, upper), apart.proof(i, lower))
                settled[part.buckets[fact.extent.inner].tobytes()] = Reason(fact.reason.ground, why)
    apart.gather()
    return Candidates.of(closed, counts), settled


def _not_of_several(found: Facts, apart: ApartProver, claims: list[_Claim], seen: Candidates) -> list[_Claim]:
    """Without claims of one part whose words fit possible records of others, too: these are among those seen, with their counts."""
    known, occupied = seen.keys, found.prover.pool.occupied

    def several(claim: _Claim) -> bool:
        parts = apart.part_of[claim.extent.inner[occupied[claim.extent.inner]]]
        return len(parts) > 0 and bool((parts != parts[0]).any())

    return [claim for claim in claims if claim.closed.tobytes() in known or not several(claim)]


def _settle_values(found: Facts) -> None:
    """Where it is not certain how many records there are: of every column, which values possible records have.

    Otherwise the claim about everybody tells.
    """
    occupied = np.flatnonzero(found.prover.pool.occupied)
    if not any(fact.reason is not None and np.isin(occupied, fact.extent.inner).all() for fact in found.facts):
        found.reason = settle_values(found.case) or found.reason


def settle_values(case: Case) -> str:
    """Find out of every column which values possible records have; why not, if not."""
    prover, system, reason = case.prover, case.system, ""
    while True:
        seen, left = prover.pool.occupied[system.bucket_of], ~prover.known.empty[system.bucket_of]
        doubt = np.zeros(system.buckets, dtype=bool)
        for values in system.records.T:
            met = np.zeros(int(values.max(initial=0)) + 1, dtype=bool)
            met[values[seen]] = True
            doubt[system.bucket_of[left & ~met[values]]] = True
        before = len(prover.pool), int(prover.known.empty.sum())
        if not doubt.any():
            return ""
        reason = bury(prover, doubt)
        if (len(prover.pool), int(prover.known.empty.sum())) == before:
            return reason or "it could not be found out which values are possible"


def _with_forms(found: Facts, extents: Extents) -> list[ClosedFact]:
    """The facts with what tells their forms."""
    closed = np.array([fact.closed for fact in found.facts], dtype=np.int16)
    if not len(closed):
        return []
    blocked = extents.blocked(closed, found.prover.pool.occupied)
    return [replace(fact, blocked=tuple(masks)) for fact, masks in zip(found.facts, blocked, strict=True)]


@dataclass(frozen=True, slots=True)
class _Claim:
    """A closed claim that holds in every witness seen, against the live records."""

    closed: Values
    count: int
    extent: Extent
    key: bytes  # the buckets it selects


def _compared(found: Facts, extents: Extents, seen: Candidates) -> list[_Claim]:
    """The candidates that do not cut through an occupied bucket."""
    compared = extents.compare(seen.closed, found.prover.pool.occupied, found.dead)
    rows = zip(seen.closed, seen.counts.tolist(), compared, (seen.closed != BLANK).any(axis=1), strict=True)
    return [
        _Claim(closed, count, extent, extent.inner.tobytes())
        for closed, count, extent, names in rows
        if names and not extent.refuted
    ]


def _surviving(found: Facts, extents: Extents, claims: list[_Claim], witnesses: list[Witness]) -> list[_Claim]:
    """The claims that hold in these new witnesses too, against what is known now.

    A claim is compared with all possible records again only where a new witness fills a bucket that was in doubt for it. Any
    other bucket that it fills was possible before, or would tell no more forms apart than possible ones do.
    """
    buckets, filled = found.prover.system.buckets, np.zeros(found.prover.system.buckets, dtype=bool)
    good = np.ones(len(claims), dtype=bool)
    for witness in witnesses if claims else ():
        filled[witness.buckets] = True
        good &= witness.inside([claim.extent.inner for claim in claims], buckets) == [claim.count for claim in claims]
    claims = [claim for claim, holds in zip(claims, good.tolist(), strict=True) if holds]
    told = [claim for claim in claims if filled[claim.extent.doubt].any()]
    changed = Candidates.of([claim.closed for claim in told], [claim.count for claim in told])
    again = _compared(found, extents, changed) if told else []
    new, gone = {claim.closed.tobytes(): claim for claim in again}, {claim.closed.tobytes() for claim in told}
    made = (new.get(key) if (key := claim.closed.tobytes()) in gone else _without(claim, found.dead) for claim in claims)
    return [claim for claim in made if claim is not None]


def _without(claim: _Claim, dead: Bools) -> _Claim:
    """A claim for which buckets that were found to be empty are no longer in doubt."""
    extent = claim.extent
    left = extent.doubt[~dead[extent.doubt]]
    return claim if len(left) == len(extent.doubt) else replace(claim, extent=replace(extent, doubt=left))


def _combine(found: Facts, claims: list[_Claim], settled: dict[bytes, Reason]) -> None:
    """Settle the claims whose buckets are a combination of rows over the buckets that the lemmas leave."""
    if found.dead.any() and any(claim.key not in settled for claim in claims):
        if found.thinned is None or (found.thinned.kept & found.dead).any():  # more buckets are known to be empty than before
            found.thinned = RowSpace(found.prover.system, ~found.dead, found.case.rowspace)
        _express(found.thinned, dead_ground(found.lemmas), claims, settled)


def _express(space: RowSpace, ground: Ground, claims: list[_Claim], settled: dict[bytes, Reason]) -> None:
    """Settle the claims whose buckets are a combination of the rows of a span."""
    claims = [claim for claim in claims if claim.key not in settled and claim.key not in space.outside]
    inside = np.zeros((len(claims), space.system.buckets), dtype=bool)
    for row, claim in zip(inside, claims, strict=True):
        row[claim.extent.inner] = True
    for claim, combination in zip(claims, space.express_each(inside), strict=True):
        if combination is None:
            space.outside.add(claim.key)
        else:
            settled[claim.key] = Reason(ground, combination)


def _judge(found: Facts, claims: list[_Claim], settled: dict[bytes, Reason], progress: Progress | None) -> list[ClosedFact]:
    """A verdict for each claim; claims that a new witness breaks on the way are left to the next round."""
    _combine(found, claims, settled)
    sure = [bool(found.dead[claim.extent.doubt].all()) for claim in claims]
    for done, (claim, certain) in enumerate(zip(claims, sure, strict=True)):
        if progress:
            progress("deciding claims", done, len(claims))
        if certain and claim.key not in settled:
            reason = _bounded(found, found.prover.system.count_in(claim.extent.inner), claim.count)
            if reason is not None:
                settled[claim.key] = reason
    return [
        ClosedFact(claim.closed, claim.count, claim.extent, settled.get(claim.key) if certain else None)
        for claim, certain in zip(claims, sure, strict=True)
    ]


def _bounded_in_bulk(found: Facts, claims: list[_Claim], settled: dict[bytes, Reason]) -> None:
    """Settle claims by bounds alone, where tables are dense."""
    sets = [(claim.extent.inner, claim.count) for claim in claims if claim.key not in settled]
    for key, proof in between_bounds(found.prover, sets).items():
        settled[key] = _reason(found, proof)


def _reason(found: Facts, proof: Between) -> Reason:
    # a bound leaves out what lemmas have shown to be empty, so it may rest on their trees as well as on its own
    return Reason(max(proof.ground, dead_ground(found.lemmas), key=lambda ground: ground.rank), proof)


def _bounded(found: Facts, inside: Ints, count: int) -> Reason | None:
    """Bound the count from above and from below; None when a witness breaks it or a limit is reached."""
    answer = found.prover.exactly(inside, inside, count)
    match answer:
        case Between():
            return _reason(found, answer)
        case Exceeds(witness=witness):
            if found.prover.apart is None:
                walk(found.prover, witness, AFTER)
        case Undecided(reason=reason):
            found.reason = reason
    return None


class _Clock:
    """Adds up the time spent under each name."""

    def __init__(self, seconds: dict[str, float]) -> None:
        self.seconds = seconds
        self.name, self.start = "", 0.0

    def __call__(self, name: str) -> _Clock:
        self.name, self.start = name, perf_counter()
        return self

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        self.seconds[self.name] = self.seconds.get(self.name, 0.0) + perf_counter() - self.start
