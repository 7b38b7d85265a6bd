-- The URLs of a job over a list, by shard: lines of text, compressed by zstd. A list may have a million
-- URLs, so a shard reads only its own.
CREATE TABLE job_urls (
    job_id TEXT   NOT NULL REFERENCES jobs (id),
    shard  BIGINT NOT NULL,
    urls   blob   NOT NULL,
    PRIMARY KEY (job_id, shard)
);

-- What became of the URLs of a shard that has ended, as JSON: the end of the job follows from all.
ALTER TABLE shards ADD COLUMN outcome TEXT;
