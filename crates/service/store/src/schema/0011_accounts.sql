-- A suspended account keeps its data and can do nothing. A deleted one is a row without e-mail
-- and password that the ledger, the purchases and the acceptances refer to.
ALTER TABLE accounts ADD COLUMN suspended_at BIGINT;
ALTER TABLE accounts ADD COLUMN deleted_at BIGINT;

-- What its owner recognises a session by. `device` is the hash of the device token that it was
-- opened with.
ALTER TABLE sessions ADD COLUMN id TEXT NOT NULL DEFAULT '';
UPDATE sessions SET id = 'ses_' || SUBSTR(token_hash, 1, 32);
ALTER TABLE sessions ADD COLUMN last_used_at BIGINT;
ALTER TABLE sessions ADD COLUMN address TEXT;
ALTER TABLE sessions ADD COLUMN user_agent TEXT;
ALTER TABLE sessions ADD COLUMN device TEXT;
CREATE UNIQUE INDEX sessions_by_id ON sessions (id);
CREATE INDEX sessions_by_account ON sessions (account_id, created_at);

-- Devices that signed in before: a correct password from one of them passes the account-wide
-- delay. `uses` counts sign-ins after the first.
CREATE TABLE devices (
    token_hash   TEXT PRIMARY KEY,
    account_id   TEXT NOT NULL REFERENCES accounts (id),
    created_at   BIGINT NOT NULL,
    last_used_at BIGINT NOT NULL,
    uses         BIGINT NOT NULL
);
CREATE INDEX devices_by_account ON devices (account_id, last_used_at);
CREATE INDEX devices_by_age ON devices (last_used_at);

-- Sign-in attempts since the last success. `key` is the hash of an e-mail, or of an e-mail and a
-- network or device. `next_at` is the time at which the bucket would be full again (GCRA).
CREATE TABLE sign_in_attempts (
    key      TEXT PRIMARY KEY,
    next_at  BIGINT NOT NULL,
    attempts BIGINT NOT NULL,
    last_at  BIGINT NOT NULL
);
CREATE INDEX sign_in_attempts_by_age ON sign_in_attempts (last_at);
