//! `trawl opt-out` and `trawl erase`: data of people and companies that is not stored.

use contract::Clock;
use runtime::SystemClock;
use serde_json::json;
use store::{Dialect, EraseMode, EraseReport};

use super::{Exit, open_or_create_store, open_store, print_json};
use crate::cli::{EraseArgs, GlobalArgs, OptOutCommand};
use crate::exit::fail;
use crate::printing::outln;

pub async fn run(global: &GlobalArgs, command: OptOutCommand) -> anyhow::Result<Exit> {
    let (store, _) = match &command {
        OptOutCommand::Add { .. } => open_or_create_store(global).await?,
        OptOutCommand::List { .. } | OptOutCommand::Remove { .. } => open_store(global).await?,
    };
    match command {
        OptOutCommand::List { json } => {
            let kept = store.opt_out_records().await?;
            if json {
                let lines: Vec<_> = kept
                    .iter()
                    .map(|one| {
                        json!({"kind": one.kind.as_str(), "hint": one.hint, "mark": one.mark,
                            "added_at": one.added_at})
                    })
                    .collect();
                print_json(&lines)?;
                return Ok(Exit::Done);
            }
            outln!("{:24}  {:6}  subject", "since", "kind");
            for one in &kept {
                outln!("{:24}  {:6}  {}", one.added_at.to_string(), one.kind.as_str(), one.hint);
            }
            Ok(Exit::Done)
        }
        OptOutCommand::Add { subject } => {
            let Some(opt_out) = subject.opt_out() else { return Ok(Exit::Usage) };
            let is_new = store.add_opt_out(opt_out, SystemClock.now()).await?;
            let state = if is_new { "is added" } else { "is already listed" };
            outln!("opt-out {} {state}; it applies to all runs", opt_out.hint());
            outln!(
                "stored results are unchanged; `trawl erase` removes data that is already stored"
            );
            Ok(Exit::Done)
        }
        OptOutCommand::Remove { subject } => {
            let Some(opt_out) = subject.opt_out() else { return Ok(Exit::Usage) };
            if store.remove_opt_out(opt_out).await? {
                outln!("opt-out {} is removed", opt_out.hint());
                return Ok(Exit::Done);
            }
            let hint = opt_out.hint();
            fail!(Nothing, "{hint} is not on the list; `trawl opt-out list` shows all")
        }
    }
}

pub async fn erase(global: &GlobalArgs, args: EraseArgs) -> anyhow::Result<Exit> {
    let Some(opt_out) = args.subject.opt_out() else { return Ok(Exit::Usage) };
    let (store, _) = open_store(global).await?;
    let erasing = if args.dry_run { EraseMode::DryRun } else { EraseMode::Apply };
    let erased = store.erase(opt_out, erasing, SystemClock.now()).await?;
    if args.json {
        print_json(&json!({
            "kind": opt_out.kind().as_str(),
            "hint": opt_out.hint(),
            "dry_run": args.dry_run,
            "objection_added": erased.opt_out_added,
            "jobs": erased.jobs,
            "results": erased.results,
            "skipped": erased.skipped,
            "logs": erased.logs,
            "logs_dropped": erased.logs_dropped,
            "events": erased.events,
            "requests": erased.requests,
        }))?;
    } else {
        print_changes(&erased, args.dry_run);
    }
    if args.dry_run {
        return Ok(if erased.is_empty() { Exit::Nothing } else { Exit::Done });
    }
    if !args.json {
        let state = if erased.opt_out_added { "is added" } else { "was already listed" };
        outln!("opt-out {} {state}", opt_out.hint());
    }
    if store.dialect() == Dialect::Postgres {
        eprintln!(
            "trawl: PostgreSQL keeps deleted rows in its files until it vacuums; \
             run VACUUM FULL to remove them now"
        );
    }
    Ok(Exit::Done)
}

fn print_changes(erased: &EraseReport, dry_run: bool) {
    let done = if dry_run { "to be changed" } else { "changed" };
    outln!("jobs searched: {}; {done}:", erased.jobs);
    for (count, what) in [
        (erased.results, "results"),
        (erased.skipped, "skipped URLs"),
        (erased.events, "events and deliveries"),
        (erased.requests, "stored requests and responses"),
        (erased.pages, "pages whose files were deleted"),
        (erased.logs, "log segments and overlays"),
        (erased.logs_dropped, "logs of finished runs, deleted"),
    ] {
        outln!("{count:>9}  {what}");
    }
}
