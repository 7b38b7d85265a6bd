-- Where the product pages of a site show what, as the last run over it learned: the next run
-- of any account begins with it. `version` counts how often it was learned anew.
CREATE TABLE templates (
    site       TEXT PRIMARY KEY,
    version    BIGINT NOT NULL,
    body       blob NOT NULL,
    learned_at BIGINT NOT NULL
);
