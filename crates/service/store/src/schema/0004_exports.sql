-- Export tickets: files that may be downloaded once. The download sets `used_at`.
CREATE TABLE exports (
    id         TEXT PRIMARY KEY,
    job_id     TEXT NOT NULL,
    format     TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at    BIGINT
);
CREATE INDEX exports_by_job ON exports (job_id);
