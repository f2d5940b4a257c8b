"""The checker of proofs: standard library only, and nothing else of this package. docs/soundness.md says why to believe it.

refusal   the two ways to say no, in one line each
files     the files of a release
figures   sums, means, medians and percentages, as what they say about counts
rows      a release as plain rows
seal      what a proofs file is called and how it is sealed
parse     a proofs file as steps, facts and trees; everything in it is taken to be chosen by an enemy
cover     boxes that hold every record of every dataset that fits, and sums over all of them at once
check     the proofs
complete  was anything missed?
policy, protection   certificates of `protect`: is what is left safe, and is nothing cheaper?
"""
