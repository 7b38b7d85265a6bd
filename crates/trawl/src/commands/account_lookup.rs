//! Finds the account that a command names, or fails.

use contract::AccountId;
use store::{AccountRecord, Store};

use super::Exit;

/// The account with this e-mail or identifier.
pub async fn find(store: &Store, account: &str) -> anyhow::Result<AccountId> {
    if let Some(account) = store.account_by_email(account).await? {
        return Ok(account.id);
    }
    let accounts = store.accounts().await?;
    let found = accounts.into_iter().map(|account| account.id).find(|id| id.as_str() == account);
    let missing = || format!("there is no account {account}; `trawl account list` shows all");
    Ok(found.ok_or_else(|| Exit::Nothing.with(missing()))?)
}

/// As [`find`], if a command names an account.
pub async fn find_any(store: &Store, account: Option<&str>) -> anyhow::Result<Option<AccountId>> {
    match account {
        Some(account) => find(store, account).await.map(Some),
        None => Ok(None),
    }
}

/// The account with this e-mail.
pub async fn find_by_email(store: &Store, email: &str) -> anyhow::Result<AccountRecord> {
    let missing = || format!("no account has the e-mail {email}; `trawl account list` shows all");
    let found = store.account_by_email(email).await?;
    Ok(found.ok_or_else(|| Exit::Nothing.with(missing()))?)
}

/// As [`find_by_email`], if a command names an e-mail.
pub async fn find_any_by_email(
    store: &Store,
    email: Option<&str>,
) -> anyhow::Result<Option<AccountId>> {
    match email {
        Some(email) => Ok(Some(find_by_email(store, email).await?.id)),
        None => Ok(None),
    }
}
