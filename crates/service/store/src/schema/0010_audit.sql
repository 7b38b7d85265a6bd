-- The audit log. Rows are inserted with the change that they describe and never updated; see
-- `audit_log.rs` for when they are deleted. `account_id` is NULL where an entry concerns the
-- whole service. No reference to the account: entries about its deletion outlive it.
-- `details` is a JSON object.
CREATE TABLE audit (
    id          TEXT PRIMARY KEY,
    account_id  TEXT,
    at          BIGINT NOT NULL,
    actor_kind  TEXT NOT NULL,
    actor_id    TEXT,
    action      TEXT NOT NULL,
    object_kind TEXT,
    object_id   TEXT,
    address     TEXT,
    request_id  TEXT,
    details     TEXT NOT NULL
);
CREATE INDEX audit_by_account ON audit (account_id, at, id);
CREATE INDEX audit_by_age ON audit (at, id);
