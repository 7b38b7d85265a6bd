-- Uploaded lists of URLs. `ready` when all URLs are stored, `used` when a job was started over it,
-- `removed` by its owner; then the rows stay until the last job over the list is deleted.
CREATE TABLE url_lists (
    id         TEXT PRIMARY KEY,
    account_id TEXT   NOT NULL REFERENCES accounts (id),
    url_count  BIGINT NOT NULL,
    free       BIGINT NOT NULL,
    ready      BIGINT NOT NULL,
    used       BIGINT NOT NULL,
    removed    BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX url_lists_by_account ON url_lists (account_id, id);
CREATE INDEX url_lists_by_expiry ON url_lists (expires_at);

-- The URLs of a list, divided into the shards of a run at the upload: lines of the number of a URL
-- in the list and the URL, compressed by zstd. `host` is that of all URLs of the shard, `first_url`
-- the lowest number: a job over the first URLs of a list has only the shards that contain some.
CREATE TABLE list_urls (
    list_id   TEXT   NOT NULL REFERENCES url_lists (id),
    shard     BIGINT NOT NULL,
    host      TEXT,
    first_url BIGINT NOT NULL,
    urls      blob   NOT NULL,
    PRIMARY KEY (list_id, shard)
);

-- The list of a job, and how many of its first URLs the job requests.
ALTER TABLE jobs ADD COLUMN list_id TEXT;
ALTER TABLE jobs ADD COLUMN list_urls BIGINT NOT NULL DEFAULT 0;
CREATE INDEX jobs_by_list ON jobs (list_id) WHERE list_id IS NOT NULL;

-- The job whose events alone are sent to an endpoint; NULL for the endpoints of the account. An
-- event finds both kinds by an index, however many jobs with a webhook the account has.
ALTER TABLE webhooks ADD COLUMN job_id TEXT;
CREATE INDEX webhooks_by_job ON webhooks (job_id) WHERE job_id IS NOT NULL;
CREATE INDEX webhooks_of_account ON webhooks (account_id, id) WHERE job_id IS NULL;
