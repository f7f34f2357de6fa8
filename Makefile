# What can be made. Each target makes its own environment first, in .venv, when there is none or it is out of date.
#
# PYTHON names another interpreter (make PYTHON=python3.12 test), PYTEST gives pytest more to do
# (make PYTEST="-x -k war" test), REPORT the report (make REPORT="--out /tmp/report.html -n 1e4" report).

PYTHON ?= python3
PYTEST ?=
REPORT ?= --out reports/index.html
BENCH ?=

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.DEFAULT_GOAL := help
.PHONY: help report test test-long check bench clean
.NOTPARALLEL:
.DELETE_ON_ERROR:

help:  ## list what can be made
	@echo "make TARGET, where TARGET is one of"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 12

report: $(READY)  ## run every study and write the report to reports/
	@mkdir -p reports
	$(BIN)/simkit report $(REPORT)

# Most tests run side by side on all cores, after the games have been compiled once for all of them (games of one family stand
# together in the list, three by three). Tests that interrupt programs, use all cores or measure run alone. Last, a part of
# the tests again without the compiler and with checked indices.
BESIDE := $(filter-out tests/test_cli.py tests/test_simulate.py tests/test_dask.py,$(wildcard tests/test_*.py)) \
	tests/games tests/rules tests/stats tests/analyses
COMPILE := $(BIN)/simkit games --format csv | tail -n +2 | cut -d, -f1 | \
	xargs -n 3 -P 2 sh -c 'for game; do $(BIN)/simkit run $$game -n 64 --quiet >/dev/null; done' -

test: $(READY)  ## run the tests, slow ones too, and some again without the compiler and with checked indices
	$(COMPILE)
	$(BIN)/python -m pytest -n auto --dist worksteal -m "not long" $(PYTEST) $(BESIDE)
	$(BIN)/python -m pytest -m "not long" $(PYTEST) $(addprefix --ignore=,$(BESIDE))
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n auto --dist worksteal -m modes $(PYTEST)
	NUMBA_BOUNDSCHECK=1 $(BIN)/simkit run war -n 64 --quiet >/dev/null
	NUMBA_BOUNDSCHECK=1 $(BIN)/python -m pytest -n auto --dist worksteal -m modes $(PYTEST)

test-long: $(READY)  ## the rest of the large comparisons: every game against its slow twin, tens of thousands of games
	$(BIN)/python -m pytest -n auto --dist worksteal -m long $(PYTEST) tests

check: $(READY)  ## before each commit: formatting, lint, types, quick tests (a few minutes)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(COMPILE)
	$(BIN)/python -m pytest -n auto --dist worksteal -m "not slow and not long" $(PYTEST) $(BESIDE)
	$(BIN)/python -m pytest -m "not slow and not long" $(PYTEST) $(addprefix --ignore=,$(BESIDE))

bench: $(READY)  ## measure the speed (a few minutes; close other programs)
	$(BIN)/python benchmarks/bench.py $(BENCH)

clean:  ## remove the environment and everything built or cached here (reports and runs stay)
	rm -rf $(VENV) build dist .cache .pytest_cache .hypothesis .mypy_cache .ruff_cache .coverage htmlcov *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The environment. The file $(READY) is newer than what decides its contents; it is written last, so that an install
# that failed half-way is done again. Hatchling is installed first, from constraints.txt as well, and then used for the
# build: pip's own build environment would take whatever version is new that day.
$(READY): pyproject.toml constraints.txt
	@command -v "$(PYTHON)" >/dev/null || { echo "simkit needs Python 3.11 or newer, and there is no $(PYTHON) here; name yours: make PYTHON=/path/to/python3" >&2; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "simkit needs Python 3.11 or newer, and $(PYTHON) is $$("$(PYTHON)" -V 2>&1); name another: make PYTHON=python3.11" >&2; exit 1; }
	@echo "making $(VENV) (a minute or two, this time only)"
	@test -x $(BIN)/python || "$(PYTHON)" -m venv $(VENV)
	$(PIP) install -c constraints.txt hatchling editables
	$(PIP) install -c constraints.txt --no-build-isolation -e '.[dev]'
	@touch $@
