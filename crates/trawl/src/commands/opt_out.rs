//! `trawl objection` and `trawl erase`: what people and companies do not want to be kept.

use contract::Clock;
use runtime::SystemClock;
use serde_json::json;
use store::{Dialect, Erased, Erasing};

use super::{Exit, open_store, print_json};
use crate::cli::{EraseArgs, OptOutCommand, GlobalArgs};
use crate::printing::outln;

pub async fn run(global: &GlobalArgs, command: OptOutCommand) -> anyhow::Result<Exit> {
    let (store, _) = open_store(global).await?;
    match command {
        OptOutCommand::List { json } => {
            let kept = store.objection_records().await?;
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
            outln!("{:24}  {:6}  objects", "since", "kind");
            for one in &kept {
                outln!("{:24}  {:6}  {}", one.added_at.to_string(), one.kind.as_str(), one.hint);
            }
            Ok(Exit::Done)
        }
        OptOutCommand::Add { whom } => {
            let Some(objection) = whom.objection() else { return Ok(Exit::Usage) };
            let is_new = store.add_objection(objection, SystemClock.now()).await?;
            let since = if is_new { "from now on" } else { "already" };
            outln!("{} is heeded by every run {since}", objection.hint());
            outln!("what is stored stays; `trawl erase` removes that as well");
            Ok(Exit::Done)
        }
        OptOutCommand::Remove { whom } => {
            let Some(objection) = whom.objection() else { return Ok(Exit::Usage) };
            if store.remove_objection(objection).await? {
                outln!("{} is not on the list any more", objection.hint());
                return Ok(Exit::Done);
            }
            eprintln!(
                "trawl: {} is not on the list; `trawl objection list` shows all",
                objection.hint()
            );
            Ok(Exit::Nothing)
        }
    }
}

pub async fn erase(global: &GlobalArgs, args: EraseArgs) -> anyhow::Result<Exit> {
    let Some(objection) = args.whom.objection() else { return Ok(Exit::Usage) };
    let (store, _) = open_store(global).await?;
    let erasing = if args.dry_run { Erasing::Rehearsal } else { Erasing::ForGood };
    let erased = store.erase(objection, erasing, SystemClock.now()).await?;
    if args.json {
        print_json(&json!({
            "kind": objection.kind().as_str(),
            "hint": objection.hint(),
            "dry_run": args.dry_run,
            "objection_added": erased.objection,
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
        return Ok(if erased.is_nothing() { Exit::Nothing } else { Exit::Done });
    }
    if !args.json {
        let since = if erased.objection { "now" } else { "as before" };
        outln!("{} is on the list of objections {since}", objection.hint());
    }
    if store.dialect() == Dialect::Postgres {
        eprintln!(
            "trawl: PostgreSQL keeps old rows in its files until it has cleaned up; \
             VACUUM FULL hastens that"
        );
    }
    Ok(Exit::Done)
}

fn print_changes(erased: &Erased, dry_run: bool) {
    let done = if dry_run { "would be changed" } else { "changed" };
    outln!("jobs looked through: {}; {done}:", erased.jobs);
    for (count, what) in [
        (erased.results, "results"),
        (erased.skipped, "URLs that were left out"),
        (erased.events, "events and deliveries"),
        (erased.requests, "requests and their answers"),
        (erased.logs, "parts of logs and overlays"),
        (erased.logs_dropped, "logs of runs that are over, dropped"),
    ] {
        outln!("{count:>9}  {what}");
    }
}
