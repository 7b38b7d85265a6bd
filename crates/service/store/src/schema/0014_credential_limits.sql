-- What a key or a connected application may do at most, and what its jobs have spent. `holder`
-- is the id of the key or of the application; lists are separated by spaces, an empty one and a
-- NULL mean no limit. `spent_today` holds for the day `spent_day` (UTC, as 2026-11-15).
CREATE TABLE credential_limits (
    account_id    TEXT NOT NULL,
    holder        TEXT NOT NULL,
    scopes        TEXT NOT NULL,
    expires_at    BIGINT,
    networks      TEXT NOT NULL,
    modes         TEXT NOT NULL,
    daily_credits BIGINT,
    total_credits BIGINT,
    spent         BIGINT NOT NULL,
    spent_today   BIGINT NOT NULL,
    spent_day     TEXT NOT NULL,
    reserved      BIGINT NOT NULL,
    PRIMARY KEY (account_id, holder)
);
INSERT INTO credential_limits (account_id, holder, scopes, networks, modes, spent, spent_today,
    spent_day, reserved)
    SELECT account_id, id, '', '', '', 0, 0, '', 0 FROM keys;
INSERT INTO credential_limits (account_id, holder, scopes, networks, modes, spent, spent_today,
    spent_day, reserved)
    SELECT account_id, application_id, '', '', '', 0, 0, '', 0 FROM application_grants;

-- The key or application that made it; NULL for a person, and for what is older than this step.
ALTER TABLE schedules ADD COLUMN created_by TEXT;
ALTER TABLE webhooks ADD COLUMN created_by TEXT;

-- Credits that may be bought automatically in a calendar month (UTC).
ALTER TABLE auto_top_up ADD COLUMN monthly_credits BIGINT;
