-- What a run sends to its site: headers, cookies, credentials and a login, and the cookies of the
-- session. Nonce and ciphertext, as the secrets of webhooks. The row is deleted when the job ends.
CREATE TABLE job_secrets (
    job_id      TEXT PRIMARY KEY REFERENCES jobs (id) ON DELETE CASCADE,
    credentials blob NOT NULL,
    session     blob
);

-- The same for the runs of a schedule.
ALTER TABLE schedules ADD COLUMN secrets blob;
