//! A seeded simulation of engine, job and journal: a fake web, a fake clock, two
//! workers that die and lose their leases, a purse that runs dry, a wall of bot protection, an
//! owner.
//!
//! A seed decides everything that happens: what the web is like, what is asked of it and
//! what goes wrong. After every step the rules of the house
//! must hold, and at the end a run must have come to what it comes to without faults.

mod abroad;
mod books;
mod draw;
mod drive;
mod list;
mod page;
mod place;
mod profile;
mod report;
mod rng;
mod rules;
mod session;
mod truth;
mod violation;
mod wall;
mod watch;
mod web;
mod wish;
mod world;

pub use profile::{Flaw, Profile};
pub use report::Report;
pub use violation::Violation;

use world::World;

/// Runs the story of a seed.
///
/// # Errors
/// The first [`Violation`] of a rule.
pub fn run(seed: u64, profile: &Profile) -> Result<Report, Violation> {
    let report = World::new(seed, profile)?.run()?;
    if *profile != Profile::CALM {
        let calm = World::new(seed, &Profile::CALM)?.run()?;
        report.compare(&calm).map_err(|message| Violation {
            seed,
            profile: profile.name,
            message,
            trace: Vec::new(),
        })?;
    }
    Ok(report)
}
