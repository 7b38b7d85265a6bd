//! Account sessions: what a person has instead of an API key.

use std::time::Duration;

use contract::{AccountId, Millis, Session};

use crate::account::account_id;
use crate::credential::fingerprint;
use crate::{SessionToken, Store, StoreError};

/// How long a session lasts.
const LIFETIME: Duration = Duration::from_secs(12 * 60 * 60);

/// Whoever authenticated by a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionCaller {
    pub account: AccountId,
}

const INSERT: &str = "INSERT INTO sessions (token_hash, account_id, created_at, expires_at) \
    VALUES ($1, $2, $3, $4)";
const FIND: &str = "SELECT account_id FROM sessions WHERE token_hash = $1 AND expires_at > $2";
const END: &str = "DELETE FROM sessions WHERE token_hash = $1";

impl Store {
    /// Opens a session.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn open_session(
        &self,
        account: &AccountId,
        now: Millis,
    ) -> Result<Session, StoreError> {
        let token = SessionToken::mint();
        let expires_at = now.plus(LIFETIME);
        let mut tx = self.begin().await?;
        sqlx::query(INSERT)
            .bind(fingerprint(token.reveal()))
            .bind(account.as_str())
            .bind(now.0)
            .bind(expires_at.0)
            .execute(&mut *tx)
            .await?;
        tx.commit().await?;
        Ok(Session { token: token.reveal().to_owned(), expires_at })
    }

    /// Whoever this token belongs to.
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
        let row = sqlx::query(FIND)
            .bind(fingerprint(token))
            .bind(now.0)
            .fetch_optional(self.reader()?)
            .await?;
        row.map(|row| Ok(SessionCaller { account: account_id(&row, "account_id")? })).transpose()
    }

    /// Ends a session; false when it was over already.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn end_session(&self, token: &str) -> Result<bool, StoreError> {
        let mut tx = self.begin().await?;
        let ended = sqlx::query(END).bind(fingerprint(token)).execute(&mut *tx).await?;
        tx.commit().await?;
        Ok(ended.rows_affected() > 0)
    }
}
