# Every target makes what it needs; none asks for an activated environment, a root user or anything
# but make, Python 3.11 or later and a package index.
#
#   make bakeoff   install, then check → run → report → claims with the quick preset (minutes)
#   make test      the tests              make lint   formatting, lint, types, import rules
#   make full      the full preset (about two hours; goes on where it stopped: bakeoff run --resume)
#   make simulation   thousands of comparisons whose truth is known (half an hour), for docs/method.md
#   make trial   bakeoff and its peers on the same pairs, side by side (hours; goes on where it stopped)
#   make docs      check the documentation's links and commands
#   make lock      resolve the dependencies anew       make clean   remove the environment and caches

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check

# What the caller's shell says about other environments must not reach ours.
unexport PYTHONPATH
unexport PYTHONHOME
unexport VIRTUAL_ENV
unexport PIP_USER

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help bakeoff full simulation trial test lint docs lock clean

help:
	@sed -n 's/^#  *\(make .*\)/  \1/p' Makefile

bakeoff: $(VENV)/.installed
	$(BIN)/bakeoff all --preset quick

full: $(VENV)/.installed
	$(BIN)/bakeoff all --preset full

test: $(VENV)/.installed-test
	$(BIN)/python -m pytest

lint: $(VENV)/.installed-test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

simulation: $(VENV)/.installed
	$(BIN)/python -m tools.simulation
	$(BIN)/python -m tools.evidence

# An environment of its own: what it measures must not change while it does.
TRIAL_LIMIT ?= 3h
trial: $(VENV)/.installed
	$(PIP) install --quiet --require-hashes --requirement requirements/trial.txt
	$(BIN)/python -m tools.trial run --out .bakeoff/trial --quiet 40 --effect-trials 20 --noisy 10 \
	  --time-limit $(TRIAL_LIMIT)
	$(BIN)/python -m tools.trial table --in .bakeoff/trial

docs: $(VENV)/.installed-test
	$(BIN)/python -m pytest tests/integration/test_documentation.py

# Stamps, not phony targets: a second run installs nothing, a changed lock or project file does.
$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "bakeoff needs Python 3.11 or later; '$(PYTHON)' is $$($(PYTHON) --version 2>&1 || true)." >&2; \
	  echo "  Name another one: make PYTHON=python3.11 $(MAKECMDGOALS)" >&2; exit 2; }
	@$(PYTHON) -m venv $(VENV) || { \
	  echo "'$(PYTHON) -m venv' failed; on Debian and Ubuntu: apt install python3-venv" >&2; exit 2; }
	@touch $@

$(VENV)/.installed: $(VENV)/.made requirements/run.txt pyproject.toml impls/pyproject.toml
	$(PIP) install --quiet --require-hashes --requirement requirements/run.txt
	$(PIP) install --quiet --no-deps --no-build-isolation --editable . --editable impls
	@touch $@

$(VENV)/.installed-test: $(VENV)/.installed requirements/test.txt
	$(PIP) install --quiet --require-hashes --requirement requirements/test.txt
	@touch $@

# Needs uv (https://docs.astral.sh/uv/). Exact pins with hashes, for every system and Python ≥ 3.11,
# without the address of an index: each user's own is asked.
UV_COMPILE = uv pip compile --quiet --no-config --universal --python-version 3.11 --generate-hashes \
  --no-emit-index-url --no-emit-find-links --custom-compile-command "make lock"
lock:
	$(UV_COMPILE) $(LOCK_FLAGS) --group suites pyproject.toml impls/pyproject.toml \
	  --output-file requirements/run.txt
	$(UV_COMPILE) $(LOCK_FLAGS) --group suites --constraints requirements/run.txt \
	  --output-file requirements/suites.txt
	$(UV_COMPILE) $(LOCK_FLAGS) --group test --constraints requirements/run.txt \
	  --output-file requirements/test.txt
	$(UV_COMPILE) $(LOCK_FLAGS) --group trial --constraints requirements/run.txt \
	  --constraints requirements/test.txt --output-file requirements/trial.txt

# What was measured (.bakeoff, .asv/results) stays: no command alone makes it again.
clean:
	rm -rf $(VENV) .asv/env .asv/html .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
