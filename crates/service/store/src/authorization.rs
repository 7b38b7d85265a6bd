//! OAuth authorizations: an approval creates a code, the code is exchanged for tokens, and refresh
//! tokens rotate.
//!
//! Issuing tokens locks the authorization's row, and ending an authorization deletes that row
//! first. So concurrent requests exchange a code or refresh token once, and nothing is issued after
//! the end. Rows are locked in the order account, grant, authorization, tokens.

use std::time::Duration;

use contract::{
    AccountId, ApplicationId, AuditAction, AuthorizationId, Creator, CredentialLimits, Millis,
    OauthScopes,
};
use data_encoding::BASE64URL_NOPAD;
use sha2::{Digest, Sha256};
use sqlx::any::AnyRow;

use crate::account_lock::lock_active_account;
use crate::columns::{ExecuteIn, ReadColumn, Tx, read_row, scalar, sql};
use crate::credential::fingerprint;
use crate::{
    AccessToken, AuditRecord, AuthorizationCode, LimitChange, RefreshToken, Result, Store, limits,
    random,
};

const CODE_LIFETIME: Duration = Duration::from_secs(60);
const ACCESS_LIFETIME: Duration = Duration::from_secs(60 * 60);
/// An application that is idle for longer has to be approved again.
const REFRESH_LIFETIME: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Maximum authorizations per account and application; beyond it the oldest ends.
const MAX_AUTHORIZATIONS: i64 = 20;

/// An approval by the account's owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approval {
    pub account: AccountId,
    pub application: ApplicationId,
    pub redirect_uri: String,
    /// PKCE code challenge (S256): the SHA-256 of the verifier, in base64url.
    pub challenge: String,
    pub scopes: OauthScopes,
    /// Whether the tokens are valid for MCP only.
    pub mcp_only: bool,
    /// Changes to the limits of an earlier approval.
    pub limits: LimitChange,
}

/// A token request with an authorization code.
#[derive(Debug, Clone)]
pub struct CodeExchange<'r> {
    pub application: &'r ApplicationId,
    pub code: &'r str,
    pub verifier: &'r str,
    /// The redirect URI of the authorization request, if the application sends it.
    pub redirect_uri: Option<&'r str>,
    pub mcp_only: Option<bool>,
}

/// A token request with a refresh token.
#[derive(Debug, Clone)]
pub struct RefreshExchange<'r> {
    pub application: &'r ApplicationId,
    pub token: &'r str,
    /// A subset of the granted scopes; `None` for all of them.
    pub scopes: Option<OauthScopes>,
    pub mcp_only: Option<bool>,
}

/// Tokens for an application. Only their hashes are stored.
#[derive(Debug)]
pub struct IssuedTokens {
    pub access: AccessToken,
    pub refresh: RefreshToken,
    pub scopes: OauthScopes,
    /// Lifetime of the access token.
    pub expires_in: Duration,
}

/// Why a token request is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenRejection {
    /// The code or token is unknown, expired, or of another application.
    Unknown,
    /// The code or token was used before: the whole authorization is revoked.
    Replayed,
    /// The verifier or the redirect URI does not match: the authorization is revoked.
    WrongProof,
    /// The request exceeds the granted scopes.
    Scope,
    /// The request is for the API, and the authorization for MCP only.
    Target,
    /// The account is suspended. The code or token can be used again later.
    Suspended,
}

const GRANT: &str = "INSERT INTO application_grants \
    (account_id, application_id, granted_at) VALUES ($1, $2, $3) \
    ON CONFLICT (account_id, application_id) DO NOTHING";
const GRANT_AGAIN: &str = "UPDATE application_grants SET granted_at = $3 \
    WHERE account_id = $1 AND application_id = $2";
/// A new approval removes the expiry of a connection that has expired.
const CLEAR_EXPIRY: &str = "UPDATE credential_limits SET expires_at = NULL \
    WHERE account_id = $1 AND holder = $2 AND expires_at <= $3";
const INSERT: &str = "INSERT INTO authorizations (id, account_id, application_id, code_hash, \
    code_expires_at, shown, redirect_uri, challenge, scopes, mcp_only) \
    VALUES ($1, $2, $3, $4, $5, 0, $6, $7, $8, $9)";
/// Locks the row and counts the exchange, so that a second one is detected.
const COUNT_EXCHANGE: &str = "UPDATE authorizations SET shown = shown + 1 \
    WHERE code_hash = $1 AND application_id = $2 \
    RETURNING id, code_expires_at, shown, redirect_uri, challenge, scopes, mcp_only";
const FIND_REFRESH: &str = "SELECT t.authorization_id FROM refresh_tokens t \
    JOIN authorizations z ON z.id = t.authorization_id LEFT JOIN credential_limits l \
    ON l.account_id = z.account_id AND l.holder = z.application_id \
    WHERE t.token_hash = $1 AND t.expires_at > $2 \
    AND (l.expires_at IS NULL OR l.expires_at > $2)";
const LOCK: &str = "UPDATE authorizations SET shown = shown WHERE id = $1 AND application_id = $2 \
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
const LOCK_GRANT: &str = "UPDATE application_grants SET granted_at = granted_at \
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
const REMAINING: &str =
    "SELECT COUNT(*) FROM authorizations WHERE account_id = $1 AND application_id = $2";
const DELETE: &str = "DELETE FROM authorizations WHERE id = $1";
const DELETE_ALL: &str = "DELETE FROM authorizations \
    WHERE account_id = $1 AND application_id = $2 RETURNING id";
const DELETE_ACCESS: &str = "DELETE FROM access_tokens WHERE authorization_id = $1";
const DELETE_REFRESH: &str = "DELETE FROM refresh_tokens WHERE authorization_id = $1";

impl Store {
    /// Stores an approval and returns its authorization code.
    pub async fn approve(&self, approval: &Approval, now: Millis) -> Result<AuthorizationCode> {
        let code = AuthorizationCode::mint();
        let mut tx = self.begin().await?;
        let (account, holder) = (&approval.account, approval.application.as_str());
        // Locked in the order account, grant, limits.
        lock_active_account(&mut tx, account).await?;
        let mut is_new = false;
        for statement in [GRANT, GRANT_AGAIN, CLEAR_EXPIRY] {
            let done = sql!(statement; account, holder, now).run(&mut tx).await?;
            is_new |= statement == GRANT && done == 1;
        }
        limits::ensure(&mut tx, account, holder, is_new).await?;
        limits::change(&mut tx, account, holder, &approval.limits).await?;
        sql!(INSERT; AuthorizationId::new(now, random()), approval.account, approval.application,
            fingerprint(code.reveal()), now.plus(CODE_LIFETIME), approval.redirect_uri,
            approval.challenge, approval.scopes, approval.mcp_only)
        .run(&mut tx)
        .await?;
        let surplus: Vec<String> =
            scalar!(SURPLUS; account, holder, MAX_AUTHORIZATIONS).fetch_all(&mut *tx).await?;
        for id in surplus {
            end(&mut tx, &id).await?;
        }
        let set = limits::configured(&mut tx, account, holder).await?;
        let record = AuditRecord::of(&approval.account, AuditAction::GrantCreated)
            .object("application", approval.application.as_str())
            .changes(&CredentialLimits::default(), &set)
            .detail("scopes", approval.scopes.to_string())
            .at(now);
        self.commit_audited(tx, record).await?;
        Ok(code)
    }

    /// Exchanges a code for tokens, once. Reusing a code or sending a wrong verifier revokes the
    /// whole authorization (RFC 6749 §4.1.2).
    pub async fn redeem_code(
        &self,
        request: &CodeExchange<'_>,
        now: Millis,
    ) -> Result<Result<IssuedTokens, TokenRejection>> {
        let hash = fingerprint(request.code);
        let mut tx = self.begin().await?;
        lock_grant(&mut tx, OWNER_BY_CODE, &hash).await?;
        let row = sql!(COUNT_EXCHANGE; hash, request.application).fetch_optional(&mut *tx).await?;
        let Some(row) = row else { return Ok(Err(TokenRejection::Unknown)) };
        let held = HeldAuthorization::read(&row)?;
        let exchanges: i64 = row.read("shown")?;
        let expires_at: i64 = row.read("code_expires_at")?;
        let redirect_uri: String = row.read("redirect_uri")?;
        let challenge: String = row.read("challenge")?;
        let rejection = if exchanges > 1 {
            Some(TokenRejection::Replayed)
        } else if expires_at <= now.0 {
            Some(TokenRejection::Unknown)
        } else if challenge_of(request.verifier) != challenge
            || request.redirect_uri.is_some_and(|given| given != redirect_uri)
        {
            Some(TokenRejection::WrongProof)
        } else {
            None
        };
        if let Some(rejection) = rejection {
            self.end_authorization(&mut tx, &held.id, cause(rejection)).await?;
            tx.commit().await?;
            return Ok(Err(rejection));
        }
        let Some(mcp_only) = held.narrowed(request.mcp_only) else {
            return Ok(Err(TokenRejection::Target));
        };
        if is_suspended(&mut tx, &held).await? {
            return Ok(Err(TokenRejection::Suspended));
        }
        let scopes = held.scopes.clone();
        let tokens = issue(&mut tx, &held, scopes, mcp_only, now).await?;
        tx.commit().await?;
        Ok(Ok(tokens))
    }

    /// Exchanges a refresh token for new tokens, once. Reusing it revokes the whole authorization
    /// (RFC 9700 §4.14).
    pub async fn refresh(
        &self,
        request: &RefreshExchange<'_>,
        now: Millis,
    ) -> Result<Result<IssuedTokens, TokenRejection>> {
        let hash = fingerprint(request.token);
        let mut tx = self.begin().await?;
        let authorization: Option<String> =
            scalar!(FIND_REFRESH; hash, now).fetch_optional(&mut *tx).await?;
        let Some(authorization) = authorization else { return Ok(Err(TokenRejection::Unknown)) };
        lock_grant(&mut tx, OWNER, &authorization).await?;
        let row = sql!(LOCK; authorization, request.application).fetch_optional(&mut *tx).await?;
        let Some(row) = row else { return Ok(Err(TokenRejection::Unknown)) };
        let held = HeldAuthorization::read(&row)?;
        // A request that the client can correct is rejected before the token is used up.
        let scopes = request.scopes.clone().unwrap_or_else(|| held.scopes.clone());
        if !scopes.are_within(&held.scopes) {
            return Ok(Err(TokenRejection::Scope));
        }
        let Some(mcp_only) = held.narrowed(request.mcp_only) else {
            return Ok(Err(TokenRejection::Target));
        };
        if is_suspended(&mut tx, &held).await? {
            return Ok(Err(TokenRejection::Suspended));
        }
        let used: Option<i64> = scalar!(USE_REFRESH; hash).fetch_optional(&mut *tx).await?;
        match used {
            Some(1) => {
                let tokens = issue(&mut tx, &held, scopes, mcp_only, now).await?;
                tx.commit().await?;
                Ok(Ok(tokens))
            }
            // Revoked between the two queries.
            None => Ok(Err(TokenRejection::Unknown)),
            Some(_) => {
                let rejection = TokenRejection::Replayed;
                self.end_authorization(&mut tx, &held.id, cause(rejection)).await?;
                tx.commit().await?;
                Ok(Err(rejection))
            }
        }
    }

    /// Ends an authorization whose code expired and that has no refresh token, unless its code was
    /// redeemed meanwhile.
    pub(crate) async fn end_lapsed(&self, tx: &mut Tx, id: &str, now: Millis) -> Result<()> {
        lock_grant(tx, OWNER, id).await?;
        let lapsed = sql!(IS_LAPSED; now, id).fetch_optional(&mut **tx).await?;
        if lapsed.is_none() {
            return Ok(());
        }
        self.end_authorization(tx, id, "it was not used for too long").await
    }

    /// Ends an authorization with its tokens. With the last one of an account, the application is
    /// not listed and cannot be disconnected any more: what it created is paused, as by a
    /// disconnection. Its grant is purged later, so that another approval keeps its limits.
    pub(crate) async fn end_authorization(
        &self,
        tx: &mut Tx,
        id: &str,
        cause: &'static str,
    ) -> Result<()> {
        let owner = lock_grant(tx, OWNER, id).await?;
        let ended = end(tx, id).await?;
        let Some((account, application)) = owner.filter(|_| ended) else { return Ok(()) };
        let remaining: i64 = scalar!(REMAINING; account, application).fetch_one(&mut **tx).await?;
        if remaining > 0 {
            return Ok(());
        }
        let record = AuditRecord::of(&account, AuditAction::GrantRevoked)
            .object("application", application.as_str())
            .detail("cause", cause);
        self.append_audit(tx, record).await?;
        self.pause_created_by(tx, &account, &Creator::Application(application)).await
    }
}

/// Why a rejected request ends the authorization, for the audit log.
fn cause(rejection: TokenRejection) -> &'static str {
    match rejection {
        TokenRejection::Replayed => "a code or refresh token was used twice",
        TokenRejection::WrongProof => "a code was sent with a wrong verifier or redirect URI",
        TokenRejection::Unknown
        | TokenRejection::Scope
        | TokenRejection::Target
        | TokenRejection::Suspended => "the code has expired",
    }
}

/// An authorization whose row this transaction has locked.
struct HeldAuthorization {
    id: String,
    scopes: OauthScopes,
    mcp_only: bool,
}

impl HeldAuthorization {
    fn read(row: &AnyRow) -> Result<Self> {
        Ok(read_row!(row => Self { id, scopes, mcp_only }))
    }

    /// Whether new tokens are for MCP only: as granted, or restricted by the request. `None` when
    /// the request exceeds the grant.
    fn narrowed(&self, requested: Option<bool>) -> Option<bool> {
        match requested {
            None => Some(self.mcp_only),
            Some(mcp_only) => (mcp_only || !self.mcp_only).then_some(mcp_only),
        }
    }
}

async fn is_suspended(tx: &mut Tx, held: &HeldAuthorization) -> Result<bool> {
    let found: i64 = scalar!(IS_SUSPENDED; held.id).fetch_one(&mut **tx).await?;
    Ok(found > 0)
}

async fn issue(
    tx: &mut Tx,
    held: &HeldAuthorization,
    scopes: OauthScopes,
    mcp_only: bool,
    now: Millis,
) -> Result<IssuedTokens> {
    let (access, refresh) = (AccessToken::mint(), RefreshToken::mint());
    sql!(INSERT_ACCESS; fingerprint(access.reveal()), held.id, scopes, mcp_only,
        now.plus(ACCESS_LIFETIME))
    .run(tx)
    .await?;
    sql!(INSERT_REFRESH; fingerprint(refresh.reveal()), held.id, now.plus(REFRESH_LIFETIME))
        .run(tx)
        .await?;
    Ok(IssuedTokens { access, refresh, scopes, expires_in: ACCESS_LIFETIME })
}

/// Locks the grant of an authorization, so that the authorizations of an application end one after
/// the other and the last one finds that none remains. Returns the account and the application.
async fn lock_grant(
    tx: &mut Tx,
    owner: &'static str,
    name: &str,
) -> Result<Option<(AccountId, ApplicationId)>> {
    let Some(row) = sql!(owner; name).fetch_optional(&mut **tx).await? else { return Ok(None) };
    let account: AccountId = row.read("account_id")?;
    let application: ApplicationId = row.read("application_id")?;
    sql!(LOCK_GRANT; account, application).run(tx).await?;
    Ok(Some((account, application)))
}

/// Deletes an authorization and its tokens; false when its row was deleted before. The row is
/// deleted first: issuing a token locks it.
async fn end(tx: &mut Tx, id: &str) -> Result<bool> {
    let ended = sql!(DELETE; id).run(tx).await?;
    for statement in [DELETE_ACCESS, DELETE_REFRESH] {
        sql!(statement; id).run(tx).await?;
    }
    Ok(ended > 0)
}

/// Ends all authorizations of an application for the account.
pub(crate) async fn end_all(
    tx: &mut Tx,
    account: &AccountId,
    application: &ApplicationId,
) -> Result<()> {
    let ended: Vec<String> = scalar!(DELETE_ALL; account, application).fetch_all(&mut **tx).await?;
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
    fn challenge_matches_the_example_of_rfc_7636() {
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
        assert_eq!(challenge_of(verifier), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
    }
}
