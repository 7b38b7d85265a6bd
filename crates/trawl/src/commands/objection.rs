//! `trawl objection` and `trawl erase`: what people and companies do not want to be kept.

use contract::Clock;
use runtime::SystemClock;
use serde_json::json;
use store::{Dialect, EraseMode, EraseReport};

use super::{Exit, open_store, print_json};
use crate::cli::{Erase, ObjectionCommand, Place};
use crate::printing::outln;

pub async fn run(place: &Place, command: ObjectionCommand) -> anyhow::Result<Exit> {
    let (store, _) = open_store(place).await?;
    match command {
        ObjectionCommand::List { json } => {
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
            outln!("{:24}  {:6}  objects", "since", "kind");
            for one in &kept {
                outln!("{:24}  {:6}  {}", one.added_at.to_string(), one.kind.as_str(), one.hint);
            }
            Ok(Exit::Done)
        }
        ObjectionCommand::Add { whom } => {
            let Some(objection) = whom.objection() else { return Ok(Exit::Usage) };
            let is_new = store.add_opt_out(objection, SystemClock.now()).await?;
            let since = if is_new { "from now on" } else { "already" };
            outln!("{} is heeded by every run {since}", objection.hint());
            outln!("what is stored stays; `trawl erase` removes that as well");
            Ok(Exit::Done)
        }
        ObjectionCommand::Remove { whom } => {
            let Some(objection) = whom.objection() else { return Ok(Exit::Usage) };
            if store.remove_opt_out(objection).await? {
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

pub async fn erase(place: &Place, args: Erase) -> anyhow::Result<Exit> {
    let Some(objection) = args.whom.objection() else { return Ok(Exit::Usage) };
    let (store, _) = open_store(place).await?;
    let erasing = if args.dry_run { EraseMode::DryRun } else { EraseMode::Apply };
    let erased = store.erase(objection, erasing, SystemClock.now()).await?;
    if args.json {
        print_json(&json!({
            "kind": objection.kind().as_str(),
            "hint": objection.hint(),
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
        let since = if erased.opt_out_added { "now" } else { "as before" };
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

fn print_changes(erased: &EraseReport, dry_run: bool) {
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
