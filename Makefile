# Everything a newcomer needs. `make demo` shows a morning; `make test` checks the whole tree.
# Debian 12 (or newer) with Rust and make is enough: what else is missing is installed by apt, or built by cargo.

SHELL := /bin/bash
# The geckodriver that `scripts/need-geckodriver` builds is found like any other program.
export PATH := $(CURDIR)/.cache/bin:$(PATH)

SIMULATION := cargo test --locked --config 'profile.dev.package.sunup.opt-level=2' --test simulation

.NOTPARALLEL:
.PHONY: help demo test check soak bench fuzz clean distclean need-demo need-test

help: ## Show this list
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /  make \1\t/' | expand -t 20

demo: need-demo ## Rehearse a morning with the example site, then the same again, then show the report
	@scripts/demo

test: need-test check ## Format, lints, documentation, and every test (under 20 minutes on two cores)
	cargo test --locked --no-fail-fast
	$(SIMULATION) --test zones -- --nocapture

check: ## Format, lints and documentation only
	cargo fmt --check
	cargo clippy --locked --all-targets -- -D warnings
	cargo clippy --locked --test simulation --test zones -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --locked --no-deps

soak: ## The wider simulation: a million mornings, every pair of crashes of every task shape, the whole corpus, secrets of every shape
	SUNUP_MORNINGS=1_000_000 $(SIMULATION) -- --include-ignored --nocapture
	cargo test --locked --test processes -- --ignored --nocapture
	cargo test --locked --test browser -- --ignored --nocapture
	CHALLENGE=": " cargo test --locked --test challenges -- --nocapture
	@scripts/need-packages soak
	cargo test --locked --test morning -- --ignored --nocapture

bench: need-demo ## Measure speed and memory against a hand-written script, and a ledger of ten years (8 GB)
	cargo bench --locked --bench '*'

fuzz: ## An hour of fuzzing for each of loader, conditions and fold, all at once (FUZZ_SECONDS=60 for a look)
	@scripts/need-cargo-fuzz
	@scripts/fuzz

clean: ## Remove what was built and the demo's files; keep the geckodriver that was built
	cargo clean
	rm -rf demo

distclean: clean ## Remove the built geckodriver, too
	rm -rf .cache

need-demo:
	@scripts/need-packages demo
	@scripts/need-geckodriver

need-test:
	@scripts/need-packages test
	@scripts/need-geckodriver
