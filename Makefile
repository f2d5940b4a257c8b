# Two commands set everything up: `make demo` shows what Foregone does, `make test` checks that it does it (`make quick`: in a minute or two).
VENV ?= .venv
PYTHON ?= python3
BIN = $(VENV)/bin

LOOP = src/foregone/engine/native

.PHONY: demo serve quick test test-native docs dist pictures formal bench bench-paper bench-protect bench-minimality bench-compare clean

demo: $(VENV)/loop
	@$(BIN)/foregone demo

# the workbench in a browser, on an example; TABLES=../my-tables for your own
serve: $(VENV)/workbench $(VENV)/loop
	@$(BIN)/foregone serve $(TABLES)

# in a minute or two: no browser, no cluster, nothing that takes seconds
quick: $(VENV)/test $(VENV)/loop
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/pytest -n auto -m 'not slow and not browser and not cluster'

# on all cores; the tests of a file stay together, as they share what was made once
test: $(VENV)/test $(VENV)/loop
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/pytest -n auto --dist loadfile

# what audits, with the compiled loop, in a few minutes; what compares the two loops is part of `make test`
AUDITING = $(addprefix tests/,batch census cli counting engine evaluation model pages policy protection questions workbench workflows)
test-native: $(VENV)/test $(VENV)/loop
	FOREGONE_LOOP=native $(BIN)/pytest -n auto -m 'not slow and not browser and not cluster' $(AUDITING)

docs: $(VENV)/test $(VENV)/loop
	$(BIN)/python -m docs.notebook docs/notebooks/foregone.ipynb docs/notebooks/researchers.ipynb
	$(BIN)/python -m docs.gallery build/gallery
	$(BIN)/sphinx-build -q -W --keep-going -d build/doctrees -c docs . build/site
	@echo "Open build/site/index.html."

# the pictures of the page in README.md and docs/, drawn anew
pictures: $(VENV)/test $(VENV)/loop
	$(BIN)/python -m docs.pictures

# the sdist, the wheel made from it, and both tried: the wheel in an environment of its own
dist: $(VENV)/test $(VENV)/loop
	rm -rf dist
	$(BIN)/python -m build --outdir dist .
	$(BIN)/twine check --strict dist/*
	$(BIN)/python -m tests.dist dist

# the theorems behind the checker, what they assume, and the program extracted from them
formal:
	@if ! command -v coqc >/dev/null || ! command -v ocamlopt >/dev/null; then \
	  echo "note: Coq and OCaml are not installed; the theorems were not checked (Debian: apt-get install coq ocaml-nox)"; \
	else $(MAKE) -C formal; fi

# HARD=--quick keeps the hard releases short
bench: $(VENV)/test $(VENV)/loop
	$(BIN)/python benchmarks/audit.py
	$(BIN)/python benchmarks/hard.py $(HARD)
	$(BIN)/python benchmarks/ingest.py
	$(BIN)/python benchmarks/run.py
	$(BIN)/python -m benchmarks.elimination

# the paper's one-hot method against the cells engine; BENCH='--blocks 1 --claims 3 --solvers cpsat' keeps it short
bench-paper: $(VENV)/test $(VENV)/loop
	$(BIN)/python benchmarks/paper.py $(BENCH)

# protection beside the field on public tables; BENCH='--seconds 60 --only z2' keeps it short
bench-protect: $(VENV)/test $(VENV)/loop
	$(BIN)/python benchmarks/protect.py $(BENCH)

# what a reader concludes from knowing that the least was withheld; BENCH="--only '2 x 2'" keeps it short
bench-minimality: $(VENV)/test $(VENV)/loop
	$(BIN)/python -m benchmarks.minimality $(BENCH)

# is this tree slower than another checkout? BASE=../before BENCH='--repeat 3 --only audit' keeps it short
bench-compare: $(VENV)/test $(VENV)/loop
	$(BIN)/python -m benchmarks.side_by_side $(BASE) $(BENCH)

$(VENV)/core: pyproject.toml hatch_build.py
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/workbench: pyproject.toml hatch_build.py | $(VENV)/core
	@$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[workbench,xlsx]'
	@touch $@

$(VENV)/test: pyproject.toml hatch_build.py
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[test]'
	@touch $(VENV)/core $@

# installing compiles the loop, and here it is compiled again when its sources change; without a compiler everything runs pure
$(VENV)/loop: $(wildcard $(LOOP)/loop/*pp $(LOOP)/loop/*.h) $(LOOP)/build.py | $(VENV)/core
	@$(BIN)/python $(LOOP)/build.py
	@touch $@

clean:
	rm -f $(LOOP)/libforegone_loop*
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .import_linter_cache .pytest_cache .hypothesis
