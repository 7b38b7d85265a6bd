-- Applications that may ask users for access. `secret_hash` is NULL for public clients. Scopes are
-- separated by spaces, redirect URIs by line breaks.
CREATE TABLE applications (
    id            TEXT PRIMARY KEY,
    name          TEXT NOT NULL,
    uri           TEXT,
    redirect_uris TEXT NOT NULL,
    client_auth   TEXT NOT NULL,
    secret_hash   TEXT,
    scopes        TEXT NOT NULL,
    created_at    BIGINT NOT NULL
);
CREATE INDEX applications_by_age ON applications (created_at);

-- A grant: the approval of an application by a user. Its row is locked first when it is granted or revoked.
CREATE TABLE application_grants (
    account_id     TEXT NOT NULL REFERENCES accounts (id),
    application_id TEXT NOT NULL REFERENCES applications (id),
    granted_at     BIGINT NOT NULL,
    last_used_at   BIGINT,
    PRIMARY KEY (account_id, application_id)
);
CREATE INDEX application_grants_by_application ON application_grants (application_id);

-- An authorization: the code of an approval, and the tokens issued for it. Deleting it deletes them.
-- `shown` counts how often the code was presented.
CREATE TABLE authorizations (
    id              TEXT PRIMARY KEY,
    account_id      TEXT NOT NULL,
    application_id  TEXT NOT NULL,
    code_hash       TEXT NOT NULL UNIQUE,
    code_expires_at BIGINT NOT NULL,
    shown           BIGINT NOT NULL,
    redirect_uri    TEXT NOT NULL,
    challenge       TEXT NOT NULL,
    scopes          TEXT NOT NULL,
    mcp_only        BIGINT NOT NULL
);
CREATE INDEX authorizations_by_grant ON authorizations (account_id, application_id);
CREATE INDEX authorizations_by_age ON authorizations (code_expires_at);

-- A used one is kept until it would have expired: presenting it again means that it was stolen.
CREATE TABLE refresh_tokens (
    token_hash       TEXT PRIMARY KEY,
    authorization_id TEXT NOT NULL,
    expires_at       BIGINT NOT NULL,
    used             BIGINT NOT NULL
);
CREATE INDEX refresh_tokens_by_authorization ON refresh_tokens (authorization_id);
CREATE INDEX refresh_tokens_by_age ON refresh_tokens (expires_at);

CREATE TABLE access_tokens (
    token_hash       TEXT PRIMARY KEY,
    authorization_id TEXT NOT NULL,
    scopes           TEXT NOT NULL,
    mcp_only         BIGINT NOT NULL,
    expires_at       BIGINT NOT NULL
);
CREATE INDEX access_tokens_by_authorization ON access_tokens (authorization_id);
CREATE INDEX access_tokens_by_age ON access_tokens (expires_at);

-- The application that confirmed a lawful basis for its user.
ALTER TABLE acceptances ADD COLUMN application_id TEXT;
