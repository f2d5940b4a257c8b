"""The checker of proofs: standard library only, and nothing else of this package. docs/soundness.md says why to believe it.

kernel      what a proof is, and when it holds: the functions that formal/ has theorems about
read/       files as plain values, steps and trees; everything in them is taken to be chosen by an enemy
encode/     what was published, and what is left of it after some actions, as rows of the kernel
verdicts/   whole files: claims, completeness, distances, certificates of `protect`, and folders that are published

What is imported here is all that a file of claims needs; figures, marks, distances and protections are loaded when they are met.
"""

from foregone.checker.encode.release import read_release, release_of
from foregone.checker.kernel import PlainRelease
from foregone.checker.read.files import read_content, read_json
from foregone.checker.read.proofs import digest
from foregone.checker.read.refusal import Refused
from foregone.checker.verdicts.claims import Checked, check

__all__ = ["Checked", "PlainRelease", "Refused", "check", "digest", "read_content", "read_json", "read_release", "release_of"]
