"""Many releases, audited part by part; kill it at any time, and the same command continues.

source, release_sources   where the releases come from, and what is asked about them
plan                      the work cut into parts
part                      one part, from plain data to Parquet bytes
run, store                parts are handed out to workers and kept, whole or not at all
run_folder, query         the results, opened for questions
overview                  a run in words
"""
