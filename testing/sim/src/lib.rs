//! A seeded simulation of engine, job and journal: a fake web, a fake clock, two workers that crash
//! and lose their leases, a balance that runs out, bot protection and an owner.
//!
//! A seed determines everything: the web, the requested run and the faults. After every step the
//! invariants must hold, and the results must be those of a run without faults.

mod bot_protection;
mod drive;
mod external_hosts;
mod fake_response;
mod fake_web;
mod fault_profile;
mod hosts;
mod invariants;
mod requested_run;
mod resource;
mod rng;
mod robots_behaviour;
mod sim_page;
mod sim_report;
mod sim_store;
mod simulation;
mod truth;
mod url_list;
mod violation;
mod web_generator;
mod worker_session;

pub use fault_profile::{FaultProfile, InjectedBug};
pub use sim_report::SimReport;
pub use violation::Violation;

use simulation::Simulation;

/// Simulates the run of a seed.
///
/// # Errors
///
/// The first [`Violation`] of an invariant.
pub fn run(seed: u64, profile: &FaultProfile) -> Result<SimReport, Violation> {
    let report = Simulation::new(seed, profile)?.run()?;
    if *profile != FaultProfile::CALM {
        let calm = FaultProfile { list: profile.list, ..FaultProfile::CALM };
        let calm = Simulation::new(seed, &calm)?.run()?;
        report.compare(&calm).map_err(|message| Violation {
            seed,
            profile: profile.name,
            message,
            trace: Vec::new(),
        })?;
    }
    Ok(report)
}
