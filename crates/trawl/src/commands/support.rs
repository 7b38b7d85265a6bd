//! `trawl support`: a file for a support request, without secrets and without data of customers.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use contract::Clock;
use runtime::SystemClock;
use serde_json::{Value, json};
use store::Store;

use super::backup::require_database;
use super::doctor::{self, Finding};
use super::{Exit, layers, print_json, secret_key};
use crate::cli::{GlobalArgs, SupportArgs};
use crate::printing::outln;
use crate::settings::{Layers, Settings};
use crate::{logging, private_files};

/// Settings with names of people, domains or hosts; only their length is shown.
const PERSONAL: &[&str] = &["objections", "blocked_domains", "resolve"];

/// Errors of jobs that are counted ended within this time.
const ERRORS_OF: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// Maximum bytes at the end of a log that are searched for errors, and lines that are kept.
const LOG_BYTES: u64 = 4 << 20;
const LOG_LINES: usize = 500;

pub async fn run(global: &GlobalArgs, args: &SupportArgs) -> anyhow::Result<Exit> {
    logging::start("error", false)?;
    let mut layers = layers(global, &[])?;
    // What is wrong with the key is a finding.
    let _ = secret_key::load(&mut layers);
    let settings = Settings::of(&layers)?;
    let findings: Vec<Finding> = doctor::check(&settings, &args.host).await;
    let database = match numbers(&settings).await {
        Ok(numbers) => numbers,
        Err(error) => json!({"error": format!("{error:#}")}),
    };
    let mut bundle = json!({
        "written_at": SystemClock.now(),
        "release": env!("CARGO_PKG_VERSION"),
        "machine": machine(),
        "settings": shown_settings(&layers),
        "doctor": findings,
        "database": database,
    });
    if let Some(log) = &args.log {
        let lines = errors_of(log).with_context(|| format!("cannot read {}", log.display()))?;
        bundle["log"] = lines.into();
    }
    let Some(file) = &args.output else {
        print_json(&bundle)?;
        return Ok(Exit::Done);
    };
    let text = serde_json::to_string_pretty(&bundle)? + "\n";
    private_files::write(file, &text)
        .with_context(|| format!("cannot write {}", file.display()))?;
    outln!("{}: read it before you send it", file.display());
    Ok(Exit::Done)
}

async fn numbers(settings: &Settings) -> anyhow::Result<Value> {
    require_database(settings)?;
    let store = Store::new(settings.store())?;
    let plan = store.migration_plan().await?;
    let numbers = match store.open_unchanged().await {
        Ok(()) => json!(store.numbers(SystemClock.now().minus(ERRORS_OF)).await?),
        Err(error) => json!({"error": error.to_string()}),
    };
    store.close().await;
    let kind = if settings.is_postgres() { "PostgreSQL" } else { "SQLite" };
    Ok(json!({
        "kind": kind, "schema": plan.applied, "newest_schema": plan.newest, "numbers": numbers,
    }))
}

/// The settings that differ from the defaults, without secrets.
fn shown_settings(layers: &Layers) -> BTreeMap<String, Value> {
    let set = layers.shown().filter(|(_, _, origin)| **origin != crate::settings::Origin::Default);
    set.map(|(key, value, origin)| {
        let value = match PERSONAL.contains(&key) {
            true => format!("({} characters)", value.chars().count()),
            false => value,
        };
        (key.to_owned(), json!({"value": value, "from": origin.to_string()}))
    })
    .collect()
}

fn machine() -> Value {
    let first_line = |file: &str, start: &str| {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        text.lines().find_map(|line| line.strip_prefix(start)).map(|rest| rest.trim().to_owned())
    };
    json!({
        "system": first_line("/etc/os-release", "PRETTY_NAME="),
        "kernel": first_line("/proc/sys/kernel/osrelease", ""),
        "architecture": std::env::consts::ARCH,
        "cores": std::thread::available_parallelism().ok(),
        "memory": first_line("/proc/meminfo", "MemTotal:"),
    })
}

/// The last warnings and errors of a log, in text or JSON.
fn errors_of(log: &Path) -> anyhow::Result<Vec<String>> {
    let mut file = File::open(log)?;
    let start = file.metadata()?.len().saturating_sub(LOG_BYTES);
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(LOG_BYTES).read_to_end(&mut bytes)?;
    Ok(errors_in(&String::from_utf8_lossy(&bytes)))
}

fn errors_in(text: &str) -> Vec<String> {
    let is_error = |line: &&str| line.contains("WARN") || line.contains("ERROR");
    let mut lines: Vec<_> = text.lines().filter(is_error).map(str::to_owned).collect();
    lines.drain(..lines.len().saturating_sub(LOG_LINES));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_warnings_and_errors_of_a_log_are_kept() {
        let line = |n: usize| format!("2026-11-19 {} number {n}", ["INFO", "WARN", "ERROR"][n % 3]);
        let text = (0..3_000).map(line).collect::<Vec<_>>().join("\n");
        let kept = errors_in(&text);
        assert_eq!(kept.len(), LOG_LINES);
        assert!(kept.iter().all(|line| !line.contains("INFO")));
        assert_eq!(kept.last(), Some(&line(2_999)));
    }
}
