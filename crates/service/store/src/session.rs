//! Account sessions: open, authenticate, list, end.

use std::net::IpAddr;
use std::time::Duration;

use contract::{AccountId, AuditAction, Millis, Session, SessionDetails, SessionId};
use sqlx::{Any, Row, Transaction};

use crate::account_lock::lock_active_account;
use crate::columns::{optional_millis, parsed};
use crate::credential::fingerprint;
use crate::{AuditRecord, SessionToken, SignedIn, Store, StoreError, device, random};

/// Lifetime of a session.
const LIFETIME: Duration = Duration::from_secs(12 * 60 * 60);

/// Minimum time between two updates of `last_used_at`.
const USE_EVERY: Duration = Duration::from_secs(60);

/// Maximum sessions per account; beyond it the oldest ends.
const MAX_SESSIONS: i64 = 100;

/// Longer user agents are truncated.
const MAX_USER_AGENT_CHARS: usize = 200;

/// A caller that authenticated with a session token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionCaller {
    pub account: AccountId,
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
const FIND: &str = "SELECT account_id, id, last_used_at FROM sessions \
    WHERE token_hash = $1 AND expires_at > $2";
const USE: &str = "UPDATE sessions SET last_used_at = $2 WHERE token_hash = $1";
const END: &str = "DELETE FROM sessions WHERE token_hash = $1 RETURNING id, account_id";
const LIST: &str = "SELECT id, created_at, last_used_at, expires_at, address, user_agent \
    FROM sessions WHERE account_id = $1 AND expires_at > $2 ORDER BY created_at DESC, id";
const REVOKE: &str = "DELETE FROM sessions WHERE account_id = $1 AND id = $2";
const END_ALL: &str = "DELETE FROM sessions WHERE account_id = $1 AND id <> $2";

impl Store {
    /// Opens a session without details of the client.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn open_session(
        &self,
        account: &AccountId,
        now: Millis,
    ) -> Result<Session, StoreError> {
        self.open_session_from(account, &SessionClient::default(), now).await
    }

    /// Opens a session. It contains a device token: the client's own if it is known, else a new one.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn open_session_from(
        &self,
        account: &AccountId,
        client: &SessionClient,
        now: Millis,
    ) -> Result<Session, StoreError> {
        let opened = self.insert_session(account, None, client, now).await?;
        opened.ok_or(StoreError::AccountClosed)
    }

    /// Opens a session after the password was verified; `None` when the password has changed since,
    /// which ended all sessions.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn open_session_for(
        &self,
        signed_in: &SignedIn,
        client: &SessionClient,
        now: Millis,
    ) -> Result<Option<Session>, StoreError> {
        let SignedIn { account, password_hash } = signed_in;
        self.insert_session(account, Some(password_hash), client, now).await
    }

    async fn insert_session(
        &self,
        account: &AccountId,
        password_hash: Option<&str>,
        client: &SessionClient,
        now: Millis,
    ) -> Result<Option<Session>, StoreError> {
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
            let query = sqlx::query_scalar(IS_PASSWORD).bind(account.as_str()).bind(hash);
            let same: i64 = query.fetch_one(&mut *tx).await?;
            if same == 0 {
                return Ok(None);
            }
        }
        let device = device::remember(&mut tx, account, client.device.as_deref(), now).await?;
        sqlx::query(INSERT)
            .bind(fingerprint(token.reveal()))
            .bind(account.as_str())
            .bind(now.0)
            .bind(expires_at.0)
            .bind(id.as_str())
            .bind(client.address.map(|address| address.to_string()))
            .bind(user_agent)
            .bind(fingerprint(&device.token))
            .execute(&mut *tx)
            .await?;
        let bound = sqlx::query(END_OLDEST).bind(account.as_str()).bind(MAX_SESSIONS);
        bound.execute(&mut *tx).await?;
        let record = AuditRecord::of(account, AuditAction::SessionOpened)
            .object("session", id.as_str())
            .detail("known_device", device.known)
            .at(now);
        self.append_audit(&mut tx, record).await?;
        tx.commit().await?;
        let token = token.reveal().to_owned();
        Ok(Some(Session { token, expires_at, device: Some(device.token) }))
    }

    /// The caller with this session token.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn authenticate_session(
        &self,
        token: &str,
        now: Millis,
    ) -> Result<Option<SessionCaller>, StoreError> {
        if !token.starts_with(SessionToken::PREFIX) {
            return Ok(None);
        }
        let hash = fingerprint(token);
        let row = sqlx::query(FIND).bind(&hash).bind(now.0).fetch_optional(self.reader()?).await?;
        let Some(row) = row else { return Ok(None) };
        let last_used_at = optional_millis(&row, "last_used_at")?;
        if last_used_at.is_none_or(|last| now.since(last) >= USE_EVERY) {
            let mut tx = self.begin().await?;
            sqlx::query(USE).bind(&hash).bind(now.0).execute(&mut *tx).await?;
            tx.commit().await?;
        }
        Ok(Some(SessionCaller {
            account: parsed(&row, "account_id")?,
            session: parsed(&row, "id")?,
        }))
    }

    /// Ends a session; false when it has ended before.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn end_session(&self, token: &str) -> Result<bool, StoreError> {
        let mut tx = self.begin().await?;
        let row = sqlx::query(END).bind(fingerprint(token)).fetch_optional(&mut *tx).await?;
        let Some(row) = row else { return Ok(false) };
        let record = AuditRecord::of(&parsed(&row, "account_id")?, AuditAction::SessionEnded)
            .object("session", row.try_get::<String, _>("id")?);
        self.append_audit(&mut tx, record).await?;
        tx.commit().await?;
        Ok(true)
    }

    /// The account's valid sessions, newest first; `current` is the caller's own.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn sessions(
        &self,
        account: &AccountId,
        current: Option<&SessionId>,
        now: Millis,
    ) -> Result<Vec<SessionDetails>, StoreError> {
        let list = sqlx::query(LIST).bind(account.as_str()).bind(now.0);
        list.fetch_all(self.reader()?)
            .await?
            .iter()
            .map(|row| {
                let id: SessionId = parsed(row, "id")?;
                Ok(SessionDetails {
                    current: current == Some(&id),
                    id,
                    created_at: Millis(row.try_get("created_at")?),
                    last_used_at: optional_millis(row, "last_used_at")?,
                    expires_at: Millis(row.try_get("expires_at")?),
                    address: row.try_get("address")?,
                    user_agent: row.try_get("user_agent")?,
                })
            })
            .collect()
    }

    /// Ends one session of the account; false when it has no such session.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn revoke_session(
        &self,
        account: &AccountId,
        id: &SessionId,
    ) -> Result<bool, StoreError> {
        let mut tx = self.begin().await?;
        let revoke = sqlx::query(REVOKE).bind(account.as_str()).bind(id.as_str());
        if revoke.execute(&mut *tx).await?.rows_affected() == 0 {
            return Ok(false);
        }
        let record =
            AuditRecord::of(account, AuditAction::SessionEnded).object("session", id.as_str());
        self.append_audit(&mut tx, record).await?;
        tx.commit().await?;
        Ok(true)
    }

    /// Ends all sessions of the account and deletes its devices. Returns the number of ended
    /// sessions.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn end_sessions(&self, account: &AccountId) -> Result<u64, StoreError> {
        let mut tx = self.begin().await?;
        let ended = end_all(&mut tx, account, None).await?;
        let record = AuditRecord::of(account, AuditAction::SessionsEnded).detail("sessions", ended);
        self.append_audit(&mut tx, record).await?;
        tx.commit().await?;
        Ok(ended)
    }
}

/// Ends the account's sessions and deletes its devices, except one session and its device.
pub(crate) async fn end_all(
    tx: &mut Transaction<'static, Any>,
    account: &AccountId,
    keep: Option<&SessionId>,
) -> Result<u64, StoreError> {
    let keep = keep.map_or("", SessionId::as_str);
    let ended = sqlx::query(END_ALL).bind(account.as_str()).bind(keep).execute(&mut **tx).await?;
    device::delete_others(tx, account).await?;
    Ok(ended.rows_affected())
}
