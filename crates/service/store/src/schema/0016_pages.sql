-- Pages that were read at once: no job, charged with their answer.
ALTER TABLE ledger ADD COLUMN page_id TEXT;

-- The answer to a page, compressed, for retries with the same Idempotency-Key. NULL for jobs, whose
-- answer is `response`, and for answers that were dropped because the account has too many bytes.
ALTER TABLE idempotency ADD COLUMN answer blob;
ALTER TABLE idempotency ADD COLUMN answer_bytes BIGINT NOT NULL DEFAULT 0;
CREATE INDEX idempotency_answers ON idempotency (account_id, created_at) WHERE answer_bytes > 0;

-- Number of pages that the node of a lease reads at once from the host: while there are any, the end of
-- a run does not release the host.
ALTER TABLE host_leases ADD COLUMN pages BIGINT NOT NULL DEFAULT 0;

-- HTML and pictures of pages that were read at once: short-lived, compressed, in parts.
CREATE TABLE page_files (
    id           TEXT PRIMARY KEY,
    account_id   TEXT NOT NULL REFERENCES accounts (id),
    content_type TEXT NOT NULL,
    bytes        BIGINT NOT NULL,
    stored_bytes BIGINT NOT NULL,
    expires_at   BIGINT NOT NULL
);
CREATE INDEX page_files_by_account ON page_files (account_id, expires_at);
CREATE INDEX page_files_by_expiry ON page_files (expires_at);
CREATE TABLE page_file_parts (
    file_id TEXT NOT NULL,
    part    BIGINT NOT NULL,
    body    blob NOT NULL,
    PRIMARY KEY (file_id, part)
);
