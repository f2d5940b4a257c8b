"""A forger: writes proofs of false claims on purpose, over small releases that brute force judges.

Nothing false may be accepted, and nothing genuine rejected. `python -m tests.checker.forger --seconds 600` hunts for ten
minutes and says how many forgeries of each kind were tried.

The forger knows the checker. It lists a single dataset that fits and claims what is true there but not everywhere, so that
no listed dataset gives it away. Most of its proofs are genuine ones about a slightly different world (with one more rule, or
with a number changed), in which the claim is certain; what makes the world different is then justified by a lie.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Iterator
from time import monotonic
from typing import Any

from foregone.checker.check import check
from foregone.engine.bounds.prover import Prover
from foregone.engine.system.linear import compile_release
from foregone.engine.writing import proofs as proofs_module
from foregone.engine.writing.rows import Rows, needed
from tests.checker.cases import Case, Json, Record, Where, make_case
from tests.checker.documents import sealed, with_splits
from tests.checker.forgeries import KINDS


def faults(case: Case, kind: str, document: Json) -> Iterator[str]:
    """What is wrong with the checker's verdict on a document."""
    result = check(case.rows, document, True)
    if kind == "genuine" and (result.rejected or result.complete is not True or result.accepted != len(document["facts"])):
        yield f"genuine proofs: {result.rejected[:1]} {result.reason}"
    if kind == "genuine contradiction" and not result.contradiction:
        yield f"a genuine contradiction: {result.rejected[:1]}"
    if kind.startswith("wrong ") and (result.accepted or not result.rejected):
        yield "a broken file was accepted"
    if result.contradiction and (case.datasets or result.accepted or not result.rejected):
        yield "a contradiction was accepted, but a dataset fits"
    if result.accepted and not case.datasets:
        yield "something was accepted, but no dataset fits"
    if result.accepted != sum(result.facts) or any("\n" in line or not line.isprintable() for line in result.rejected):
        yield "the result does not fit together"
    if result.witnesses:
        known = {tuple(sorted(records)) for records in case.datasets}
        fits = [spelled_out(dataset) in known for dataset in document["witnesses"]]
        if result.witnesses != fits:
            yield f"datasets: {result.witnesses}, but {fits}"
        if not any(fits) and result.accepted:
            yield "accepted without a dataset that fits"
    claims = []
    for fact, verdict in zip(document["facts"] if result.facts else [], result.facts, strict=False):
        if verdict:
            claims += [(where, fact["count"]) for where in (fact["claim"], *fact["forms"])]
    for where, count in claims:
        if case.counts(where) != {count}:
            yield f"accepted: {where} has count {count}, but it can have {sorted(case.counts(where))}"
    if result.complete:
        for where, count in case.certain():
            inner = any(count == m and _inside(case, claim, where) for claim, m in claims)
            outer = any(count == m and _inside(case, where, claim) for claim, m in claims)
            if not inner or not outer:
                yield f"complete, but {where} with count {count} does not follow"


def spelled_out(dataset: list[Any]) -> tuple[Record, ...]:
    """A listed dataset, record by record; one with very many records fits nothing here."""
    entries = [(1, entry) if isinstance(entry, list) else (min(entry["n"], 100), entry["record"]) for entry in dataset]
    return tuple(sorted(tuple(record) for n, record in entries for _ in range(n)))


def _inside(case: Case, small: Where, large: Where) -> bool:
    for column in case.release.domain.columns:
        parts = [set(column.codes if column.name not in where else _codes(where[column.name])) for where in (small, large)]
        if not parts[0] <= parts[1]:
            return False
    return True


def _codes(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value)


def forgeries(seed: int, number: int = 300) -> Iterator[tuple[Case, str, Json]]:
    """Documents about a release: a genuine one first, then forged ones."""
    rng = random.Random(seed)
    case = make_case(rng)
    if case is None:
        return
    if case.document["release"] == case.rows.fingerprint:
        yield case, "genuine", case.document
        yield case, "genuine", with_splits(case.release, case.document)
    refuted = refutation(case)
    if refuted is not None:
        yield case, "genuine contradiction", refuted
    for _ in range(number):
        made = rng.choice(KINDS)(rng, case)
        if made is not None:
            kind, document = made
            yield case, kind, document if kind.startswith("wrong ") else sealed(document)


def refutation(case: Case) -> Json | None:
    """A proof that nothing fits, if nothing does and the engine finds it."""
    if case.datasets:
        return None
    prover = Prover(compile_release(case.release))
    if prover.first_witness() is not False or prover.refutation is None:
        return None
    system = prover.system
    lemmas = needed(prover.lemmas, [prover.refutation])
    tree = proofs_module._tree(Rows.of(system, lemmas), prover.refutation)
    return sealed({**proofs_module._document(system, lemmas, [], []), "contradiction": tree})


def hunt(seconds: float, seed: int = 0) -> tuple[Counter[str], list[str]]:
    """Forge for some time; how many of each kind were tried, and what was wrong."""
    tried: Counter[str] = Counter()
    wrong: list[str] = []
    end = monotonic() + seconds
    while monotonic() < end and not wrong:
        for case, kind, document in forgeries(seed):
            tried[kind] += 1
            wrong += [f"seed {seed}, {kind}: {fault}" for fault in all_faults(case, kind, document)]
        seed += 1
    return tried, wrong


def all_faults(case: Case, kind: str, document: Json) -> list[str]:
    """To crash is a fault too."""
    try:
        return list(faults(case, kind, document))
    except Exception as error:
        return [f"{type(error).__name__}: {error}"]


def main() -> None:
    parser = argparse.ArgumentParser(description="Forge proofs for some time.")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    tried, wrong = hunt(asked.seconds, asked.seed)
    for kind, number in sorted(tried.items()):
        print(f"{number:>9,}  {kind}")
    print(f"{tried.total():>9,}  in all, {tried.total() - tried['genuine']:,} forged; {len(wrong)} wrong verdicts")
    for line in wrong[:20]:
        print(line)
    raise SystemExit(1 if wrong else 0)


if __name__ == "__main__":
    main()
