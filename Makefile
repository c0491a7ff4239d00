# `make demo` and `make test` need Python 3.11+ and make. They install everything else in .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LOWEST := .venv-lowest
LIGHT := .venv-light
INTEGRATIONS := .venv-integrations
LATER := peers properties docs papers tools compat fuzz plot labelling/test_ties.py \
	cli/test_options.py data/test_lengths.py data/test_simulate.py data/reading/test_packing.py \
	evaluation/test_tracing.py measures/test_arrays.py report/test_diversity.py
QUICK := tests $(foreach part,$(LATER),--ignore=tests/$(part))

unexport PYTHONDONTWRITEBYTECODE  # keep the caches of pytest and mypy for the next run

.PHONY: help demo test tests test-full test-all test-quick test-no-kernel test-robust test-spark test-integrations test-site test-light test-lowest test-release dist docs gallery slowest coverage coverage-simulated mutants fuzz fuzz-guided sanitize audit bench bench-scale bench-spark bench-install lint style types types-page clean

help:  ## list all targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | awk -F '\t' '{printf "%-18s %s\n", $$1, $$2}'

$(VENV)/made:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "cranfield needs Python 3.11 or newer, found " + sys.version.split()[0])'
	$(PYTHON) -m venv $(VENV)
	touch $@

$(VENV)/installed: $(VENV)/made pyproject.toml setup.py src/cranfield/kernel/_kernel.c
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[stats]' 'jinja2>=3.1'
	$(BIN)/python -m compileall -q src
	touch $@

$(VENV)/installed-test: $(VENV)/made pyproject.toml setup.py src/cranfield/kernel/_kernel.c
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	touch $@ $(VENV)/installed

demo: $(VENV)/installed  ## simulate a collection, evaluate and compare its runs, write an HTML report
	@mkdir -p demo
	$(BIN)/cranfield simulate --topics 50 --runs 5 --depth 1000 --levels 3 --seed 7 -o demo
	$(BIN)/cranfield evaluate demo/qrels.txt demo/runs/*.txt
	$(BIN)/cranfield compare demo/qrels.txt demo/runs/*.txt -m nDCG@10 --table runs
	$(BIN)/cranfield report demo/qrels.txt demo/runs/*.txt -m "nDCG@10 AP" --title "A simulated collection" -o demo/report.html
	@echo
	@echo "The first table shows the mean of each run by each measure. In the second table, runs that share"
	@echo "a letter do not differ significantly. Notes report ties, missing topics and unjudged documents."
	@echo "$(BIN)/cranfield explain nDCG@10 prints the definition of a measure. The files are in demo/."
	@echo "Open the HTML report in a browser: demo/report.html"

lint: style types

style: $(VENV)/installed-test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/python tests/complexity.py

types: $(VENV)/installed-test
	$(BIN)/mypy

# npx downloads TypeScript from npm's registry. The HTML report needs no build.
types-page:  ## check the script of the HTML report with TypeScript, if npx is installed
	@if command -v npx >/dev/null; then \
		npx --yes --package typescript@5 tsc --noEmit --allowJs --checkJs --strict --noUnusedLocals --noUnusedParameters \
			--target es2022 --module es2022 --lib es2023,dom,dom.iterable src/cranfield/report/page/main.js; \
	else echo "npx is not installed: the script of the HTML report is not checked" >&2; fi

test: style  ## lint, types, and most tests
	@$(MAKE) --no-print-directory --jobs=2 types tests

tests: $(VENV)/installed-test
	$(BIN)/python -m pytest -n auto -m "not full"

test-full: $(VENV)/installed-test  ## slow tests that `make test` skips: browser, complete pages, kills, slow peers
	$(BIN)/python -m pytest -n auto -m full

test-all: $(VENV)/installed-test  ## both kinds of tests, with all random examples
	CRANFIELD_TESTS=all $(BIN)/python -m pytest -n auto

test-quick: $(VENV)/installed-test  ## most tests of the packages, in about a minute
	$(BIN)/python -m pytest -n auto -m "not slow and not hypothesis" $(QUICK)

test-no-kernel: $(VENV)/installed-test  ## readers, labelling and ties without the compiled kernel
	CRANFIELD_KERNEL=off $(BIN)/python -m pytest -n auto tests/data tests/labelling tests/properties/test_sources.py

test-robust: $(VENV)/installed-test  ## kills, full disks, closed pipes, interrupts, parallel processes
	$(BIN)/python -m pytest -n auto tests/robust

test-spark: $(VENV)/installed-spark  ## tests with PySpark and Java 17, in one process
	$(BIN)/python -m pytest tests/spark

$(VENV)/installed-spark: $(VENV)/installed-test
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test-spark]'
	touch $@

docs: $(VENV)/installed-docs  ## build the site in build/site. Warnings and broken links are errors
	$(BIN)/python docs/pages/staging.py build/pages
	$(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going --jobs auto -c docs/site -d build/doctrees build/pages build/site

test-site: $(VENV)/installed-test  ## test the site of `make docs` in a browser
	CRANFIELD_SITE=build/site $(BIN)/python -m pytest tests/docs/test_site.py

$(VENV)/installed-docs: $(VENV)/made pyproject.toml setup.py src/cranfield/kernel/_kernel.c
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	touch $@ $(VENV)/installed

test-integrations: $(INTEGRATIONS)/installed  ## recipes of the pages on integrations, with all packages
	$(INTEGRATIONS)/bin/python -m pytest -rs tests/docs/test_integrations.py

$(INTEGRATIONS)/installed: pyproject.toml
	$(PYTHON) -m venv $(INTEGRATIONS)
	$(INTEGRATIONS)/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[test,test-integrations]'
	touch $@

gallery: $(VENV)/installed-test  ## docs/gallery.md and its figures
	$(BIN)/python -m tests.docs.test_docs gallery

slowest: $(VENV)/installed-test  ## all tests, and a list of the twenty slowest
	$(BIN)/python -m pytest -n auto --durations 20

test-lowest: $(LOWEST)/installed  ## all tests with the lowest versions of the dependencies
	$(LOWEST)/bin/python -m pytest -n auto

$(LOWEST)/installed: pyproject.toml
	$(PYTHON) -m venv $(LOWEST)
	$(PYTHON) -m tests.lowest > $(LOWEST)/constraints.txt
	$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check --constraint $(LOWEST)/constraints.txt --editable '.[test]'
	touch $@

# Compare an environment with NumPy and cranfield only with the complete environment.
test-light: $(VENV)/installed-test  ## every command and example with NumPy only
	$(PYTHON) -m venv --clear $(LIGHT)
	$(LIGHT)/bin/python -m pip install --quiet --disable-pip-version-check --editable .
	$(BIN)/python -m tests.light $(LIGHT)/bin/python

dist: $(VENV)/installed-test  ## source and both wheels, with and without the compiled kernel, in dist
	$(BIN)/python -m tests.release

test-release: $(VENV)/installed-test  ## the same, and the demo outside of a clone with each installed Python
	$(BIN)/python -m tests.release --try

coverage: $(VENV)/installed-test  ## covered lines and branches per package
	$(BIN)/coverage erase
	CRANFIELD_TESTS=all $(BIN)/coverage run -m pytest -n auto
	$(BIN)/coverage combine --quiet
	$(BIN)/python tests/coverage_of_rooms.py

coverage-simulated: $(VENV)/installed-test  ## coverage of intervals and levels of tests in simulations
	$(BIN)/python -m tests.coverage_simulated

mutants: $(VENV)/installed-test  ## mutation tests of measures and statistics
	CRANFIELD_TESTS=all $(BIN)/python -m tests.mutants --seed 0 --count 500

fuzz: $(VENV)/installed-test  ## random changes of input. SECONDS=600 SEED=3 for a longer run with other cases
	$(BIN)/python -m tests.fuzz --seconds $(or $(SECONDS),60) --seed $(or $(SEED),0) $(if $(COUNT),--count $(COUNT))

# atheris has wheels only for Linux and some versions of Python, so it is no dependency of the tests.
fuzz-guided: $(VENV)/installed-test  ## coverage-guided fuzzing. SECONDS=60 per target, KEEP=1 saves inputs that reach new code
	$(BIN)/python -m pip install --quiet --disable-pip-version-check atheris
	$(BIN)/python -m tests.fuzz.guided --seconds $(or $(SECONDS),10) $(if $(KEEP),--keep) $(if $(TARGET),--only $(TARGET))

# In a separate environment, because pip-audit and test tools are no dependencies of cranfield.
audit:  ## known vulnerabilities in the dependencies of cranfield
	$(PYTHON) -m venv $(VENV)-audit
	$(VENV)-audit/bin/python -m pip install --quiet --disable-pip-version-check pip-audit
	@$(VENV)-audit/bin/python -m tests.audit

# A copy of the package with a kernel that ends the process at the first invalid access or undefined
# behaviour. Python's allocator would hide the ends of small objects. Memory that Python never frees is
# not reported as a leak.
SANITIZED := build/sanitized
SANITIZE = PYTHONPATH=$(SANITIZED) PYTHONMALLOC=malloc ASAN_OPTIONS=detect_leaks=0 \
	LD_PRELOAD="$$($(CC) -print-file-name=libasan.so) $$($(CC) -print-file-name=libubsan.so)" $(BIN)/python

sanitize: $(VENV)/installed-test  ## the compiled kernel under sanitizers: its tests, and COUNT=10000000 changed texts
	rm -rf $(SANITIZED)
	mkdir -p $(SANITIZED)
	cp -r src/cranfield $(SANITIZED)
	$(CC) -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -fPIC -shared -DPy_LIMITED_API=0x030B0000 \
		-I"$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_paths()["include"])')" \
		$(SANITIZED)/cranfield/kernel/_kernel.c -o $(SANITIZED)/cranfield/kernel/_kernel.abi3.so
	$(SANITIZE) -m pytest -n auto -p no:cacheprovider tests/test_kernel.py tests/labelling tests/data/test_reading.py
	$(SANITIZE) -m tests.fuzz.kernel --count $(or $(COUNT),200000) --seed $(or $(SEED),0)

bench-spark: $(VENV)/installed-spark  ## Spark and the local engine: LINES=100000000, JUDGMENTS=5000000, and one topic with DOCS=10000000
	$(BIN)/python bench/spark.py --lines $(or $(LINES),100000000) --judgments $(or $(JUDGMENTS),5000000) --docs $(or $(DOCS),10000000)

bench: $(VENV)/installed-test  ## ratios to other tools, measured side by side
	$(BIN)/python bench/bench.py

bench-scale: $(VENV)/installed-test  ## time and memory from 1 to 100 million lines, and their figure
	$(BIN)/python bench/scale.py

bench-install: $(VENV)/installed-test  ## megabytes and import seconds of each extra
	$(BIN)/python bench/install.py

clean:
	rm -rf $(VENV) $(VENV)-audit $(LOWEST) $(LIGHT) $(INTEGRATIONS) demo build dist
