"""What the tests of the documentation do not run as it stands, each with its reason. Everything else on every page runs."""

from __future__ import annotations

NOT_RUN = {  # how a command begins -> why it is not run
    "pip install": "needs a package index",
    ". .venv/bin/activate": "the tests have an environment already",
    "make quick": "is part of what runs this",
    "make test": "is what runs this",
    "R CMD INSTALL": "installs into the user's library; tests/r installs it elsewhere",
    "make formal": "takes minutes, and Coq; .ci/run does it",
    "make dist": "needs a package index; tests/test_dist.py builds both",
    "make docs": "tests/docs/test_site.py builds the site",
    "python src/foregone/engine/native/build.py": "builds into the tree; tests/engine/native compile a copy",
    "python -m benchmarks.fuzz_loop": "takes ten minutes; tests/engine/native compare the two loops",
    "foregone serve": "serves until Ctrl-C; tests/workbench starts it, in both browsers",
    "make serve": "serves until Ctrl-C; tests/workbench starts it, in both browsers",
    "make pictures": "needs Chromium, and draws into docs/images",
    "python -m tests.census.explanations": "takes minutes; tests/census/test_demo_page.py says when it is due",
    "open ": "opens a window",
    "dask ": "starts a cluster that stays; tests/batch/test_cluster.py runs on a real one",
    "openssl ": "not everybody has it; the certificate is for the cluster that is not started",
    "chmod ": "the key is not made",
    "kubectl ": "needs a Kubernetes cluster",
    "foregone run units.parquet --out RUN --scheduler": "needs a Dask cluster; tests/batch/test_cluster.py runs on a real one",
    "foregone run units.parquet --out RUN --shard": "is a line of a job script; tests/run run shards",
    "foregone census ingest ppmf_units.zip": "the published unit file is not part of the package",
    "foregone census study ppmf.parquet": "the published unit file is not part of the package",
    "foregone census study units.parquet --out STUDY": "docs/census.md runs it",
}

NOT_RUN_BLOCKS = {  # a line of a Python block -> why the block is only compiled
    "from dask_jobqueue import SLURMCluster": "needs a SLURM cluster",
    "from dask_kubernetes.operator import KubeCluster": "needs a Kubernetes cluster",
}

INSTEAD = {  # a command -> what is run in its place, and why
    "foregone report RUN --out explained.html --source units.parquet": (
        "foregone report RUN --out explained.html --source units.parquet --explain 0",
        "ten derivations take half a minute; tests/pages/test_many.py has some",
    ),
    "make demo": ("foregone demo --page first-look.html", "make sets up a virtual environment of its own first"),
    "foregone census synth --out units.csv": (
        "foregone census synth --out units.csv --states 2 --tracts 2 --blocks 6",
        "a whole country takes a minute to study",
    ),
    "foregone census study units.parquet --out study/": (
        "foregone census study units.parquet --out study/ --per-state 1 --workers 1",
        "five blocks a state take a minute",
    ),
}

GIVEN = {  # page -> what its reader is taken to have: files of examples/ or tests/country.py, a release made from people.csv
    "README.md": ["people.csv", "by_age.csv", "by_town.csv", "smokers.csv", "june.csv", "july.csv"],
    "for-stewards.md": ["june.csv", "july.csv"],
    "index.md": ["by_age.csv", "by_town.csv"],
    "for-reviewers.md": ["release", "policy.toml"],
    "your-tables.md": ["by_age.csv", "by_town.csv", "smokers.csv", "doses.csv", "june.csv", "july.csv"],
    "rules.md": ["patients.csv"],
    "tutorial.md": ["by_age.csv", "by_town.csv", "policy.toml", "june.csv", "july.csv"],
    "onehot.md": ["release"],
    "persons.md": ["one-solution-blocks.csv.gz"],
    "proofs.md": ["release"],
    "protect.md": ["release", "policy.toml"],
    "publish.md": ["by_age.csv", "by_town.csv"],
    "report.md": ["release", "thresholds.toml", "units.parquet", "RUN"],
}
