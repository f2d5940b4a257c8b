"""Is one choice of tables for many releases as cheap as it says, and safe in each of them?

Of every release there is a certificate of its own: that it keeps the policy without the tables that are withheld, and explanations
of which every protection of it meets each. A choice of tables for all releases takes of each those that it has. So every
explanation of every release binds it, and one tree over all of them shows that none is cheaper. A table costs as many numbers as
it has in the release where it has most.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from foregone.checker.encode.weaker import CertifiedCase
from foregone.checker.kernel import Fails
from foregone.checker.read.proofs import Sealed, opened
from foregone.checker.read.refusal import CountedWork, Refused, at, said
from foregone.checker.read.values import entries, keyed, text, whole
from foregone.checker.verdicts.choice import Clause, no_cheaper
from foregone.checker.verdicts.protection import Protected, check_protection

FORMAT, VERSION = "foregone-protection-of-many", 1
KEYS = ("format", "version", "tool", "digest", "withheld", "lower_bound", "releases")
MANY = Sealed(FORMAT, VERSION, "a certificate of many releases", " with protect --proofs", KEYS, ("covering",))
ALIKE = ("policy", "groups", "asked", "attacker")  # what has to be the same in all of their certificates


@dataclass
class ManyProtected:
    """What was accepted, and what was rejected for which reason; `trusted` lists what a solver's word stands for."""

    accepted: int = 0
    rejected: list[str] = field(default_factory=list)
    trusted: list[str] = field(default_factory=list)
    releases: int = 0
    tables: int = 0
    withheld: tuple[str, ...] = ()
    cost: int = 0
    bound: int = 0
    first: CertifiedCase | None = field(default=None, repr=False)  # one of the releases: of all the same was asked
    about: Any = None  # its certificate


def check_many(contents: Mapping[str, Any], document: Any) -> ManyProtected:
    """Check a certificate against all releases that it is about, which are given as plain data by their names."""
    result = ManyProtected()
    try:
        file = opened(None, document, MANY)
        listed = {text(keyed(entry, ("name", "certificate"))["name"]): entry["certificate"] for entry in entries(file["releases"])}
        if not listed or len(listed) < len(file["releases"]):
            raise Refused("releases: expected one release or more, each once")
        strange = [name for name in listed if name not in contents]
        if strange:
            raise Refused(f"releases: {strange[0]} is not among the releases given")
        judged = {name: _one(result, name, contents[name], own) for name, own in listed.items()}
        _choice(result, file, judged)
    except Fails as error:
        result.rejected.append(said(error))
    return result


def _one(result: ManyProtected, name: str, content: Any, own: Any) -> Protected:
    """One release: whatever is wrong with it is wrong with the whole."""
    with at(name):
        judged = check_protection(content, own)
        if judged.rejected or judged.case is None:
            raise Refused(judged.rejected[0])
        if judged.trusted:
            raise Refused("what is said of one release alone has to be proved")
        case = judged.case
        if case.asked.by != "table" or case.asked.bases or case.asked.merges or case.asked.costs or case.asked.sizes:
            raise Refused("asked: of many releases whole tables are withheld, and a table costs as many numbers as it has")
        if own["attacker"] != "exact" or case.primary or "reader" in own:
            raise Refused("of many releases claims and attributes are judged, for any reader")
        if result.about is not None and any(own[key] != result.about[key] for key in ALIKE):
            raise Refused("another policy, or something else asked than of the first release")
        if result.first is None:
            result.first, result.about = case, own
    result.accepted += judged.accepted
    result.releases += 1
    return judged


def _choice(result: ManyProtected, file: Any, judged: Mapping[str, Protected]) -> None:
    """The tables withheld are the same everywhere, and no cheaper choice meets all explanations."""
    costs, clauses = dict[str, int](), list[Clause]()
    for own in judged.values():
        assert own.case is not None
        for action in own.case.actions:
            costs[action.name] = max(costs.get(action.name, 0), action.cost)
    place = {name: k for k, name in enumerate(costs)}
    withheld = tuple(map(text, entries(file["withheld"])))
    if len(set(withheld)) < len(withheld) or not set(withheld) <= costs.keys():
        raise Refused("withheld: expected different tables that may be withheld")
    for name, own in judged.items():
        assert own.case is not None
        named = [action.name for action in own.case.actions]
        if len(set(named)) < len(named) or {named[a] for a in own.taken} != set(withheld) & set(named):
            raise Refused(f"{name}: other tables are withheld than everywhere")
        clauses += [Clause(*(frozenset(place[named[a]] for a in some) for some in clause)) for clause in own.clauses]
    result.tables, result.withheld, result.cost = len(costs), withheld, sum(costs[name] for name in withheld)
    result.bound = whole(file["lower_bound"], 0)
    if result.bound > result.cost:
        raise Refused("the lower bound is above the cost")
    if result.bound and "covering" not in file:
        result.trusted.append("that no cheaper choice meets all explanations: a solver says so")
    elif result.bound:
        with at("covering"):
            no_cheaper(list(costs.values()), dict(enumerate(clauses)), result.bound, file["covering"], CountedWork())
        result.accepted += 1
