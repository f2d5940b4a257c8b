"""What an audit found, in the order in which people want to read it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from foregone.batch.subject import Subject
from foregone.model.audit import Audit, Printed, PrintedHow, exact_columns, exact_numbers, printer
from foregone.model.claim import Claim
from foregone.model.dataset import Dataset
from foregone.model.intervals import Interval
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.policy.judge import Judged
from foregone.questions.baseline import Guesser, as_guesser, survives

KEYS = 3  # shortest statements shown with a fact
SURVIVAL_RECORDS, SURVIVAL_NUMBERS, SURVIVAL_GROUP = 1_000, 500, 5  # up to which it is asked whether a fact survives a deletion


@dataclass(frozen=True, slots=True)
class RankedFact:
    """A certain fact: exactly `count` records match `predicate`; any of `keys` is enough to know whom it is about.

    `published`: a form of it is itself a published number, so it does not only follow; None where nobody looked. `printed`: how
    much of it that number says; None where only the former is known. `printed_by` is that number, where it is known which.
    `idle` are the columns that tell nothing, and `brought` those that another value brings along (see `Fact`); where only the
    number of the former is known, `counted` is how many others there are.
    """

    predicate: Predicate
    count: int
    ground: str
    baseline: float | None
    keys: tuple[Predicate, ...]
    published: bool | None = False
    idle: frozenset[str] = frozenset()
    brought: frozenset[str] = frozenset()
    counted: int | None = None
    printed_by: int | None = None
    printed: PrintedHow | None = None
    guess: float | None = None  # the chance that a record drawn from the prior has these values
    modal: bool | None = None  # would somebody be right who names the most frequent ones there? None where that cannot be said
    survives: bool | None = None  # would it still be certain, of one record fewer, without any one of its records? None: not asked

    @property
    def columns(self) -> int:
        return len(self.predicate)

    @property
    def attributes(self) -> int:
        """How many columns it names that tell something."""
        return self.columns - len(self.idle) if self.counted is None else self.counted

    @property
    def exact(self) -> int:
        return exact_columns(self.predicate)

    @property
    def exact_attributes(self) -> int | None:
        """How many of these are single values; None where that is not known."""
        singles = {name for name, codes in self.predicate.allowed if len(codes) == 1}
        if self.counted is None:
            return len(singles - self.idle)
        return self.counted if len(singles) == self.columns else None

    @property
    def telling(self) -> Predicate:
        """The claim without the groups that need no words: about the same records, and what an explanation has to explain."""
        unsaid = self.idle | self.brought
        return Predicate(tuple((n, codes) for n, codes in self.predicate.allowed if len(codes) == 1 or n not in unsaid))

    @property
    def names(self) -> tuple[str, ...]:
        """The columns it names."""
        return tuple(name for name, _ in self.predicate.allowed)


@dataclass(frozen=True, slots=True)
class AuditedRelease:
    """What a page about one release is made from: an audit, its facts in the order of the page, and what they are about."""

    audit: Audit
    subject: Subject
    facts: tuple[RankedFact, ...]  # all of them
    listed: tuple[RankedFact, ...]  # those that are worth telling one by one
    judged: Judged  # what a policy is judged by
    hidden: tuple[Interval, ...] = ()  # what the cells that are withheld or given as ranges must be
    truth: Dataset | None = None  # the true records, where they may be spoken of

    @property
    def release(self) -> Release:
        return self.audit.release

    @property
    def singled_out(self) -> tuple[int, int]:
        """At least so many records, whatever the truth is: from below and from above."""
        return self.audit.singled_out or (0, 0)

    @property
    def more(self) -> int:
        """Facts that are printed, or follow by adding up others."""
        return len(self.facts) - len(self.listed)


def audited_release(
    audit: Audit,
    subject: Subject,
    prior: Dataset | Guesser | None = None,
    truth: Dataset | None = None,
    judged: Judged | None = None,
) -> AuditedRelease:
    """What a page is made from; what cells that are not shown must be is worked out here. `prior` are records to guess from, and
    `judged` has the limits of time and size.
    """
    ranked = tuple(rank_facts(audit, prior))
    told = {fact.claim for fact in audit.told}
    listed = tuple(fact for fact in ranked if Claim(fact.predicate, fact.count) in told)
    chances = (
        None
        if prior is None or (isinstance(prior, Dataset) and not len(prior))
        else {Claim(fact.predicate, fact.count): fact.baseline for fact in ranked}
    )
    true = None if truth is None else dict(enumerate(truth.counts(s.predicate for s in audit.release.statistics)))
    known = replace(judged or Judged(audit), chances=chances, true=true)
    return AuditedRelease(audit, subject, ranked, listed, known, tuple(known.known.values()), truth)


def with_survival(found: AuditedRelease, most: int) -> AuditedRelease:
    """Of the first facts about a few records each: would they survive the deletion of a record? Where the true records are known,
    and tables and records are few enough to be published again many times."""
    truth, release = found.truth, found.release
    if truth is None or len(truth) > SURVIVAL_RECORDS or len(release.statistics) > SURVIVAL_NUMBERS:
        return found
    asked = [fact for fact in found.listed[:most] if 1 < fact.count <= SURVIVAL_GROUP]
    kept = survives(release, truth, [(fact.predicate, fact.count) for fact in asked])
    told = {Claim(fact.predicate, fact.count): yes for fact, yes in zip(asked, kept, strict=True)}

    def with_it(fact: RankedFact) -> RankedFact:
        return replace(fact, survives=told.get(Claim(fact.predicate, fact.count)))

    return replace(found, facts=tuple(map(with_it, found.facts)), listed=tuple(map(with_it, found.listed)))


def rank_facts(audit: Audit, prior: Dataset | Guesser | None = None) -> list[RankedFact]:
    """Every certain fact, most telling first: single records, many attributes, small baseline probability."""
    release = audit.release
    least, most = release.size
    guesser = None if prior is None or (isinstance(prior, Dataset) and not len(prior)) else as_guesser(prior, release.domain)
    made = []
    printed, exactly = Printed(release, audit.groups), exact_numbers(release)
    for fact in audit:
        chance = guess = modal = None
        if guesser is not None:
            chance, guess, modal = guesser.guesses(fact.predicate, fact.count, least if least == most else None)
        keys = sorted(fact.shortest, key=lambda key: (len(key), key.text(release.domain)))
        short = tuple(keys[:KEYS])
        told = RankedFact(fact.predicate, fact.count, str(fact.ground), chance, short, fact.published, fact.idle, fact.brought)
        told = replace(told, guess=guess, modal=modal)
        if fact.published:
            how = printed.how(fact.predicate, fact.count, fact.unsaid)
            told = replace(told, printed=how, printed_by=printer(release, exactly, told.predicate, told.count, fact.unsaid))
        made.append(told)

    def order(ranked: RankedFact) -> tuple[object, ...]:
        positions = ranked.predicate.positions(release.domain)
        size = ranked.attributes, ranked.exact, ranked.columns
        return ranked.count, [-n for n in size], -1.0 if ranked.baseline is None else ranked.baseline, positions

    return sorted(made, key=order)
