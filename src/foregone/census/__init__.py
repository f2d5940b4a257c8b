"""Census files, tables and places: an application of Foregone to households and persons.

household/ person/   a kind of record each: its files, its tables as data, its rules and its words
records              what both have in common: packed records, how they are published, `RecordKind`
kinds                the kinds there are, and the publisher of each
tables               tables as data, and as text
geography            codes of blocks, tracts, counties and states
unit_files/          raw files are checked row by row and become Parquet; Parquet is opened
synthetic/           a country in which nobody is real
release              blocks or tracts as releases
sources              blocks or tracts as the input of a run
variability, proofs  is each block determined? the tables of such a run, and proofs for the checker
priors               what somebody would guess who knows the tract or the state
subjects             which subject a release or a run is about: words and tables for pages
demo                 the two bundled releases
"""
