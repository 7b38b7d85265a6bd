//! `trawl audit`: the audit log of all accounts.

use std::collections::HashSet;
use std::convert::Infallible;
use std::time::Duration;

use contract::{AuditAction, AuditEntry, Clock, Millis};
use runtime::SystemClock;
use store::{AuditFilter, PageRequest, Store};
use tokio::signal::unix::{SignalKind, signal};

use super::account_lookup::find_any;
use super::{Exit, open_store};
use crate::cli::{AuditArgs, GlobalArgs};
use crate::exit::fail;
use crate::printing::{or_dash, outln};

/// Interval at which `--follow` reads the log.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// Entries per database query.
const CHUNK: u64 = 1_000;

/// How far back `--follow` reads again: transactions commit out of the order of their times.
const OVERLAP: Duration = Duration::from_secs(30);

pub async fn run(global: &GlobalArgs, args: AuditArgs) -> anyhow::Result<Exit> {
    let (store, _) = open_store(global).await?;
    let account = find_any(&store, args.account.as_deref()).await?;
    let mut filter = AuditFilter { account, ..AuditFilter::default() };
    if let Some(text) = &args.action {
        filter.action = text.parse::<AuditAction>().ok();
        if filter.action.is_none() {
            let known: Vec<_> = AuditAction::ALL.iter().map(|action| action.as_str()).collect();
            fail!(Usage, "--action must be one of {}", known.join(", "));
        }
    }
    for (name, text, slot) in
        [("--from", &args.from, &mut filter.from), ("--to", &args.to, &mut filter.to)]
    {
        let Some(text) = text else { continue };
        *slot = Millis::parse_iso(text);
        if slot.is_none() {
            fail!(Usage, "{name} must be a date, for example 2026-11-15, or an ISO 8601 date-time");
        }
    }
    if args.follow {
        let mut interrupt = signal(SignalKind::interrupt())?;
        return tokio::select! {
            failed = follow(&store, filter, args.json) => failed.map(|never| match never {}),
            _ = interrupt.recv() => Ok(Exit::Interrupted),
        };
    }
    let mut entries = newest(&store, &filter, args.limit).await?;
    entries.reverse();
    for entry in &entries {
        print(entry, args.json)?;
    }
    Ok(if entries.is_empty() { Exit::Nothing } else { Exit::Done })
}

/// Reads at most `limit` entries, newest first.
async fn newest(
    store: &Store,
    filter: &AuditFilter,
    limit: u64,
) -> anyhow::Result<Vec<AuditEntry>> {
    let size = limit.min(CHUNK);
    let mut entries = Vec::new();
    for number in 1.. {
        let (page, has_more) = store.audit_entries(filter, PageRequest { number, size }).await?;
        entries.extend(page);
        if !has_more || entries.len() as u64 >= limit {
            break;
        }
    }
    entries.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    Ok(entries)
}

async fn follow(store: &Store, mut filter: AuditFilter, json: bool) -> anyhow::Result<Infallible> {
    let started = filter.from.unwrap_or_else(|| SystemClock.now());
    let mut printed: HashSet<String> = HashSet::new();
    loop {
        let back = SystemClock.now().minus(OVERLAP);
        filter.from = Some(back.max(started));
        let entries = newest(store, &filter, CHUNK * 10).await?;
        for entry in entries.iter().rev() {
            if !printed.contains(entry.id.as_str()) {
                print(entry, json)?;
            }
        }
        // Remember only entries that the next query can return again.
        printed = entries.into_iter().map(|entry| entry.id.into()).collect();
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

fn print(entry: &AuditEntry, json: bool) -> anyhow::Result<()> {
    if json {
        outln!("{}", serde_json::to_string(entry)?);
        return Ok(());
    }
    let actor = match &entry.actor.id {
        Some(id) => format!("{} {id}", entry.actor.kind),
        None => entry.actor.kind.to_string(),
    };
    let object = entry.object.as_ref().map(|object| format!("{} {}", object.kind, object.id));
    let details = match entry.details.is_empty() {
        true => String::new(),
        false => serde_json::to_string(&entry.details)?,
    };
    outln!(
        "{:24}  {:18}  {:36}  by {actor}  {:41}  {:15}  {details}",
        entry.at.to_string(),
        entry.action.as_str(),
        or_dash(entry.account_id.as_ref()),
        or_dash(object),
        or_dash(entry.address.as_ref()),
    );
    Ok(())
}
