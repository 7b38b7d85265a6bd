//! Access tokens: what an application calls with, for as long as it may.

use std::time::Duration;

use contract::{AccountId, ApplicationId, CredentialLimits, Millis, OauthScopes};
use sqlx::Row;

use crate::account::account_id;
use crate::application::{application_id, scopes};
use crate::credential::fingerprint;
use crate::limits::limit_columns;
use crate::{AccessToken, RefreshToken, Store, StoreError, limits};

/// An application's use is written down at most this often.
const USE_EVERY: Duration = Duration::from_secs(60);

/// Whoever authenticated by an access token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApplicationCaller {
    pub account: AccountId,
    pub application: ApplicationId,
    pub scopes: OauthScopes,
    /// Whether the token is for the tools of assistants alone.
    pub mcp_only: bool,
    pub limits: CredentialLimits,
}

/// What became of a token that was given back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GivenBack {
    /// It is refused from now on, or was so already.
    Ended,
    /// It is another application's.
    NotYours,
}

const FIND: &str = concat!(
    "SELECT z.account_id, z.application_id, t.scopes, t.mcp_only, g.last_used_at, ",
    limit_columns!(),
    " FROM access_tokens t JOIN authorizations z ON z.id = t.authorization_id \
     JOIN application_grants g \
     ON g.account_id = z.account_id AND g.application_id = z.application_id \
     LEFT JOIN credential_limits l \
     ON l.account_id = z.account_id AND l.holder = z.application_id \
     WHERE t.token_hash = $1 AND t.expires_at > $2 \
     AND (l.expires_at IS NULL OR l.expires_at > $2)"
);
const USE: &str = "UPDATE application_grants SET last_used_at = $3 \
    WHERE account_id = $1 AND application_id = $2 \
    AND (last_used_at IS NULL OR last_used_at <= $4)";
const OWNER_BY_ACCESS: &str = "SELECT z.id, z.application_id FROM access_tokens t \
    JOIN authorizations z ON z.id = t.authorization_id WHERE t.token_hash = $1";
const OWNER_BY_REFRESH: &str = "SELECT z.id, z.application_id FROM refresh_tokens t \
    JOIN authorizations z ON z.id = t.authorization_id WHERE t.token_hash = $1";
const DELETE: &str = "DELETE FROM access_tokens WHERE token_hash = $1";

impl Store {
    /// Whoever this access token belongs to. Asked of the database every time: what is taken
    /// back is refused from that instant on.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn authenticate_access_token(
        &self,
        token: &str,
        now: Millis,
    ) -> Result<Option<ApplicationCaller>, StoreError> {
        if !token.starts_with(AccessToken::PREFIX) {
            return Ok(None);
        }
        let row = sqlx::query(FIND)
            .bind(fingerprint(token))
            .bind(now.0)
            .fetch_optional(self.reader()?)
            .await?;
        let Some(row) = row else { return Ok(None) };
        let caller = ApplicationCaller {
            account: account_id(&row, "account_id")?,
            application: application_id(&row, "application_id")?,
            scopes: scopes(&row, "scopes")?,
            mcp_only: row.try_get::<i64, _>("mcp_only")? != 0,
            limits: limits::read(&row, now)?,
        };
        let last_used_at = row.try_get::<Option<i64>, _>("last_used_at")?.map(Millis);
        if last_used_at.is_none_or(|last| now.since(last) >= USE_EVERY) {
            let before = now.0 - i64::try_from(USE_EVERY.as_millis()).unwrap_or(0);
            let mut tx = self.begin().await?;
            sqlx::query(USE)
                .bind(caller.account.as_str())
                .bind(caller.application.as_str())
                .bind(now.0)
                .bind(before)
                .execute(&mut *tx)
                .await?;
            tx.commit().await?;
        }
        Ok(Some(caller))
    }

    /// Takes a token back: an access token alone, a refresh token with all that came of the
    /// same approval. One that nobody knows is as good as taken back.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn give_back_token(
        &self,
        application: &ApplicationId,
        token: &str,
    ) -> Result<GivenBack, StoreError> {
        let is_refresh = token.starts_with(RefreshToken::PREFIX);
        let find = if is_refresh { OWNER_BY_REFRESH } else { OWNER_BY_ACCESS };
        let hash = fingerprint(token);
        let mut tx = self.begin().await?;
        let row = sqlx::query(find).bind(&hash).fetch_optional(&mut *tx).await?;
        let Some(row) = row else { return Ok(GivenBack::Ended) };
        if application_id(&row, "application_id")? != *application {
            return Ok(GivenBack::NotYours);
        }
        if is_refresh {
            let id: String = row.try_get("id")?;
            self.end_authorization(&mut tx, &id, "the application gave it back").await?;
        } else {
            sqlx::query(DELETE).bind(&hash).execute(&mut *tx).await?;
        }
        tx.commit().await?;
        Ok(GivenBack::Ended)
    }
}
