"""The engine, behind one door: a release becomes a `Case`, and every question is asked of it. Nothing else in here is imported
from outside.

A case compiles the release once (`system`), finds datasets that fit (`witnesses`) and proves how large counts can be (`bounds`).
`claims` finds every certain claim, `explain` the few numbers that force one, `answers` are the questions, and `writing` puts down
why an answer holds, for the checker.
"""

from foregone.engine.answers.audit import audit, audit_case, audit_release, evidence_of
from foregone.engine.answers.conflict import fits
from foregone.engine.answers.different_values import DifferentValues
from foregone.engine.answers.differing import MOST_KNOWN, Differing
from foregone.engine.answers.explain import Explanation, explanation_of, forced, support
from foregone.engine.answers.following import Following, allowed_record, following
from foregone.engine.answers.generate import Generated, generate
from foregone.engine.answers.intervals import intervals, intervals_of
from foregone.engine.answers.start import need_witness, start
from foregone.engine.answers.story import StoryStep, Teller, story_of
from foregone.engine.answers.unique import Uniqueness, unique, unique_release, uniqueness_proof
from foregone.engine.answers.verify import limits_of, possible, verify
from foregone.engine.answers.ways import MOST_WAYS, Ways, ways_from, ways_sentences
from foregone.engine.answers.without import FactsWithout, RestingFacts, WiderCase
from foregone.engine.bounds.trees import AtMost, Exceeds, Tree
from foregone.engine.case import Case
from foregone.engine.claims.audit_loop import ClosedFact, settle_values
from foregone.engine.claims.evidence import Evidence
from foregone.engine.explain.checked_sums import CheckedSums
from foregone.engine.explain.explorer import irreducible
from foregone.engine.explain.subsets import FREE, Forced, Open, Subsets
from foregone.engine.explain.switches import Goal, Question, Statements, Switches, members, published_numbers, set_of
from foregone.engine.native.audit import GROUNDS as LOOP_GROUNDS
from foregone.engine.native.audit import PRINTED as LOOP_PRINTED
from foregone.engine.native.many import audit_many, fell_back
from foregone.engine.native.plan import LoopResults
from foregone.engine.system.atoms import Atoms, atomise
from foregone.engine.system.decode import unbounded_example
from foregone.engine.system.linear import MAX_RECORDS, LinearSystem
from foregone.engine.system.witness import Witness
from foregone.engine.writing.distance import distance_proof
from foregone.engine.writing.kinds import proof_of_kinds
from foregone.engine.writing.proofs import proofs, proofs_of_bounds, steps_of, write_document, write_proofs

__all__ = [
    "FREE",
    "LOOP_GROUNDS",
    "LOOP_PRINTED",
    "MAX_RECORDS",
    "MOST_KNOWN",
    "MOST_WAYS",
    "AtMost",
    "Atoms",
    "Case",
    "CheckedSums",
    "ClosedFact",
    "DifferentValues",
    "Differing",
    "Evidence",
    "Exceeds",
    "Explanation",
    "FactsWithout",
    "Following",
    "Forced",
    "Generated",
    "Goal",
    "LinearSystem",
    "LoopResults",
    "Open",
    "Question",
    "RestingFacts",
    "Statements",
    "StoryStep",
    "Subsets",
    "Switches",
    "Teller",
    "Tree",
    "Uniqueness",
    "Ways",
    "WiderCase",
    "Witness",
    "allowed_record",
    "atomise",
    "audit",
    "audit_case",
    "audit_many",
    "audit_release",
    "distance_proof",
    "evidence_of",
    "explanation_of",
    "fell_back",
    "fits",
    "following",
    "forced",
    "generate",
    "intervals",
    "intervals_of",
    "irreducible",
    "limits_of",
    "members",
    "need_witness",
    "possible",
    "proof_of_kinds",
    "proofs",
    "proofs_of_bounds",
    "published_numbers",
    "set_of",
    "settle_values",
    "start",
    "steps_of",
    "story_of",
    "support",
    "unbounded_example",
    "unique",
    "unique_release",
    "uniqueness_proof",
    "verify",
    "ways_from",
    "ways_sentences",
    "write_document",
    "write_proofs",
]
