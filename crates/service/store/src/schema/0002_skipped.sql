-- The URLs that a run left out: packed as its results are, counted by reason, and found
-- by reason.

CREATE TABLE skip_segments (
    job_id     TEXT NOT NULL,
    first_item BIGINT NOT NULL,
    count      BIGINT NOT NULL,
    body       blob NOT NULL,
    PRIMARY KEY (job_id, first_item)
);

CREATE TABLE skip_counts (
    job_id TEXT NOT NULL,
    reason TEXT NOT NULL,
    count  BIGINT NOT NULL,
    PRIMARY KEY (job_id, reason)
);

-- Where the URLs of one reason stand: the `nth` of them and those after it, up to the
-- next row, have numbers from `first_item` to `last_item`. Numbers outlive the merging
-- of segments, so that these rows are written once.
CREATE TABLE skip_spans (
    job_id     TEXT NOT NULL,
    reason     TEXT NOT NULL,
    nth        BIGINT NOT NULL,
    first_item BIGINT NOT NULL,
    last_item  BIGINT NOT NULL,
    PRIMARY KEY (job_id, reason, nth)
);
