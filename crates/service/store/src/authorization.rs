//! What comes of an approval: a code, then tokens, each good for one use or for a time.
//!
//! Whoever gives something out of an authorization holds its row; whoever ends it deletes the
//! row first. So a code and a refresh token give tokens once, however many ask at the same
//! time, and nothing is given after the end. Rows are locked in the order account, grant,
//! authorization, tokens.

use std::time::Duration;

use contract::{
    AccountId, ApplicationId, AuditAction, AuthorizationId, Creator, CredentialLimits, Millis,
    OauthScopes,
};
use data_encoding::BASE64URL_NOPAD;
use sha2::{Digest, Sha256};
use sqlx::any::AnyRow;
use sqlx::{Any, Row, Transaction};

use crate::account::account_id;
use crate::application::{application_id, scopes};
use crate::create::lock_active_account;
use crate::credential::fingerprint;
use crate::{
    AccessToken, AuditRecord, AuthorizationCode, LimitChange, RefreshToken, Store, StoreError,
    limits, random,
};

/// How long a code lives.
const CODE_LIFETIME: Duration = Duration::from_secs(60);
/// How long an access token lives.
const ACCESS_LIFETIME: Duration = Duration::from_secs(60 * 60);
/// How long an application may be idle before a person has to approve it again.
const REFRESH_LIFETIME: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Authorizations that an application has of an account at most: with one more, the oldest ends.
const AUTHORIZATIONS: i64 = 20;

/// What a person approves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approval {
    pub account: AccountId,
    pub application: ApplicationId,
    /// Where the code is sent.
    pub redirect_uri: String,
    /// The SHA-256 of what whoever redeems the code has to know, in base64url.
    pub challenge: String,
    pub scopes: OauthScopes,
    /// Whether tokens are for the tools of assistants alone.
    pub mcp_only: bool,
    /// Changes to the limits that an earlier approval left.
    pub limits: LimitChange,
}

/// What is shown to have tokens for a code.
#[derive(Debug, Clone)]
pub struct CodeShown<'r> {
    pub application: &'r ApplicationId,
    pub code: &'r str,
    pub verifier: &'r str,
    /// The redirect URI that the code was sent to, if the application says it.
    pub redirect_uri: Option<&'r str>,
    pub mcp_only: Option<bool>,
}

/// What is shown to have the next tokens.
#[derive(Debug, Clone)]
pub struct RefreshShown<'r> {
    pub application: &'r ApplicationId,
    pub token: &'r str,
    /// Fewer scopes than were granted.
    pub scopes: Option<OauthScopes>,
    pub mcp_only: Option<bool>,
}

/// Tokens for an application. Shown once.
#[derive(Debug)]
pub struct IssuedTokens {
    pub access: AccessToken,
    pub refresh: RefreshToken,
    pub scopes: OauthScopes,
    /// How long the access token lives.
    pub lives: Duration,
}

/// Why there are no tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokensRefused {
    /// Unknown, over, or of another application.
    Unknown,
    /// It was used before: all that came of it has ended.
    Replayed,
    /// The verifier or the redirect URI is not the code's: the code is void.
    WrongProof,
    /// More scopes than were granted.
    Scope,
    /// Another target than was granted.
    Target,
    /// The account is suspended: the code or the token is not used up.
    Suspended,
}

const GRANT: &str = "INSERT INTO application_grants \
    (account_id, application_id, granted_at) VALUES ($1, $2, $3) \
    ON CONFLICT (account_id, application_id) DO NOTHING";
const GRANT_AGAIN: &str = "UPDATE application_grants SET granted_at = $3 \
    WHERE account_id = $1 AND application_id = $2";
/// A new approval revives a connection that had expired.
const REVIVE: &str = "UPDATE credential_limits SET expires_at = NULL \
    WHERE account_id = $1 AND holder = $2 AND expires_at <= $3";
const INSERT: &str = "INSERT INTO authorizations (id, account_id, application_id, code_hash, \
    code_expires_at, shown, redirect_uri, challenge, scopes, mcp_only) \
    VALUES ($1, $2, $3, $4, $5, 0, $6, $7, $8, $9)";
/// Holds the row, so that the second to show a code finds that it is the second.
const SHOW_CODE: &str = "UPDATE authorizations SET shown = shown + 1 \
    WHERE code_hash = $1 AND application_id = $2 \
    RETURNING id, code_expires_at, shown, redirect_uri, challenge, scopes, mcp_only";
const FIND_REFRESH: &str = "SELECT t.authorization_id FROM refresh_tokens t \
    JOIN authorizations z ON z.id = t.authorization_id LEFT JOIN credential_limits l \
    ON l.account_id = z.account_id AND l.holder = z.application_id \
    WHERE t.token_hash = $1 AND t.expires_at > $2 \
    AND (l.expires_at IS NULL OR l.expires_at > $2)";
const HOLD: &str = "UPDATE authorizations SET shown = shown WHERE id = $1 AND application_id = $2 \
    RETURNING id, scopes, mcp_only";
const USE_REFRESH: &str =
    "UPDATE refresh_tokens SET used = used + 1 WHERE token_hash = $1 RETURNING used";
const INSERT_ACCESS: &str = "INSERT INTO access_tokens \
    (token_hash, authorization_id, scopes, mcp_only, expires_at) VALUES ($1, $2, $3, $4, $5)";
const INSERT_REFRESH: &str = "INSERT INTO refresh_tokens \
    (token_hash, authorization_id, expires_at, used) VALUES ($1, $2, $3, 0)";
const IS_SUSPENDED: &str = "SELECT COUNT(*) FROM authorizations z \
    JOIN accounts a ON a.id = z.account_id WHERE z.id = $1 AND a.suspended_at IS NOT NULL";
const SURPLUS: &str = "SELECT id FROM authorizations \
    WHERE account_id = $1 AND application_id = $2 ORDER BY id DESC LIMIT 1000000 OFFSET $3";
const OWNER: &str = "SELECT account_id, application_id FROM authorizations WHERE id = $1";
const OWNER_BY_CODE: &str =
    "SELECT account_id, application_id FROM authorizations WHERE code_hash = $1";
const HOLD_GRANT: &str = "UPDATE application_grants SET granted_at = granted_at \
    WHERE account_id = $1 AND application_id = $2";
/// Authorizations whose code expired and that have no refresh token.
macro_rules! lapsed {
    ($more:literal) => {
        concat!(
            "SELECT id FROM authorizations WHERE code_expires_at <= $1 AND NOT EXISTS (SELECT 1 \
             FROM refresh_tokens r WHERE r.authorization_id = authorizations.id)",
            $more
        )
    };
}
pub(crate) const LAPSED: &str = lapsed!("");
const IS_LAPSED: &str = lapsed!(" AND id = $2");
const LEFT: &str =
    "SELECT COUNT(*) FROM authorizations WHERE account_id = $1 AND application_id = $2";
const DELETE: &str = "DELETE FROM authorizations WHERE id = $1";
const DELETE_ALL: &str = "DELETE FROM authorizations \
    WHERE account_id = $1 AND application_id = $2 RETURNING id";
const DELETE_ACCESS: &str = "DELETE FROM access_tokens WHERE authorization_id = $1";
const DELETE_REFRESH: &str = "DELETE FROM refresh_tokens WHERE authorization_id = $1";

impl Store {
    /// Writes a person's word down and gives the code for it.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn approve(
        &self,
        approval: &Approval,
        now: Millis,
    ) -> Result<AuthorizationCode, StoreError> {
        let code = AuthorizationCode::mint();
        let mut tx = self.begin().await?;
        let (account, holder) = (&approval.account, approval.application.as_str());
        // The order of rows: account, grant, limits.
        lock_active_account(&mut tx, account).await?;
        let mut is_new = false;
        for statement in [GRANT, GRANT_AGAIN, REVIVE] {
            let done = sqlx::query(statement)
                .bind(account.as_str())
                .bind(holder)
                .bind(now.0)
                .execute(&mut *tx)
                .await?;
            is_new |= statement == GRANT && done.rows_affected() == 1;
        }
        limits::begin(&mut tx, account, holder, is_new).await?;
        limits::change(&mut tx, account, holder, &approval.limits).await?;
        sqlx::query(INSERT)
            .bind(AuthorizationId::new(now, random()).as_str())
            .bind(approval.account.as_str())
            .bind(approval.application.as_str())
            .bind(fingerprint(code.reveal()))
            .bind(now.plus(CODE_LIFETIME).0)
            .bind(&approval.redirect_uri)
            .bind(&approval.challenge)
            .bind(approval.scopes.to_string())
            .bind(i64::from(approval.mcp_only))
            .execute(&mut *tx)
            .await?;
        let surplus: Vec<String> = sqlx::query_scalar(SURPLUS)
            .bind(account.as_str())
            .bind(holder)
            .bind(AUTHORIZATIONS)
            .fetch_all(&mut *tx)
            .await?;
        for id in surplus {
            end(&mut tx, &id).await?;
        }
        let set = limits::set(&mut tx, account, holder).await?;
        let record = AuditRecord::of(&approval.account, AuditAction::GrantCreated)
            .object("application", approval.application.as_str())
            .changes(&CredentialLimits::default(), &set)
            .detail("scopes", approval.scopes.to_string())
            .at(now);
        self.append_audit(&mut tx, record).await?;
        tx.commit().await?;
        Ok(code)
    }

    /// Tokens for a code, once. A code that is shown again takes back what it gave, and one
    /// that is shown with a wrong proof is void: either way it is in two hands.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn redeem_code(
        &self,
        shown: &CodeShown<'_>,
        now: Millis,
    ) -> Result<Result<IssuedTokens, TokensRefused>, StoreError> {
        let hash = fingerprint(shown.code);
        let mut tx = self.begin().await?;
        hold_grant(&mut tx, OWNER_BY_CODE, &hash).await?;
        let row = sqlx::query(SHOW_CODE)
            .bind(&hash)
            .bind(shown.application.as_str())
            .fetch_optional(&mut *tx)
            .await?;
        let Some(row) = row else { return Ok(Err(TokensRefused::Unknown)) };
        let held = Held::read(&row)?;
        let times: i64 = row.try_get("shown")?;
        let expires_at: i64 = row.try_get("code_expires_at")?;
        let redirect_uri: String = row.try_get("redirect_uri")?;
        let challenge: String = row.try_get("challenge")?;
        let refused = if times > 1 {
            Some(TokensRefused::Replayed)
        } else if expires_at <= now.0 {
            Some(TokensRefused::Unknown)
        } else if challenge_of(shown.verifier) != challenge
            || shown.redirect_uri.is_some_and(|given| given != redirect_uri)
        {
            Some(TokensRefused::WrongProof)
        } else {
            None
        };
        if let Some(refused) = refused {
            self.end_authorization(&mut tx, &held.id, cause(refused)).await?;
            tx.commit().await?;
            return Ok(Err(refused));
        }
        let Some(mcp_only) = held.narrowed(shown.mcp_only) else {
            return Ok(Err(TokensRefused::Target));
        };
        if is_suspended(&mut tx, &held).await? {
            return Ok(Err(TokensRefused::Suspended));
        }
        let scopes = held.scopes.clone();
        let tokens = issue(&mut tx, &held, scopes, mcp_only, now).await?;
        tx.commit().await?;
        Ok(Ok(tokens))
    }

    /// The next tokens for a refresh token, once. One that is shown again ends all that came of
    /// the same approval.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn refresh(
        &self,
        shown: &RefreshShown<'_>,
        now: Millis,
    ) -> Result<Result<IssuedTokens, TokensRefused>, StoreError> {
        let hash = fingerprint(shown.token);
        let mut tx = self.begin().await?;
        let authorization: Option<String> = sqlx::query_scalar(FIND_REFRESH)
            .bind(&hash)
            .bind(now.0)
            .fetch_optional(&mut *tx)
            .await?;
        let Some(authorization) = authorization else { return Ok(Err(TokensRefused::Unknown)) };
        hold_grant(&mut tx, OWNER, &authorization).await?;
        let row = sqlx::query(HOLD)
            .bind(authorization)
            .bind(shown.application.as_str())
            .fetch_optional(&mut *tx)
            .await?;
        let Some(row) = row else { return Ok(Err(TokensRefused::Unknown)) };
        let held = Held::read(&row)?;
        // What could be asked for again is judged before the token is used up.
        let scopes = shown.scopes.clone().unwrap_or_else(|| held.scopes.clone());
        if !scopes.are_within(&held.scopes) {
            return Ok(Err(TokensRefused::Scope));
        }
        let Some(mcp_only) = held.narrowed(shown.mcp_only) else {
            return Ok(Err(TokensRefused::Target));
        };
        if is_suspended(&mut tx, &held).await? {
            return Ok(Err(TokensRefused::Suspended));
        }
        let used: Option<i64> =
            sqlx::query_scalar(USE_REFRESH).bind(&hash).fetch_optional(&mut *tx).await?;
        match used {
            Some(1) => {
                let tokens = issue(&mut tx, &held, scopes, mcp_only, now).await?;
                tx.commit().await?;
                Ok(Ok(tokens))
            }
            // Ended between the two looks.
            None => Ok(Err(TokensRefused::Unknown)),
            Some(_) => {
                let refused = TokensRefused::Replayed;
                self.end_authorization(&mut tx, &held.id, cause(refused)).await?;
                tx.commit().await?;
                Ok(Err(refused))
            }
        }
    }

    /// Ends an authorization whose code expired and that has no refresh token, unless its code was
    /// redeemed meanwhile.
    pub(crate) async fn end_lapsed(
        &self,
        tx: &mut Transaction<'static, Any>,
        id: &str,
        now: Millis,
    ) -> Result<(), StoreError> {
        hold_grant(tx, OWNER, id).await?;
        let lapsed = sqlx::query(IS_LAPSED).bind(now.0).bind(id).fetch_optional(&mut **tx).await?;
        if lapsed.is_none() {
            return Ok(());
        }
        self.end_authorization(tx, id, "it was not used for too long").await
    }

    /// Ends an authorization with all that came of it. With the last one of an account, the
    /// application is in no list and cannot be disconnected any more: what it made is paused then,
    /// as by a disconnection. Its grant is purged later, so that another approval finds its limits.
    pub(crate) async fn end_authorization(
        &self,
        tx: &mut Transaction<'static, Any>,
        id: &str,
        cause: &'static str,
    ) -> Result<(), StoreError> {
        let owner = hold_grant(tx, OWNER, id).await?;
        let ended = end(tx, id).await?;
        let Some((account, application)) = owner.filter(|_| ended) else { return Ok(()) };
        let left: i64 = sqlx::query_scalar(LEFT)
            .bind(account.as_str())
            .bind(application.as_str())
            .fetch_one(&mut **tx)
            .await?;
        if left > 0 {
            return Ok(());
        }
        let record = AuditRecord::of(&account, AuditAction::GrantRevoked)
            .object("application", application.as_str())
            .detail("cause", cause);
        self.append_audit(tx, record).await?;
        self.pause_made_by(tx, &account, &Creator::Application(application)).await
    }
}

/// Why an authorization ends with a refusal, for the audit log.
fn cause(refused: TokensRefused) -> &'static str {
    match refused {
        TokensRefused::Replayed => "a code or refresh token was used twice",
        TokensRefused::WrongProof => "a code was shown with a wrong proof",
        TokensRefused::Unknown
        | TokensRefused::Scope
        | TokensRefused::Target
        | TokensRefused::Suspended => "the code has expired",
    }
}

/// An authorization whose row is held.
struct Held {
    id: String,
    scopes: OauthScopes,
    mcp_only: bool,
}

impl Held {
    fn read(row: &AnyRow) -> Result<Self, StoreError> {
        Ok(Self {
            id: row.try_get("id")?,
            scopes: scopes(row, "scopes")?,
            mcp_only: row.try_get::<i64, _>("mcp_only")? != 0,
        })
    }

    /// What a token is for: as was granted or, if asked for, less. None when it would be more.
    fn narrowed(&self, asked: Option<bool>) -> Option<bool> {
        match asked {
            None => Some(self.mcp_only),
            Some(mcp_only) => (mcp_only || !self.mcp_only).then_some(mcp_only),
        }
    }
}

async fn is_suspended(tx: &mut Transaction<'static, Any>, held: &Held) -> Result<bool, StoreError> {
    let found: i64 = sqlx::query_scalar(IS_SUSPENDED).bind(&held.id).fetch_one(&mut **tx).await?;
    Ok(found > 0)
}

async fn issue(
    tx: &mut Transaction<'static, Any>,
    held: &Held,
    scopes: OauthScopes,
    mcp_only: bool,
    now: Millis,
) -> Result<IssuedTokens, StoreError> {
    let (access, refresh) = (AccessToken::mint(), RefreshToken::mint());
    sqlx::query(INSERT_ACCESS)
        .bind(fingerprint(access.reveal()))
        .bind(&held.id)
        .bind(scopes.to_string())
        .bind(i64::from(mcp_only))
        .bind(now.plus(ACCESS_LIFETIME).0)
        .execute(&mut **tx)
        .await?;
    sqlx::query(INSERT_REFRESH)
        .bind(fingerprint(refresh.reveal()))
        .bind(&held.id)
        .bind(now.plus(REFRESH_LIFETIME).0)
        .execute(&mut **tx)
        .await?;
    Ok(IssuedTokens { access, refresh, scopes, lives: ACCESS_LIFETIME })
}

/// Holds the grant that an authorization belongs to: the authorizations of an application end one
/// after the other, so that the last one finds that none is left. Returns the authorization's
/// account and application.
async fn hold_grant(
    tx: &mut Transaction<'static, Any>,
    owner: &'static str,
    name: &str,
) -> Result<Option<(AccountId, ApplicationId)>, StoreError> {
    let row = sqlx::query(owner).bind(name).fetch_optional(&mut **tx).await?;
    let Some(row) = row else { return Ok(None) };
    let account = account_id(&row, "account_id")?;
    let application = application_id(&row, "application_id")?;
    sqlx::query(HOLD_GRANT)
        .bind(account.as_str())
        .bind(application.as_str())
        .execute(&mut **tx)
        .await?;
    Ok(Some((account, application)))
}

/// Deletes an authorization and its tokens; false when its row was deleted before. The row is
/// deleted first: issuing a token locks it.
async fn end(tx: &mut Transaction<'static, Any>, id: &str) -> Result<bool, StoreError> {
    let ended = sqlx::query(DELETE).bind(id).execute(&mut **tx).await?;
    for statement in [DELETE_ACCESS, DELETE_REFRESH] {
        sqlx::query(statement).bind(id).execute(&mut **tx).await?;
    }
    Ok(ended.rows_affected() > 0)
}

/// Ends whatever the account has approved for an application.
pub(crate) async fn end_all(
    tx: &mut Transaction<'static, Any>,
    account: &AccountId,
    application: &ApplicationId,
) -> Result<(), StoreError> {
    let ended: Vec<String> = sqlx::query_scalar(DELETE_ALL)
        .bind(account.as_str())
        .bind(application.as_str())
        .fetch_all(&mut **tx)
        .await?;
    for id in ended {
        end(tx, &id).await?;
    }
    Ok(())
}

/// The challenge that goes with a verifier: S256 of RFC 7636.
fn challenge_of(verifier: &str) -> String {
    BASE64URL_NOPAD.encode(Sha256::digest(verifier.as_bytes()).as_slice())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_challenge_is_that_of_the_standards_example() {
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
        assert_eq!(challenge_of(verifier), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
    }
}
