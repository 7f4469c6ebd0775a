# Pitledger: `make demo` plays a gaming day, `make test` proves the rest. Both set up what they need.

BIN := .venv/bin

# What one process has compiled, all others read, whatever the shell says of it: every worker of the tests imports all of
# them, and every service that they start itself.
unexport PYTHONDONTWRITEBYTECODE

# The checks of `make lint` run side by side; what each says stays together where make can do that.
CHECKS := lint-types lint-tests lint-style lint-lines lint-generated lint-scan
# What runs beside the tests on the embedded broker, one after the other as long as they run.
BESIDE := lint-style test-console test-kafka test-simulation $(filter-out lint-tests lint-style,$(CHECKS))
TOGETHER := $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)
SIDE_BY_SIDE := -j2 $(TOGETHER)

.PHONY: help setup demo docs test lint $(CHECKS) format generated archive attacks loadtest performance bench compiled constraints days documented fuzz fuzz-apis matrix nightly pictures release simulation soak twin test-embedded test-beside $(BESIDE) clean

help: ## list the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

setup: ## make or mend .venv, by PYTHON=... if you like; nothing to do when nothing changed
	@PYTHON="$(PYTHON)" sh infra/setup.sh

demo: setup ## play a gaming day of every game through the real path and print the books (ARGS=... is passed on)
	@$(BIN)/pitledger demo $(ARGS)

docs: setup ## build the documentation as a site into site/, which the console serves at /docs
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

lint: setup ## format, types, tests that can be imported, import lines, schema drift, secrets and host names
	@$(MAKE) --no-print-directory $(SIDE_BY_SIDE) $(CHECKS)

lint-style:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

lint-types:
	$(BIN)/mypy

lint-tests: # one process compiles what several would compile at the same time
	$(BIN)/pytest --collect-only -qq >/dev/null || $(BIN)/pytest --collect-only -qq

lint-lines:
	$(BIN)/lint-imports

lint-generated:
	$(BIN)/python -m services.cli.codegen --check

lint-scan:
	$(BIN)/python -m infra.scan

# Most of what a test run takes is waiting for servers, so several run side by side. Tests that cannot be imported fail
# where all are collected.
test: setup ## lint, one demo in a browser, what differs on Apache Kafka, some seeds, and all others on the embedded broker
	@$(MAKE) --no-print-directory -j2 test-beside test-embedded

test-embedded:
	$(BIN)/pytest --dist worksteal -n 3 --broker=embedded --ignore tests/browser/console --ignore tests/simulation

test-beside:
	@$(MAKE) --no-print-directory -k $(TOGETHER) $(BESIDE)

test-console:
	$(BIN)/pytest tests/browser/console

pictures: setup ## take the pictures of docs/console again, of the demo as it is now
	PICTURES=docs/console $(BIN)/pytest --nightly=also tests/browser/console/test_pictures.py

test-kafka:
	$(BIN)/pytest --broker=kafka tests/faults/test_restarts.py tests/integration/test_transactions.py tests/integration/test_topics.py

# What a simulated process that crashes leaves half done is collected at any time, and says so.
test-simulation:
	$(BIN)/pytest tests/simulation -p no:unraisableexception

nightly: setup ## what takes long, about 100 minutes, with results on var/nightly/report.html (ARGS="--weekend": all; "--short", "--only twin")
	$(BIN)/python -m tests.nightly $(ARGS)

documented: setup ## run the commands of README.md and docs/ as they stand there, in their order, from nothing
	$(BIN)/pytest --nightly=also tests/unit/test_documented.py tests/integration/test_readme.py tests/integration/test_integrate.py

soak: setup ## play a month of days on services whose clock is ahead, and see that nothing grows with time alone (DAYS=30 ROUNDS=50)
	$(BIN)/python -m tests.soak --days $(or $(DAYS),30) --rounds $(or $(ROUNDS),50) $(ARGS)

attacks: setup ## try what an earlier version let through again, on a running stack (minutes; ARGS="--only 1,7" is passed on)
	$(BIN)/python -m tests.attacks $(ARGS)

fuzz: setup ## try a million inputs at every decoder, guided by what they reach (minutes; INPUTS=..., ARGS="--seed 2" is passed on)
	$(BIN)/python -m tests.fuzz --inputs $(or $(INPUTS),1000000) $(ARGS)

fuzz-apis: setup ## try many requests at every operation of every service (minutes; EXAMPLES=..., API_SEED=... of the environment)
	API_EXAMPLES=$(or $(EXAMPLES),100) $(BIN)/pytest --nightly=also tests/integration/test_every_api.py -s -o timeout=0

matrix: setup ## ask every operation of every service as somebody of another property, a hundred times each (EXAMPLES=...)
	MATRIX_EXAMPLES=$(or $(EXAMPLES),100) $(BIN)/pytest --nightly=also tests/integration/test_property_matrix.py -s -o timeout=0

simulation: setup ## run the whole system in one process under seeds that break it (SEEDS=10000 FROM=1; ARGS="--seed 7 --trace")
	$(BIN)/python -W ignore -m tests.simulation --seeds $(or $(SEEDS),100) --from $(or $(FROM),1) --processes 2 $(ARGS)

days: setup ## play days of tables at random beside a reference that knows where the chips are (DAYS=20000 SEED=1; ARGS="--mutations")
	$(BIN)/python -m tests.days --days $(or $(DAYS),20000) --seed $(or $(SEED),1) $(ARGS)

twin: setup ## one fault after the other on real Kafka and PostgreSQL, an hour, each with a verdict (ARGS="--minutes 10 --seed 2" is passed on)
	$(BIN)/python -m tests.twin $(ARGS)

format: setup ## put the source into the one format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

generated: setup ## write schemas/, docs/problems.md, docs/jurisdictions and what infra/ says of the services from the code
	$(BIN)/python -m services.cli.codegen
	$(BIN)/python -m shared.runtime.http.problems_page

archive: setup ## write releases/<version>, what this version promises to read for ever (ARGS=--final: mark it as released)
	$(BIN)/python -m tests.releases $(ARGS)

# PROFILE=... names one or several of loadtest/bench/profiles.py, in quotes; ARGS=... is passed on.
PROFILE ?= casino

loadtest: setup ## play a profile of load against the real path, with the verdict on its books (PROFILE=..., ARGS=...)
	$(BIN)/python -m loadtest.bench.load $(PROFILE) $(ARGS)
	$(BIN)/python -m loadtest.bench.results_page

# What docs/performance.md shows, on a machine that does nothing else: about an hour. PEERS=... names programs and files
# of others, as `python -m loadtest.peers --help` has them.
SHOWN := spine casino state world spike hot-table one-shard restart all-services all-services-25 \
	few-tables many-tables shards-1 shards-64

performance: setup ## measure what docs/performance.md shows, and write its tables (about an hour; SCALE=0.1 is shorter)
	$(BIN)/python -m loadtest.bench.load $(SHOWN) --scale $(or $(SCALE),1)
	$(BIN)/python -m loadtest.bench.shards
	$(BIN)/python -m loadtest.peers $(PEERS)
	$(BIN)/python -m loadtest.bench.performance
	$(BIN)/python -m loadtest.bench.results_page

bench: setup ## measure settlement and the end-to-end path on this machine (ARGS=... is passed on)
	$(BIN)/python -m loadtest $(ARGS)

# A build asks for what it needs by itself, in the versions of constraints.txt. The tests stand beside what was built, so that they find that.
compiled: setup ## build a wheel with compiled rules into dist/, and hold it to every test of the rules (minutes)
	rm -rf dist .venv/compiled
	COMPILED_RULES=1 PIP_CONSTRAINT=$(CURDIR)/constraints.txt $(BIN)/pip wheel --quiet --no-deps --wheel-dir dist .
	$(BIN)/pip install --quiet --no-deps --target .venv/compiled dist/*.whl
	cp -r tests docs pyproject.toml .venv/compiled
	cd .venv/compiled && export PYTHONPATH=$(CURDIR)/.venv/compiled && \
		../bin/python -c 'import shared.rules.paytable as built; assert built.__file__.endswith(".so"), built.__file__' && \
		../bin/pytest -n 2 --nightly=also -p no:cacheprovider tests/golden tests/unit/rules tests/unit/cards --ignore tests/unit/rules/test_doctests.py
	$(BIN)/python -m infra.compiled

# Of the commit that is checked out. KEY=... is the Ed25519 key that signs; ARGS=... is passed on (docs/operate/releases.md).
release: setup ## build the release of a commit into dist/release: wheel, sdist, bill of materials, sums, signed manifest (KEY=...)
	$(BIN)/python -m infra.release --key $(KEY) $(ARGS)

# With the oldest Python that is supported (PYTHON=...): what that takes, later ones take, too.
constraints: ## install the newest releases that pyproject.toml allows and write constraints.txt and kafka_jars.yaml
	rm -rf .venv/constraints && $(or $(PYTHON),python3) -m venv .venv/constraints
	.venv/constraints/bin/python -m pip install --quiet --root-user-action=ignore -e '.[counting,docs,embedded,load,spark,test,tracing]'
	{ echo '# Exact versions of everything that .[counting,docs,embedded,load,spark,test,tracing] installs. Written by: make constraints'; \
		.venv/constraints/bin/python -m pip freeze --exclude-editable; } > constraints.txt
	.venv/constraints/bin/python -m shared.local._jars > .venv/constraints/jars
	mv .venv/constraints/jars shared/local/kafka_jars.yaml
	rm -rf .venv/constraints

clean: ## remove the environment and everything built; data under var/ stays
	rm -rf .venv build dist site *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
