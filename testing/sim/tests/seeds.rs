//! Thousands of seeds for each set of faults, and proof that the simulator can fail.
//!
//! `TRAWL_SIM_SEED=n` replays one seed, `TRAWL_SIM_RUNS=n` multiplies their number.

use std::collections::BTreeSet;

use contract::SkipReason;
use sim::{Flaw, Profile, Report, Violation, run};

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

fn seeds(count: u64) -> std::ops::Range<u64> {
    match number("TRAWL_SIM_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..count * number("TRAWL_SIM_RUNS").unwrap_or(1),
    }
}

fn all_hold(profile: &Profile, count: u64) {
    for seed in seeds(count) {
        if let Err(violation) = run(seed, profile) {
            panic!("{violation}");
        }
    }
}

#[test]
fn calm() {
    all_hold(&Profile::CALM, 2_000);
}

#[test]
fn crashes() {
    all_hold(&Profile::CRASHES, 1_500);
}

#[test]
fn lost_leases() {
    all_hold(&Profile::LOST_LEASES, 1_500);
}

#[test]
fn poor_purse() {
    all_hold(&Profile::POOR_PURSE, 1_200);
}

#[test]
fn small_batches() {
    all_hold(&Profile::SMALL_BATCHES, 1_500);
}

#[test]
fn escalations() {
    all_hold(&Profile::ESCALATIONS, 2_000);
}

#[test]
fn aborts() {
    all_hold(&Profile::ABORTS, 1_000);
}

#[test]
fn everything() {
    all_hold(&Profile::EVERYTHING, 3_000);
}

/// A seed tells the same story each time.
#[test]
fn a_seed_decides_everything() {
    for seed in 0..20 {
        assert_eq!(run(seed, &Profile::EVERYTHING), run(seed, &Profile::EVERYTHING));
    }
}

/// Every fault does happen, and runs end in many ways.
#[test]
fn the_stories_are_varied() {
    let reports: Vec<_> =
        (0..400).map(|seed| run(seed, &Profile::EVERYTHING).expect("the rules hold")).collect();
    let count = |what: fn(&Report) -> u64| reports.iter().map(what).sum::<u64>();
    assert!(count(|report| report.results) > 1_000, "results");
    assert!(count(|report| report.crashes) > 200, "crashes");
    assert!(count(|report| report.lost_appends) > 20, "appends that were turned away");
    assert!(count(|report| report.snapshots) > 50, "snapshots");
    assert!(count(|report| report.parked) > 400, "stops for an answer");
    assert!(count(|report| u64::from(report.escalated)) > 40, "runs at the higher rate");
    assert!(count(|report| report.blocked) > 20, "pages behind a wall");
    assert!(count(|report| report.external) > 50, "links that leave the site");
    assert!(count(|report| report.orphans) > 50, "orphans");
    let whole = reports.iter().filter(|report| report.whole).count();
    assert!(whole > 200, "only {whole} runs came to their end");
    let reasons: BTreeSet<SkipReason> =
        reports.iter().flat_map(|report| report.skipped.values().copied()).collect();
    assert!(reasons.len() >= 15, "only these reasons: {reasons:?}");
    let mut ends: Vec<_> = reports.iter().map(|report| (report.status, report.error)).collect();
    ends.sort_unstable();
    ends.dedup();
    assert!(ends.len() >= 6, "only these ends: {ends:?}");
}

/// A broken rule is noticed, by the rule that it breaks.
#[test]
fn flaws_are_caught() {
    for (flaw, profile, words) in [
        (Flaw::EpochForgotten, Profile::LOST_LEASES, "a stale epoch appended"),
        (Flaw::NoPace, Profile::CALM, "is asked for before"),
        (Flaw::NothingCharged, Profile::CALM, "the charge is not the units times the rate"),
        (Flaw::DeliveredUnpaid, Profile::POOR_PURSE, "the purse is below zero"),
        (Flaw::NoBoundary, Profile::SMALL_BATCHES, "more was delivered than the batch holds"),
        (Flaw::LastCommitMissed, Profile::CRASHES, "what was replayed is not what was committed"),
        (Flaw::UnknownIsDone, Profile::LOST_LEASES, "the holder of the shard was turned away"),
        (
            Flaw::SkippedNotTrimmed,
            Profile::POOR_PURSE,
            "the log left out other URLs than there are lines",
        ),
        (Flaw::SkippedLost, Profile::CALM, "the log left out other URLs than there are lines"),
        (Flaw::SitemapsTwice, Profile::CALM, "xml was read twice though nothing was lost"),
        (Flaw::ChecksAreRead, Profile::CALM, "is read, which belongs to somebody else"),
        (Flaw::OldRate, Profile::ESCALATIONS, "the charge is not the units times the rate"),
        (Flaw::WideLanes, Profile::CALM, "are wanted at a time, not"),
    ] {
        let broken = Profile { flaw: Some(flaw), ..profile };
        let caught: Vec<Violation> = (0..200).filter_map(|seed| run(seed, &broken).err()).collect();
        assert!(
            caught.iter().any(|violation| violation.message.contains(words)),
            "{flaw:?} went unnoticed: {:?}",
            caught.first()
        );
    }
}
