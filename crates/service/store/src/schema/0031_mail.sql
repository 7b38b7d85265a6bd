-- E-mails that are to be sent, and those of the last day that were: at most one of an account, kind and
-- subject. The text is written when it is sent.
CREATE TABLE mails (
    id         TEXT PRIMARY KEY,
    account_id TEXT NOT NULL,
    kind       TEXT NOT NULL,
    -- The id of a schedule, or empty.
    subject    TEXT NOT NULL,
    reason     TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    -- The next attempt; in the future while a node sends it.
    due_at     BIGINT NOT NULL,
    attempts   BIGINT NOT NULL,
    -- NULL until the server has accepted it.
    sent_at    BIGINT
);
CREATE UNIQUE INDEX mails_one_of_a_kind ON mails (account_id, kind, subject);
CREATE INDEX mails_due ON mails (due_at);

-- Links that set a new password once.
CREATE TABLE password_resets (
    token_hash TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    expires_at BIGINT NOT NULL
);
CREATE INDEX password_resets_by_account ON password_resets (account_id);
