//! OAuth access tokens: authentication and revocation (RFC 7009).

use std::time::Duration;

use contract::{AccountId, ApplicationId, CredentialLimits, Millis, OauthScopes};

use crate::columns::{ExecuteIn, ReadColumn, read_row, sql};
use crate::credential::fingerprint;
use crate::limits::limit_columns;
use crate::{AccessToken, RefreshToken, Result, Store, limits};

/// Minimum time between two updates of `last_used_at`.
const USE_EVERY: Duration = Duration::from_secs(60);

/// A caller that authenticated with an access token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApplicationCaller {
    pub account: AccountId,
    /// Whether the account is suspended, so that its requests are refused.
    pub is_suspended: bool,
    pub application: ApplicationId,
    pub scopes: OauthScopes,
    /// Whether the token is valid for MCP only.
    pub mcp_only: bool,
    pub limits: CredentialLimits,
}

/// The outcome of a token revocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenRevocation {
    /// The token is revoked now, or was not valid before.
    Revoked,
    /// The token belongs to another application.
    WrongApplication,
}

const FIND: &str = concat!(
    "SELECT z.account_id, z.application_id, t.scopes, t.mcp_only, g.last_used_at, \
     a.suspended_at, ",
    limit_columns!(),
    " FROM access_tokens t JOIN authorizations z ON z.id = t.authorization_id \
     JOIN accounts a ON a.id = z.account_id AND a.deleted_at IS NULL \
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
    /// The caller with this access token. Reads the database on every call, so that a revocation
    /// takes effect at once.
    pub async fn authenticate_access_token(
        &self,
        token: &str,
        now: Millis,
    ) -> Result<Option<ApplicationCaller>> {
        if !token.starts_with(AccessToken::PREFIX) {
            return Ok(None);
        }
        let row = sql!(FIND; fingerprint(token), now).fetch_optional(self.reader()?).await?;
        let Some(row) = row else { return Ok(None) };
        let caller = read_row!(row => ApplicationCaller {
            account = "account_id", application = "application_id", scopes, mcp_only;
            is_suspended: row.read::<Option<i64>>("suspended_at")?.is_some(),
            limits: limits::read(&row, now)?,
        });
        let last_used_at: Option<Millis> = row.read("last_used_at")?;
        if last_used_at.is_none_or(|last| now.since(last) >= USE_EVERY) {
            let before = now.minus(USE_EVERY);
            self.execute(sql!(USE; caller.account, caller.application, now, before)).await?;
        }
        Ok(Some(caller))
    }

    /// Revokes an access token, or with a refresh token the whole authorization. An unknown token
    /// counts as revoked.
    pub async fn revoke_token(
        &self,
        application: &ApplicationId,
        token: &str,
    ) -> Result<TokenRevocation> {
        let is_refresh = token.starts_with(RefreshToken::PREFIX);
        let find = if is_refresh { OWNER_BY_REFRESH } else { OWNER_BY_ACCESS };
        let hash = fingerprint(token);
        let mut tx = self.begin().await?;
        let row = sql!(find; hash).fetch_optional(&mut *tx).await?;
        let Some(row) = row else { return Ok(TokenRevocation::Revoked) };
        if row.read::<ApplicationId>("application_id")? != *application {
            return Ok(TokenRevocation::WrongApplication);
        }
        if is_refresh {
            let id: String = row.read("id")?;
            self.end_authorization(&mut tx, &id, "the application revoked it").await?;
        } else {
            sql!(DELETE; hash).run(&mut tx).await?;
        }
        tx.commit().await?;
        Ok(TokenRevocation::Revoked)
    }
}
