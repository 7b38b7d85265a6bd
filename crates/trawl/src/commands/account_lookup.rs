//! Finds the account that a command names. Prints a message if there is none.

use contract::AccountId;
use store::{AccountRecord, Store};

/// The account with this e-mail or identifier.
pub async fn find(store: &Store, account: &str) -> anyhow::Result<Option<AccountId>> {
    if let Some(account) = store.account_by_email(account).await? {
        return Ok(Some(account.id));
    }
    let accounts = store.accounts().await?;
    let found = accounts.into_iter().map(|account| account.id).find(|id| id.as_str() == account);
    if found.is_none() {
        eprintln!("trawl: there is no account {account}; `trawl account list` shows all");
    }
    Ok(found)
}

/// The account with this e-mail.
pub async fn find_by_email(store: &Store, email: &str) -> anyhow::Result<Option<AccountRecord>> {
    let found = store.account_by_email(email).await?;
    if found.is_none() {
        eprintln!("trawl: no account has the e-mail {email}; `trawl account list` shows all");
    }
    Ok(found)
}
