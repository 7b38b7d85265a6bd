-- The conditions that the items of an export must meet. NULL for all items.
ALTER TABLE exports ADD COLUMN filter TEXT;

-- What the operator sees of a node. NULL for nodes of the release before.
ALTER TABLE nodes ADD COLUMN version TEXT;
-- Shards that it runs at most.
ALTER TABLE nodes ADD COLUMN slots BIGINT;
-- Whether it has a browser: 0 or 1.
ALTER TABLE nodes ADD COLUMN browser BIGINT;

-- The newest requests of a run, one as JSON on each line. `id` increases with time.
CREATE TABLE request_log (
    job_id TEXT NOT NULL,
    id     TEXT NOT NULL,
    lines  TEXT NOT NULL,
    PRIMARY KEY (job_id, id)
);

-- Name and tags that the owner gave a job. Each tag has a line break before and after it.
CREATE TABLE job_labels (
    job_id TEXT PRIMARY KEY,
    name   TEXT,
    tags   TEXT NOT NULL
);
