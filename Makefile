# Everything a contributor runs. Nothing here changes the system outside this folder.
PYTHON ?= python3
DOCKER ?= docker
BASE   ?=
IMAGE  ?= localhost/inject-proxy:v0.1
ARGS   ?=
NAME   ?= localhost/inject-proxy
FUZZ_ARGS ?=
MODULE ?=

VENV := .venv/bin
BIN  := .cache/bin
UV   := .cache/lock/bin/uv

# What one process of the tests compiled, the others read: else each of them compiles the package and the tests again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo test judged fuzz test-site oldest coverage lint golden docs image release lock bench bench-all site tools clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: .venv/runtime ## show on one screen what a run does to a small repository
	@$(VENV)/python examples/demo/run.py

# Each worker takes one half of the files, so that what a file finds or builds once is not needed in both.
PYTEST = $(VENV)/python -m pytest -n auto --dist worksteal -o faulthandler_timeout=300

test: .venv/installed tools ## run the tests, kustomize and kubectl included (ARGS="-k words" for some of them)
	$(PYTEST) $(ARGS)

judged: .venv/installed ## let real engines judge what is written: Kyverno, Cluster API, Talos, Argo CD, ytt, clients, a container engine (their first build takes most of an hour)
	@tests/tools/fetch $(BIN) basic judged
	$(PYTEST) -m judged $(ARGS)

# A find is minimised into tests/fuzz/corpus, which `make test` judges; FUZZ_ARGS="--case FILE" judges one file.
FUZZ_SECONDS ?= 120
fuzz: .venv/installed ## look for inputs that break a promise, two minutes or FUZZ_SECONDS=7200 (FUZZ_ARGS="--part texts --seed 7")
	@PYTHONPATH=tests:tests/helpers $(VENV)/python -m fuzz --seconds $(FUZZ_SECONDS) $(FUZZ_ARGS)

oldest: $(UV) ## run the golden stories with the oldest dependencies that pyproject.toml allows (PYTHON=python3.10 for another Python)
	$(UV) run --isolated --no-project --python $(PYTHON) --resolution lowest-direct --with . --with pytest --with hypothesis \
	  python -m pytest -q tests/promises/test_golden.py $(ARGS)

coverage: .venv/installed ## measure which lines and branches the tests run; it fails below 95 %
	$(PYTEST) --cov --cov-report=term $(ARGS)

lint: .venv/installed ## run the linters and the type checker
	$(VENV)/ruff check .
	$(VENV)/ruff format --check .
	$(VENV)/mypy
	$(VENV)/lint-imports
	@if command -v shellcheck >/dev/null; then \
	  set -x; shellcheck .ci/run action/inputs.sh tests/tools/fetch tests/tools/docker tests/tools/make-base tests/tools/record-kpt; \
	elif [ "$$REQUIRE_TOOLS" = 1 ]; then \
	  echo "lint: shellcheck is missing: install it with the package manager" >&2; exit 1; \
	else \
	  echo "lint: shellcheck is missing, the shell scripts are not checked"; \
	fi

golden: .venv/installed tools ## rewrite the stored expectations, and fail, so that they are read as a diff
	$(VENV)/python -m pytest -q tests/promises/test_golden.py tests/e2e/test_examples.py tests/clusters/test_clusters.py --write-golden; \
	  echo "golden: read \`git diff\` before you commit it" >&2; exit 1

# The first run writes the lists of the schema, the second one what follows from it; the third one checks that nothing is stale.
DOCS := tests/targets/test_pages.py tests/docs/test_functionconfig.py tests/docs/test_noproxy_docs.py \
  tests/docs/test_functionconfig_definition.py tests/docs/test_tutorial.py

docs: .venv/installed ## write the generated pages and tables of docs/, the KRMFunctionDefinition
	@$(VENV)/python -m pytest -q tests/docs/test_functionconfig.py -k make_docs --write-golden >/dev/null || true
	@$(VENV)/python -m pytest -q $(DOCS) --write-golden >/dev/null || true
	$(VENV)/python -m pytest -q $(DOCS)

# What makes the site is in a folder of its own, because no test needs it.
SITE := .cache/site
# Where each page leads to the repository: the address of the remote, if it is one of the web.
REPO_URL ?= $(shell git config --get remote.origin.url | sed -n 's,^git@\([^:]*\):,https://\1/,; s,\.git$$,,; /^https:/p')

site: $(SITE)/installed ## build the documentation and the playground as a site into build/site (needs Python 3.11 or newer, and Node.js 18 or newer)
	$(SITE)/venv/bin/python site/build.py $(SITE)
	REPO_URL="$(REPO_URL)" NO_MKDOCS_2_WARNING=1 $(SITE)/venv/bin/mkdocs build --quiet --config-file site/mkdocs.yml
	@echo "site: \`python3 -m http.server --directory build/site\` serves it"

# The browser is the system's: `apt-get install chromium`.
test-site: site .venv/runtime ## build the site and try its playground in Chromium, beside the command on the same files (needs Node.js 20 or newer)
	$(SITE)/node_modules/.bin/tsc --project site/playground
	node --test site/tests/*.test.mjs

$(SITE)/installed: site/requirements.txt site/package.json site/package-lock.json site/.npmrc
	@rm -rf $(SITE)/venv
	@mkdir -p $(SITE)
	@$(PYTHON) -m venv $(SITE)/venv
	@echo "installing what makes the site into $(SITE)"
	@$(SITE)/venv/bin/python -m pip install --quiet --disable-pip-version-check $(LOCKED) -r $<
	@cp site/package.json site/package-lock.json site/.npmrc $(SITE)/
	@cd $(SITE) && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

# The time of every file and of the image itself, so that two builds of a commit give one digest.
EPOCH = $(or $(SOURCE_DATE_EPOCH),$(shell git log -1 --format=%ct 2>/dev/null),0)

image: ## build the container image (BASE=name@sha256:... of the image it is built on, IMAGE=name to give)
	$(DOCKER) build $(if $(BASE),--build-arg BASE=$(BASE)) --build-arg SOURCE_DATE_EPOCH=$(EPOCH) --tag $(IMAGE) $(ARGS) .

# Only what builds the wheel, by its hashes: the same in CI and here.
RELEASE := .cache/release

release: $(RELEASE)/installed ## make all files of a release in dist/ (VERSION=x.y.z, NAME=of the image, BASE, DOCKER, PLATFORMS=linux/amd64,linux/arm64)
	@$(RELEASE)/venv/bin/python release/make.py "$(VERSION)" --docker "$(DOCKER)" --base "$(BASE)" --platforms "$(PLATFORMS)" \
	  --image "$(NAME)" --source "$(SOURCE)" --build-options="$(ARGS)"

$(RELEASE)/installed: requirements/build.txt
	@rm -rf $(RELEASE)
	@$(PYTHON) -m venv $(RELEASE)/venv
	@$(RELEASE)/venv/bin/python -m pip install --quiet --disable-pip-version-check $(LOCKED) -r $<
	@touch $@

# One resolution for all platforms and all Pythons that pyproject.toml allows (3.11 and newer for the site).
COMPILE := $(UV) pip compile --quiet --upgrade --universal --generate-hashes --no-annotate --custom-compile-command "make lock"

lock: $(UV) ## write the newest versions and their hashes into requirements/ and site/
	$(COMPILE) pyproject.toml --output-file requirements/runtime.txt
	printf 'hatchling\neditables\n' | $(COMPILE) --python-version 3.10 - --output-file requirements/build.txt
	for extra in dev bench; do \
	  $(COMPILE) pyproject.toml --extra $$extra --constraint requirements/runtime.txt --output-file requirements/$$extra.txt || exit 1; done
	echo mkdocs-material | $(COMPILE) --python-version 3.11 - --output-file site/requirements.txt

$(UV):
	@$(PYTHON) -m venv .cache/lock
	@.cache/lock/bin/python -m pip install --quiet --disable-pip-version-check uv

bench: .venv/bench ## measure the figures of the design, each beside its goal, as ratios within one run
	$(VENV)/python bench/results.py $(ARGS)

bench-all: .venv/bench ## measure these and other programs, and write bench/RESULTS.md (IMAGE=name adds the rows of a container)
	@tests/tools/fetch $(BIN) basic ytt peers
	IMAGE=$(if $(filter command line environment,$(origin IMAGE)),$(IMAGE)) $(VENV)/python bench/results.py --write $(ARGS)

tools: ## build kustomize and kubectl, where Go is there
	@tests/tools/fetch $(BIN) basic

clean: ## remove all that the targets above made
	rm -rf .venv .cache build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

# What the lock files list, with their hashes, and nothing else: pip resolves nothing, so that a version that comes out
# later changes nothing.
LOCKED  := --no-deps --require-hashes --only-binary :all:
PIP     := $(VENV)/python -m pip install --quiet --disable-pip-version-check
INSTALL := $(PIP) $(LOCKED)

# A new environment when the dependencies change, so that no package of an earlier version is left in it.
.venv/runtime: pyproject.toml requirements/runtime.txt requirements/build.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { \
	  echo "inject-proxy needs Python 3.10 or newer, and $(PYTHON) is not: name one, as in \`make PYTHON=python3.12 $(MAKECMDGOALS)\`" >&2; exit 1; }
	@rm -rf .venv
	@$(PYTHON) -m venv .venv
	@echo "installing inject-proxy into .venv"
	@$(INSTALL) -r requirements/runtime.txt -r requirements/build.txt
	@$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

.venv/installed: .venv/runtime requirements/dev.txt
	@echo "installing what the tests and linters need into .venv"
	@$(INSTALL) -r requirements/dev.txt
	@touch $@

.venv/bench: .venv/installed requirements/bench.txt
	@$(INSTALL) -r requirements/bench.txt
	@touch $@
