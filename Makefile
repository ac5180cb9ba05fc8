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

# What one process of the tests compiled, the others read: else each of them compiles the package and the tests again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo test unit fuzz test-kyverno test-products test-argocd test-site mutants matrix coverage lint golden docs image release lock bench bench-all site tools clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: .venv/runtime ## run the function over a config repository and show the diff
	@$(VENV)/python examples/demo/run.py

# Each worker takes one half of the files, so that what a file finds or builds once is not needed in both.
test: .venv/installed tools ## run all tests, end to end included (ARGS="-k words" for some of them)
	$(VENV)/python -m pytest -n auto --dist worksteal -o faulthandler_timeout=300 $(ARGS)

# A find is minimised into tests/fuzz/corpus, which `make test` judges; FUZZ_ARGS="--case FILE" judges one file.
FUZZ_SECONDS ?= 120
fuzz: .venv/installed ## look for inputs that break a promise, two minutes or FUZZ_SECONDS=7200 (FUZZ_ARGS="--part texts --seed 7")
	@PYTHONPATH=tests $(VENV)/python -m fuzz --seconds $(FUZZ_SECONDS) $(FUZZ_ARGS)

test-kyverno: .venv/installed ## let Kyverno's own engine judge the policies of tests/kyverno (the first build takes half an hour)
	@tests/tools/fetch $(BIN) kyverno
	$(VENV)/python -m pytest tests/kyverno/test_recorded.py tests/kyverno/judged_by_kyverno.py tests/kyverno/judged_by_kubernetes.py $(ARGS)

test-products: .venv/installed ## let the API server, webhooks of products, nodeadm and Talos judge what is written for them, and Trivy the SBOM (the first build takes ten minutes)
	@tests/tools/fetch $(BIN) products
	$(VENV)/python -m pytest tests/test_products.py tests/targets/nodes/test_talos.py tests/judged_by_trivy.py $(ARGS)

test-argocd: .venv/installed ## let Argo CD's own plugin server judge examples/argocd (the first build takes many minutes)
	@tests/tools/fetch $(BIN) argocd-cmp-server
	$(VENV)/python -m pytest tests/e2e/judged_by_argocd.py $(ARGS)

# The tool is tried first, because `make test` installs no mutmut.
mutants: .venv/mutants ## list the small changes of a module that no test notices (MODULE=krm_fn/formats/escaping.py)
	@$(VENV)/python -m pytest -q tests/judged_by_mutmut.py
	@$(VENV)/python tests/tools/mutants.py "$(MODULE)" $(ARGS)

matrix: ## run the golden stories with each Python that is here, PyYAML without libyaml, and the oldest allowed dependencies
	@$(PYTHON) tests/tools/matrix.py $(ARGS)

coverage: .venv/installed ## measure which lines and branches the tests of `make unit` run; it fails below 95 %
	$(VENV)/python -m pytest -q --unit --cov --cov-report=term $(ARGS)

unit: .venv/installed ## run all tests that need no tool and start no process, in two minutes; of one target or module in seconds (T=tkgPinniped)
	@$(VENV)/python tests/tools/unit.py "$(T)" $(ARGS)

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
	$(VENV)/python -m pytest -q tests/test_golden.py tests/e2e/test_examples.py tests/test_clusters.py --write-golden; \
	  echo "golden: read \`git diff\` before you commit it" >&2; exit 1

# The first run writes the lists of the schema, the second one what follows from it; the third one checks that nothing is stale.
DOCS := tests/test_messages_page.py tests/test_cli_page.py tests/test_targets_page.py tests/test_functionconfig.py tests/test_noproxy_docs.py \
  tests/test_no_proxy_tables.py tests/test_functionconfig_definition.py tests/test_pictures_page.py tests/test_tutorial.py

docs: .venv/installed ## write the generated pages and tables of docs/, the list in README.md, the KRMFunctionDefinition
	@$(VENV)/python -m pytest -q tests/test_functionconfig.py -k make_docs --write-golden >/dev/null || true
	@$(VENV)/python -m pytest -q $(DOCS) --write-golden >/dev/null || true
	$(VENV)/python -m pytest -q $(DOCS)

# What makes the site is in a folder of its own, because no test needs it.
SITE := .cache/site

site: $(SITE)/installed ## build the documentation and the playground as a site into build/site (needs Python 3.11 or newer, and Node.js 18 or newer)
	$(SITE)/venv/bin/python site/build.py $(SITE)
	NO_MKDOCS_2_WARNING=1 $(SITE)/venv/bin/mkdocs build --quiet --config-file site/mkdocs.yml
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
	@$(SITE)/venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: -r $<
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
	@$(RELEASE)/venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: -r $<
	@touch $@

lock: .venv/installed ## write the newest versions and their hashes into requirements/ (takes some minutes)
	$(VENV)/python tests/tools/lock.py

bench: .venv/bench ## measure the figures of the design, each beside its goal, as ratios within one run
	$(VENV)/python bench/results.py $(ARGS)

bench-all: .venv/bench tools ## measure these and other programs, and write bench/RESULTS.md (IMAGE=name adds the rows of a container)
	@tests/tools/fetch $(BIN) peers
	IMAGE=$(if $(filter command line environment,$(origin IMAGE)),$(IMAGE)) $(VENV)/python bench/results.py --write $(ARGS)

tools: ## build the tools the tests judge with (kustomize, kubectl), where Go is there
	@tests/tools/fetch $(BIN)

clean: ## remove all that the targets above made
	rm -rf .venv .cache build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

# On Linux the locked versions, whose hashes pip checks. Elsewhere the newest ones: the lock files hold wheels of Linux alone.
PIP := $(VENV)/python -m pip install --quiet --disable-pip-version-check
ifeq ($(shell uname -s),Linux)
locked = $(PIP) --require-hashes --only-binary :all: $(1:%=-r requirements/%.txt)
editable = $(PIP) --no-deps --no-build-isolation --editable .
else
locked = true
editable = $(PIP) --editable '.$(1)'
endif

# A new environment when the dependencies change, so that no package of an earlier version is left in it.
.venv/runtime: pyproject.toml requirements/runtime.txt requirements/build.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { \
	  echo "inject-proxy needs Python 3.10 or newer, and $(PYTHON) is not: name one, as in \`make PYTHON=python3.12 $(MAKECMDGOALS)\`" >&2; exit 1; }
	@rm -rf .venv
	@$(PYTHON) -m venv .venv
	@echo "installing inject-proxy into .venv"
	@$(call locked,runtime build)
	@$(call editable,)
	@touch $@

.venv/installed: .venv/runtime requirements/dev.txt
	@echo "installing what the tests and linters need into .venv"
	@$(call locked,dev)
	@$(call editable,[dev])
	@touch $@

.venv/bench: .venv/installed requirements/bench.txt
	@echo "installing what the measurements need into .venv"
	@$(call locked,bench)
	@$(call editable,[bench])
	@touch $@

.venv/mutants: .venv/installed requirements/mutants.txt
	@echo "installing what mutation testing needs into .venv"
	@$(call locked,mutants)
	@$(call editable,[mutants])
	@touch $@
