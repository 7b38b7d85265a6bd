-- The extraction template of a site, as its last run learned it: the next run of any account starts
-- with it. `version` counts how often it was learned.
CREATE TABLE templates (
    site       TEXT PRIMARY KEY,
    version    BIGINT NOT NULL,
    body       blob NOT NULL,
    learned_at BIGINT NOT NULL
);
