//! The first start: an account for whoever operates the server.

use contract::{Clock, KeyPrefix, SystemClock};
use rand::RngExt;
use store::{NewAccount, NewKey, Store};

use super::tell;
use crate::settings::Settings;

const EMAIL: &str = "operator@localhost";

/// Without characters that are mistaken for one another.
const ALPHABET: &[u8] = b"abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/// A password to be shown once.
pub fn fresh_password() -> String {
    let mut rng = rand::rng();
    (0..20).map(|_| char::from(ALPHABET[rng.random_range(0..ALPHABET.len())])).collect()
}

/// Creates the operator's account if there is no account yet, and tells of it, once.
pub async fn greet(store: &Store, settings: &Settings) -> anyhow::Result<()> {
    if !store.is_new().await? {
        return Ok(());
    }
    let now = SystemClock.now();
    let password = fresh_password();
    let new = NewAccount {
        email: EMAIL.to_owned(),
        password: password.clone(),
        credits: settings.first_credits,
        admin: true,
    };
    // Another node may have been first: then it tells.
    let Ok(Some(account)) = store.create_account(new, now).await? else { return Ok(()) };
    let key = NewKey {
        name: "first key".to_owned(),
        source: "direct".to_owned(),
        prefix: KeyPrefix::Live,
    };
    let Some(key) = store.create_key(&account.id, key, now).await? else { return Ok(()) };
    let url = &settings.public_url;
    tell(&format!(
        "\nFirst start: an account was created for you. This is shown once.\n\n  \
         API key   {key}\n  E-mail    {EMAIL}\n  Password  {password}\n  \
         Credits   {credits}\n\nSign in at {url}/ or start a first run from here:\n\n  \
         curl -s {url}/v1/jobs \\\n    -H 'Authorization: Bearer {key}' \\\n    \
         -H 'Content-Type: application/json' \\\n    \
         -d '{{\"mode\":\"links\",\"url\":\"https://example.com/\"}}'\n\n\
         Everything else: {url}/docs\n\n",
        key = key.key,
        credits = account.balance,
    ));
    Ok(())
}
