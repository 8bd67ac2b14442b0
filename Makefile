# Two commands do all the set-up: `make demo` and `make test`. They need Python 3.11 or later, make and git.
#   make test PYTHON=python3.13     another Python; it gets an environment of its own

PYTHON ?= python3
VENV ?= $(if $(filter python3,$(PYTHON)),.venv,.venv-$(notdir $(PYTHON)))
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed

.PHONY: demo test lint fast wheel clean

demo: $(INSTALLED)
	$(BIN)/mbl demo

test: $(INSTALLED)
	$(BIN)/pytest -n auto --dist worksteal

fast: $(INSTALLED)
	$(BIN)/pytest -n auto --dist worksteal -m "not slow"

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

wheel: $(INSTALLED)
	$(BIN)/python -m build --outdir dist

$(INSTALLED): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "matbench_lite needs Python 3.11 or later, this is " + sys.version.split()[0] + ": try make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable ".[test]"
	@touch $@

clean:
	rm -rf .venv* dist build site .pytest_cache .mypy_cache .ruff_cache
