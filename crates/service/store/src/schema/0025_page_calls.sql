-- Page calls that a node forwards to the node that has the lease on their host. On PostgreSQL only.
CREATE TABLE page_calls (
    -- The id of the page.
    id         TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    host       TEXT NOT NULL,
    -- The node whose client waits for the answer.
    origin     TEXT NOT NULL,
    -- waiting, taken; ended: delivered, failed, replayed, declined.
    state      TEXT NOT NULL,
    -- The node that reads the page.
    taker      TEXT,
    -- Encrypted, because it may have credentials.
    request    blob NOT NULL,
    -- Compressed and encrypted.
    answer     blob,
    -- On the database's clock.
    created_at BIGINT NOT NULL,
    deadline   BIGINT NOT NULL
);
CREATE INDEX page_calls_by_account ON page_calls (account_id);
CREATE INDEX page_calls_by_deadline ON page_calls (deadline);
CREATE INDEX page_calls_open ON page_calls (created_at, id) WHERE state IN ('waiting', 'taken');
