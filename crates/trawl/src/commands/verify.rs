//! `trawl verify`: checks all stored data, beside a server or without one.

use store::{DataCheck, Store};

use super::backup::require_database;
use super::doctor::Finding;
use super::{Exit, print_json, settings_with_key};
use crate::cli::{GlobalArgs, VerifyArgs};
use crate::printing::outln;

pub async fn run(global: &GlobalArgs, args: &VerifyArgs) -> anyhow::Result<Exit> {
    let settings = settings_with_key(global)?;
    require_database(&settings)?;
    let store = Store::new(settings.store())?;
    store.open_unchanged().await?;
    let checks = store.verify_data().await?;
    store.close().await;
    print(args, checks)
}

/// Prints the outcome of checks.
pub fn print(args: &VerifyArgs, checks: Vec<DataCheck>) -> anyhow::Result<Exit> {
    let is_clean = checks.iter().all(DataCheck::is_clean);
    let findings: Vec<Finding> = checks.into_iter().flat_map(findings_of).collect();
    if args.json {
        print_json(&findings)?;
    } else {
        for Finding { check, verdict, detail, .. } in &findings {
            outln!("{:8} {check:12} {detail}", verdict.as_str());
        }
        match is_clean {
            true => outln!("all stored data can be read and is consistent"),
            false => outln!(
                "stored data is damaged: stop the server, keep a copy of the data, and restore the \
                 last backup (docs/operations.md)"
            ),
        }
    }
    Ok(if is_clean { Exit::Done } else { Exit::Nothing })
}

fn findings_of(check: DataCheck) -> Vec<Finding> {
    let DataCheck { name, checked, problems, unlisted } = check;
    if problems.is_empty() {
        return vec![Finding::ok(name, checked)];
    }
    let more = (unlisted > 0).then(|| format!("and {unlisted} more problems"));
    let remedy = "restore the last backup";
    problems.into_iter().chain(more).map(|one| Finding::failed(name, one, remedy)).collect()
}
