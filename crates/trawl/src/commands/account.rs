//! `trawl account`: creates, lists and changes accounts.

use std::io::Read;

use contract::{Clock, Credits};
use runtime::SystemClock;
use serde_json::json;
use store::{AccountRecord, NewAccount, PaymentSource};

use super::account_lookup::find_by_email;
use super::first_start::fresh_password;
use super::{
    Exit, acceptances, account_state, applications, open_or_create_store, open_store, print_json,
    retention,
};
use crate::cli::{AccountCommand, GlobalArgs};
use crate::exit::fail;
use crate::printing::{outln, print_table, shown_credits};

pub async fn run(global: &GlobalArgs, command: AccountCommand) -> anyhow::Result<Exit> {
    let (store, _) = match &command {
        AccountCommand::Create { .. } => open_or_create_store(global).await?,
        _ => open_store(global).await?,
    };
    let now = SystemClock.now();
    match command {
        AccountCommand::Create { email, password_stdin, credits, admin, json } => {
            if !is_mailbox(&email) {
                fail!(Usage, "{email:?} is not an e-mail address");
            }
            let (password, made) =
                if password_stdin { (read_password()?, false) } else { (fresh_password(), true) };
            let new =
                NewAccount { email, password: password.clone(), credits: Credits(credits), admin };
            let created = store.create_account(new, now).await?;
            let Some(account) = created.map_err(|refused| Exit::Usage.with(refused))? else {
                fail!(Nothing, "an account with this e-mail already exists");
            };
            let shown = made.then_some(password);
            if json {
                let mut row = row(&account);
                if let (Some(password), Some(members)) = (shown, row.as_object_mut()) {
                    members.insert("password".to_owned(), password.into());
                }
                print_json(&row)?;
            } else {
                outln!("{}  {}  {}", account.id, account.email, shown_credits(account.balance));
                if let Some(password) = shown {
                    outln!("password: {password}   (shown once)");
                }
            }
            Ok(Exit::Done)
        }
        AccountCommand::Grant { email, credits, json } => {
            let Some(account) = store.grant(&email, Credits(credits), now).await? else {
                fail!(
                    Nothing,
                    "no account has the e-mail {email}, or its balance would exceed the maximum"
                );
            };
            if json {
                print_json(&row(&account))?;
            } else {
                outln!("{} has {}", account.email, shown_credits(account.available()));
            }
            Ok(Exit::Done)
        }
        AccountCommand::Payment { email, customer, method } => {
            let account = find_by_email(&store, &email).await?;
            store.set_payment_source(&account.id, &PaymentSource { customer, method }).await?;
            outln!(
                "payment method of {} is set; its owner configures automatic top-up",
                account.email
            );
            Ok(Exit::Done)
        }
        AccountCommand::Suspend { account } => account_state::suspend(&store, &account, now).await,
        AccountCommand::Resume { account } => account_state::resume(&store, &account, now).await,
        AccountCommand::Delete { account, yes, json } => {
            account_state::delete(&store, &account, yes, json, now).await
        }
        AccountCommand::Password { account, password_stdin, json } => {
            let given = if password_stdin { Some(read_password()?) } else { None };
            account_state::password(&store, &account, given, json, now).await
        }
        AccountCommand::Retention(args) => retention::run(&store, &args, now).await,
        AccountCommand::Applications { account, json } => {
            applications::list(&store, &account, json).await
        }
        AccountCommand::Acceptances { account, json } => {
            acceptances::list(&store, account.as_deref(), json).await
        }
        AccountCommand::List { json } => {
            let accounts = store.accounts().await?;
            if json {
                print_json(&accounts.iter().map(row).collect::<Vec<_>>())?;
            } else {
                let columns = "account:36, e-mail:32, available:>12, reserved:>10, state";
                print_table(columns, accounts.iter().map(cells));
            }
            Ok(Exit::Done)
        }
    }
}

fn cells(account: &AccountRecord) -> [String; 5] {
    let state = if account.suspended_at.is_some() { "suspended" } else { "active" };
    let (available, reserved) = (account.available().0, account.reserved.0);
    let id = account.id.to_string();
    [id, account.email.clone(), available.to_string(), reserved.to_string(), state.to_owned()]
}

fn row(account: &AccountRecord) -> serde_json::Value {
    json!({
        "account_id": account.id,
        "email": account.email,
        "admin": account.admin,
        "credits": account.available(),
        "balance": account.balance,
        "reserved": account.reserved,
        "created_at": account.created_at,
        "suspended_at": account.suspended_at,
    })
}

fn read_password() -> anyhow::Result<String> {
    let mut text = String::new();
    std::io::stdin().take(4_096).read_to_string(&mut text)?;
    Ok(text.trim_end_matches(['\r', '\n']).to_owned())
}

/// Rejects obvious mistakes. Only a delivered message proves that a mailbox exists.
fn is_mailbox(text: &str) -> bool {
    let text = text.trim();
    text.len() <= 254
        && text
            .split_once('@')
            .is_some_and(|(user, host)| !user.is_empty() && !host.is_empty() && !host.contains('@'))
        && !text.contains(|c: char| c.is_whitespace() || c.is_control())
}
