"""A proofs file as steps, facts and trees. Everything in it is taken to be chosen by an enemy.

What was read has the right shape, its numbers are whole and its names exist; nothing is known to be true of it yet.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from foregone.checker.refusal import Refused
from foregone.checker.rows import LARGEST_NUMBER, Box, Domain, Form, box_of, form_of, full, keyed, pairs, whole

DEEPEST = 400  # splits above each other in a tree
GROUNDS = ("published", "linear", "bound", "search")
KEYS = ("format", "version", "tool", "release", "steps", "facts", "witnesses", "digest")

Terms = list[tuple[int, int]]  # (number of a row, how many times)
Record = tuple[int, tuple[int, ...]]  # how many there are of it, and the positions of its codes


class Leaf(NamedTuple):
    """The sum of the terms, divided by `over`, is the bound."""

    terms: Terms
    over: int


class Nothing(NamedTuple):
    """The terms contradict each other: nothing fits this branch."""

    terms: Terms


class Split(NamedTuple):
    """Either the form is at most `at`, or it is at least one more."""

    form: Form
    at: int
    below: Leaf | Nothing | Split | Either
    above: Leaf | Nothing | Split | Either


class Either(NamedTuple):
    """Of an either-or of the release, numbered from 0, the left side holds, or the right side."""

    number: int
    left: Leaf | Nothing | Split | Either
    right: Leaf | Nothing | Split | Either


class Columns(NamedTuple):
    """Look at a column, some codes at a time."""

    column: int
    sets: list[int]


class Prune(NamedTuple):
    """Drop the boxes that a sum of rows leaves empty."""

    terms: Terms


class Bound(NamedTuple):
    """The form is at most the bound, and becomes a row."""

    form: Form
    bound: int
    proof: Leaf | Nothing | Split | Either


class Fact(NamedTuple):
    """Exactly so many records are in the box, and in each of the other ways to say the same."""

    what: Box
    times: int
    forms: list[Box]
    upper: Leaf | Nothing | Split | Either
    lower: Leaf | Nothing | Split | Either


Tree = Leaf | Nothing | Split | Either
Step = Columns | Prune | Bound


def plain(document: Any, needed: tuple[str, ...] = KEYS, further: tuple[str, ...] = ("names", "contradiction")) -> Any:
    """The file, if there is nothing in it but objects, lists, texts, whole numbers of bounded size and true, and it has these keys.

    This walk is not recursive, so depth cannot hurt it; nothing that is recursive sees the file before.
    """
    stack = [([document], 0)]
    while stack:
        node, depth = stack.pop()
        if depth > DEEPEST + 20:
            raise Refused(f"nested deeper than {DEEPEST + 20}")
        for value in node:
            if isinstance(value, dict) and all(isinstance(key, str) for key in value):
                stack.append((list(value.values()), depth + 1))
            elif isinstance(value, list):
                stack.append((value, depth + 1))
            elif not isinstance(value, str) and value is not True and not (type(value) is int and abs(value) <= LARGEST_NUMBER):
                raise Refused("holds something that is neither a text nor a whole number of at most 100 digits")
    return keyed(document, needed, further)


def entries(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise Refused("expected a list")
    return value


def terms_of(value: Any) -> Terms:
    """Different rows, each a positive number of times."""
    read = [(whole(row, 0), whole(times, 1)) for row, times in pairs(value)]
    if len(dict(read)) < len(read):
        raise Refused("a row is named twice in one sum")
    return read


def tree_of(domain: Domain, value: Any, depth: int = 0) -> Tree:
    if depth > DEEPEST:
        raise Refused(f"a search tree is deeper than {DEEPEST}")
    if isinstance(value, dict) and "split" in value:
        keyed(value, ("split", "at", "below", "above"))
        below, above = tree_of(domain, value["below"], depth + 1), tree_of(domain, value["above"], depth + 1)
        return Split(form_of(domain, value["split"]), whole(value["at"]), below, above)
    if isinstance(value, dict) and "either" in value:
        keyed(value, ("either", "left", "right"))
        left, right = tree_of(domain, value["left"], depth + 1), tree_of(domain, value["right"], depth + 1)
        return Either(whole(value["either"], 0), left, right)
    if isinstance(value, dict) and "nothing" in value:
        if keyed(value, ("terms", "nothing"))["nothing"] is not True:
            raise Refused("'nothing' is true, or is not there")
        return Nothing(terms_of(value["terms"]))
    leaf = keyed(value, ("terms", "over"))
    return Leaf(terms_of(leaf["terms"]), whole(leaf["over"], 1))


def step_of(domain: Domain, value: Any) -> Step:
    if isinstance(value, dict) and "columns" in value:
        name = keyed(value, ("columns", "sets"))["columns"]
        c = domain.columns.get(name, -1) if isinstance(name, str) else -1
        boxes = [box_of(domain, {name: codes}) for codes in entries(value["sets"])] if c >= 0 else []
        if not boxes:
            raise Refused("expected a column and sets of its codes")
        return Columns(c, [box[0][1] if box else full(domain, c) for box in boxes])
    if isinstance(value, dict) and "prune" in value:
        return Prune(terms_of(keyed(value, ("prune",))["prune"]))
    bound = keyed(value, ("bound", "at_most", "proof"))
    return Bound(form_of(domain, bound["bound"]), whole(bound["at_most"]), tree_of(domain, bound["proof"]))


def fact_of(domain: Domain, value: Any) -> Fact:
    fact = keyed(value, ("claim", "count", "ground", "forms", "upper", "lower"))
    if fact["ground"] not in GROUNDS:
        raise Refused(f"the ground is not one of {', '.join(GROUNDS)}")
    forms = [box_of(domain, where) for where in entries(fact["forms"])]
    upper, lower = tree_of(domain, fact["upper"]), tree_of(domain, fact["lower"])
    return Fact(box_of(domain, fact["claim"]), whole(fact["count"], 0), forms, upper, lower)


def witness_of(domain: Domain, value: Any) -> list[Record]:
    """A dataset. A record is a list of codes, one per column; or such a list with how many there are of it."""
    read = list[Record]()
    for entry in entries(value):
        given = {"n": 1, "record": entry} if isinstance(entry, list) else keyed(entry, ("n", "record"))
        n, codes = given["n"], given["record"]
        if not isinstance(codes, list) or len(codes) != len(domain.codes):
            raise Refused("a record does not have one code per column")
        if not all(isinstance(code, str) and code in known for code, known in zip(codes, domain.codes, strict=True)):
            raise Refused("a record has a value that is not a code of its column")
        read.append((whole(n, 1), tuple(known[code] for code, known in zip(codes, domain.codes, strict=True))))
    return read
