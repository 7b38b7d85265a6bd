-- One text for both databases: BIGINT, TEXT and blob only (on PostgreSQL `blob`
-- is a domain over bytea), instants as integer milliseconds, truth as 0 and 1.

CREATE TABLE accounts (
    id            TEXT PRIMARY KEY,
    email         TEXT NOT NULL UNIQUE,
    password_hash TEXT NOT NULL,
    admin         BIGINT NOT NULL,
    balance       BIGINT NOT NULL CHECK (balance >= 0),
    reserved      BIGINT NOT NULL CHECK (reserved >= 0 AND reserved <= balance),
    created_at    BIGINT NOT NULL
);

CREATE TABLE keys (
    id           TEXT PRIMARY KEY,
    account_id   TEXT NOT NULL REFERENCES accounts (id),
    name         TEXT NOT NULL,
    prefix       TEXT NOT NULL,
    last4        TEXT NOT NULL,
    source       TEXT NOT NULL,
    secret_hash  TEXT NOT NULL UNIQUE,
    created_at   BIGINT NOT NULL,
    last_used_at BIGINT,
    revoked_at   BIGINT
);
CREATE INDEX keys_by_account ON keys (account_id, id);

CREATE TABLE sessions (
    token_hash TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

CREATE TABLE jobs (
    id               TEXT PRIMARY KEY,
    account_id       TEXT NOT NULL REFERENCES accounts (id),
    source           TEXT NOT NULL,
    mode             TEXT NOT NULL,
    url              TEXT,
    site_key         TEXT,
    request          TEXT NOT NULL,
    on_protected     TEXT NOT NULL,
    ceiling          BIGINT,
    batch_size       BIGINT NOT NULL,
    status           TEXT NOT NULL,
    active           BIGINT NOT NULL,
    waits_for        TEXT,
    rate             BIGINT,
    protected        BIGINT NOT NULL,
    protected_marker TEXT,
    batch            BIGINT NOT NULL,
    pages            BIGINT NOT NULL,
    products         BIGINT NOT NULL,
    results          BIGINT NOT NULL,
    units            BIGINT NOT NULL,
    credits_used     BIGINT NOT NULL,
    reserved         BIGINT NOT NULL CHECK (reserved >= 0),
    error_code       TEXT,
    error_message    TEXT,
    created_at       BIGINT NOT NULL,
    started_at       BIGINT,
    parked_at        BIGINT,
    finished_at      BIGINT,
    progress_at      BIGINT,
    revision         BIGINT NOT NULL
);
CREATE INDEX jobs_by_account ON jobs (account_id, id);
CREATE INDEX jobs_active ON jobs (account_id, status) WHERE active = 1;
CREATE UNIQUE INDEX jobs_one_per_site ON jobs (account_id, site_key) WHERE active = 1;
CREATE INDEX jobs_parked ON jobs (parked_at) WHERE parked_at IS NOT NULL;
CREATE INDEX jobs_finished ON jobs (finished_at) WHERE finished_at IS NOT NULL;

CREATE TABLE idempotency (
    account_id TEXT NOT NULL,
    key        TEXT NOT NULL,
    body_hash  TEXT NOT NULL,
    response   TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (account_id, key)
);
CREATE INDEX idempotency_by_age ON idempotency (created_at);

CREATE TABLE shards (
    id             TEXT PRIMARY KEY,
    job_id         TEXT NOT NULL REFERENCES jobs (id),
    number         BIGINT NOT NULL,
    host           TEXT NOT NULL,
    state          TEXT NOT NULL,
    epoch          BIGINT NOT NULL,
    head           BIGINT NOT NULL,
    snapshot_seq   BIGINT NOT NULL,
    snapshot_bytes BIGINT NOT NULL,
    log_bytes      BIGINT NOT NULL,
    owner          TEXT,
    lease_until    BIGINT NOT NULL,
    queued_at      BIGINT NOT NULL,
    deaths         BIGINT NOT NULL,
    UNIQUE (job_id, number)
);
CREATE INDEX shards_open ON shards (queued_at, id) WHERE state = 'open';
CREATE INDEX shards_by_owner ON shards (owner) WHERE owner IS NOT NULL;

CREATE TABLE host_leases (
    host        TEXT PRIMARY KEY,
    owner       TEXT NOT NULL,
    lease_until BIGINT NOT NULL
);

CREATE TABLE commits (
    shard_id TEXT NOT NULL,
    seq      BIGINT NOT NULL,
    body     blob NOT NULL,
    PRIMARY KEY (shard_id, seq)
);

CREATE TABLE snapshots (
    shard_id TEXT NOT NULL,
    part     BIGINT NOT NULL,
    body     blob NOT NULL,
    PRIMARY KEY (shard_id, part)
);

CREATE TABLE segments (
    job_id     TEXT NOT NULL,
    first_item BIGINT NOT NULL,
    count      BIGINT NOT NULL,
    body       blob NOT NULL,
    PRIMARY KEY (job_id, first_item)
);

CREATE TABLE overlays (
    job_id     TEXT NOT NULL,
    first_item BIGINT NOT NULL,
    count      BIGINT NOT NULL,
    body       blob NOT NULL,
    PRIMARY KEY (job_id, first_item)
);

CREATE TABLE ledger (
    id         TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    kind       TEXT NOT NULL,
    amount     BIGINT NOT NULL,
    units      BIGINT NOT NULL,
    job_id     TEXT,
    shard_id   TEXT,
    seq        BIGINT,
    mode       TEXT,
    source     TEXT,
    day        TEXT NOT NULL,
    at         BIGINT NOT NULL,
    UNIQUE (shard_id, seq)
);
CREATE INDEX ledger_by_account ON ledger (account_id, at);

CREATE TABLE outbox (
    id         TEXT PRIMARY KEY,
    account_id TEXT NOT NULL,
    job_id     TEXT NOT NULL,
    number     BIGINT NOT NULL,
    kind       TEXT NOT NULL,
    body       TEXT NOT NULL,
    emitted_at BIGINT NOT NULL,
    UNIQUE (job_id, number)
);
CREATE INDEX outbox_by_account ON outbox (account_id, id);
