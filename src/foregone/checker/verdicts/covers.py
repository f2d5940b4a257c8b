"""Does a protection withstand a reader who knows the rule by which it was chosen? Checked with listed *cover datasets*.

The rule takes the first pattern of a public order for which the datasets that show the same, and were not published under an
earlier one, leave nothing certain that the policy forbids. Every listed dataset shows the same under this pattern; none is
protected by an earlier one, which is proved for each; and together they keep the policy. So all are published under it, whatever
else is. docs/soundness.md has the argument. Datasets with the counts of a cover dataset may be published with it, too: of cells
and claims a reader then knows less.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from foregone.checker.encode.asked import PlainAction, base_cost
from foregone.checker.encode.release import families, release_of
from foregone.checker.encode.weaker import CertifiedCase, left_of
from foregone.checker.kernel import TERM, Box, PlainRelease, full
from foregone.checker.read.proofs import each, witness_of
from foregone.checker.read.refusal import Refused, at
from foregone.checker.read.values import entries, keyed
from foregone.checker.verdicts.choice import Clause, no_cheaper
from foregone.checker.verdicts.datasets import Witnesses, consistent
from foregone.checker.verdicts.explained import clause_of, possible

WORD = "word"  # in the place of a proof that no earlier choice protects
MOST_CLAIMS = 1_000_000  # looked at one by one

Thing = tuple[str, int | str, int]  # what is done, to which number or table, to which base
Make = Callable[[Any, PlainRelease, Any], CertifiedCase]


def covered(case: CertifiedCase, file: Any, taken: Sequence[int], make: Make) -> list[str]:
    """What about a reader who knows the rule is not shown; nothing, if all is. What is claimed and wrong raises."""
    value = keyed(file["reader"], ("shown", "datasets", "first"))
    if value["shown"] not in ("yes", "no"):
        raise Refused("shown is yes or no")
    datasets = each(case.release.domain, value["datasets"], witness_of)
    if value["shown"] == "no" or not datasets:
        word = "the program says so" if value["shown"] == "yes" else "the certificate does not say so either"
        return [f"that it withstands a reader who knows the rule: {word}"]
    _judged(case, file)
    first = entries(value["first"])
    if len(first) != len(datasets):
        raise Refused("expected one entry for every dataset")
    witnesses = Witnesses(case.release.domain, datasets)
    counts = [witnesses.counts(number.box) for number in case.numbers]
    if any(own[0] != number.low for own, number in zip(counts, case.numbers, strict=True)):
        raise Refused("the first dataset does not have the counts of the release")
    own, pattern, without = list[CertifiedCase](), _pattern(case, taken), 0
    for k, dataset in enumerate(datasets):
        with at(f"dataset {k + 1}"):
            one = _case_of(case, file, [column[k] for column in counts], make)
            wrong = next((reason for reason in consistent(one.release, Witnesses(case.release.domain, [dataset])) if reason), "")
            if wrong:
                raise Refused(wrong)
            mine = [a for a, action in enumerate(one.actions) if _thing(one, action) in pattern]
            same = _printed(one, mine) == _printed(case, taken) and _cost(one, mine) == _cost(case, taken)
            if one.blocks != case.blocks or _pattern(one, mine) != pattern or not same:
                raise Refused("it would not be published in the same way")
            if first[k] == WORD:
                without += 1
            else:
                _no_earlier(one, mine, first[k])
            own.append(one)
    _stable(case, taken, own, witnesses)
    some = f"{without} of the {len(datasets)} cover datasets"
    return [f"that no earlier choice protects {some}: the program says so"] if without else []


def _judged(case: CertifiedCase, file: Any) -> None:
    """Refuse what the rule is not defined for, or what this checker does not follow."""
    tables = {number.group for number in case.numbers}
    if file["attacker"] != "exact" or case.asked.sizes:
        raise Refused("the rule is for the exact attacker, and for costs that do not depend on counts")
    if case.asked.by == "table" and case.policy.primary is not None and tables & case.asked.costs.keys():
        raise Refused("the rule is not defined where tables have costs of their own and cells are primary")
    if case.policy.attribute or not all(number.exact for number in case.numbers):
        raise Refused("cover datasets are judged where all numbers are exact counts and no attribute is protected")


def _case_of(case: CertifiedCase, file: Any, counts: Sequence[int], make: Make) -> CertifiedCase:
    """What would have been protected, were a dataset the true one."""
    made = []
    for entry, count in zip(case.content["statistics"], counts, strict=True):
        bare = {key: value for key, value in entry.items() if key not in ("low", "high", "value")}
        made.append({**bare, "count": count})
    content = {**case.content, "statistics": made}
    return make(content, release_of(content), file)


def _thing(case: CertifiedCase, action: PlainAction) -> Thing:
    by_number = case.asked.by == "cell" and action.kind in ("cell", "round")
    return action.kind, _first(case, min(action.numbers)) if by_number else action.name, action.base


def _first(case: CertifiedCase, cell: int) -> int:
    """The first cell of its block, or the cell itself."""
    return cell if case.blocks is None else case.blocks.first.get(cell, cell)


def _pattern(case: CertifiedCase, taken: Sequence[int]) -> frozenset[Thing]:
    """Everything that is done; by cell, primary cells are withheld as others are."""
    primary = [("cell", _first(case, i), 0) for i in case.primary] if case.asked.by == "cell" else []
    return frozenset([*(_thing(case, case.actions[a]) for a in taken), *primary])


def _printed(case: CertifiedCase, taken: Sequence[int]) -> dict[tuple[int, ...], object]:
    """What a reader sees."""
    return {of: (n.box, n.name, n.table, n.ranges, n.hidden, n.mark) for of, n in left_of(case, taken).items()}


def _cost(case: CertifiedCase, taken: Sequence[int]) -> int:
    return base_cost(case.numbers, case.primary, case.asked) + sum(case.actions[a].cost for a in taken)


def _no_earlier(case: CertifiedCase, taken: Sequence[int], entry: Any) -> None:
    """No pattern before this one protects, or this raises: nothing is cheaper; and for each action taken, nothing as cheap agrees
    with the pattern before it, in the public order, and goes without it.
    """
    keyed(entry, ("explanations", "before", "trees"))
    with at("before"):
        before = possible(case, (), entry["before"])
    clauses = {}
    for number, explanation in enumerate(entries(entry["explanations"])):
        with at(f"explanation {number + 1}"):
            clauses[number] = clause_of(case, "exact", explanation, before)
    for a in _with_primary(case):
        clauses[len(clauses)] = Clause(frozenset(), frozenset({a}))
    costs = [action.cost for action in case.actions]
    cost = left = sum(costs[a] for a in taken)
    goals, changed = [(list(costs), cost)], list(costs)
    for a in _in_order(case):
        changed[a], paid = cost + 1, costs[a]
        if a in taken:  # going without it costs more; from then on it is taken
            goals.append((list(changed), left + 1))
            changed[a], left = 0, left - paid
    trees = entries(entry["trees"])
    if len(trees) != len(goals):
        raise Refused("a proof is missing, or there is one too many")
    for (own, bound), tree in zip(goals, trees, strict=True):
        no_cheaper(own, clauses, bound, tree, case.release.domain.work)


def _with_primary(case: CertifiedCase) -> list[int]:
    """Actions that are taken in any case: what is left of a block in which a cell is primary."""
    whole = {_first(case, i) for i in case.primary} if case.blocks is not None else set()
    return [a for a, action in enumerate(case.actions) if whole & {_thing(case, action)[1]}]


def _in_order(case: CertifiedCase) -> list[int]:
    """The actions, those first that are best not taken: totals before others, then in the order of the numbers; merges last."""
    totals, bases = _totals(case), list(case.asked.bases)
    keys = []
    for action in case.actions:
        name = _thing(case, action)[1]
        unit = [i for i, n in enumerate(case.numbers) if i not in case.kept and name in (_first(case, i), n.group)]
        if action.kind == "merge":
            keys.append((1, 0, 0, 0))
        else:
            order = 0 if action.kind != "round" else 1 + bases.index(action.base)
            keys.append((0, -sum(totals.get(i, 0) for i in unit), min(unit), order))
    return sorted(range(len(keys)), key=lambda a: (keys[a], a))


def _totals(case: CertifiedCase) -> dict[int, int]:
    """Which counts are totals of others in their table, and how dear they are: the grand total of a table above all."""
    domain, found = case.release.domain, dict[int, int]()
    tables = dict[str, list[tuple[int, dict[int, int]]]]()
    for i, number in enumerate(case.numbers):
        tables.setdefault(number.table, []).append((i, dict(number.box)))

    def within(one: dict[int, int], other: dict[int, int]) -> bool:
        return all(not one.get(c, full(domain, c)) & ~side for c, side in other.items())

    def size(box: dict[int, int]) -> int:
        return prod(side.bit_count() for side in box.values())

    for cells in tables.values():
        domain.work.spend(8 * TERM * len(cells) ** 2)
        alike = dict[frozenset[int], list[dict[int, int]]]()
        for _, box in cells:
            alike.setdefault(frozenset(box), []).append(box)
        least = {columns: min(map(size, some)) for columns, some in alike.items()}
        totals = []
        for i, box in cells:
            group = size(box) > least[frozenset(box)] and any(o != box and within(o, box) for o in alike[frozenset(box)])
            if group or any(frozenset(box) < columns for columns in alike):
                totals.append((i, box))
        for i, box in totals:
            found[i] = 1 + len(totals) if all(within(other, box) for _, other in cells) else 1
    return found


def _stable(case: CertifiedCase, taken: Sequence[int], own: Sequence[CertifiedCase], witnesses: Witnesses) -> None:
    """If the listed datasets are all that is possible, nothing is known that the policy of any of them forbids; or this raises."""
    policy = case.policy
    secret = [(number, policy.stars, 0) for number in left_of(case, taken).values() if policy.stars and number.hidden]
    secret += [(one.numbers[i], policy.width, one.numbers[i].low if policy.sides else 0) for one in own for i in one.primary]
    for number, values, true in secret:
        counts = witnesses.counts(number.box)
        if len(set(counts)) < values or (true and not policy.reaches(true, min(counts), max(counts))):
            raise Refused(f"the cover datasets do not show that {number.label} is unknown")
    if policy.columns is not None:
        _no_claim(case, witnesses)


def _no_claim(case: CertifiedCase, witnesses: Witnesses) -> None:
    """No claim that the policy forbids has the same count in all datasets; every column counts."""
    domain, policy, left = case.release.domain, case.policy, MOST_CLAIMS
    named = families(case.release._replace(named=case.named)) if case.groups else [[] for _ in domain.codes]
    if named is None:
        raise Refused("more groups of codes can be named than this checker looks at")
    todo: list[tuple[int, Box]] = [(0, ())]
    while todo:
        begin, box = todo.pop()
        for c in range(begin, len(domain.codes)):
            for side in (*(1 << code for code in range(len(domain.codes[c]))), *(g for g in named[c] if g & (g - 1))):
                left -= 1
                if left < 0:
                    raise Refused("there are more claims than this checker looks at")
                if side == full(domain, c):
                    continue
                claim = (*box, (c, side))
                counts = witnesses.counts(claim)
                if len(set(counts)) == 1 and counts[0] and policy.over(len(claim), counts[0]):
                    raise Refused(f"in all cover datasets {len(claim)} columns tell {counts[0]} apart")
                if all(counts):
                    todo.append((c + 1, claim))

