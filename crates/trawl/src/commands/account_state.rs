//! `trawl account suspend | resume | delete | password`.

use std::io::{IsTerminal, Write};

use contract::Millis;
use serde_json::json;
use store::{AccountDeletion, AccountRecord, Store};

use super::account_lookup::find;
use super::first_start::fresh_password;
use super::{Exit, print_json};
use crate::exit::fail;
use crate::printing::{counted, outln};

pub async fn suspend(store: &Store, account: &str, now: Millis) -> anyhow::Result<Exit> {
    let id = find(store, account).await?;
    let Some(account) = store.suspend_account(&id, now).await? else { return Ok(Exit::Nothing) };
    outln!(
        "{} is suspended; its runs stop within 2 s; `trawl account resume` continues them",
        account.email
    );
    Ok(Exit::Done)
}

pub async fn resume(store: &Store, account: &str, now: Millis) -> anyhow::Result<Exit> {
    let id = find(store, account).await?;
    let Some(account) = store.resume_account(&id, now).await? else { return Ok(Exit::Nothing) };
    outln!("{} is active; its runs continue", account.email);
    Ok(Exit::Done)
}

pub async fn delete(
    store: &Store,
    account: &str,
    yes: bool,
    json: bool,
    now: Millis,
) -> anyhow::Result<Exit> {
    let id = find(store, account).await?;
    let Some(record) = store.account(&id).await? else { return Ok(Exit::Nothing) };
    if !yes && !confirmed(&record)? {
        fail!(Usage, "not confirmed, nothing was deleted; --yes skips the question");
    }
    match store.delete_account(&id, now).await? {
        AccountDeletion::Deleted { jobs } if json => {
            print_json(&json!({"account_id": id, "jobs": jobs, "deleted_at": now}))?;
            Ok(Exit::Done)
        }
        AccountDeletion::Deleted { jobs } => {
            let jobs = counted(jobs, "job", "jobs");
            outln!("{} is deleted, with {jobs} and the results", record.email);
            outln!("the ledger, purchases and acceptances stay under {id}, without its e-mail");
            Ok(Exit::Done)
        }
        AccountDeletion::NotFound => {
            fail!(Nothing, "{account} was deleted by another command meanwhile")
        }
        AccountDeletion::PurchaseOpen => fail!(
            Nothing,
            "a purchase of credits by {account} is not settled yet: money may have been taken. The \
             account is suspended and buys nothing; delete it when the purchase is settled"
        ),
    }
}

/// Asks on the terminal; without a terminal the answer is no.
fn confirmed(account: &AccountRecord) -> anyhow::Result<bool> {
    if !std::io::stdin().is_terminal() {
        return Ok(false);
    }
    eprint!(
        "This deletes {} with all its jobs and results and cannot be undone.\n\
         Type the e-mail to confirm: ",
        account.email
    );
    std::io::stderr().flush()?;
    let mut typed = String::new();
    std::io::stdin().read_line(&mut typed)?;
    Ok(typed.trim().eq_ignore_ascii_case(&account.email))
}

pub async fn password(
    store: &Store,
    account: &str,
    given: Option<String>,
    json: bool,
    now: Millis,
) -> anyhow::Result<Exit> {
    let id = find(store, account).await?;
    let made = given.is_none();
    let password = given.unwrap_or_else(fresh_password);
    let set = store.set_password(&id, &password, None, now).await?;
    let Some(ended) = set.map_err(|refused| Exit::Usage.with(refused))? else {
        return Ok(Exit::Nothing);
    };
    let shown = made.then_some(password);
    if json {
        print_json(&json!({"account_id": id, "sessions_ended": ended, "password": shown}))?;
    } else {
        if let Some(password) = shown {
            outln!("password: {password}   (shown once)");
        }
        let ended = counted(ended, "session", "sessions");
        eprintln!("the password of {account} is set; ended: {ended}");
    }
    Ok(Exit::Done)
}
