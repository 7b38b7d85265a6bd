-- How many holders of a shard went away without giving it back, since it last worked for a while
-- without that. Unlike `deaths`, a commit in between does not reset it: a page may take the worker
-- down while others are read.
ALTER TABLE shards ADD COLUMN crashes BIGINT NOT NULL DEFAULT 0;

-- Bytes of memory that the run took at its last commit.
ALTER TABLE shards ADD COLUMN memory_bytes BIGINT NOT NULL DEFAULT 0;
