//! `trawl account` and `trawl key`.

use clap::{Args, Subcommand};

use super::KeyLimits;

/// Checks an identifier of the payment provider.
fn provider_name(text: &str) -> Result<String, &'static str> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if text.is_empty() || text.len() > 255 || !text.chars().all(plain) {
        return Err("letters, digits and underscores, as the payment provider shows it");
    }
    Ok(text.to_owned())
}

#[derive(Debug, Subcommand)]
pub enum AccountCommand {
    /// Creates an account; prints a generated password unless one is given
    Create {
        /// E-mail address of the account
        #[arg(long)]
        email: String,
        /// Read the password from standard input instead of generating one
        #[arg(long)]
        password_stdin: bool,
        /// Initial credits of the account
        #[arg(long, default_value_t = 0, value_name = "N")]
        #[arg(value_parser = clap::value_parser!(i64).range(0..=1_000_000_000_000))]
        credits: i64,
        /// Give the account access to the pages of the operator in the console
        #[arg(long)]
        admin: bool,
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Adds credits to an account
    Grant {
        /// E-mail address of the account
        #[arg(long)]
        email: String,
        /// Number of credits to add
        #[arg(value_name = "N", value_parser = clap::value_parser!(i64).range(1..=1_000_000_000_000))]
        credits: i64,
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Sets the payment method for automatic top-up
    Payment {
        /// E-mail address of the account
        #[arg(long)]
        email: String,
        /// Customer identifier of the payment provider, for example cus_…
        #[arg(long, value_name = "ID", value_parser = provider_name)]
        customer: String,
        /// Payment method identifier of the payment provider, for example pm_…
        #[arg(long, value_name = "ID", value_parser = provider_name)]
        method: String,
    },
    /// Lists the accounts with their balances
    List {
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Stops all runs, keys, sessions, applications, schedules and webhooks of an account
    Suspend {
        /// E-mail or identifier of the account
        #[arg(value_name = "ACCOUNT")]
        account: String,
    },
    /// Resumes a suspended account and its runs
    Resume {
        /// E-mail or identifier of the account
        #[arg(value_name = "ACCOUNT")]
        account: String,
    },
    /// Deletes an account and its data; keeps ledger and acceptances without its e-mail
    Delete {
        /// E-mail or identifier of the account
        #[arg(value_name = "ACCOUNT")]
        account: String,
        /// Do not ask for confirmation
        #[arg(long)]
        yes: bool,
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Sets a password and ends all sessions; prints a generated one unless one is given
    Password {
        /// E-mail or identifier of the account
        #[arg(value_name = "ACCOUNT")]
        account: String,
        /// Read the password from standard input instead of generating one
        #[arg(long)]
        password_stdin: bool,
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Shows or changes how long data of an account is kept, where it differs from the settings
    Retention(RetentionArgs),
    /// Lists the applications connected to an account
    Applications {
        /// E-mail or identifier of the account
        #[arg(value_name = "ACCOUNT")]
        account: String,
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Lists acceptances of a lawful basis for contacts jobs, oldest first
    Acceptances {
        /// Only acceptances of this account, by e-mail or identifier
        #[arg(value_name = "ACCOUNT")]
        account: Option<String>,
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Args)]
#[command(
    after_help = "Without an option it shows the exceptions. 0 removes one: then the settings of the \
    service apply again (results_days, page_files_days, run_log_days, events_days, audit_days)."
)]
pub struct RetentionArgs {
    /// E-mail or identifier of the account
    #[arg(value_name = "ACCOUNT")]
    pub account: String,
    /// Results with all other data of a run, after its end
    #[arg(long, alias = "results_days", value_name = "DAYS", value_parser = days())]
    pub results_days: Option<u32>,
    /// HTML and pictures of pages of a run, after its end
    #[arg(long, alias = "page_files_days", value_name = "DAYS", value_parser = days())]
    pub page_files_days: Option<u32>,
    /// Log of a run, after its end
    #[arg(long, alias = "run_log_days", value_name = "DAYS", value_parser = days())]
    pub run_log_days: Option<u32>,
    /// Events and their deliveries
    #[arg(long, alias = "events_days", value_name = "DAYS", value_parser = days())]
    pub events_days: Option<u32>,
    /// Entries of the audit log
    #[arg(long, alias = "audit_days", value_name = "DAYS", value_parser = days())]
    pub audit_days: Option<u32>,
    /// Print JSON for programs
    #[arg(long)]
    pub json: bool,
}

fn days() -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(0..=36_500)
}

#[derive(Debug, Subcommand)]
pub enum KeyCommand {
    /// Creates an API key and prints its secret, once
    Create {
        /// E-mail address of the account
        #[arg(long)]
        email: String,
        /// A label for the key list
        #[arg(long, default_value = "API key")]
        name: String,
        /// Channel of the key, for usage by source
        #[arg(long, default_value = "direct")]
        source: String,
        /// Create a key_test_ key instead of a key_live_ key
        #[arg(long)]
        test: bool,
        #[command(flatten)]
        limits: KeyLimits,
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Lists the API keys of an account, newest first, without secrets
    List {
        /// E-mail or identifier of the account
        #[arg(value_name = "ACCOUNT")]
        account: String,
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Revokes an API key; requests with it are rejected at once
    Revoke {
        /// Identifier of the key, as `trawl key list` shows it
        #[arg(value_name = "KEY")]
        id: String,
        /// Also pause schedules and disable webhooks that the key created
        #[arg(long)]
        pause: bool,
    },
}
