# Two commands are enough: `make test` and `make lint`. CARGO_TARGET_DIR is respected.

CARGO ?= cargo
PYTHON ?= python3
VENV := .venv

DIST := dist
WHEEL_PROFILE := release
# What `make test` builds, for itself.
CHECKED := $(abspath $(or $(CARGO_TARGET_DIR),target))/checked

.PHONY: help build wheel test test-rust test-python browser bench lint format format-check clippy deny clean

help: ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-13s %s\n", $$1, $$2}'

build: ## Build the program: target/release/sparsvm
	$(CARGO) build --release --locked

wheel: $(VENV)/ready ## Build the Python package: dist/sparsvm-*.whl
	rm -rf $(DIST)
	$(VENV)/bin/maturin build --quiet --profile $(WHEEL_PROFILE) --manifest-path python/Cargo.toml --out $(DIST)

test: test-rust test-python ## Run every test; installs what it needs

# The checked profile (see Cargo.toml) is optimised and keeps its overflow checks.
test-rust:
	$(CARGO) test --profile checked --workspace --locked

# Each folder has its own conftest.py, so each is a run of its own; clusters want the machine for themselves. The program
# comes with the tests of Rust, which run it: built alone, its dependencies would have other features, and most of them were
# built again.
test-python: $(VENV)/ready browser
	$(CARGO) test --profile checked --workspace --locked --no-run
	$(MAKE) wheel WHEEL_PROFILE=checked DIST=$(CHECKED)/wheels
	$(VENV)/bin/python -m pip install --quiet --force-reinstall --no-deps $(CHECKED)/wheels/*.whl
	SPARSVM_WHEELS=$(CHECKED)/wheels $(VENV)/bin/python -m pytest -q -rfEs -n 2 python/tests --ignore=python/tests/cluster
	$(VENV)/bin/python -m pytest -q -rfEs python/tests/cluster
	SPARSVM=$(CHECKED)/sparsvm $(VENV)/bin/python -m pytest -q -rfEs -n 2 --dist loadfile tests/python

# Chromium, for the report's tests. CI installs Debian's if there is none; elsewhere they are then left out, with a notice.
browser:
	@for name in $$CHROMIUM chromium chromium-browser google-chrome google-chrome-stable chrome; do \
		command -v $$name >/dev/null && exit 0; \
	done; \
	if test "$$CI" = true; then \
		apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium >/dev/null; \
	else \
		echo "notice: there is no Chromium here, so the report is not tried in a browser"; \
	fi

bench: $(VENV)/ready build wheel ## Measure; DATA=folder says where the data sets are
	@test -n "$(DATA)" || { echo "say where the data sets are: make bench DATA=folder"; exit 2; }
	$(VENV)/bin/python -m pip install --quiet --force-reinstall --no-deps $(DIST)/*.whl
	$(VENV)/bin/python bench/run.py $(DATA)

# liblinear-official is built from C on the spot; without a compiler, what compares with it is left out, but not in CI.
$(VENV)/ready: Makefile
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --upgrade pip
	$(VENV)/bin/python -m pip install --quiet numpy scipy scikit-learn matplotlib pandas pyarrow polars "dask[dataframe]" distributed pytest pytest-xdist mypy maturin
	@$(VENV)/bin/python -m pip install --quiet liblinear-official || { \
		echo "notice: liblinear-official cannot be built here (it needs a C compiler), so nothing is compared with it"; \
		test "$$CI" != true; \
	}
	@$(VENV)/bin/python -m pip install --quiet --only-binary :all: onnx onnxruntime || { \
		echo "notice: there are no wheels of onnx and onnxruntime for this Python, so no exported model is tried there"; \
		test "$$CI" != true; \
	}
	@touch $@

lint: format-check clippy deny ## Check format, lints and licences; changes nothing

format: ## Format the code
	$(CARGO) fmt --all

format-check:
	$(CARGO) fmt --all --check

clippy:
	$(CARGO) clippy --profile checked --workspace --all-targets --locked -- -D warnings

# `advisories` needs a fresh database from the network, so it is left to whoever runs `cargo deny check`.
deny:
	@if $(CARGO) deny --version >/dev/null 2>&1; then \
		$(CARGO) deny --workspace check --hide-inclusion-graph licenses bans sources; \
	else \
		echo "notice: cargo-deny is not installed, so licences are not checked (cargo install cargo-deny --locked)"; \
	fi

clean: ## Remove what was built
	$(CARGO) clean
	rm -rf $(VENV) $(DIST)
