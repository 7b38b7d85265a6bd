-- A schedule. `next_at` is its next slot; the node that starts its run sets the next one in the
-- same transaction. `standing_order` is the validated job and its creator, as JSON. No reference to
-- the account: a schedule of a deleted account must not block its deletion, it is deleted at its
-- next slot.
CREATE TABLE schedules (
    id             TEXT PRIMARY KEY,
    account_id     TEXT NOT NULL,
    name           TEXT NOT NULL,
    cron           TEXT NOT NULL,
    timezone       TEXT NOT NULL,
    standing_order TEXT NOT NULL,
    paused         BIGINT NOT NULL,
    next_at        BIGINT NOT NULL,
    created_at     BIGINT NOT NULL
);
CREATE INDEX schedules_by_account ON schedules (account_id, id);
CREATE INDEX schedules_due ON schedules (next_at) WHERE paused = 0;

-- The schedule that started a job, and for which slot: NULL if a client started the run.
ALTER TABLE jobs ADD COLUMN schedule_id TEXT;
ALTER TABLE jobs ADD COLUMN slot_at BIGINT;
CREATE INDEX jobs_by_schedule ON jobs (schedule_id, id) WHERE schedule_id IS NOT NULL;

-- How a run differs from an earlier one. Only numbers of items are stored, so that there is
-- nothing to erase here: the items are read from the segments.
CREATE TABLE comparisons (
    job_id    TEXT NOT NULL,
    since_id  TEXT NOT NULL,
    added     BIGINT NOT NULL,
    changed   BIGINT NOT NULL,
    removed   BIGINT NOT NULL,
    unchanged BIGINT NOT NULL,
    PRIMARY KEY (job_id, since_id)
);
CREATE INDEX comparisons_by_since ON comparisons (since_id);

CREATE TABLE comparison_pairs (
    job_id   TEXT NOT NULL,
    since_id TEXT NOT NULL,
    kind     TEXT NOT NULL,
    first    BIGINT NOT NULL,
    body     blob NOT NULL,
    PRIMARY KEY (job_id, since_id, kind, first)
);
CREATE INDEX comparison_pairs_by_since ON comparison_pairs (since_id);
