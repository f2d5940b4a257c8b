"""Write down why claims are certain, in a form that the checker can check without this package's engine (docs/proofs.md)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import reduce
from operator import or_
from pathlib import Path
from typing import Any

import numpy as np

from foregone.checker import digest
from foregone.checker.read.proofs import FORMAT, VERSION
from foregone.engine.bounds.prover import Prover
from foregone.engine.bounds.rowspace import Combination
from foregone.engine.bounds.trees import Between, Form, Lemma, Tree, TreeEither, TreeSplit
from foregone.engine.case import Case
from foregone.engine.claims.audit_loop import ClosedFact
from foregone.engine.claims.evidence import Evidence
from foregone.engine.system.linear import LinearSystem
from foregone.engine.writing.cover import cover_steps
from foregone.engine.writing.datasets import Dataset, one_witness, separating_witnesses
from foregone.engine.writing.rows import ProofRows, drops_directly, needed, trees_of
from foregone.formats.outputs import write_text
from foregone.model.audit import Audit
from foregone.model.claim import Claim, Ground
from foregone.model.errors import InputError
from foregone.model.release import Release
from foregone.solvers.arrays import Ints
from foregone.version import __version__

Json = dict[str, Any]


def proofs(audit: Audit, complete: bool = True) -> Json:
    """All proofs of an audit; with `complete`, also datasets that refute every claim that is not among them.

    Parameters
    ----------
    audit : Audit
        What `audit` returned, with the engine "cells".
    complete : bool
        Also datasets that refute every claim that is not among the facts.

    Returns
    -------
    dict
        A document for `check`, which can be written as JSON.

    Raises
    ------
    InputError
        An audit without proofs (engine "onehot"); it is a ValueError.
    """
    if not isinstance(audit, Audit):
        raise InputError(f"an audit was expected, not {type(audit).__name__}; give what `audit` returns")
    evidence = audit.evidence
    if not isinstance(evidence, Evidence):
        raise InputError("this audit holds no proofs: the one-hot engine reports what a solver says; audit with the cells engine")
    reasons = [fact.reason.evidence for fact in evidence.certain if fact.reason is not None]
    lemmas = needed(evidence.lemmas, [tree for reason in reasons for tree in trees_of(reason)])
    rows = ProofRows.of(evidence.system, lemmas)
    facts = [_fact(evidence, fact, rows) for fact in evidence.certain]
    datasets = separating_witnesses(evidence) if complete else [one_witness(evidence.system, evidence.witnesses[0])]
    return _document(evidence.system, lemmas, facts, datasets)


def proof_of_claim(
    system: LinearSystem, claim: Claim, ground: Ground, evidence: Combination | Between, known: Sequence[Lemma], dataset: Dataset
) -> Json:
    """A file about a single claim, which may name sets of values and may be about no record; `known` are all lemmas there are."""
    return proof_of_claims(system, [(claim, ground, evidence)], known, [dataset])


def proof_of_claims(
    system: LinearSystem,
    proved: Sequence[tuple[Claim, Ground, Combination | Between]],
    known: Sequence[Lemma],
    datasets: Sequence[Dataset],
) -> Json:
    """A proofs document about some claims, with some datasets."""
    lemmas = needed(known, [tree for _, _, evidence in proved for tree in trees_of(evidence)])
    rows, facts = ProofRows.of(system, lemmas), []
    for claim, ground, evidence in proved:
        upper, lower = _bounds(rows, evidence)
        where = _where(system, claim.predicate.masks(system.release.domain))
        facts.append({"claim": where, "count": claim.count, "ground": ground.value, "forms": [], "upper": upper, "lower": lower})
    return _document(system, lemmas, facts, list(datasets))


def contradiction_proof(prover: Prover) -> Json:
    """A file that shows that no dataset fits the release. The prover must have found that out."""
    assert prover.refutation is not None
    lemmas = needed(prover.lemmas, [prover.refutation])
    tree = _tree(ProofRows.of(prover.system, lemmas), prover.refutation)
    return _document(prover.system, lemmas, [], [], {"contradiction": tree})


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
    return _sealed(system.release, cover_steps(system) + _lemmas(system, lemmas), facts, datasets, further)


def _sealed(release: Release, steps: list[Json], facts: list[Json], datasets: list[Dataset], further: Json | None = None) -> Json:
    """The whole file, with the names of the published numbers it uses, and a digest."""
    content: Json = {
        "format": FORMAT,
        "version": VERSION,
        "tool": f"foregone {__version__}",
        "release": release.fingerprint(),
        "steps": steps,
        "facts": facts,
        "witnesses": datasets,
        **(further or {}),
    }
    rows = {row for node in (steps, facts, content.get("contradiction")) for row in _rows_used(node)}
    stated = 2 * release.workload.limited
    numbers = sorted({row // 2 for row in rows if row < stated})
    content["names"] = {str(k): release.name_of(k) for k in numbers}
    return {**content, "digest": digest(content)}


def _lemmas(system: LinearSystem, lemmas: Sequence[Lemma]) -> list[Json]:
    """Each lemma becomes a row, and the row drops what it shows to be empty; rows that do so themselves need no other."""
    steps: list[Json] = []
    rows = ProofRows.of(system, ())
    for lemma in lemmas:
        if drops_directly(lemma):
            steps.append({"prune": _tree(rows, lemma.proof)["terms"]})
            continue
        steps.append({"bound": _form(system, lemma.form), "at_most": lemma.at_most, "proof": _tree(rows, lemma.proof)})
        if len(lemma.buckets):
            steps.append({"prune": [[rows.free, 1]]})
        rows = rows.after(lemma)
    return steps


def _fact(evidence: Evidence, fact: ClosedFact, rows: ProofRows) -> Json:
    assert fact.reason is not None
    system = evidence.system
    upper, lower = _bounds(rows, fact.reason.evidence)
    return {
        "claim": _said(system, evidence.box(fact)),
        "count": fact.count,
        "ground": evidence.closed_ground(fact).value,
        "forms": [_said(system, form) for form in evidence.shortest(fact)],
        "upper": upper,
        "lower": lower,
    }


def _bounds(rows: ProofRows, evidence: Combination | Between) -> tuple[Json, Json]:
    """Trees that the count is at most, and that its negative is at most."""
    match evidence:
        case Combination(multipliers, denominator):
            sides = (rows.terms(sign * multipliers) for sign in (1, -1))
            upper, lower = ({"terms": terms, "over": int(denominator)} for terms in sides)
        case Between(upper=above, lower=below):
            upper, lower = _tree(rows, above), _tree(rows, below)
    return upper, lower


def _tree(rows: ProofRows, proof: Tree) -> Json:
    """A proof that an objective is at most what the prover was asked."""
    if isinstance(proof, TreeSplit):
        below, above = rows.split(proof.form)
        form = _form(rows.system, proof.form)
        return {"split": form, "at": proof.at, "below": _tree(below, proof.below), "above": _tree(above, proof.above)}
    if isinstance(proof, TreeEither):
        left, right = rows.either(proof.forms)
        return {"either": proof.clause, "left": _tree(left, proof.left), "right": _tree(right, proof.right)}
    certificate = proof.certificate
    terms = rows.terms(certificate.multipliers, certificate.further)
    return {"terms": terms, **({"nothing": True} if proof.impossible else {"over": int(certificate.denominator)})}


def _form(system: LinearSystem, form: Form) -> list[list[Any]]:
    """A sum of buckets as a sum of few predicates."""
    weights = np.unique(form.weights).tolist()
    return [[weight, where] for weight in weights for where in _boxes(system, form.buckets[form.weights == weight])]


def _boxes(system: LinearSystem, buckets: Ints) -> list[Json]:
    """Some buckets as few predicates that hold no other possible record and no record twice."""
    groups = system.atoms.groups
    inside = np.isin(system.bucket_of, buckets)
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
    return [_where(system, {c: mask for c, mask in enumerate(box) if mask != possible[c]}) for box in boxes]


def _union(groups: Sequence[int], atoms: list[int]) -> int:
    return reduce(or_, (groups[atom] for atom in atoms), 0)


def _merged(boxes: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Boxes with the same records as these, but fewer: those that differ in one column only become one."""
    for c in range(len(boxes[0])):
        alike: dict[tuple[int, ...], int] = {}
        for box in boxes:
            rest = box[:c] + box[c + 1 :]
            alike[rest] = alike.get(rest, 0) | box[c]
        boxes = [(*rest[:c], mask, *rest[c:]) for rest, mask in alike.items()]
    return boxes


def _where(system: LinearSystem, masks: Mapping[int, int]) -> Json:
    """A condition in codes, without the columns that allow everything."""
    columns = system.release.domain.columns
    return _said(system, {c: mask for c, mask in masks.items() if mask != columns[c].full})


def _said(system: LinearSystem, masks: Mapping[int, int]) -> Json:
    """Columns with a code, or with a list of codes for a group, in the domain's order."""
    where: Json = {}
    for c in sorted(masks):
        column = system.release.domain.columns[c]
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


def steps_of(case: Case) -> list[Json]:
    """The steps that leave only the records which are not shown to be impossible."""
    return cover_steps(case.system) + _lemmas(case.system, case.prover.lemmas)


def proofs_of_bounds(case: Case, trees: Sequence[Tree]) -> tuple[list[Json], list[Json]]:
    """The steps that some bounds of a case rest on, and a tree for each of them."""
    system, lemmas = case.system, needed(case.prover.lemmas, trees)
    rows = ProofRows.of(system, lemmas)
    return cover_steps(system) + _lemmas(system, lemmas), [_tree(rows, tree) for tree in trees]
