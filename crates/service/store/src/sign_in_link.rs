//! Links that open one session without a password, for the first sign-in of an operator.

use std::time::Duration;

use contract::{AccountId, Millis, Session};

use crate::columns::{ExecuteIn, ReadColumn, sql};
use crate::credential::fingerprint;
use crate::{Result, SessionClient, SignInLink, Store};

/// Lifetime of an unused link.
const LIFETIME: Duration = Duration::from_secs(24 * 60 * 60);

const INSERT: &str =
    "INSERT INTO sign_in_links (token_hash, account_id, expires_at) VALUES ($1, $2, $3)";
/// Deletes the link in the statement that reads it, so that it works once.
const REDEEM: &str = "DELETE FROM sign_in_links WHERE token_hash = $1 AND expires_at > $2 \
    RETURNING account_id";
pub(crate) const DELETE_EXPIRED: &str = "DELETE FROM sign_in_links WHERE expires_at <= $1";

impl Store {
    /// A token that opens one session of the account within a day.
    pub async fn create_sign_in_link(
        &self,
        account: &AccountId,
        now: Millis,
    ) -> Result<SignInLink> {
        let link = SignInLink::mint();
        let mut tx = self.begin().await?;
        sql!(INSERT; fingerprint(link.reveal()), account, now.plus(LIFETIME)).run(&mut tx).await?;
        tx.commit().await?;
        Ok(link)
    }

    /// Opens the session of a link; `None` if it is unknown, expired or was used.
    pub async fn redeem_sign_in_link(
        &self,
        token: &str,
        client: &SessionClient,
        now: Millis,
    ) -> Result<Option<Session>> {
        if !token.starts_with(SignInLink::PREFIX) {
            return Ok(None);
        }
        let mut tx = self.begin().await?;
        let row = sql!(REDEEM; fingerprint(token), now).fetch_optional(&mut *tx).await?;
        let Some(row) = row else { return Ok(None) };
        let account: AccountId = row.read("account_id")?;
        tx.commit().await?;
        self.open_session_from(&account, client, now).await.map(Some)
    }
}
