"""Proofs for other people's checkers: a file of proofs as a certificate in the VIPR format, version 1.0.

certificate   the format: unknowns, constraints, solutions, derivations, and how they are written down
unknowns      one unknown for each box of the cover, also for those that were dropped; what a form is worth on each of them
model         what was published as constraints about these unknowns
export        steps, trees and witnesses as derivations and solutions

It stands on the checker, whose reading of release and proofs it shares, and on the standard library. Nothing is believed because of
it: whoever checks the certificate does so with a program that knows nothing of Foregone.
"""
