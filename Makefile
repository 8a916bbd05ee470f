# Two commands to know: `make demo` and `make test`. Everything else is for developers.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# Tiny models in tests: several threads would mostly wait for each other. Tests start Python some
# hundred times: bytecode is kept even where the environment says otherwise.
PYTEST := PYTHONDONTWRITEBYTECODE= OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q -n auto
# On a machine with an NVIDIA GPU: make demo CONSTRAINTS=
CONSTRAINTS ?= -c constraints-cpu.txt

.PHONY: demo test test-slow lint types docs site bench clean help

help:            ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/  —/'

$(VENV)/.ready: pyproject.toml practice/pyproject.toml constraints-cpu.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) $(CONSTRAINTS) -e ".[models]" -e practice
	@touch $@

$(VENV)/.ready-dev: $(VENV)/.ready
	# Not openclip: it brings torchvision, of which there is no CPU build beside this torch.
	$(PIP) $(CONSTRAINTS) -e ".[models,web,postgres,language,dev]" -e practice
	@touch $@

demo: $(VENV)/.ready    ## audit the embedded practice model and print its findings
	test -d audits/practice-corpus || $(BIN)/portrayal practice corpus --n 20000 --out audits/practice-corpus
	$(BIN)/portrayal run demo-all --corpus audits/practice-corpus --out audits/demo

test: $(VENV)/.ready-dev lint types    ## lint, types and all fast tests
	$(PYTEST)

test-slow: $(VENV)/.ready-dev    ## studies of minutes: coverage of intervals, calibration
	$(PYTEST) -m slow

lint: $(VENV)/.ready-dev    ## ruff: rules and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.ready-dev    ## mypy --strict
	$(BIN)/mypy

bench: $(VENV)/.ready-dev    ## speed and memory against peers, as ratios
	$(BIN)/python -m benchmarks

docs: $(VENV)/.ready-dev    ## write the generated pages: commands, results schema, picture of the imports
	$(BIN)/python docs/generate_cli.py
	$(BIN)/python docs/generate_results_schema.py
	$(BIN)/python docs/generate_architecture.py

site: $(VENV)/.ready-dev    ## build the documentation site into site/; a broken page fails
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet

clean:           ## remove what the targets above made
	rm -rf $(VENV) dist build site audits .mypy_cache .ruff_cache .pytest_cache
