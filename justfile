# Commands for development (https://just.systems). Times are for 2 cores.

default:
    @just --list

# Format, lints, tests of the pure crates (crates/core, crates/read, crates/modes): no database, no network (goal: under 2 min warm)
check:
    cargo fmt --all -- --check
    cargo clippy --workspace --all-targets -- -D warnings
    cargo test -p contract -p urls -p recognize -p privacy -p job -p schedule -p journal -p crawl \
        -p html -p page -p markdown -p products -p contacts

# Tests on SQLite, without Chromium (a part of the 45 min of ci); some need Node.js, Python or LibreOffice
test *names:
    cargo test --workspace --no-fail-fast -- --skip postgres --skip rendering --skip every_page_renders {{names}}

# Tests on PostgreSQL, in a temporary cluster (a part of the 45 min of ci)
test-pg:
    scripts/test postgres

# Tests in Chromium: every page of the console, and rendering (a part of the 45 min of ci)
browser:
    scripts/test console rendering

# Every fuzz target, 20 s per target
fuzz:
    scripts/fuzz all 20

# Everything that CI runs, with its set-up (about 45 min cold)
ci:
    .ci/run
