-- Who has confirmed a lawful basis for a `contacts` job, and when. Kept when the job is gone.
-- `key_id` is NULL where the account's owner asked in person.
CREATE TABLE acceptances (
    job_id      TEXT PRIMARY KEY,
    account_id  TEXT NOT NULL REFERENCES accounts (id),
    key_id      TEXT,
    request_id  TEXT,
    terms       TEXT NOT NULL,
    domains     BIGINT NOT NULL,
    accepted_at BIGINT NOT NULL
);
CREATE INDEX acceptances_in_order ON acceptances (accepted_at, job_id);

-- What people and companies object to. `mark` is what it is found by: a hash, or a domain.
-- `hint` is what the operator is shown.
CREATE TABLE objections (
    kind     TEXT NOT NULL,
    mark     TEXT NOT NULL,
    hint     TEXT NOT NULL,
    added_at BIGINT NOT NULL,
    PRIMARY KEY (kind, mark)
);

-- Moves with every change of the list, so that whoever knows the list can tell whether it
-- still holds.
CREATE TABLE objection_list (
    id      BIGINT PRIMARY KEY,
    version BIGINT NOT NULL
);
INSERT INTO objection_list (id, version) VALUES (1, 0);

-- What free pages of SQLite's file are filled up with, so that nothing old is left in them.
-- Empty but for that moment.
CREATE TABLE blank_pages (
    id   BIGINT PRIMARY KEY,
    body blob NOT NULL
);
