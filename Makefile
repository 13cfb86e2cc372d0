# Two commands: `make run` shows what Trammel does, `make test` checks everything.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

FUZZ_MINUTES ?= 10
FUZZ_SEED ?= 1000
FILE ?=
COUNT ?= 8

.PHONY: run test test-all check-constraints fuzz mutate lint bench warm docs reference release-check clean

# a picture, then a moving machine: the paths are printed; make run OPEN=--open shows it in the browser
OPEN ?=
run: $(STAMP)
	$(BIN)/trammel example four_bar --out out $(OPEN)

test: $(STAMP)
	$(BIN)/python -m pytest -n 2 -rs

# the suite on every supported Python found on this machine, each with an environment of its own (.venv-3.12 ...)
test-all:
	$(PYTHON) .ci/test_all.py

# whether the pinned versions resolve on every supported Python, found here or not
check-constraints: $(STAMP)
	$(BIN)/python .ci/check_constraints.py

# random mechanisms through every analysis: make fuzz FUZZ_MINUTES=60 FUZZ_SEED=5000
fuzz: $(STAMP)
	cd tests && ../$(BIN)/python -m fuzzing --minutes $(FUZZ_MINUTES) --seed $(FUZZ_SEED)

# changes that no test notices, a fixed sample of every file with formulas (hours), or of one: make mutate FILE=analysis/rank.py COUNT=20
mutate: $(STAMP)
	$(BIN)/python tools/mutate.py $(FILE) --count $(COUNT)

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(STAMP)
	$(BIN)/python bench/aims.py
	$(BIN)/python bench/kinematics.py
	$(BIN)/python bench/dynamics.py
	$(BIN)/python bench/spatial.py
	$(BIN)/python bench/stiff.py
	$(BIN)/python bench/trees.py
	$(BIN)/python bench/robots.py 10 100 hexapod
	$(BIN)/python bench/large.py
	$(BIN)/python bench/shares.py
	$(BIN)/python bench/gradients.py
	$(BIN)/python bench/first_run.py
	$(BIN)/python bench/store.py

# wheel in a clean environment, README, documentation, licences: what must hold before a release
release-check: $(STAMP)
	$(BIN)/python tools/release_check.py

warm: $(STAMP)
	$(BIN)/trammel warm

# the site for the browser, docs/_build/html/index.html; a warning is an error
docs: $(STAMP)
	$(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going -d docs/_build/doctrees docs docs/_build/html
	@echo "documentation: docs/_build/html/index.html"

# the pages of docs/ that are written from registries and runs, and kept in the repository
reference: $(STAMP)
	$(BIN)/python docs/make_joint_table.py
	$(BIN)/python docs/make_drift_page.py

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Trammel needs Python 3.11 or newer; say e.g. make PYTHON=python3.12 run")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[view,table,test,docs,lint]'
	touch $@

clean:
	rm -rf $(VENV) .venv-3.* out .pytest_cache .mypy_cache .ruff_cache docs/_build
