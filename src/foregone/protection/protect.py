"""Protect a release: provably the least to withhold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from time import perf_counter

from foregone.engine import MAX_RECORDS, start
from foregone.formats.policy import conflicts, read_policy
from foregone.model.audit import Audit
from foregone.model.errors import InputError, UndecidedError, option
from foregone.model.families import Groups
from foregone.model.policy import DEFAULT, Knowledge, Policy
from foregone.model.predicate import Predicate
from foregone.model.protection import Alternative, Protection, Remaining
from foregone.model.release import Release
from foregone.model.shown import shown
from foregone.policy.judge import Judged, PolicyVerdict, judge
from foregone.policy.reader import as_read
from foregone.policy.sentences import breach_sentence
from foregone.protection.actions import Allowed, base_cost, problem_of
from foregone.protection.attack import Attacker, BreachExplanation
from foregone.protection.by_rule import check_covered, choose_by_rule, in_blocks
from foregone.protection.certificate import certificate, check_possible, rule_certificate
from foregone.protection.covering_proof import bound_proof
from foregone.protection.exact import ExactAttacker
from foregone.protection.linear import LinearAttacker, check_policy
from foregone.protection.parts import PlacesSearch, places_of
from foregone.protection.patterns import PublicRule
from foregone.protection.problem import NONE, ActionKind, Left, Problem, weaken
from foregone.protection.published import protected_release, shown_numbers, withheld_names
from foregone.protection.search import ChoiceSearch, Found, Guesses, Watch
from foregone.questions.ask import audit
from foregone.questions.asked import Source, as_groups, as_release
from foregone.solvers.deadline import Deadline

GRACE = 5.0  # to say what was found when the time is over
OTHER_SECONDS = 10.0  # to look for the next best choices
NAMED = 5  # numbers that are named where there may be many
BY = ("cell", "table")
ATTACKERS = ("exact", "linear")
READERS = ("any", "knows-the-rule")


def protect(
    release: Source,
    policy: Policy | str | Path | None = None,
    *,
    by: str = "cell",
    know: Knowledge | None = None,
    attacker: str = "exact",
    keep: Iterable[str] = (),
    costs: Mapping[str, int] | str = "one",
    withhold: bool = True,
    round_to: Iterable[int] = (),
    merge: Iterable[tuple[str, str, str]] = (),
    time_limit: float | None = None,
    alternatives: int = 0,
    max_records: int = MAX_RECORDS,
    watch: Watch | None = None,
    proofs: bool = False,
    groups: Groups | str = Groups.PUBLISHED,
    marks: str = "one",
    mark: str = "",
    reader: str = "any",
) -> Protection:
    """The cheapest set of cells or tables to withhold so that a release keeps a policy, and a proof that none is cheaper.

    `policy` may be the path of a policy file; without one nobody may be singled out by two columns or more, and no cell that is
    not shown may be worked out. `keep` names cells or tables that stay. `marks`: cells that are not shown get "one" mark, or
    "two", one for those that were not shown before and one for the others; `mark` is its text. `costs`: "one" for each cell,
    "size" for its count, or a number for each name. Numbers may also be rounded to a multiple (`round_to`), and two values of a
    column merged (`merge`: column and both codes). When the time is over the best protection found is returned with the bound
    that was proved. With `proofs` it has a `certificate`, which `check` checks; it holds true numbers and must not be published.
    Claims name groups of values wherever the tables do, unless `groups` is "none". With `reader` "knows-the-rule" it also
    withstands somebody who knows how the choice was made (docs/protect.md, "Who reads it"): `reader` of the answer is then
    "shown" or "not shown".

    Parameters
    ----------
    release : Release, Case, str or Path
        A release, a case made of one, or the path of one.
    policy : Policy, str or Path, optional
        What must not follow from the release, or a policy file.
    by : {"cell", "table"}
        What is withheld.
    know : Knowledge, optional
        What a reader knows besides, instead of what the policy says.
    attacker : {"exact", "linear"}
        "linear" only adds and subtracts.
    keep : iterable of str
        Names of cells or tables that stay shown.
    costs : mapping or {"one", "size"}
        What it costs to withhold each.
    withhold : bool
        Whether cells may be withheld at all.
    round_to : iterable of int
        Bases that counts may be rounded to.
    merge : iterable of tuple
        Column and two of its codes that may be merged.
    time_limit : float, optional
        Seconds; without one it takes as long as it takes.
    alternatives : int
        How many other choices of the same cost to look for.
    max_records : int
        Refuse a release that leaves more kinds of record possible.
    watch : callable, optional
        Hears of every better choice and bound.
    proofs : bool
        Also make a certificate.
    groups : {"published", "none"}
        Whether claims name groups of values.
    marks : {"one", "two"}
        Whether cells that were not shown before keep a mark of their own.
    mark : str
        The text of the mark.
    reader : {"any", "knows-the-rule"}
        Whom it has to withstand.

    Returns
    -------
    Protection
        The protected `release`, what is `withheld`, its `cost` and the `lower_bound` that was proved.

    Raises
    ------
    InputError
        A release, a claim or an argument that cannot be understood; it is a ValueError.
    ContradictionError
        The published numbers contradict each other; an InputError, too.
    TooLargeError
        More kinds of record stay possible than `max_records`.

    >>> from foregone import Policy, tabulate
    >>> release = tabulate({"SEX": ["F", "M", "M"], "AGE": ["1", "1", "2"]}, margins=["SEX", "AGE"])
    >>> found = protect(release, Policy(singled_out_columns=1))
    >>> found.cost, found.lower_bound, found.after
    (3, 3, 0)
    """
    begin = perf_counter()
    rules = as_policy(policy, know)
    stored = as_release(release)
    published = as_read(stored, rules)
    if by not in BY or attacker not in ATTACKERS:
        wrong = shown(by if by not in BY else attacker)
        raise InputError(f"{wrong} is not understood; by is {' or '.join(BY)}, the attacker {' or '.join(ATTACKERS)}")
    if reader not in READERS:
        raise InputError(f"{option('reader')}: {shown(reader)} is not understood; use {' or '.join(READERS)}")
    if isinstance(costs, str) and costs not in ("one", "size"):
        raise InputError(f"{option('costs')}: {shown(costs)} is not understood; use one, size, or a cost for each name")
    allowed = Allowed(
        by,
        tuple(keep),
        {} if isinstance(costs, str) else dict(costs),
        costs == "size",
        withhold,
        tuple(round_to),
        tuple(merge),
        marks,
        mark,
    )
    if attacker == "linear":
        check_policy(rules)
    if reader != READERS[0]:
        check_covered(published, rules, allowed, attacker)
        allowed = in_blocks(published, allowed)
    # a release that contradicts itself is told apart from one that cannot be protected
    case = start(published, time_limit, max_records)
    problem = problem_of(published, rules, allowed, as_groups(groups), attacker == "exact", case)
    if proofs:
        check_possible(problem, attacker == "linear")
    attack: Attacker = LinearAttacker(problem) if attacker == "linear" else ExactAttacker(problem, max_records)
    deadline = Deadline.after(time_limit)
    base = base_cost(problem, allowed)
    told: Watch | None = None if watch is None else lambda low, high: watch(base + low, None if high is None else base + high)
    if reader != READERS[0]:
        rule = PublicRule(published, rules, allowed, as_groups(groups))
        known = choose_by_rule(rule, problem, attack, deadline, told, max_records)
        made = _protection(problem, published, attacker, by, known.found, base, attack, deadline)
        wanted = proofs and known.found.upper is not None
        return replace(
            made,
            impossible=known.impossible or made.impossible,
            proved=known.proved,
            reader="shown" if known.shown else "not shown",
            reader_why=known.why,
            certificate=rule_certificate(problem, stored, allowed, attack, known, base) if wanted else None,
            seconds={"total": perf_counter() - begin},
        )
    places = places_of(problem, case) if attacker == "exact" else []
    guesses = _looking(attack) if by == "table" and isinstance(attack, ExactAttacker) else None
    whole = ChoiceSearch(problem, attack, deadline, told, guesses)
    search = PlacesSearch(problem, places, deadline, told, max_records) if places else whole
    found = search.run()
    others = [] if not found.optimal else search.alternatives(alternatives, deadline.sooner(OTHER_SECONDS))
    made = _protection(problem, published, attacker, by, found, base, attack, deadline)
    tree = None
    if found.upper is not None and found.lower and (found.optimal or proofs):
        tree = bound_proof(problem.costs, found)
    written = certificate(problem, stored, allowed, attack, found, tree, base) if proofs and found.upper is not None else None
    return replace(
        made,
        certificate=written,
        proved=tree is not None or not found.lower,
        alternatives=tuple(Alternative(_words(problem, taken), base + problem.cost(taken)) for taken in others),
        seconds={"total": perf_counter() - begin},
    )


def _looking(attacker: ExactAttacker) -> Guesses:
    """Protections that are seen to be safe before anything is explained."""
    return lambda deadline: attacker.mended(NONE, lambda taken: attacker.safe(taken, deadline), deadline)


def as_policy(policy: Policy | str | Path | None, know: Knowledge | None = None) -> Policy:
    """A policy, or what its file says, or that nobody is singled out; with what else a reader knows."""
    made = policy if isinstance(policy, Policy) else DEFAULT if policy is None else read_policy(Path(policy))
    if know is not None:
        known = made.knows
        most = know.primary_at_most if known.primary_at_most is None else known.primary_at_most
        made = replace(made, know=Knowledge(known.zeros_shown or know.zeros_shown, most))
    problems = conflicts(made)
    if problems:
        raise InputError(problems)
    if made.largest_baseline < 1:
        raise UndecidedError(
            "largest_baseline could not be judged: how likely a claim is by chance is not known without a table to guess from;"
            " leave it out of the policy"
        )
    return made


def _protection(
    problem: Problem, published: Release, attacker: str, by: str, found: Found, base: int, attack: Attacker, deadline: Deadline
) -> Protection:
    grace = Deadline.after(GRACE) if found.stopped else deadline.later(GRACE)
    safe = found.upper is not None
    cells, tables = withheld_names(problem, found.taken) if safe else ((), ())
    names = {kind: _named(problem, found, kind) if safe else () for kind in ActionKind}
    protected = protected_release(problem, found.taken) if safe else None
    before, after, still = _judged(problem, published, attacker, found, protected, attack, grace)
    return Protection(
        published,
        problem.policy,
        attacker,
        by,
        protected,
        (tables if by == "table" else cells),
        cells,
        names[ActionKind.ROUND],
        names[ActionKind.MERGE],
        None if found.upper is None else base + found.upper,
        base + found.lower,
        before,
        after,
        len(problem.primary),
        reason=found.reason,
        impossible="" if found.impossible is None else _why(problem, found.impossible),
        left=shown_numbers(problem, found.taken),
        shown=shown_numbers(replace(problem, primary=frozenset()), ()),
        done=_words(problem, found.taken) if safe else (),
        still=still,
        marks=dict(protected.domain.marks) if protected is not None else {},
    )


def _judged(
    problem: Problem,
    published: Release,
    attacker: str,
    found: Found,
    protected: Release | None,
    attack: Attacker,
    deadline: Deadline,
) -> tuple[int | None, int | None, Remaining | None]:
    """In how many ways the policy is broken before and after, each None when that was not found out in time, and what is certain
    although the policy is kept. The judge of every command says so; for somebody who only adds and subtracts there is no other.
    """
    if attacker == "linear":
        return len(problem.primary), None if protected is None else attack.breaches(found.taken, deadline), None
    before = None if found.stopped else _violations(problem, published, problem.true, None, deadline)[0]
    if protected is None or found.stopped:
        return before, None, None
    places = {left.row.sources[0]: i for i, left in enumerate(weaken(problem, found.taken)) if left.row.count is not None}
    primary = {places[i]: problem.true.get(i) for i in problem.primary if i in places}
    true = {i: count for i, count in primary.items() if count is not None}
    after, audited = _violations(problem, protected, true, frozenset(primary), deadline)
    return before, after, None if audited is None else _still(problem, audited)


def _violations(
    problem: Problem, release: Release, true: Mapping[int, int], primary: frozenset[int] | None, deadline: Deadline
) -> tuple[int | None, Audit | None]:
    """How often a release breaks the policy, and its audit; None when that was not found out in time."""
    left = None if deadline.left() == float("inf") else max(deadline.left(), 0.0)
    try:
        domain = replace(problem.domain, marks=release.domain.marks)  # what claims may name does not change with what is shown
        seen, groups = as_read(release.changed(domain=domain), problem.policy), problem.groups
        # where a policy forbids no claims nobody looks for them: cells and attributes are asked of the release itself
        audited = audit(seen, time_limit=left, groups=groups) if problem.policy.about_claims else Audit(seen, (), groups=groups)
        judgement = judge(problem.policy, Judged(audited, true=true, primary=primary, time_limit=left))
    except UndecidedError:
        return None, None
    if judgement.breaches and primary is not None:
        first = breach_sentence(release.domain, judgement.breaches[0])
        raise AssertionError(f"a protection that was found safe breaks the policy ({first}); please report this release")
    return None if judgement.verdict == PolicyVerdict.UNDECIDED else len(judgement.breaches), audited


def _still(problem: Problem, audited: Audit) -> Remaining | None:
    """What a policy about claims does not forbid, because it has too few columns; None if that is not known."""
    if (problem.policy.singled_out_columns or 1) < 2:
        return None
    facts = [fact for fact in audited.facts if fact.count < problem.policy.smallest_group and fact.attributes]
    if not facts:
        return None if audited.open else Remaining(0, 0, Predicate(), 0)
    first = max(facts, key=lambda fact: fact.attributes)
    return Remaining(len(facts), first.attributes, min(first.shortest, key=len), first.count)


def _named(problem: Problem, found: Found, kind: ActionKind) -> tuple[str, ...]:
    return tuple(problem.actions[a].name for a in sorted(found.taken) if problem.actions[a].kind == kind)


def _words(problem: Problem, taken: Iterable[int]) -> tuple[str, ...]:
    return tuple(problem.actions[a].words for a in sorted(taken))


def _why(problem: Problem, explanation: BreachExplanation) -> str:
    """Why no action helps, in a sentence."""
    # a number may be there with each of its sides, and a cell that is not shown with what its mark says
    kept = list(dict.fromkeys(part.row.number.label for part in explanation.needed if not Left(part.row, *part.row.limits).hidden))
    more = f" and {len(kept) - NAMED} more" if len(kept) > NAMED else ""
    stay = f"the numbers that stay ({', '.join(kept[:NAMED])}{more}) force it"
    because = stay if kept else "it follows without any published number"
    return f"{breach_sentence(problem.release.domain, explanation.breach)}: {because}."
