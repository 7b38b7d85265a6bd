-- A `job.progress` event that came too early, and when it may be sent.
ALTER TABLE jobs ADD COLUMN progress_due_at BIGINT;
CREATE INDEX jobs_progress_due ON jobs (progress_due_at) WHERE progress_due_at IS NOT NULL;

-- The units that were charged at the protected rate.
ALTER TABLE jobs ADD COLUMN protected_units BIGINT NOT NULL DEFAULT 0;
UPDATE jobs SET protected_units = units WHERE protected = 1;

-- Which table of the results an export holds, where a format has room for one.
ALTER TABLE exports ADD COLUMN part TEXT;

-- How long each result is as JSON, four bytes a result: a page of results is bounded in bytes.
CREATE TABLE result_sizes (
    job_id     TEXT NOT NULL REFERENCES jobs (id),
    first_item BIGINT NOT NULL,
    largest    BIGINT NOT NULL,
    sizes      blob NOT NULL,
    PRIMARY KEY (job_id, first_item)
);

-- Whether assistants may accept the legal basis of a contacts run in the owner's name.
ALTER TABLE accounts ADD COLUMN assistant_legal_basis BIGINT NOT NULL DEFAULT 0;
