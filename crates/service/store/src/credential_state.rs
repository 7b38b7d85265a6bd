//! Whether a credential is still valid: long-lived streams check it again after the request.

use contract::{AccountId, ApplicationId, KeyId, Millis, SessionId};

use crate::columns::scalar;
use crate::{Result, Store};

/// A credential of an account. All tokens of an application are one credential.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum CredentialId {
    Key(KeyId),
    Application(ApplicationId),
    Session(SessionId),
}

const KEY: &str = "SELECT COUNT(*) FROM keys k JOIN accounts a ON a.id = k.account_id \
    LEFT JOIN credential_limits l ON l.account_id = k.account_id AND l.holder = k.id \
    WHERE k.account_id = $1 AND k.id = $2 AND k.revoked_at IS NULL \
    AND (l.expires_at IS NULL OR l.expires_at > $3) \
    AND a.suspended_at IS NULL AND a.deleted_at IS NULL";
const APPLICATION: &str = "SELECT COUNT(*) FROM authorizations z \
    JOIN accounts a ON a.id = z.account_id JOIN application_grants g \
    ON g.account_id = z.account_id AND g.application_id = z.application_id \
    LEFT JOIN credential_limits l \
    ON l.account_id = z.account_id AND l.holder = z.application_id \
    WHERE z.account_id = $1 AND z.application_id = $2 \
    AND (l.expires_at IS NULL OR l.expires_at > $3) \
    AND a.suspended_at IS NULL AND a.deleted_at IS NULL";
const SESSION: &str = "SELECT COUNT(*) FROM sessions s JOIN accounts a ON a.id = s.account_id \
    WHERE s.account_id = $1 AND s.id = $2 AND s.expires_at > $3 \
    AND a.suspended_at IS NULL AND a.deleted_at IS NULL";

impl Store {
    /// Whether the credential is neither revoked nor expired, and its account is active.
    pub async fn is_accepted(
        &self,
        account: &AccountId,
        credential: &CredentialId,
        now: Millis,
    ) -> Result<bool> {
        let (statement, id) = match credential {
            CredentialId::Key(id) => (KEY, id.as_str()),
            CredentialId::Application(id) => (APPLICATION, id.as_str()),
            CredentialId::Session(id) => (SESSION, id.as_str()),
        };
        let found: i64 = scalar!(statement; account, id, now).fetch_one(self.reader()?).await?;
        Ok(found > 0)
    }
}
