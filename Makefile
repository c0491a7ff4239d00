# `make demo` and `make test` need Python 3.11+ and make, and install the rest in .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test coverage bench lint clean

$(VENV)/installed: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed, this is " + sys.version.split()[0])'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	$(BIN)/python -m compileall -q src
	touch $@

$(VENV)/installed-test: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	touch $@

demo: $(VENV)/installed  ## simulate a collection, evaluate it, compare the runs
	@mkdir -p demo
	$(BIN)/cranfield simulate --topics 50 --runs 5 --depth 1000 --levels 3 --seed 7 -o demo
	$(BIN)/cranfield evaluate demo/qrels.txt demo/runs/*.txt
	$(BIN)/cranfield compare demo/qrels.txt demo/runs/*.txt -m nDCG@10 --table runs
	@echo
	@echo "A row is a system, a column a measure, a value its mean over the topics. Notes tell what"
	@echo "to know before believing it. The second table tells how sure we can be: runs that share a letter"
	@echo "are not significantly different. $(BIN)/cranfield explain nDCG@10 tells what a measure is;"
	@echo "the files evaluated are in demo/."

lint: $(VENV)/installed-test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/python tests/complexity.py
	$(BIN)/mypy

test: lint  ## lint, types, unit, property, differential and transcript tests
	$(BIN)/python -m pytest -n auto

coverage: $(VENV)/installed-test  ## lines and branches that tests run, per room
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest -n auto
	$(BIN)/coverage combine --quiet
	$(BIN)/python tests/coverage_of_rooms.py

bench: $(VENV)/installed-test  ## ratios against the peers, measured side by side
	$(BIN)/python bench/bench.py

clean:
	rm -rf $(VENV) demo build dist
