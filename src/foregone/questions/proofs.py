"""Write down why claims are certain, in a form that the checker can check without this package's engine (docs/proofs.md)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from operator import or_
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foregone.checker.seal import FORMAT, VERSION, digest
from foregone.engine.bounds.prover import Leaf, Prover, Split
from foregone.engine.bounds.rowspace import Combination
from foregone.engine.claims.audit_loop import Between, ClosedFact, Lemma
from foregone.engine.claims.evidence import Evidence
from foregone.engine.claims.shorter_claims import minimal_forms
from foregone.engine.system.linear import LinearSystem
from foregone.formats.outputs import write_text
from foregone.model.audit import Audit
from foregone.model.claim import Claim, Ground
from foregone.model.errors import InputError
from foregone.questions.cover_steps import cover_steps, first_derived, high_row, low_row
from foregone.questions.witnesses_listed import Dataset, one_witness, separating_witnesses
from foregone.version import __version__

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Json = dict[str, Any]
Held = Mapping[int, tuple[tuple[int, int] | None, tuple[int, int] | None]]  # cell -> (least, its row), (most, its row)


def proofs(audit: Audit, complete: bool = True) -> Json:
    """All proofs of an audit; with `complete`, also datasets that refute every claim that is not among them."""
    if not isinstance(audit, Audit):
        raise InputError(f"an audit was expected, not {type(audit).__name__}; give what `audit` returns")
    evidence = audit.evidence
    if not isinstance(evidence, Evidence):
        raise InputError("this audit holds no proofs: the one-hot engine has a solver's word only; audit with the cells engine")
    free = first_derived(evidence.system.release) + len(evidence.lemmas)
    facts = [_fact(evidence, fact, free) for fact in evidence.certain]
    datasets = separating_witnesses(evidence) if complete else [one_witness(evidence.system, evidence.witnesses[0])]
    return _document(evidence.system, evidence.lemmas, facts, datasets)


def proof_of_claim(
    system: LinearSystem, claim: Claim, ground: Ground, evidence: Combination | Between, dataset: Dataset
) -> Json:
    """A file about a single claim, which may name sets of values and may be about no record."""
    return proof_of_claims(system, [(claim, ground, evidence)], dataset)


def proof_of_claims(
    system: LinearSystem, proved: Iterable[tuple[Claim, Ground, Combination | Between]], dataset: Dataset
) -> Json:
    """A file about some claims."""
    facts = []
    for claim, ground, evidence in proved:
        whole, some = system.footprint(claim.predicate)
        upper, lower = _bounds(system, evidence, some, whole, first_derived(system.release))
        where = _where(system, claim.predicate.masks(system.release.domain))
        facts.append({"claim": where, "count": claim.count, "ground": ground.value, "forms": [], "upper": upper, "lower": lower})
    return _document(system, [], facts, [dataset])


def contradiction_proof(prover: Prover) -> Json:
    """A file that shows that no dataset fits the release. The prover must have found that out."""
    assert prover.refutation is not None
    system = prover.system
    nothing = np.zeros(system.cells, dtype=np.int64)
    tree = _tree(system, prover.refutation, nothing, first_derived(system.release), {})
    return _document(system, [], [], [], {"contradiction": tree})


def write_document(document: Json, path: Path) -> int:
    """Write a proofs file; returns its size in bytes."""
    text = json.dumps(document, separators=(",", ":"), ensure_ascii=False) + "\n"
    write_text(path, text)
    return len(text.encode())


def write_proofs(audit: Audit, path: Path) -> int:
    """Write the proofs file; returns its size in bytes."""
    return write_document(proofs(audit), path)


def _document(
    system: LinearSystem, lemmas: Sequence[Lemma], facts: list[Json], datasets: list[Dataset], further: Json | None = None
) -> Json:
    content: Json = {
        "format": FORMAT,
        "version": VERSION,
        "tool": f"foregone {__version__}",
        "release": system.release.fingerprint(),
        "steps": cover_steps(system) + _lemmas(system, lemmas),
        "facts": facts,
        "witnesses": datasets,
        **(further or {}),
    }
    rows = {row for node in (content["steps"], facts, content.get("contradiction")) for row in _rows_used(node)}
    numbers = sorted({row // 2 for row in rows if row < 2 * len(system.release.all_statements)})
    content["names"] = {str(k): system.release.name_of(k) for k in numbers}
    return {**content, "digest": digest(content)}


def _lemmas(system: LinearSystem, lemmas: Sequence[Lemma]) -> list[Json]:
    """Each lemma becomes a row, and the row drops what it shows to be empty."""
    steps: list[Json] = []
    for row, lemma in enumerate(lemmas, start=first_derived(system.release)):
        inside = np.zeros(system.cells, dtype=np.int64)
        inside[lemma.cells] = 1
        steps.append({"bound": _form(system, lemma.cells), "at_most": 0, "proof": _tree(system, lemma.proof, inside, row, {})})
        steps.append({"prune": [[row, 1]]})
    return steps


def _fact(evidence: Evidence, fact: ClosedFact, free: int) -> Json:
    assert fact.reason is not None
    system = evidence.system
    names = system.release.domain.names
    claim = {names[c]: system.atoms.code(int(c), int(fact.closed[c])) for c in fact.extent.columns}
    inner = np.zeros(system.cells, dtype=bool)
    inner[fact.extent.inner] = True
    upper, lower = _bounds(system, fact.reason.evidence, inner, inner, free)
    forms = minimal_forms(len(claim), fact.extent.blocked)
    return {
        "claim": claim,
        "count": fact.count,
        "ground": evidence.closed_ground(fact).value,
        "forms": [{name: code for bit, (name, code) in enumerate(claim.items()) if form >> bit & 1} for form in forms],
        "upper": upper,
        "lower": lower,
    }


def _bounds(system: LinearSystem, evidence: Combination | Between, some: Bools, whole: Bools, free: int) -> tuple[Json, Json]:
    """Trees that the count is at most, and that its negative is at most; `free` is the number of the next row."""
    match evidence:
        case Combination(multipliers, denominator):
            sides = (_terms(system, sign * multipliers) for sign in (1, -1))
            upper, lower = ({"terms": terms, "over": int(denominator)} for terms in sides)
        case Between(upper=above, lower=below):
            upper = _tree(system, above, some.astype(np.int64), free, {})
            lower = _tree(system, below, -whole.astype(np.int64), free, {})
    return upper, lower


def _terms(system: LinearSystem, multipliers: Ints) -> list[list[int]]:
    """A positive multiplier takes a row's upper limit, a negative one its lower limit."""
    used = np.flatnonzero(multipliers).tolist()
    return [
        [high_row(int(system.high_source[i])), int(multipliers[i])]
        if multipliers[i] > 0
        else [low_row(int(system.low_source[i])), -int(multipliers[i])]
        for i in used
    ]


def _tree(system: LinearSystem, proof: Leaf | Split, objective: Ints, free: int, held: Held) -> Json:
    """A proof that the objective, one number per cell, is at most what the prover was asked."""
    if isinstance(proof, Split):
        least, most = held.get(proof.cell, (None, None))
        return {
            "split": _form(system, np.array([proof.cell])),
            "at": proof.at,
            "below": _tree(system, proof.below, objective, free + 1, {**held, proof.cell: (least, (proof.at, free))}),
            "above": _tree(system, proof.above, objective, free + 1, {**held, proof.cell: ((proof.at + 1, free), most)}),
        }
    certificate = proof.certificate
    terms = _terms(system, certificate.multipliers)
    made = system.combine(certificate.multipliers)
    for cell, (least, most) in held.items():
        # what the statistics leave over on a split cell is made up for by the rows of the splits
        rest = (0 if proof.impossible else certificate.denominator * int(objective[cell])) - int(made[cell])
        limit = most if rest > 0 else least
        if rest and limit is not None:
            terms.append([limit[1], abs(rest)])
    return {"terms": terms, **({"nothing": True} if proof.impossible else {"over": int(certificate.denominator)})}


def _form(system: LinearSystem, cells: Ints) -> list[list[Any]]:
    """The number of records in some cells, as a sum of few predicates."""
    groups = system.atoms.groups
    inside = np.isin(system.cell_of, cells)
    around = [np.unique(column) for column in system.records[inside].T]
    within = np.ones(len(inside), dtype=bool)
    for c, atoms in enumerate(around):
        within &= np.isin(system.records[:, c], atoms)
    if (within == inside).all():  # the smallest box around them holds no other possible record
        boxes = [tuple(_union(groups[c], atoms.tolist()) for c, atoms in enumerate(around))]
    else:
        boxes = _merged([tuple(groups[c][atom] for c, atom in enumerate(row)) for row in system.records[inside].tolist()])
    possible = [_union(groups[c], np.unique(column).tolist()) for c, column in enumerate(system.records.T)]
    # a column in which all possible values are allowed need not be named
    return [[1, _where(system, {c: mask for c, mask in enumerate(box) if mask != possible[c]})] for box in boxes]


def _union(groups: Sequence[int], atoms: list[int]) -> int:
    return reduce(or_, (groups[atom] for atom in atoms), 0)


def _merged(boxes: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """The same records in fewer boxes: boxes that differ in one column only become one."""
    for c in range(len(boxes[0])):
        alike: dict[tuple[int, ...], int] = {}
        for box in boxes:
            rest = box[:c] + box[c + 1 :]
            alike[rest] = alike.get(rest, 0) | box[c]
        boxes = [(*rest[:c], mask, *rest[c:]) for rest, mask in alike.items()]
    return boxes


def _where(system: LinearSystem, masks: Mapping[int, int]) -> Json:
    """Columns with a code or a list of codes, in the domain's order; a column that allows everything is left out."""
    where: Json = {}
    for c, column in enumerate(system.release.domain.columns):
        if masks.get(c, column.full) != column.full:
            codes = column.codes_of(masks[c])
            where[column.name] = codes[0] if len(codes) == 1 else list(codes)
    return where


def _rows_used(node: Any) -> set[int]:
    """The numbers of the rows that steps and trees mention."""
    if isinstance(node, list):
        return {row for entry in node for row in _rows_used(entry)}
    if not isinstance(node, dict):
        return set()
    found = {row for key in ("terms", "prune") for row, _ in node.get(key, [])}
    return found.union(*(_rows_used(node[key]) for key in ("proof", "upper", "lower", "below", "above") if key in node))
