//! `trawl migrate`: shows and applies pending schema migrations.

use anyhow::bail;
use store::{MigrationPlan, PendingMigration, Store};

use super::backup::require_database;
use super::serve::lock_data_folder;
use super::{Exit, settings};
use crate::cli::{GlobalArgs, MigrateArgs};
use crate::printing::outln;

pub async fn run(global: &GlobalArgs, args: &MigrateArgs) -> anyhow::Result<Exit> {
    let settings = settings(global, &[])?;
    require_database(&settings)?;
    let store = Store::new(settings.store())?;
    let plan = store.migration_plan().await?;
    if let Some(obstacle) = &plan.obstacle {
        bail!("the database cannot be used: {obstacle}");
    }
    if args.plan {
        print(&plan);
    }
    if args.apply {
        // The only node of SQLite would meet tables that it does not know.
        let lock = lock_data_folder(&settings)?;
        store.prepare().await?;
        drop(lock);
        match plan.pending.len() {
            0 => outln!("schema {}: nothing to do", plan.applied),
            steps => outln!("schema {}: {steps} migrations were applied", plan.newest),
        }
    }
    store.close().await;
    Ok(Exit::Done)
}

fn print(plan: &MigrationPlan) {
    let MigrationPlan { applied, newest, pending, needs, .. } = plan;
    if pending.is_empty() {
        outln!("schema {applied}: nothing to do; this release knows {newest}");
    } else {
        outln!("schema {applied} of {newest}: {} migrations are pending", pending.len());
    }
    for PendingMigration { step, name, expands } in pending {
        let kind = match expands {
            true => "expands: nodes of the release before keep working",
            false => "contracts: stop nodes of the release before first",
        };
        outln!("{step:>4}  {name:24} {kind}");
    }
    outln!("afterwards: releases that know at least {needs} migrations can start on this database");
}
