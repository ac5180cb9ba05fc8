# Everything a contributor runs. Nothing here changes the system outside this folder.
PYTHON ?= python3
DOCKER ?= docker
BASE   ?= python:3.13-slim
IMAGE  ?= localhost/inject-proxy:v0.1
ARGS   ?=

VENV := .venv/bin
BIN  := .cache/bin

.DEFAULT_GOAL := help
.PHONY: help demo test unit test-kyverno lint golden docs image lock bench tools clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: .venv/runtime ## run the function over a config repository and show the diff
	@$(VENV)/python examples/demo/run.py

test: .venv/installed tools ## run all tests, end to end included (ARGS="-k words" for some of them)
	$(VENV)/python -m pytest -n auto -o faulthandler_timeout=300 $(ARGS)

test-kyverno: .venv/installed ## let Kyverno's own engine judge the policies of tests/kyverno (the first build takes half an hour)
	@tests/tools/fetch $(BIN) kyverno
	$(VENV)/python -m pytest tests/kyverno/test_recorded.py tests/kyverno/judged_by_kyverno.py $(ARGS)

unit: .venv/installed ## run the tests of one target or module, in seconds and without tools (T=tkgPinniped)
	@$(VENV)/python tests/tools/unit.py "$(T)" $(ARGS)

lint: .venv/installed ## run the linters and the type checker
	$(VENV)/ruff check .
	$(VENV)/ruff format --check .
	$(VENV)/mypy
	$(VENV)/lint-imports
	@if command -v shellcheck >/dev/null; then \
	  set -x; shellcheck .ci/run tests/tools/fetch tests/tools/docker tests/tools/make-base; \
	elif [ "$$REQUIRE_TOOLS" = 1 ]; then \
	  echo "lint: shellcheck is missing: install it with the package manager" >&2; exit 1; \
	else \
	  echo "lint: shellcheck is missing, the shell scripts are not checked"; \
	fi

golden: .venv/installed tools ## rewrite the stored expectations, and fail, so that they are read as a diff
	$(VENV)/python -m pytest -q tests/test_golden.py tests/e2e/test_examples.py tests/test_clusters.py --write-golden; \
	  echo "golden: read \`git diff\` before you commit it" >&2; exit 1

# The first run writes what is stale, the second one checks that nothing is.
DOCS := tests/test_messages_page.py tests/test_cli_page.py tests/test_targets_page.py tests/test_functionconfig.py tests/test_noproxy_docs.py \
  tests/test_no_proxy_tables.py tests/test_functionconfig_definition.py

docs: .venv/installed ## write the generated pages and tables of docs/, the list in README.md, the KRMFunctionDefinition
	@$(VENV)/python -m pytest -q $(DOCS) --write-golden >/dev/null || true
	$(VENV)/python -m pytest -q $(DOCS)

image: ## build the container image (BASE=name@sha256:... of the image it is built on, IMAGE=name to give)
	$(DOCKER) build --build-arg BASE=$(BASE) --tag $(IMAGE) $(ARGS) .

lock: .venv/installed ## write the newest versions and their hashes into requirements/ (takes some minutes)
	$(VENV)/python tests/tools/lock.py

bench: .venv/installed ## measure how long small and large inputs take, beside a function in Go where Go is there
	@tests/tools/fetch $(BIN) kyaml-identity
	$(VENV)/python bench/goals.py
	$(VENV)/python bench/startup.py
	$(VENV)/python bench/throughput.py $(ARGS)
	$(VENV)/python bench/clusters.py

tools: ## build the tools the tests judge with (kustomize, kubectl), where Go is there
	@tests/tools/fetch $(BIN)

clean: ## remove all that the targets above made
	rm -rf .venv .cache build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

# A new environment when the dependencies change, so that no package of an earlier version is left in it.
.venv/runtime: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { \
	  echo "inject-proxy needs Python 3.10 or newer, and $(PYTHON) is not: name one, as in \`make PYTHON=python3.12 $(MAKECMDGOALS)\`" >&2; exit 1; }
	@rm -rf .venv
	@$(PYTHON) -m venv .venv
	@echo "installing inject-proxy into .venv"
	@$(VENV)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

.venv/installed: .venv/runtime
	@echo "installing what the tests and linters need into .venv"
	@$(VENV)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@
