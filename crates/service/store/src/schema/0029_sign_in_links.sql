-- Links that open one session each, without a password.
CREATE TABLE sign_in_links (
    token_hash TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    expires_at BIGINT NOT NULL
);
CREATE INDEX sign_in_links_by_account ON sign_in_links (account_id);
