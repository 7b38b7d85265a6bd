//! First start of a server: creates the operator's account.

use std::io::IsTerminal;

use anyhow::Context;
use contract::{Clock, KeyPrefix};
use rand::RngExt;
use runtime::SystemClock;
use store::{LimitChange, NewAccount, NewKey, Store};

use super::announce;
use crate::private_files;
use crate::settings::Settings;

const EMAIL: &str = "operator@localhost";

/// File for the first credentials when standard output is not a terminal.
const FILE: &str = "first-credentials.txt";

/// Letters and digits without those that look alike.
const ALPHABET: &[u8] = b"abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/// A random password, to be shown once.
pub fn fresh_password() -> String {
    let mut rng = rand::rng();
    (0..20).map(|_| char::from(ALPHABET[rng.random_range(0..ALPHABET.len())])).collect()
}

/// Creates the operator's account if no account exists. Prints the credentials on a terminal;
/// without one, writes them to a file that only this user can read.
pub async fn create_operator_account(store: &Store, settings: &Settings) -> anyhow::Result<()> {
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
    // Another node may have created the account first and printed it.
    let Ok(Some(account)) = store.create_account(new, now).await? else { return Ok(()) };
    let key = NewKey {
        name: "first key".to_owned(),
        source: "direct".to_owned(),
        prefix: KeyPrefix::Live,
        limits: LimitChange::default(),
    };
    let Some(key) = store.create_key(&account.id, key, now).await? else { return Ok(()) };
    let url = &settings.public_url;
    let link = store.create_sign_in_link(&account.id, now).await?;
    let once = link.reveal();
    let credentials = format!(
        "  Console   {url}/welcome?once={once}  (signs you in once, within a day)\n  \
         API key   {key}\n  E-mail    {EMAIL}\n  Password  {password}\n  \
         Credits   {credits}\n\nSign in at {url}/ later, or start a first run from here:\n\n  \
         curl -s {url}/v1/jobs \\\n    -H 'Authorization: Bearer {key}' \\\n    \
         -H 'Content-Type: application/json' \\\n    \
         -d '{{\"mode\":\"links\",\"url\":\"https://example.com/\"}}'\n\n\
         Documentation: {url}/docs\n",
        key = key.key,
        credits = account.balance,
    );
    if std::io::stdout().is_terminal() {
        announce(&format!(
            "\nFirst start: an account was created for you. This is shown once.\n\n{credentials}\n"
        ));
        return Ok(());
    }
    // Redirected output ends up in logs, which other users read.
    let path = settings.data.join(FILE);
    let written = private_files::create_folder(&settings.data)
        .and_then(|()| private_files::write(&path, &credentials))
        .with_context(|| {
            format!(
                "cannot write the first credentials to {}; set a new password with `trawl \
                 account password {EMAIL}` and create a key with `trawl key create`",
                path.display()
            )
        });
    // The account exists: start the server anyway, the operator can set a new password.
    match written {
        Ok(()) => announce(&format!(
            "First start: an account was created for you. Its password and API key are in {}\n\
             Only this user can read the file; delete it after you have saved them.\n",
            path.display()
        )),
        Err(error) => tracing::error!("{error:#}"),
    }
    Ok(())
}
