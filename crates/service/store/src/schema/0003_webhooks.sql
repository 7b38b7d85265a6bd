-- Webhook endpoints, and the delivery of each event to each of them.

-- Events of an account are numbered as they become visible: a client that has read up to one
-- has missed none before it, whatever the clocks of the nodes show.
ALTER TABLE accounts ADD COLUMN events BIGINT NOT NULL DEFAULT 0;
ALTER TABLE outbox ADD COLUMN position BIGINT NOT NULL DEFAULT 0;
UPDATE outbox SET position = numbered.position
    FROM (SELECT id, ROW_NUMBER() OVER (PARTITION BY account_id ORDER BY id) AS position
          FROM outbox) AS numbered
    WHERE numbered.id = outbox.id;
UPDATE accounts SET events =
    (SELECT COUNT(*) FROM outbox WHERE outbox.account_id = accounts.id);
DROP INDEX outbox_by_account;
CREATE UNIQUE INDEX outbox_by_account ON outbox (account_id, position);

-- `events` is NULL for all of them, or the names between commas. `secret` is encrypted.
-- One node delivers to an endpoint: `owner`, until `lease_until`.
CREATE TABLE webhooks (
    id              TEXT PRIMARY KEY,
    account_id      TEXT NOT NULL REFERENCES accounts (id),
    url             TEXT NOT NULL,
    events          TEXT,
    secret          blob NOT NULL,
    active          BIGINT NOT NULL,
    exhausted       BIGINT NOT NULL,
    created_at      BIGINT NOT NULL,
    last_success_at BIGINT,
    failing_since   BIGINT,
    last_error      TEXT,
    owner           TEXT,
    lease_until     BIGINT NOT NULL
);
CREATE INDEX webhooks_by_account ON webhooks (account_id, id);
CREATE INDEX webhooks_by_owner ON webhooks (owner) WHERE owner IS NOT NULL;

-- `job_id` is the account where no job is behind the event. `body` is that of a test; any
-- other is in the outbox. `manual` marks an attempt that the owner asked for.
CREATE TABLE deliveries (
    webhook_id TEXT NOT NULL,
    id         TEXT NOT NULL,
    event_id   TEXT NOT NULL,
    job_id     TEXT NOT NULL,
    kind       TEXT NOT NULL,
    body       TEXT,
    state      TEXT NOT NULL,
    manual     BIGINT NOT NULL,
    attempts   BIGINT NOT NULL,
    history    TEXT NOT NULL,
    due_at     BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (webhook_id, id)
);
CREATE INDEX deliveries_pending ON deliveries (webhook_id, due_at) WHERE state = 'pending';
CREATE INDEX deliveries_by_job ON deliveries (job_id);

-- Lets a node check whether it has the key that the secrets are encrypted with.
CREATE TABLE secret_key (
    id    BIGINT PRIMARY KEY,
    proof TEXT NOT NULL
);
