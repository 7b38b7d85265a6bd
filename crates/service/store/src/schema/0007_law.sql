-- Who has confirmed a lawful basis for a `contacts` job, and when. Kept after the job is deleted.
-- `key_id` is NULL if the owner of the account confirmed it with a session.
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

-- Opt-outs of people and companies. `mark` is the lookup key: a hash, or a domain.
-- `hint` is shown to the operator.
CREATE TABLE objections (
    kind     TEXT NOT NULL,
    mark     TEXT NOT NULL,
    hint     TEXT NOT NULL,
    added_at BIGINT NOT NULL,
    PRIMARY KEY (kind, mark)
);

-- Increases with every change of the list, so that a node knows whether its copy is current.
CREATE TABLE objection_list (
    id      BIGINT PRIMARY KEY,
    version BIGINT NOT NULL
);
INSERT INTO objection_list (id, version) VALUES (1, 0);

-- Fills the free pages of SQLite's file, so that they keep no deleted data. Empty otherwise.
CREATE TABLE blank_pages (
    id   BIGINT PRIMARY KEY,
    body blob NOT NULL
);
