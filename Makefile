# Everything a person does here. `make run` and `make test` need nothing but Python and this folder.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
LOCKS  := requirements
# A third process would be a minute faster, and crowds tests that start servers of their own.
WORKERS ?= 2

# Tests start hundreds of Python processes: each would compile the whole service again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help run test storm check bench lock docs pictures browser clean

help: ## Show this list.
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

run: $(VENV)/run.done ## Set everything up and start the service with demo data on SQLite.
	@exec $(BIN)/ficha serve --demo

test: $(VENV)/dev.done browser ## Set everything up and run the tests, on SQLite and PostgreSQL.
	$(BIN)/python -m pytest -n $(WORKERS) $(ARGS)

storm: $(VENV)/dev.done ## The long tests at full size: 10,000 notifications, 1,000 sends, 100,000 codes (half an hour).
	FICHA_STORM=1 $(BIN)/python -m pytest tests/messaging/test_receiving_under_failures.py tests/messaging/test_sending_under_failures.py \
	  tests/emergencies/test_scraper.py

check: $(VENV)/dev.done ## Style, types and import directions.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/bench.done ## Measure the service against a bare handler doing the same SQL.
	$(BIN)/python -m bench $(ARGS)

docs: $(VENV)/dev.done ## Write again what is made from the code: openapi.json and docs/.
	$(BIN)/python -m ficha.describe

pictures: $(VENV)/dev.done browser ## Take the pictures of docs/pictures again.
	$(BIN)/python -m tests.web.pictures

lock: $(VENV)/dev.done ## Resolve requirements/*.in into hashed locks for every platform.
	for name in run dev bench; do \
	  $(BIN)/uv pip compile $(LOCKS)/$$name.in --universal --python-version 3.11 --generate-hashes \
	    --no-emit-index-url --no-header -q -o $(LOCKS)/$$name.lock || exit 1; \
	done

browser: # Chromium for the browser tests, where it can be installed.
	@if command -v chromium >/dev/null 2>&1; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then \
	  echo "Installing Chromium for the browser tests…"; \
	  (apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
	    chromium >/dev/null) || echo "Chromium could not be installed: the browser tests will be skipped."; \
	else echo "No Chromium, and no root to install it: the browser tests will be skipped."; fi

clean: ## Remove the virtual environment and caches (never the data folder).
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis

$(VENV)/%.done: $(LOCKS)/%.lock pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing what $< names…"
	@$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r $<
	@$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@
