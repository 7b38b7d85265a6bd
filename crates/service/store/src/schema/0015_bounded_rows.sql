-- The domains of a contacts run and what was written for each, as JSON lists. They may take a
-- megabyte, so they are not part of the job's row, which lists, commits and live streams read.
-- Jobs that are older than this step keep theirs in `jobs.request`.
CREATE TABLE job_domains (
    job_id  TEXT NOT NULL PRIMARY KEY REFERENCES jobs (id),
    domains TEXT NOT NULL,
    inputs  TEXT NOT NULL
);

-- The monthly ceiling of automatic purchases sums over them, with the account's row held.
CREATE INDEX recharges_by_account ON recharges (account_id, created_at);
