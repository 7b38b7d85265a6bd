-- The progress of a run for live streams: written with each commit, so that it costs no separate
-- write. `fetching` has one URL per line.
ALTER TABLE shards ADD COLUMN fetched BIGINT NOT NULL DEFAULT 0;
ALTER TABLE shards ADD COLUMN fetching TEXT NOT NULL DEFAULT '';

-- Whether an account buys credits automatically, and the outcome of its last attempt. `customer` and
-- `method` are the payment provider's ids of the payer and the payment method.
CREATE TABLE auto_top_up (
    account_id       TEXT PRIMARY KEY REFERENCES accounts (id),
    enabled          BIGINT NOT NULL,
    threshold        BIGINT,
    amount           BIGINT,
    customer         TEXT,
    method           TEXT,
    last_recharge_at BIGINT,
    last_error       TEXT,
    failures         BIGINT NOT NULL,
    not_before       BIGINT NOT NULL
);
CREATE INDEX auto_top_up_enabled ON auto_top_up (account_id) WHERE enabled = 1;

-- A purchase. Its id is the provider's idempotency key, and the request under that key is stored
-- before it is sent: it must be the same at every attempt.
-- `in_doubt` counts the attempts with an unknown outcome.
CREATE TABLE recharges (
    id          TEXT PRIMARY KEY,
    account_id  TEXT NOT NULL REFERENCES accounts (id),
    credits     BIGINT NOT NULL,
    price       BIGINT NOT NULL,
    currency    TEXT NOT NULL,
    customer    TEXT NOT NULL,
    method      TEXT NOT NULL,
    state       TEXT NOT NULL,
    attempts    BIGINT NOT NULL,
    in_doubt    BIGINT NOT NULL,
    reference   TEXT,
    error       TEXT,
    due_at      BIGINT NOT NULL,
    lease_until BIGINT NOT NULL,
    created_at  BIGINT NOT NULL,
    asked_at    BIGINT,
    finished_at BIGINT
);
-- One purchase at a time per account, on any number of nodes.
CREATE UNIQUE INDEX recharges_open ON recharges (account_id) WHERE state = 'open';
CREATE INDEX recharges_due ON recharges (due_at) WHERE state = 'open';
