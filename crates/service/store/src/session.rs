//! Account sessions: open, authenticate, list, end.

use std::net::IpAddr;
use std::time::Duration;

use contract::{AccountId, AuditAction, Millis, Session, SessionDetails, SessionId};
use sqlx::any::AnyRow;

use crate::account_lock::lock_active_account;
use crate::columns::{ExecuteIn, ReadColumn, Tx, read_row, scalar, sql};
use crate::credential::fingerprint;
use crate::{AuditRecord, Result, SessionToken, Store, StoreError, device, random};

const LIFETIME: Duration = Duration::from_secs(12 * 60 * 60);

/// Minimum time between two updates of `last_used_at`.
const USE_EVERY: Duration = Duration::from_secs(60);

/// Maximum sessions per account; beyond it the oldest ends.
const MAX_SESSIONS: i64 = 100;

/// Longer user agents are truncated.
const MAX_USER_AGENT_CHARS: usize = 200;

/// An account whose password has just been verified.
#[derive(Clone, PartialEq, Eq)]
pub struct SignedIn {
    pub account: AccountId,
    /// The hash that the password was checked against.
    pub(crate) password_hash: String,
}

runtime::partial_debug!(SignedIn, account);

/// A caller that authenticated with a session token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionCaller {
    pub account: AccountId,
    /// Whether the account is suspended, so that its requests are refused.
    pub is_suspended: bool,
    pub session: SessionId,
}

/// The client that opens a session, stored so that its owner recognises it.
#[derive(Debug, Clone, Default)]
pub struct SessionClient {
    pub address: Option<IpAddr>,
    pub user_agent: Option<String>,
    /// The device token of an earlier sign-in.
    pub device: Option<String>,
}

const INSERT: &str = "INSERT INTO sessions (token_hash, account_id, created_at, expires_at, id, \
    last_used_at, address, user_agent, device) VALUES ($1, $2, $3, $4, $5, $3, $6, $7, $8)";
const IS_PASSWORD: &str = "SELECT COUNT(*) FROM accounts WHERE id = $1 AND password_hash = $2";
const END_OLDEST: &str = "DELETE FROM sessions WHERE account_id = $1 AND token_hash NOT IN \
    (SELECT token_hash FROM sessions WHERE account_id = $1 \
     ORDER BY created_at DESC, token_hash LIMIT $2)";
const FIND: &str = "SELECT s.account_id, s.id, s.last_used_at, a.suspended_at FROM sessions s \
    JOIN accounts a ON a.id = s.account_id AND a.deleted_at IS NULL \
    WHERE s.token_hash = $1 AND s.expires_at > $2";
const USE: &str = "UPDATE sessions SET last_used_at = $2 WHERE token_hash = $1";
const END: &str = "DELETE FROM sessions WHERE token_hash = $1 RETURNING id, account_id";
const LIST: &str = "SELECT id, created_at, last_used_at, expires_at, address, user_agent \
    FROM sessions WHERE account_id = $1 AND expires_at > $2 ORDER BY created_at DESC, id";
const REVOKE: &str = "DELETE FROM sessions WHERE account_id = $1 AND id = $2";
const END_ALL: &str = "DELETE FROM sessions WHERE account_id = $1 AND id <> $2";

impl Store {
    /// Opens a session without details of the client.
    pub async fn open_session(&self, account: &AccountId, now: Millis) -> Result<Session> {
        self.open_session_from(account, &SessionClient::default(), now).await
    }

    /// Opens a session. It contains a device token: the client's own if it is known, else a new one.
    pub async fn open_session_from(
        &self,
        account: &AccountId,
        client: &SessionClient,
        now: Millis,
    ) -> Result<Session> {
        let opened = self.insert_session(account, None, client, now).await?;
        opened.ok_or(StoreError::AccountClosed)
    }

    /// Opens a session after the password was verified; `None` when the password has changed since,
    /// which ended all sessions.
    pub async fn open_session_for(
        &self,
        signed_in: &SignedIn,
        client: &SessionClient,
        now: Millis,
    ) -> Result<Option<Session>> {
        let SignedIn { account, password_hash } = signed_in;
        self.insert_session(account, Some(password_hash), client, now).await
    }

    async fn insert_session(
        &self,
        account: &AccountId,
        password_hash: Option<&str>,
        client: &SessionClient,
        now: Millis,
    ) -> Result<Option<Session>> {
        let token = SessionToken::mint();
        let expires_at = now.plus(LIFETIME);
        let id = SessionId::new(now, random());
        let user_agent: Option<String> = client
            .user_agent
            .as_ref()
            .map(|text| text.chars().take(MAX_USER_AGENT_CHARS).collect());
        let mut tx = self.begin().await?;
        // A change of the password waits for this lock, or was committed before.
        lock_active_account(&mut tx, account).await?;
        if let Some(hash) = password_hash {
            let same: i64 = scalar!(IS_PASSWORD; account, hash).fetch_one(&mut *tx).await?;
            if same == 0 {
                return Ok(None);
            }
        }
        let device = device::remember(&mut tx, account, client.device.as_deref(), now).await?;
        sql!(INSERT; fingerprint(token.reveal()), account, now, expires_at, id,
            client.address.map(|address| address.to_string()), user_agent,
            fingerprint(&device.token))
        .run(&mut tx)
        .await?;
        sql!(END_OLDEST; account, MAX_SESSIONS).run(&mut tx).await?;
        let record = AuditRecord::of(account, AuditAction::SessionOpened)
            .object("session", id.as_str())
            .detail("known_device", device.known)
            .at(now);
        self.commit_audited(tx, record).await?;
        let token = token.reveal().to_owned();
        Ok(Some(Session { token, expires_at, device: Some(device.token) }))
    }

    /// The caller with this session token.
    pub async fn authenticate_session(
        &self,
        token: &str,
        now: Millis,
    ) -> Result<Option<SessionCaller>> {
        if !token.starts_with(SessionToken::PREFIX) {
            return Ok(None);
        }
        let hash = fingerprint(token);
        let row = sql!(FIND; hash, now).fetch_optional(self.reader()?).await?;
        let Some(row) = row else { return Ok(None) };
        let last_used_at: Option<Millis> = row.read("last_used_at")?;
        if last_used_at.is_none_or(|last| now.since(last) >= USE_EVERY) {
            self.execute(sql!(USE; hash, now)).await?;
        }
        Ok(Some(SessionCaller {
            account: row.read("account_id")?,
            session: row.read("id")?,
            is_suspended: row.read::<Option<i64>>("suspended_at")?.is_some(),
        }))
    }

    /// Ends a session; false when it has ended before.
    pub async fn end_session(&self, token: &str) -> Result<bool> {
        let mut tx = self.begin().await?;
        let row = sql!(END; fingerprint(token)).fetch_optional(&mut *tx).await?;
        let Some(row) = row else { return Ok(false) };
        let record = AuditRecord::of(&row.read("account_id")?, AuditAction::SessionEnded)
            .object("session", row.read::<String>("id")?);
        self.commit_audited(tx, record).await?;
        Ok(true)
    }

    /// The account's valid sessions, newest first; `current` is the caller's own.
    pub async fn sessions(
        &self,
        account: &AccountId,
        current: Option<&SessionId>,
        now: Millis,
    ) -> Result<Vec<SessionDetails>> {
        let read = |row: &AnyRow| {
            let id: SessionId = row.read("id")?;
            Ok(read_row!(row => SessionDetails {
                created_at, last_used_at, expires_at, address, user_agent;
                current: current == Some(&id),
                id,
            }))
        };
        self.fetch_all(sql!(LIST; account, now), read).await
    }

    /// Ends one session of the account; false when it has no such session.
    pub async fn revoke_session(&self, account: &AccountId, id: &SessionId) -> Result<bool> {
        let mut tx = self.begin().await?;
        if sql!(REVOKE; account, id).run(&mut tx).await? == 0 {
            return Ok(false);
        }
        let record =
            AuditRecord::of(account, AuditAction::SessionEnded).object("session", id.as_str());
        self.commit_audited(tx, record).await?;
        Ok(true)
    }

    /// Ends all sessions of the account and deletes its devices. Returns the number of ended
    /// sessions.
    pub async fn end_sessions(&self, account: &AccountId) -> Result<u64> {
        let mut tx = self.begin().await?;
        let ended = end_all(&mut tx, account, None).await?;
        let record = AuditRecord::of(account, AuditAction::SessionsEnded).detail("sessions", ended);
        self.commit_audited(tx, record).await?;
        Ok(ended)
    }
}

/// Ends the account's sessions and deletes its devices, except one session and its device.
pub(crate) async fn end_all(
    tx: &mut Tx,
    account: &AccountId,
    keep: Option<&SessionId>,
) -> Result<u64> {
    let keep = keep.map_or("", SessionId::as_str);
    let ended = sql!(END_ALL; account, keep).run(tx).await?;
    device::delete_others(tx, account).await?;
    Ok(ended)
}
