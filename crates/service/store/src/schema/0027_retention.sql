-- Retention of an account where it differs from that of the service, in days; NULL where it does not.
CREATE TABLE retention (
    account_id      TEXT PRIMARY KEY REFERENCES accounts (id),
    results_days    BIGINT,
    page_files_days BIGINT,
    run_log_days    BIGINT,
    events_days     BIGINT,
    audit_days      BIGINT
);

-- Whether the log of a finished run has not been deleted before its results.
ALTER TABLE jobs ADD COLUMN log_kept BIGINT NOT NULL DEFAULT 1;
CREATE INDEX jobs_log_due ON jobs (finished_at) WHERE finished_at IS NOT NULL AND log_kept = 1;
CREATE INDEX jobs_files_due ON jobs (finished_at) WHERE finished_at IS NOT NULL AND file_bytes > 0;

-- Lines of one commit each. A roll-up replaces those of a job and day by one line without a shard.
CREATE INDEX ledger_details ON ledger (at) WHERE shard_id IS NOT NULL;
