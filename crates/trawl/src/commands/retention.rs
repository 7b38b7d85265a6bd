//! `trawl account retention`: how long data of one account is kept.

use contract::Millis;
use store::{AccountRetention, Store};

use super::account_lookup::find;
use super::{Exit, print_json};
use crate::cli::RetentionArgs;
use crate::printing::{or_dash, outln};

pub async fn run(store: &Store, args: &RetentionArgs, now: Millis) -> anyhow::Result<Exit> {
    let account = find(store, &args.account).await?;
    let before = store.account_retention(&account).await?;
    let changed = changed(before, args);
    if changed != before {
        store.set_account_retention(&account, &changed, now).await?;
    }
    if args.json {
        print_json(&changed)?;
        return Ok(Exit::Done);
    }
    for (class, days) in [
        ("results", changed.results_days),
        ("page files", changed.page_files_days),
        ("run logs", changed.run_log_days),
        ("events", changed.events_days),
        ("audit log", changed.audit_days),
    ] {
        outln!("{class:12} {:>6}", or_dash(days));
    }
    outln!("days; - is the setting of the service");
    Ok(Exit::Done)
}

/// The exceptions after a command: 0 removes one.
fn changed(before: AccountRetention, args: &RetentionArgs) -> AccountRetention {
    let new = |given: Option<u32>, before| match given {
        Some(0) => None,
        Some(days) => Some(days),
        None => before,
    };
    AccountRetention {
        results_days: new(args.results_days, before.results_days),
        page_files_days: new(args.page_files_days, before.page_files_days),
        run_log_days: new(args.run_log_days, before.run_log_days),
        events_days: new(args.events_days, before.events_days),
        audit_days: new(args.audit_days, before.audit_days),
    }
}
