# Two commands do all the set-up: `make demo` and `make test`. They need Python 3.11 or later, make and git.
#   make fast                       all tests that are quick
#   make fast PKG=board             those of one package and of all that import it
#   make test SEED=7                everything, in a random order
#   make test PYTHON=python3.13     another Python; it gets an environment of its own

PYTHON ?= python3
VENV ?= $(if $(filter python3,$(PYTHON)),.venv,.venv-$(notdir $(PYTHON)))
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
# The systems that we compare with. Their own requirements name versions that no current Python installs.
PEERS := matbench==0.6 ccobra==1.5.0 ramp-workflow==0.7.0
SHUFFLE := $(if $(SEED),--random-order --random-order-seed $(SEED))

.PHONY: demo test lint fast wheel browser clean

demo: $(INSTALLED)
	$(BIN)/mbl demo

test: $(INSTALLED) browser
	$(BIN)/python scripts/run_tests.py $(SHUFFLE)

fast: $(INSTALLED)
	$(BIN)/python scripts/run_tests.py -m "not slow" $(if $(PKG),--package $(PKG)) $(SHUFFLE)

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
	$(BIN)/python -m pip install --quiet --no-deps --target $(VENV)/peers --upgrade $(PEERS)
	@touch $@

# The browser tests drive a real Chromium: one that is here (CHROMIUM=path for an unusual place), else Debian's.
browser:
	@command -v "$(or $(CHROMIUM),chromium)" >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null \
	|| { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends chromium >/dev/null; } \
	|| { echo "the browser tests need Chromium: install it (Debian: apt-get install chromium), or say CHROMIUM=path"; exit 1; }

clean:
	rm -rf .venv* dist build site .pytest_cache .mypy_cache .ruff_cache
