//! `trawl account` and `trawl key`.

use clap::Subcommand;

use super::KeyLimits;

/// A name that a payment provider gave to something.
fn provider_name(text: &str) -> Result<String, &'static str> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if text.is_empty() || text.len() > 255 || !text.chars().all(plain) {
        return Err("letters, digits and underscores, as the payment provider shows it");
    }
    Ok(text.to_owned())
}

#[derive(Debug, Subcommand)]
pub enum Account {
    /// Creates an account; prints a password unless one comes in
    Create {
        /// Its e-mail
        #[arg(long)]
        email: String,
        /// Read the password from standard input instead of making one
        #[arg(long)]
        password_stdin: bool,
        /// Credits to begin with
        #[arg(long, default_value_t = 0, value_name = "N")]
        #[arg(value_parser = clap::value_parser!(i64).range(0..=1_000_000_000_000))]
        credits: i64,
        /// For programs
        #[arg(long)]
        json: bool,
    },
    /// Adds credits to an account
    Grant {
        /// Its e-mail
        #[arg(long)]
        email: String,
        /// How many
        #[arg(value_name = "N", value_parser = clap::value_parser!(i64).range(1..=1_000_000_000_000))]
        credits: i64,
        /// For programs
        #[arg(long)]
        json: bool,
    },
    /// Notes by what an account pays when it tops up by itself
    Payment {
        /// Its e-mail
        #[arg(long)]
        email: String,
        /// The payment provider's name for the customer, as cus_…
        #[arg(long, value_name = "ID", value_parser = provider_name)]
        customer: String,
        /// The payment provider's name for the payment method, as pm_…
        #[arg(long, value_name = "ID", value_parser = provider_name)]
        method: String,
    },
    /// Lists the accounts with their balances
    List {
        /// For programs
        #[arg(long)]
        json: bool,
    },
    /// Stops all runs, keys, sessions, applications, schedules and webhooks of an account
    Suspend {
        /// Its e-mail or its identifier
        #[arg(value_name = "ACCOUNT")]
        account: String,
    },
    /// Lets a suspended account go on where it was stopped
    Resume {
        /// Its e-mail or its identifier
        #[arg(value_name = "ACCOUNT")]
        account: String,
    },
    /// Deletes an account with its data; books and proofs of a lawful basis stay, without its name
    Delete {
        /// Its e-mail or its identifier
        #[arg(value_name = "ACCOUNT")]
        account: String,
        /// Do not ask
        #[arg(long)]
        yes: bool,
        /// For programs
        #[arg(long)]
        json: bool,
    },
    /// Sets a new password and ends all sessions of an account; prints one unless it comes in
    Password {
        /// Its e-mail or its identifier
        #[arg(value_name = "ACCOUNT")]
        account: String,
        /// Read the password from standard input instead of making one
        #[arg(long)]
        password_stdin: bool,
        /// For programs
        #[arg(long)]
        json: bool,
    },
    /// Lists the applications that may act for an account
    Applications {
        /// Its e-mail or its identifier
        #[arg(value_name = "ACCOUNT")]
        account: String,
        /// For programs
        #[arg(long)]
        json: bool,
    },
    /// Lists who confirmed a lawful basis for which contacts job, and when; oldest first
    Acceptances {
        /// Only this account's: its e-mail or its identifier
        #[arg(value_name = "ACCOUNT")]
        account: Option<String>,
        /// For programs
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Subcommand)]
pub enum Key {
    /// Creates an API key and prints its secret, once
    Create {
        /// The e-mail of the account
        #[arg(long)]
        email: String,
        /// A label for the key list
        #[arg(long, default_value = "API key")]
        name: String,
        /// The channel that will call with it
        #[arg(long, default_value = "direct")]
        source: String,
        /// Make a key_test_ key instead of a key_live_ one
        #[arg(long)]
        test: bool,
        #[command(flatten)]
        limits: KeyLimits,
        /// For programs
        #[arg(long)]
        json: bool,
    },
    /// Lists the API keys of an account, newest first; never their secrets
    List {
        /// The account's e-mail or its identifier
        #[arg(value_name = "ACCOUNT")]
        account: String,
        /// For programs
        #[arg(long)]
        json: bool,
    },
    /// Revokes an API key: it is refused from now on
    Revoke {
        /// The identifier of the key, as `trawl key list` shows it
        #[arg(value_name = "KEY")]
        id: String,
        /// Also pause the schedules and switch off the webhooks that the key made
        #[arg(long)]
        pause: bool,
    },
}
