"""A proofs file as steps, facts, trees and datasets of the kernel; what such a file is called, and how it is sealed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, NamedTuple, TypeVar

from foregone.checker import kernel
from foregone.checker.kernel import PlainDomain, PlainFact, PlainRelease, Record, Step, Tree
from foregone.checker.read.refusal import Refused, at
from foregone.checker.read.values import LARGEST_NUMBER, box_of, entries, form_of, keyed, pairs, whole

T = TypeVar("T")

DEEPEST = 400  # splits above each other in a tree
FORMAT, VERSION = "foregone-proofs", 2
GROUNDS = ("published", "linear", "bound", "search")


class Sealed(NamedTuple):
    """A kind of file: its format and version, what it is called, how it is made anew, the keys that it has, those that it may have,
    and what to do if it was made for another release."""

    format: str
    version: int
    called: str
    anew: str
    keys: tuple[str, ...]
    further: tuple[str, ...] = ()
    other: str = ""


KEYS = ("format", "version", "tool", "release", "steps", "facts", "witnesses", "digest")
PROOFS = Sealed(FORMAT, VERSION, "a proofs file", " with audit --proofs", KEYS, ("names", "contradiction"))


def digest(document: dict[str, Any]) -> str:
    """A checksum of everything else in the file; it guards against accidents, the checker against everything."""
    content = {key: value for key, value in document.items() if key != "digest"}
    return hashlib.sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def opened(release: PlainRelease | None, document: Any, kind: Sealed = PROOFS) -> Any:
    """The file, if it is whole, of this kind, and made for this release, if it is about one."""
    file = plain(document, kind)
    if file["format"] != kind.format or type(file["version"]) is not int or file["version"] != kind.version:
        raise Refused(f"not {kind.called} of version {kind.version}; write it anew{kind.anew}")
    if file["digest"] != digest(file):
        raise Refused("changed since it was written: the digest does not fit")
    if release is not None and file["release"] != release.fingerprint:
        raise Refused(f"made for another release: the fingerprints differ{kind.other}")
    return file


def plain(document: Any, kind: Sealed = PROOFS) -> Any:
    """The file, if it has the right keys, and nothing in it but objects, lists, texts, whole numbers of bounded size and true.

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
    return keyed(document, kind.keys, kind.further)


def each(domain: PlainDomain, values: Any, read: Callable[[PlainDomain, Any], T], what: str = "") -> list[T]:
    """The entries of a list; one that cannot be read is named, if there is a word for it."""
    made = list[T]()
    for number, value in enumerate(entries(values), start=1):
        with at(f"{what} {number}") if what else nullcontext():
            made.append(read(domain, value))
    return made


def terms_of(value: Any) -> list[tuple[int, int]]:
    """Different rows, each a positive number of times."""
    read = [(whole(row, 0), whole(times, 1)) for row, times in pairs(value)]
    if len(dict(read)) < len(read):
        raise Refused("a row is named twice in one sum")
    return read


def tree_of(domain: PlainDomain, value: Any, depth: int = 0) -> Tree:
    if depth > DEEPEST:
        raise Refused(f"a search tree is deeper than {DEEPEST}")
    if isinstance(value, dict) and "split" in value:
        keyed(value, ("split", "at", "below", "above"))
        below, above = tree_of(domain, value["below"], depth + 1), tree_of(domain, value["above"], depth + 1)
        return kernel.Split(form_of(domain, value["split"]), whole(value["at"]), below, above)
    if isinstance(value, dict) and "either" in value:
        keyed(value, ("either", "left", "right"))
        left, right = tree_of(domain, value["left"], depth + 1), tree_of(domain, value["right"], depth + 1)
        return kernel.PlainEither(whole(value["either"], 0), left, right)
    if isinstance(value, dict) and "nothing" in value:
        if keyed(value, ("terms", "nothing"))["nothing"] is not True:
            raise Refused("'nothing' is true, or is not there")
        return kernel.Nothing(terms_of(value["terms"]))
    leaf = keyed(value, ("terms", "over"))
    return kernel.Leaf(terms_of(leaf["terms"]), whole(leaf["over"], 1))


def step_of(domain: PlainDomain, value: Any) -> Step:
    if isinstance(value, dict) and "columns" in value:
        name = keyed(value, ("columns", "sets"))["columns"]
        c = domain.columns.get(name, -1) if isinstance(name, str) else -1
        boxes = [box_of(domain, {name: codes}) for codes in entries(value["sets"])] if c >= 0 else []
        if not boxes:
            raise Refused("expected a column and sets of its codes")
        return kernel.Columns(c, [box[0][1] if box else kernel.full(domain, c) for box in boxes])
    if isinstance(value, dict) and "prune" in value:
        return kernel.Prune(terms_of(keyed(value, ("prune",))["prune"]))
    bound = keyed(value, ("bound", "at_most", "proof"))
    return kernel.Bound(form_of(domain, bound["bound"]), whole(bound["at_most"]), tree_of(domain, bound["proof"]))


def fact_of(domain: PlainDomain, value: Any) -> PlainFact:
    fact = keyed(value, ("claim", "count", "ground", "forms", "upper", "lower"))
    if fact["ground"] not in GROUNDS:
        raise Refused(f"the ground is not one of {', '.join(GROUNDS)}")
    forms = [box_of(domain, where) for where in entries(fact["forms"])]
    upper, lower = tree_of(domain, fact["upper"]), tree_of(domain, fact["lower"])
    return PlainFact(box_of(domain, fact["claim"]), whole(fact["count"], 0), forms, upper, lower)


def witness_of(domain: PlainDomain, value: Any) -> list[Record]:
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
