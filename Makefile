# Two commands: `make run` shows what Trammel does, `make test` checks it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
SHOW := $(VENV)/.show

FUZZ_MINUTES ?= 10
FUZZ_SEED ?= 1000
FILE ?=
COUNT ?= 8
WHERE ?=

.PHONY: run test check test-all test-pythons test-browser test-peers peers test-elsewhere marks check-constraints verify fuzz mutate lint bench compile docs reference release-check clean

# a picture, then a moving machine: the paths are printed; make run OPEN=--open shows it in the browser
OPEN ?=
run: $(SHOW)
	$(BIN)/pytrammel example four_bar --out out $(OPEN)

test: $(STAMP)
	$(BIN)/python -m pytest -n 2 -rs

# the quick part of the suite (a minute): no test over 50 ms of CPU time, no processes, no browser, no site, no other programs
check: $(STAMP)
	$(BIN)/python -m pytest -n 2 -m "not (slow or process or browser or site or peers or types)"

# the suite with all cases of the generated families that `make test` samples
test-all: $(STAMP)
	$(BIN)/python -m pytest -n 2 -rs --complete

# measure all tests and write tests/marks.txt, the list for `make check`; needs a quiet machine
marks: $(STAMP)
	$(BIN)/python -m pytest -n 2 --write-marks

# the suite on every supported Python found on this machine, with a separate environment for each (.venv-3.12 ...)
test-pythons:
	$(PYTHON) .ci/test_pythons.py

# tests in a browser: Chromium on the path, or TRAMMEL_BROWSER=program
test-browser: $(STAMP)
	$(BIN)/python -m pytest -rs -m browser

# comparisons with other programs (MuJoCo, Pinocchio ...), installed by make peers
test-peers: peers
	$(BIN)/python -m pytest -rs -m peers

peers: $(VENV)/.peers

$(VENV)/.peers: $(STAMP)
	$(PIP_INSTALL) -e '.[peers,sundials]'
	touch $@

# make check and all tests of searches as other processors, orders and Pythons would run them: make test-elsewhere WHERE="nehalem haswell"
test-elsewhere: $(STAMP)
	$(BIN)/python .ci/elsewhere.py $(WHERE)

# whether the pinned versions resolve on every supported Python, found here or not
check-constraints: $(STAMP)
	$(BIN)/python .ci/check_constraints.py

# the verification manual: every reference case, docs/verification.md and docs/verification/; fails if a comparison differs
verify: $(STAMP)
	cd tests && ../$(BIN)/python -m verification

# random mechanisms through every analysis: make fuzz FUZZ_MINUTES=60 FUZZ_SEED=5000
fuzz: $(STAMP)
	cd tests && ../$(BIN)/python -m fuzzing --minutes $(FUZZ_MINUTES) --seed $(FUZZ_SEED)

# changes that no test notices, a fixed sample of every file with formulas (hours), or of one: make mutate FILE=analysis/rank.py COUNT=20
mutate: $(STAMP)
	$(BIN)/python tools/mutate.py $(FILE) --count $(COUNT)

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python tools/make_stub.py --check
	$(BIN)/python tools/check_types.py package users
	$(BIN)/python -m pytest -m types tests/unit/test_types_for_users.py
	$(BIN)/lint-imports
	$(BIN)/python tools/voice_lint.py

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

compile: $(STAMP)
	$(BIN)/pytrammel compile

# the site for the browser, docs/_build/html/index.html; a warning is an error
docs: $(STAMP)
	$(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going -d docs/_build/doctrees docs docs/_build/html
	@echo "documentation: docs/_build/html/index.html"

# the pages of docs/ that are written from registries and runs, and kept in the repository
reference: $(STAMP)
	$(BIN)/python tools/make_stub.py
	$(BIN)/python docs/make_joint_table.py
	$(BIN)/python docs/make_drift_page.py
	cd tests && ../$(BIN)/python -m sources

PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

define environment
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Trammel needs Python 3.11 or newer; use e.g. make PYTHON=python3.12 run")'
	$(PYTHON) -m venv $(VENV)
endef

# for `make run`: NumPy, SciPy, Numba and Matplotlib; modules are compiled to bytecode as they are imported
$(SHOW): pyproject.toml constraints.txt
	$(environment)
	$(PIP_INSTALL) --no-compile -e '.[view]'
	touch $@

$(STAMP): pyproject.toml constraints.txt
	$(environment)
	$(PIP_INSTALL) -e '.[view,table,yaml,xarray,cluster,parquet,hdf5,test,docs,lint]'
	touch $(SHOW) $@

clean:
	rm -rf $(VENV) .venv-3.* out .pytest_cache .mypy_cache .ruff_cache docs/_build
