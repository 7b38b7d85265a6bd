//! The first start: an account for whoever operates the server.

use std::io::IsTerminal;

use anyhow::Context;
use contract::{Clock, KeyPrefix};
use rand::RngExt;
use runtime::SystemClock;
use store::{LimitChange, NewAccount, NewKey, Store};

use super::tell;
use crate::private_files;
use crate::settings::Settings;

const EMAIL: &str = "operator@localhost";

/// Where the first credentials go when there is no terminal.
const FILE: &str = "first-credentials.txt";

/// Without characters that are mistaken for one another.
const ALPHABET: &[u8] = b"abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/// A password to be shown once.
pub fn fresh_password() -> String {
    let mut rng = rand::rng();
    (0..20).map(|_| char::from(ALPHABET[rng.random_range(0..ALPHABET.len())])).collect()
}

/// Creates the operator's account if there is no account yet. Its credentials go to a terminal;
/// where there is none, to a file that only this user can read.
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
        limits: LimitChange::default(),
    };
    let Some(key) = store.create_key(&account.id, key, now).await? else { return Ok(()) };
    let url = &settings.public_url;
    let credentials = format!(
        "  API key   {key}\n  E-mail    {EMAIL}\n  Password  {password}\n  \
         Credits   {credits}\n\nSign in at {url}/ or start a first run from here:\n\n  \
         curl -s {url}/v1/jobs \\\n    -H 'Authorization: Bearer {key}' \\\n    \
         -H 'Content-Type: application/json' \\\n    \
         -d '{{\"mode\":\"links\",\"url\":\"https://example.com/\"}}'\n\n\
         Everything else: {url}/docs\n",
        key = key.key,
        credits = account.balance,
    );
    if std::io::stdout().is_terminal() {
        tell(&format!(
            "\nFirst start: an account was created for you. This is shown once.\n\n{credentials}\n"
        ));
        return Ok(());
    }
    // Output that goes to a log is read by others, and kept.
    let path = settings.data.join(FILE);
    let written = private_files::create_folder(&settings.data)
        .and_then(|()| private_files::write(&path, &credentials))
        .with_context(|| {
            format!(
                "the first credentials cannot be written to {}; set a new password with `trawl \
                 account password {EMAIL}` and make a key with `trawl key create`",
                path.display()
            )
        });
    // The account exists: a server that runs is worth more than a file that can be made up for.
    match written {
        Ok(()) => tell(&format!(
            "First start: an account was created for you. Its password and API key are in {}\n\
             Only this user can read the file; delete it when you have them.\n",
            path.display()
        )),
        Err(error) => tracing::error!("{error:#}"),
    }
    Ok(())
}
