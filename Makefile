# `make demo` and `make test` need Python 3.11+ and make, and install the rest in .venv.
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

unexport PYTHONDONTWRITEBYTECODE  # what pytest rewrites and mypy reads is kept for the next run

.PHONY: demo test tests test-full test-all test-quick test-no-kernel test-robust test-spark test-integrations test-site test-light test-lowest test-release dist docs gallery slowest coverage coverage-simulated mutants fuzz fuzz-guided sanitize audit bench bench-scale bench-spark bench-install lint style types types-page clean

$(VENV)/made:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed, this is " + sys.version.split()[0])'
	$(PYTHON) -m venv $(VENV)
	touch $@

$(VENV)/installed: $(VENV)/made pyproject.toml setup.py src/cranfield/kernel/_kernel.c
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[stats]' 'jinja2>=3.1'
	$(BIN)/python -m compileall -q src
	touch $@

$(VENV)/installed-test: $(VENV)/made pyproject.toml setup.py src/cranfield/kernel/_kernel.c
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	touch $@ $(VENV)/installed

demo: $(VENV)/installed  ## simulate a collection, evaluate it, compare the runs, make a page
	@mkdir -p demo
	$(BIN)/cranfield simulate --topics 50 --runs 5 --depth 1000 --levels 3 --seed 7 -o demo
	$(BIN)/cranfield evaluate demo/qrels.txt demo/runs/*.txt
	$(BIN)/cranfield compare demo/qrels.txt demo/runs/*.txt -m nDCG@10 --table runs
	$(BIN)/cranfield report demo/qrels.txt demo/runs/*.txt -m "nDCG@10 AP" --title "A simulated collection" -o demo/report.html
	@echo
	@echo "A row is a system, a column a measure, a value its mean over the topics. Notes tell what"
	@echo "to know before believing it. The second table tells how sure we can be: runs that share a letter"
	@echo "are not significantly different. $(BIN)/cranfield explain nDCG@10 tells what a measure is;"
	@echo "the files evaluated are in demo/. All of it, down to the lists, is in a page for your browser:"
	@echo "demo/report.html"

lint: style types

style: $(VENV)/installed-test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/python tests/complexity.py

types: $(VENV)/installed-test
	$(BIN)/mypy

# By package name from npm's registry: nothing of it is installed here, and the page needs no build.
types-page:  ## the script of the page, checked by TypeScript where there is npx
	@if command -v npx >/dev/null; then \
		npx --yes --package typescript@5 tsc --noEmit --allowJs --checkJs --strict --noUnusedLocals --noUnusedParameters \
			--target es2022 --module es2022 --lib es2023,dom,dom.iterable src/cranfield/report/page/main.js; \
	else echo "no npx: the script of the page is not checked" >&2; fi

test: style  ## lint, types, unit, property, differential and transcript tests
	@$(MAKE) --no-print-directory --jobs=2 types tests

tests: $(VENV)/installed-test
	$(BIN)/python -m pytest -n auto -m "not full"

test-full: $(VENV)/installed-test  ## what `make test` leaves out: browser, whole documents, kills, slow peers
	$(BIN)/python -m pytest -n auto -m full

test-all: $(VENV)/installed-test  ## the tests of both, with all examples that they may draw
	CRANFIELD_TESTS=all $(BIN)/python -m pytest -n auto

test-quick: $(VENV)/installed-test  ## while you work: most tests of the rooms, in about a minute
	$(BIN)/python -m pytest -n auto -m "not slow and not hypothesis" $(QUICK)

test-no-kernel: $(VENV)/installed-test  ## readers, labelling and ties without the compiled part
	CRANFIELD_KERNEL=off $(BIN)/python -m pytest -n auto tests/data tests/labelling tests/properties/test_sources.py

test-robust: $(VENV)/installed-test  ## kills, full disks, closed pipes, interrupts, many at a time
	$(BIN)/python -m pytest -n auto tests/robust

test-spark: $(VENV)/installed-spark  ## what needs PySpark and Java 17, in one process: each has a Java of its own
	$(BIN)/python -m pytest tests/spark

$(VENV)/installed-spark: $(VENV)/installed-test
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test-spark]'
	touch $@

docs: $(VENV)/installed-docs  ## the site, in build/site: no warning, no link that leads nowhere
	$(BIN)/python docs/pages/staging.py build/pages
	$(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going --jobs auto -c docs/site -d build/doctrees build/pages build/site

test-site: $(VENV)/installed-test  ## the site that `make docs` built, in a browser
	CRANFIELD_SITE=build/site $(BIN)/python -m pytest tests/docs/test_site.py

$(VENV)/installed-docs: $(VENV)/made pyproject.toml setup.py src/cranfield/kernel/_kernel.c
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	touch $@ $(VENV)/installed

test-integrations: $(INTEGRATIONS)/installed  ## the recipes of docs/integrations.md, with all packages
	$(INTEGRATIONS)/bin/python -m pytest -rs tests/docs/test_integrations.py

$(INTEGRATIONS)/installed: pyproject.toml
	$(PYTHON) -m venv $(INTEGRATIONS)
	$(INTEGRATIONS)/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[test,test-integrations]'
	touch $@

gallery: $(VENV)/installed-test  ## docs/gallery.md and its pictures
	$(BIN)/python -m tests.docs.test_docs gallery

slowest: $(VENV)/installed-test  ## all tests, and the twenty slowest of them
	$(BIN)/python -m pytest -n auto --durations 20

test-lowest: $(LOWEST)/installed  ## all tests with the lowest versions of the dependencies
	$(LOWEST)/bin/python -m pytest -n auto

$(LOWEST)/installed: pyproject.toml
	$(PYTHON) -m venv $(LOWEST)
	$(PYTHON) -m tests.lowest > $(LOWEST)/constraints.txt
	$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check --constraint $(LOWEST)/constraints.txt --editable '.[test]'
	touch $@

# An environment that holds NumPy and cranfield, and is compared with the one that holds everything.
test-light: $(VENV)/installed-test  ## every command and example where NumPy is all there is
	$(PYTHON) -m venv --clear $(LIGHT)
	$(LIGHT)/bin/python -m pip install --quiet --disable-pip-version-check --editable .
	$(BIN)/python -m tests.light $(LIGHT)/bin/python

dist: $(VENV)/installed-test  ## the source and both wheels, with the compiled part and without, in dist
	$(BIN)/python -m tests.release

test-release: $(VENV)/installed-test  ## the same, installed for each Python that is found: the demo outside of a clone
	$(BIN)/python -m tests.release --try

coverage: $(VENV)/installed-test  ## lines and branches that tests run, per room
	$(BIN)/coverage erase
	CRANFIELD_TESTS=all $(BIN)/coverage run -m pytest -n auto
	$(BIN)/coverage combine --quiet
	$(BIN)/python tests/coverage_of_rooms.py

coverage-simulated: $(VENV)/installed-test  ## how often intervals and levels of tests hold
	$(BIN)/python -m tests.coverage_simulated

mutants: $(VENV)/installed-test  ## do tests tell when measures and statistics are changed a little?
	CRANFIELD_TESTS=all $(BIN)/python -m tests.mutants --seed 0 --count 500

fuzz: $(VENV)/installed-test  ## does changed input break anything? SECONDS=600 SEED=3 for longer, and for others
	$(BIN)/python -m tests.fuzz --seconds $(or $(SECONDS),60) --seed $(or $(SEED),0) $(if $(COUNT),--count $(COUNT))

# atheris has wheels for some versions of Python and Linux only, so that it is no dependency of the tests.
fuzz-guided: $(VENV)/installed-test  ## which bytes reach code that breaks? SECONDS=60 a target; KEEP=1 keeps what reaches new code
	$(BIN)/python -m pip install --quiet --disable-pip-version-check atheris
	$(BIN)/python -m tests.fuzz.guided --seconds $(or $(SECONDS),10) $(if $(KEEP),--keep) $(if $(TARGET),--only $(TARGET))

# In an environment of its own: pip-audit and the tools of the tests are not what cranfield needs.
audit:  ## are there known vulnerabilities in what cranfield needs?
	$(PYTHON) -m venv $(VENV)-audit
	$(VENV)-audit/bin/python -m pip install --quiet --disable-pip-version-check pip-audit
	@$(VENV)-audit/bin/python -m tests.audit

# A copy of the package with a kernel that ends the process at the first access outside of an array, or
# the first step that C does not define. Python's own allocator would hide where small objects end;
# what Python itself never frees is no leak of ours.
SANITIZED := build/sanitized
SANITIZE = PYTHONPATH=$(SANITIZED) PYTHONMALLOC=malloc ASAN_OPTIONS=detect_leaks=0 \
	LD_PRELOAD="$$($(CC) -print-file-name=libasan.so) $$($(CC) -print-file-name=libubsan.so)" $(BIN)/python

sanitize: $(VENV)/installed-test  ## the compiled part under sanitizers: its tests, and COUNT=10000000 changed texts
	rm -rf $(SANITIZED)
	mkdir -p $(SANITIZED)
	cp -r src/cranfield $(SANITIZED)
	$(CC) -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -fPIC -shared -DPy_LIMITED_API=0x030B0000 \
		-I"$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_paths()["include"])')" \
		$(SANITIZED)/cranfield/kernel/_kernel.c -o $(SANITIZED)/cranfield/kernel/_kernel.abi3.so
	$(SANITIZE) -m pytest -n auto -p no:cacheprovider tests/test_kernel.py tests/labelling tests/data/test_reading.py
	$(SANITIZE) -m tests.fuzz.kernel --count $(or $(COUNT),200000) --seed $(or $(SEED),0)

bench-spark: $(VENV)/installed-spark  ## Spark beside the local engine: LINES=100000000, JUDGMENTS=5000000, and one topic of DOCS=10000000
	$(BIN)/python bench/spark.py --lines $(or $(LINES),100000000) --judgments $(or $(JUDGMENTS),5000000) --docs $(or $(DOCS),10000000)

bench: $(VENV)/installed-test  ## ratios against the peers, measured side by side
	$(BIN)/python bench/bench.py

bench-scale: $(VENV)/installed-test  ## time and memory from 1 to 100 million lines, and their picture
	$(BIN)/python bench/scale.py

bench-install: $(VENV)/installed-test  ## what each extra costs: megabytes, and seconds to import
	$(BIN)/python bench/install.py

clean:
	rm -rf $(VENV) $(VENV)-audit $(LOWEST) $(LIGHT) $(INTEGRATIONS) demo build dist
