"""One prover for each independent part of a system, and how their answers are put together again.

The greatest value of a sum is the sum of the parts' greatest values, and proofs add up: the multipliers of a part's rows are
multipliers of rows of the whole (`IndependentPart.multipliers`), so sums of them are, too. Where a part needs a search tree, or
rounds down, its result becomes a lemma of the whole, and the sum uses the lemma.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import lcm
from typing import TYPE_CHECKING

import numpy as np

from foregone.engine.bounds.certify import made_of
from foregone.engine.bounds.knowledge import SystemKnowledge
from foregone.engine.bounds.trees import AtMost, Certificate, Endless, Exceeds, Form, Lemma, Tree, TreeEither, TreeLeaf, TreeSplit
from foregone.engine.system.parts import IndependentPart, together
from foregone.engine.system.witness import Witness
from foregone.solvers.answer import Undecided
from foregone.solvers.arrays import Bools, Ints

if TYPE_CHECKING:
    from foregone.engine.bounds.prover import Prover


LARGEST_MULTIPLIER = 1 << 40  # in a sum of proofs; what would need larger ones is added up through lemmas


class ApartProver:
    """The parts of a system with a prover each; `known` is what is known of the whole, which learns what the parts find out."""

    def __init__(self, known: SystemKnowledge, parts: Sequence[IndependentPart], provers: Sequence[Prover]) -> None:
        self.known, self.parts, self._provers = known, parts, provers
        self.part_of = np.zeros(known.system.buckets, dtype=np.int64)
        for i, part in enumerate(parts):
            self.part_of[part.buckets] = i
        self._forms: list[dict[Form, Form]] = [{} for _ in parts]  # of each part's forms, the form of the whole
        self._told = [0] * len(parts)  # lemmas of each part that the whole has
        self._seen = [0] * len(parts)  # datasets of each part that some dataset of the whole has
        before = list(known.lemmas)
        for i in range(len(parts)):
            self._share(i)  # what a prover begins with
        for lemma in before:
            self._hand_down(lemma)
        for part, prover in zip(parts, provers, strict=True):
            prover.pool.add_each([part.inside(witness) for witness in known.pool])

    def _hand_down(self, lemma: Lemma) -> None:
        """What is known of the whole: empty buckets are empty in their parts, and limits hold there, if they are of one part."""
        homes = np.unique(self.part_of[lemma.form.buckets]).tolist()
        if len(lemma.buckets) or len(homes) == 1:
            for i in homes:
                mine = self.part_of[lemma.form.buckets] == i
                buckets = np.searchsorted(self.parts[i].buckets, lemma.form.buckets[mine])
                form = Form(buckets, lemma.form.weights[mine])
                self._forms[i][form] = lemma.form
                self._provers[i].known.learn(Lemma(form, lemma.at_most, lemma.proof))
                self._told[i] = len(self._provers[i].lemmas)

    def prover(self, i: int) -> Prover:
        """The prover of a part, with the time that is left."""
        prover = self._provers[i]
        prover.deadline = prover.known.deadline = self.known.deadline
        return prover

    def touched(self, buckets: Ints | Bools) -> list[int]:
        """The parts that a sum or a set of buckets is about."""
        found: list[int] = np.unique(self.part_of[np.flatnonzero(buckets)]).tolist()
        return found

    def first_witness(self) -> bool | Undecided | Tree:
        """A dataset of every part, put together; or a proof that one part has none."""
        for i in range(len(self.parts)):
            found = self._some(i)
            if found is not True:
                return found
        self.known.pool.add(self._together({}))
        return True

    def _some(self, i: int) -> bool | Undecided | Tree:
        """See to it that a part knows a dataset; a proof that there is none."""
        prover = self.prover(i)
        if not len(prover.pool) and len(self.known.pool):
            prover.pool.add(self.parts[i].inside(self.known.pool.witnesses[0]))
        found = prover.first_witness()
        if found is False:
            assert prover.refutation is not None
            return self.proof(i, prover.refutation)
        return found

    def _together(self, chosen: Mapping[int, Witness]) -> Witness:
        """A dataset of the whole with these datasets in some parts; all others must know one."""
        return together(self.parts, [chosen.get(i) or prover.pool.witnesses[0] for i, prover in enumerate(self._provers)])

    def gather(self) -> None:
        """Datasets of the whole that have all new datasets of the parts between them."""
        new = [len(prover.pool) - seen for prover, seen in zip(self._provers, self._seen, strict=True)]
        made = []
        for k in range(max(new)):
            latest = [min(seen + k, len(p.pool) - 1) for p, seen in zip(self._provers, self._seen, strict=True)]
            made.append(
                self._together({i: p.pool.witnesses[at] for i, (p, at) in enumerate(zip(self._provers, latest, strict=True))})
            )
        self.known.pool.add_each(made)
        self._seen = [len(prover.pool) for prover in self._provers]
        for i in range(len(self.parts)):
            self._share(i)

    def at_most(self, objective: Ints, target: int, nodes: int | None = None) -> AtMost | Exceeds | Undecided:
        """Is a sum at most `target` in every dataset that fits?"""
        touched = self.touched(objective)
        for i in range(len(self.parts)):
            found = self._some(i)
            if isinstance(found, Undecided) and i in touched:
                return found
            if not isinstance(found, bool | Undecided):
                return AtMost(found)
        if len(touched) == 1:
            (i,) = touched
            answer = self.prover(i).at_most(self.parts[i].objective(objective), target, nodes)
            if isinstance(answer, AtMost):
                return AtMost(self.proof(i, answer.proof))
            return self._beyond({i: answer.witness}) if isinstance(answer, Exceeds) else answer
        best, values, endless = self._best(touched, objective), dict[int, int](), list[int]()
        for i in touched:
            found_ = self.prover(i).greatest(self.parts[i].objective(objective))
            match found_:
                case Undecided():
                    return found_
                case Endless():
                    endless.append(i)
                case (value, witness):
                    values[i], best[i] = value, witness
        if endless:  # one of them makes up for all others
            i = endless[0]
            others = sum(self._value(j, objective, best[j]) for j in touched if j != i)
            answer = self.prover(i).at_most(self.parts[i].objective(objective), target - others)
            return (
                self._beyond(best | {i: answer.witness})
                if isinstance(answer, Exceeds)
                else Undecided("no large enough dataset was found")
            )
        if sum(values.values()) > target:
            return self._beyond(best)
        proofs = []
        for i in touched:
            answer = self.prover(i).at_most(self.parts[i].objective(objective), values[i], nodes)
            if not isinstance(answer, AtMost):
                return answer if isinstance(answer, Undecided) else Undecided("a proof was not found again")
            proofs.append(self.proof(i, answer.proof))
        return AtMost(self._added(objective, touched, proofs))

    def greatest(self, objective: Ints) -> tuple[int, Witness] | Endless | Undecided:
        """The greatest value of a sum, and a dataset that has it; every part must know a dataset."""
        total, best = 0, dict[int, Witness]()
        for i in self.touched(objective):
            found = self.prover(i).greatest(self.parts[i].objective(objective))
            match found:
                case Undecided():
                    return found
                case Endless(ray=ray):
                    return Endless(ray.among(self.parts[i].buckets))
                case (value, witness):
                    total, best[i] = total + value, witness
        return total, self._beyond(best).witness

    def _best(self, touched: Sequence[int], objective: Ints) -> dict[int, Witness]:
        """Of the datasets of some parts, those with the greatest values."""
        made = {}
        for i in touched:
            pool = self._provers[i].pool
            values = pool.counts(self.parts[i].objective(objective))
            made[i] = pool.witnesses[values.index(max(values))]
        return made

    def _value(self, i: int, objective: Ints, witness: Witness) -> int:
        return witness.value(self.parts[i].objective(objective))

    def _beyond(self, chosen: Mapping[int, Witness]) -> Exceeds:
        witness = self._together(chosen)
        self.known.pool.add(witness)
        return Exceeds(witness)

    def proof(self, i: int, tree: Tree) -> Tree:
        """A proof of a part as one of the whole, which knows all lemmas of the part from now on."""
        self._share(i)
        return self._tree(i, tree)

    def _share(self, i: int) -> None:
        lemmas = self._provers[i].lemmas
        for lemma in lemmas[self._told[i] :]:
            self.known.learn(Lemma(self._form(i, lemma.form), lemma.at_most, self._tree(i, lemma.proof)))
        self._told[i] = len(lemmas)

    def _form(self, i: int, form: Form) -> Form:
        known = self._forms[i]
        if form not in known:
            known[form] = Form(self.parts[i].buckets[form.buckets], form.weights)
        return known[form]

    def _tree(self, i: int, tree: Tree) -> Tree:
        part = self.parts[i]
        match tree:
            case TreeLeaf(certificate=own, impossible=impossible):
                further = tuple((self._form(i, form), times) for form, times in own.further)
                multipliers = part.multipliers(own.multipliers, self.known.system.rows)
                return TreeLeaf(Certificate(multipliers, own.denominator, own.total, further), impossible)
            case TreeSplit(form=form, at=at, below=below, above=above):
                return TreeSplit(self._form(i, form), at, self._tree(i, below), self._tree(i, above))
            case TreeEither(clause=clause, forms=(one, other), left=left, right=right):
                forms = self._form(i, one), self._form(i, other)
                return TreeEither(int(part.clauses[clause]), forms, self._tree(i, left), self._tree(i, right))

    def _added(self, objective: Ints, touched: Sequence[int], proofs: Sequence[Tree]) -> TreeLeaf:
        """One sum of rows from a proof for each part; lemmas stand for what is not itself a sum of rows without a remainder."""
        system = self.known.system
        sums = [proof.certificate if isinstance(proof, TreeLeaf) else None for proof in proofs]
        plain = [own if own is not None and not own.total % own.denominator else None for own in sums]
        over = lcm(*(certificate.denominator for certificate in plain if certificate is not None))
        largest = max((int(np.abs(c.multipliers).max(initial=0)) for c in plain if c is not None), default=0)
        if over * max(1, largest) > LARGEST_MULTIPLIER:
            plain, over = [None] * len(proofs), 1
        multipliers, total, further = np.zeros(system.rows, dtype=np.int64), 0, list[tuple[Form, int]]()
        for i, proof, certificate in zip(touched, proofs, plain, strict=True):
            if certificate is not None:
                times = over // certificate.denominator
                multipliers += times * certificate.multipliers
                total += times * certificate.total
                further += [(form, times * number) for form, number in certificate.further]
                continue
            form = Form.of(np.where(self.part_of == i, objective, 0))
            limit = self._limit(i, objective)
            lemma = Lemma(form, limit, proof)
            self.known.learn(lemma)
            if not len(lemma.buckets):  # buckets that are empty need not be mentioned
                further.append((form, over))
                total += over * limit
        leaf = TreeLeaf(Certificate(multipliers, over, total, tuple(further)))
        missed = (made_of(system, leaf.certificate) < over * objective) & ~self.known.empty
        assert not missed.any(), "proofs of parts do not add up; please report this release"
        return leaf

    def _limit(self, i: int, objective: Ints) -> int:
        """The greatest value of a sum in a part, which was proved before: some dataset has it."""
        return max(self._provers[i].pool.counts(self.parts[i].objective(objective)))

    def __iter__(self) -> Iterator[tuple[IndependentPart, Prover]]:
        for i, part in enumerate(self.parts):
            yield part, self.prover(i)
