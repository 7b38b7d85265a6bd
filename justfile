# Commands for development (https://just.systems). Times are for 2 cores with dependencies built.

# The packages of the pure crates as arguments of cargo.
pure := `for folder in crates/core/*/ crates/read/*/ crates/modes/*/; do printf -- '-p %s ' "$(basename "$folder")"; done`

default:
    @just --list

# Format, lints, tests of the pure crates: no database, no network (under 2 min)
check:
    cargo fmt --all -- --check
    cargo clippy --workspace --all-targets -- -D warnings
    cargo test --quiet {{pure}}

# All tests that need no other program, or those whose names contain NAMES (about 17 min)
test *NAMES:
    cargo test --workspace --no-fail-fast -- {{NAMES}}

# The tests on PostgreSQL, in a temporary cluster (about 4 min)
test-pg:
    scripts/test postgres

# The tests in Chromium: rendering of pages, and every page of the console (about 7 min)
browser:
    scripts/test -- cargo test -p browser --test render -- --include-ignored --test-threads 1
    scripts/test rendering:: every_page_renders

# Every fuzz target for 20 s (about 6 min)
fuzz:
    scripts/fuzz all 20

# All checks of CI, with their set-up (about 45 min from a fresh clone)
ci:
    .ci/run

# Packages, images, alert rules and files of a deployment (2 min), and the package in a clean Debian (3 min)
deploy:
    cargo build -p trawl
    scripts/check-deploy
    scripts/check-deb
