-- Files that may be taken away once. `used_at` is set by whoever takes one.
CREATE TABLE exports (
    id         TEXT PRIMARY KEY,
    job_id     TEXT NOT NULL,
    format     TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at    BIGINT
);
CREATE INDEX exports_by_job ON exports (job_id);
