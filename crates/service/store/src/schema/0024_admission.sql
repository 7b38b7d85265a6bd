-- Whether the job is one of those of its account that may run: the shards of others are `waiting`, so
-- that claims do not read them. Nodes of the release before admit every job.
ALTER TABLE jobs ADD COLUMN admitted BIGINT NOT NULL DEFAULT 1;
CREATE INDEX jobs_not_admitted ON jobs (account_id, id) WHERE active = 1 AND admitted = 0;
