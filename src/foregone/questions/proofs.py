"""Write down why claims are certain, in a form that `trust/check.py` can check without this package's engine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foregone.checker.seal import FORMAT, VERSION, digest
from foregone.engine.bounds.prover import Leaf, Split
from foregone.engine.bounds.rowspace import Combination
from foregone.engine.claims.audit_loop import Between, ClosedFact, Lemma
from foregone.engine.claims.cells_of_claim import agreement
from foregone.engine.claims.closed_sets import closed_sets
from foregone.engine.claims.evidence import Evidence
from foregone.engine.claims.shorter_claims import inside_any, maximal, minimal_forms
from foregone.engine.system.linear import LinearSystem
from foregone.engine.witnesses.pool import dataset_of
from foregone.formats.text import write_text
from foregone.model.audit import Audit
from foregone.model.errors import InputError
from foregone.model.predicate import Predicate

Ints = NDArray[np.int64]


def proofs(audit: Audit, complete: bool = True) -> dict[str, Any]:
    """All proofs of an audit; with `complete`, also datasets that refute every claim that is not among them."""
    evidence = audit.evidence
    if not isinstance(evidence, Evidence):
        raise InputError("this audit holds no proofs: the one-hot engine has a solver's word only; audit with the cells engine")
    facts = [_fact(evidence, fact) for fact in evidence.certain]
    return document(evidence.system, list(evidence.lemmas), facts, witnesses(evidence) if complete else None)


def document(
    system: LinearSystem, lemmas: list[Lemma], facts: list[dict[str, Any]], datasets: list[list[list[str]]] | None = None
) -> dict[str, Any]:
    """A proofs file as data."""
    from foregone.version import __version__

    content: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "tool": f"foregone {__version__}",
        "release": system.release.fingerprint(),
        "exclusions": [{"container": e.container, "parts": list(e.parts)} for e in system.exclusions],
        "lemmas": [
            {"empty": [_example(system, int(cell)) for cell in lemma.cells], "proof": _node(system, lemma.proof)}
            for lemma in lemmas
        ],
        "facts": facts,
    }
    if datasets is not None:
        content["witnesses"] = datasets
    content["names"] = {str(i): system.release.name_of(i) for i in sorted(_statistics(content))}
    return {**content, "digest": digest(content)}


def evidence_json(system: LinearSystem, evidence: Combination | Between) -> dict[str, Any]:
    match evidence:
        case Combination():
            return {"equal": _terms(system, evidence.multipliers, evidence.denominator)}
        case Between(upper=upper, lower=lower):
            return {"upper": _node(system, upper), "lower": _node(system, lower)}


def write_proofs(audit: Audit, path: Path) -> int:
    """Write the proofs file; returns its size in bytes."""
    text = json.dumps(proofs(audit), separators=(",", ":"), ensure_ascii=False) + "\n"
    write_text(path, text)
    return len(text.encode())


def _fact(evidence: Evidence, fact: ClosedFact) -> dict[str, Any]:
    assert fact.reason is not None
    names = evidence.system.release.domain.names
    columns = [names[c] for c in fact.extent.columns]
    forms = minimal_forms(len(columns), fact.extent.blocked)
    return {
        "claim": {names[c]: evidence.system.atoms.code(int(c), int(fact.closed[c])) for c in fact.extent.columns},
        "count": fact.count,
        "ground": str(evidence.stated([fact])[0].ground),
        "forms": [[column for bit, column in enumerate(columns) if form >> bit & 1] for form in forms if form],
        "proof": evidence_json(evidence.system, fact.reason.evidence),
    }


def _terms(system: LinearSystem, multipliers: Ints, denominator: int) -> dict[str, Any]:
    """Rows as statistics: a positive multiplier needs the row's upper limit, a negative one its lower limit."""
    used = np.flatnonzero(multipliers)
    sources = np.where(multipliers[used] > 0, system.high_source[used], system.low_source[used])
    return {
        "terms": [[int(i), int(u)] for i, u in zip(sources, multipliers[used], strict=True)],
        "denominator": int(denominator),
    }


def _node(system: LinearSystem, proof: Leaf | Split) -> dict[str, Any]:
    if isinstance(proof, Leaf):
        terms = _terms(system, proof.certificate.multipliers, proof.certificate.denominator)
        return {**terms, "impossible": True} if proof.impossible else terms
    return {
        "split": _example(system, proof.cell),
        "at": proof.at,
        "below": _node(system, proof.below),
        "above": _node(system, proof.above),
    }


def _example(system: LinearSystem, cell: int) -> list[str]:
    """Any record of a cell stands for it."""
    record = system.records[int(np.argmax(system.cell_of == cell))]
    return [system.atoms.code(c, int(atom)) for c, atom in enumerate(record)]


def _statistics(node: Any) -> set[int]:
    """The statistics that proofs and exclusions mention."""
    found: set[int] = set()
    if isinstance(node, dict):
        found |= {term[0] for term in node.get("terms", [])}
        if "container" in node:
            found |= {node["container"], *node["parts"]}
        for key, value in node.items():
            if key not in ("claim", "empty", "witnesses", "terms"):
                found |= _statistics(value)
    elif isinstance(node, list):
        for entry in node:
            if isinstance(entry, dict):
                found |= _statistics(entry)
    return found


def witnesses(evidence: Evidence) -> list[list[list[str]]]:
    """Datasets that fit the release and, together, refute every claim about at least one record that is not certain.

    Records of one cell and values of one atom can be exchanged, so each witness picks them anew. A claim that still has
    the same count in all of them gets a dataset of its own that breaks it, and so does a shorter form of a fact that
    selects other records besides.
    """
    rng = np.random.default_rng(0)
    datasets = [_random_member(evidence, witness.spread(), rng) for witness in evidence.witnesses]
    certain = {tuple(_codes(evidence, fact).tolist()) for fact in evidence.certain}
    for fact in evidence.certain:
        datasets += _separating(evidence, fact, datasets, rng)
    while True:
        before = len(datasets)
        for values, count in _agreed(datasets):
            if tuple(values.tolist()) in certain or any(_count(data, values) != count for data in datasets[before:]):
                continue
            breaking = _breaking(evidence, values, count)
            if breaking is not None:
                datasets.append(breaking)
            elif not evidence.open:
                raise AssertionError("a claim that is not certain could not be refuted; please report this release")
        if len(datasets) == before:
            columns = evidence.system.release.domain.columns
            return [[[columns[c].codes[v] for c, v in enumerate(row)] for row in data.tolist()] for data in datasets]


def _separating(
    evidence: Evidence, fact: ClosedFact, datasets: list[NDArray[np.int16]], rng: np.random.Generator
) -> list[NDArray[np.int16]]:
    """Datasets with a record for every way in which possible records agree with a fact in part, where none has one yet."""
    system = evidence.system
    columns = fact.extent.columns
    same = (np.concatenate(datasets) == _codes(evidence, fact))[:, columns]
    seen = np.unique(same @ (1 << np.arange(len(columns), dtype=np.int64)))
    seen = seen[seen != (1 << len(columns)) - 1]
    missing = [mask for mask in maximal(fact.extent.blocked) if not inside_any(np.array([mask]), seen)[0]]
    if not missing:
        return []
    agree = agreement(system, fact.closed, columns)
    occupied = evidence.occupied[system.cell_of]
    made = []
    for mask in missing:
        record = int(np.flatnonzero((agree == mask) & occupied)[0])
        witness = next(witness for witness in evidence.witnesses if system.cell_of[record] in witness.cells)
        made.append(_random_member(evidence, witness.spread(), rng, record))
    return made


def _codes(evidence: Evidence, fact: ClosedFact) -> NDArray[np.int16]:
    """A closed claim as positions of codes, -1 where it says nothing."""
    values = np.full(len(fact.closed), -1, dtype=np.int16)
    for c in fact.extent.columns:
        group = evidence.system.atoms.groups[c][fact.closed[c]]
        values[c] = (group & -group).bit_length() - 1
    return values


def _random_member(evidence: Evidence, cells: Ints, rng: np.random.Generator, record: int | None = None) -> Any:
    """Positions of codes for a dataset behind a witness; one live record can be asked for."""
    system = evidence.system
    order = rng.permutation(len(system.records))
    first = np.full(system.cells, -1, dtype=np.int64)
    first[system.cell_of[order]] = order
    if record is not None:
        first[system.cell_of[record]] = record
    rows = system.records[first[cells]]
    made = np.zeros_like(rows)
    for c, groups in enumerate(system.atoms.groups):
        members = [[i for i in range(group.bit_length()) if group >> i & 1] for group in groups]
        made[:, c] = [options[rng.integers(len(options))] for options in (members[atom] for atom in rows[:, c])]
    return made


def _agreed(datasets: list[NDArray[np.int16]]) -> list[tuple[NDArray[np.int16], int]]:
    """Closed claims with the same count, at least 1, in all datasets."""
    stacked = np.concatenate(datasets)
    if not len(stacked):
        return []
    records, back = np.unique(stacked, axis=0, return_inverse=True)
    ends = np.cumsum([len(data) for data in datasets])
    parts = np.split(back.ravel(), ends[:-1])
    times = np.stack([np.bincount(part, minlength=len(records)) for part in parts])
    closed, counts = closed_sets(records, times)
    same = (counts == counts[:, :1]).all(axis=1)
    return [(row, int(count)) for row, count in zip(closed[same], counts[same, 0], strict=True) if (row >= 0).any()]


def _count(data: NDArray[np.int16], values: NDArray[np.int16]) -> int:
    return int(((data == values) | (values < 0)).all(axis=1).sum())


def _breaking(evidence: Evidence, values: NDArray[np.int16], count: int) -> NDArray[np.int16] | None:
    """A dataset behind some witness in the pool that has another count."""
    columns = evidence.system.release.domain.columns
    predicate = Predicate.of({columns[c].name: columns[c].codes[v] for c, v in enumerate(values) if v >= 0})
    whole, some = evidence.system.footprint(predicate)
    for witness in evidence.witnesses:
        for inside, match in ((some, True), (whole, False)):
            if witness.value(inside) != count:
                data = dataset_of(evidence.system, witness, predicate, match)
                rows = [[columns[c].index[v] for c, v in enumerate(record)] for record in data.records]
                return np.array(rows, dtype=np.int16)
    return None
