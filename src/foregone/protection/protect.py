"""Protect a release: provably the least to withhold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from time import perf_counter

from foregone.engine.system.linear import MAX_RECORDS
from foregone.formats.policy import conflicts, read_policy
from foregone.model.errors import InputError, option
from foregone.model.families import Groups
from foregone.model.policy import Knowledge, Policies, Policy
from foregone.model.protection import Alternative, Protection, Remaining
from foregone.model.shown import shown
from foregone.protection.actions import Allowed, base_cost, problem_of
from foregone.protection.attack import Attacker, Cell, Explanation
from foregone.protection.bound_proof import bound_proof, unconditional
from foregone.protection.certificate import certificate, check_possible
from foregone.protection.claims import still_certain
from foregone.protection.exact import ExactAttacker
from foregone.protection.knowledge import as_known
from foregone.protection.linear import LinearAttacker, check_policy
from foregone.protection.problem import Kind, Problem, numbers_of
from foregone.protection.published import protected_release, shown_numbers, withheld_names
from foregone.protection.search import STOPPED, Found, Search, Watch
from foregone.questions.asked import Source, as_groups, as_release
from foregone.questions.start import start
from foregone.solvers.deadline import Deadline

GRACE = 5.0  # to say what was found when the time is over
OTHER_SECONDS = 10.0  # to look for the next best choices
BY = ("cell", "table")
ATTACKERS = ("exact", "linear")


def protect(
    release: Source,
    policy: Policy | str | Path | None = None,
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
) -> Protection:
    """The cheapest set of cells or tables to withhold so that a release keeps a policy, and a proof that none is cheaper.

    `policy` may be the path of a policy file; without one nobody may be singled out by three columns or more. `keep` names
    cells or tables that stay. `costs`: "one" for each cell, "size" for its count, or a number for each name. Numbers may also be
    rounded to a multiple (`round_to`), and two values of a column merged (`merge`: column and both codes). When the time is
    over the best protection found is returned with the bound that was proved. With `proofs` it has a `certificate`, which `check`
    checks; it holds true numbers and must not be published. Claims name groups of values wherever the tables do, unless `groups`
    is "none".

    >>> from foregone import Policy, tabulate
    >>> release = tabulate({"SEX": ["F", "M", "M"], "AGE": ["1", "1", "2"]}, margins=["SEX", "AGE"])
    >>> found = protect(release, Policy(singled_out_columns=1))
    >>> found.cost, found.lower_bound, found.after
    (3, 3, 0)
    """
    begin = perf_counter()
    rules = as_policy(policy, know)
    stored = as_release(release)
    published = as_known(stored, rules)
    if by not in BY or attacker not in ATTACKERS:
        wrong = shown(by if by not in BY else attacker)
        raise InputError(f"{wrong} is not understood; by is {' or '.join(BY)}, the attacker {' or '.join(ATTACKERS)}")
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
    )
    problem = problem_of(published, rules, allowed, as_groups(groups))
    if attacker == "linear":
        check_policy(rules)
    if proofs:
        check_possible(problem, attacker == "linear")
        if published is not stored:
            raise InputError("--proofs: the policy tells more about cells that are withheld already; give them low and high first")
    attack: Attacker = LinearAttacker(problem) if attacker == "linear" else ExactAttacker(problem, max_records)
    start(published, time_limit, max_records)  # a release that contradicts itself is told apart from one that cannot be protected
    deadline = Deadline.after(time_limit)
    base = base_cost(problem, allowed)
    search = Search(problem, attack, deadline, None if watch is None else lambda low, high: watch(base + low, high and base + high))
    found = search.run()
    others = [] if not found.optimal else search.alternatives(alternatives, deadline.sooner(OTHER_SECONDS))
    made = _protection(problem, attacker, by, found, base, attack, deadline)
    if made.after:
        raise AssertionError("a protection that was found safe breaks the policy when judged again; please report this release")
    tree = None
    if found.upper is not None and found.lower and (found.optimal or proofs):
        tree = bound_proof(problem.costs, found)
    found.explanations = unconditional(found)  # a certificate holds what is so for every choice
    written = certificate(problem, allowed, attack, found, base, tree) if proofs and found.upper is not None else None
    return replace(
        made,
        certificate=written,
        proved=tree is not None or not found.lower,
        alternatives=tuple(Alternative(_words(problem, taken), base + problem.cost(taken)) for taken in others),
        seconds={"total": perf_counter() - begin},
    )


def as_policy(policy: Policy | str | Path | None, know: Knowledge | None = None) -> Policy:
    """A policy, or what its file says, or that nobody is singled out; with what else an attacker knows."""
    made = policy if isinstance(policy, Policy) else Policies().fail if policy is None else read_policy(Path(policy))
    if know is not None:
        most = know.primary_at_most if made.know.primary_at_most is None else made.know.primary_at_most
        made = replace(made, know=Knowledge(made.know.zeros_shown or know.zeros_shown, most))
    problems = conflicts(made)
    if made.every_width:
        place = f"{policy}: " if isinstance(policy, str | Path) else ""
        problems.append(
            f"{place}min_width = {made.min_width} without primary asks how well cells that are withheld already are known; audit"
            " --policy and report --gate judge that, but protect cannot choose by it; add the cells that must stay unknown, such as"
            ' primary = "1..3", or leave min_width out here'
        )
    if problems:
        raise InputError(problems)
    return made


def _protection(
    problem: Problem, attacker: str, by: str, found: Found, base: int, attack: Attacker, deadline: Deadline
) -> Protection:
    grace = Deadline.after(GRACE) if found.reason == STOPPED else deadline.later(GRACE)
    # before anything is done not even primary cells are withheld
    nothing = Problem(problem.release, problem.policy, problem.actions, groups=problem.groups)
    claims = _claims_before(nothing, attacker, grace)
    before = None if claims is None else len(problem.primary) + claims
    safe = found.upper is not None
    cells, tables = withheld_names(problem, found.taken) if safe else ((), ())
    names = {kind: _named(problem, found, kind) if safe else () for kind in Kind}
    return Protection(
        problem.release,
        problem.policy,
        attacker,
        by,
        protected_release(problem, found.taken) if safe else None,
        (tables if by == "table" else cells),
        cells,
        names[Kind.ROUND],
        names[Kind.MERGE],
        None if found.upper is None else base + found.upper,
        base + found.lower,
        before,
        _after(found, attack, grace) if safe else None,
        len(problem.primary),
        reason=found.reason,
        impossible="" if found.impossible is None else _why(problem, found.impossible),
        left=shown_numbers(problem, found.taken),
        shown=shown_numbers(nothing, ()),
        done=_words(problem, found.taken) if safe else (),
        still=_still(problem, attacker, found),
    )


def _after(found: Found, attack: Attacker, deadline: Deadline) -> int | None:
    """Judged again, unless somebody waits for it to stop: it was found safe when it was kept."""
    return 0 if found.reason == STOPPED else attack.breaches(found.taken, deadline)


def _claims_before(problem: Problem, attacker: str, deadline: Deadline) -> int | None:
    """None when that was not found out in time: nothing says then that the policy is kept."""
    return 0 if attacker == "linear" else ExactAttacker(problem).breaches((), deadline)


def _still(problem: Problem, attacker: str, found: Found) -> Remaining | None:
    """What is certain with fewer columns than the policy forbids, unless somebody waits for it to stop."""
    if attacker == "linear" or found.upper is None or found.reason == STOPPED:
        return None
    return still_certain(problem, found.taken, Deadline.after(GRACE))


def _named(problem: Problem, found: Found, kind: Kind) -> tuple[str, ...]:
    return tuple(problem.actions[a].name for a in sorted(found.taken) if problem.actions[a].kind == kind)


def _words(problem: Problem, taken: Iterable[int]) -> tuple[str, ...]:
    return tuple(problem.actions[a].words for a in sorted(taken))


def _why(problem: Problem, explanation: Explanation) -> str:
    """Why no action helps, in a sentence."""
    domain = problem.release.domain
    kept = [part.row.number.label for part in explanation.needed][:5]
    because = f"the numbers that stay ({', '.join(kept)}) force it" if kept else "it follows without any published number"
    breach = explanation.breach
    if isinstance(breach, Cell):
        return f"{numbers_of(problem.release)[breach.number].label} cannot be kept unknown: {because}."
    return f"that exactly {breach.count} have {breach.predicate.text(domain)} stays certain: {because}."
