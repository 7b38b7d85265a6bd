-- Nodes with workers: which of them can be woken, and how far their clocks differ from the database's.
CREATE TABLE nodes (
    name        TEXT PRIMARY KEY,
    -- On the database's clock.
    seen_at     BIGINT NOT NULL,
    -- Shards that it could claim.
    free_slots  BIGINT NOT NULL,
    -- Milliseconds that its clock is ahead of the database's; negative if it is behind.
    clock_ahead BIGINT NOT NULL
);

-- Until when the run of a shard that crashed workers before is the only suspect of its node; 0 if it
-- is no suspect or has committed since.
ALTER TABLE shards ADD COLUMN probe_until BIGINT NOT NULL DEFAULT 0;
-- Crashes for which there is evidence against this shard. Unlike `deaths`, a commit does not reset it.
ALTER TABLE shards ADD COLUMN blames BIGINT NOT NULL DEFAULT 0;

-- A claim reads shards without an owner, not those that run. A commit changes none of the columns, so
-- that it updates no index. `shards_open` stays for nodes of the release before.
CREATE INDEX shards_ready ON shards (queued_at, id) WHERE state = 'open' AND owner IS NULL;
CREATE INDEX shards_held ON shards (lease_until) WHERE state = 'open' AND owner IS NOT NULL;
