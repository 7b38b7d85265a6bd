//! Simulates thousands of seeds for each fault profile, and proves that the invariants detect bugs.
//!
//! `TRAWL_SIM_SEED=n` replays one seed, `TRAWL_SIM_RUNS=n` multiplies their number.

use std::collections::BTreeSet;

use contract::SkipReason;
use sim::{FaultProfile, InjectedBug, SimReport, Violation, run};

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

fn seeds(count: u64) -> std::ops::Range<u64> {
    match number("TRAWL_SIM_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..count * number("TRAWL_SIM_RUNS").unwrap_or(1),
    }
}

fn check_seeds(profile: &FaultProfile, count: u64) {
    for seed in seeds(count) {
        if let Err(violation) = run(seed, profile) {
            panic!("{violation}");
        }
    }
}

#[test]
fn results_without_faults_match_the_truth() {
    check_seeds(&FaultProfile::CALM, 2_000);
}

#[test]
fn runs_survive_crashes() {
    check_seeds(&FaultProfile::CRASHES, 1_500);
}

#[test]
fn lost_leases_never_write() {
    check_seeds(&FaultProfile::LOST_LEASES, 1_500);
}

#[test]
fn low_credits_pause_and_never_overdraw() {
    check_seeds(&FaultProfile::LOW_CREDITS, 1_200);
}

#[test]
fn batches_are_never_exceeded() {
    check_seeds(&FaultProfile::SMALL_BATCHES, 1_500);
}

#[test]
fn protected_sites_are_escalated() {
    check_seeds(&FaultProfile::ESCALATIONS, 2_000);
}

#[test]
fn aborted_runs_stay_consistent() {
    check_seeds(&FaultProfile::ABORTS, 1_000);
}

#[test]
fn all_faults_together() {
    check_seeds(&FaultProfile::EVERYTHING, 3_000);
}

/// Results and skipped URLs are exactly the list, each once.
#[test]
fn lists_are_reported_exactly() {
    check_seeds(&FaultProfile::LIST, 600);
}

#[test]
fn lists_are_reported_exactly_with_all_faults() {
    check_seeds(&FaultProfile::LIST_WITH_FAULTS, 1_200);
}

#[test]
fn same_seed_gives_the_same_report() {
    for seed in 0..20 {
        assert_eq!(run(seed, &FaultProfile::EVERYTHING), run(seed, &FaultProfile::EVERYTHING));
    }
}

/// Every fault occurs, and runs end in many ways.
#[test]
fn faults_and_endings_are_varied() {
    let reports: Vec<_> = (0..400)
        .map(|seed| run(seed, &FaultProfile::EVERYTHING).expect("the invariants hold"))
        .collect();
    let count = |what: fn(&SimReport) -> u64| reports.iter().map(what).sum::<u64>();
    assert!(count(|report| report.results) > 1_000, "results");
    assert!(count(|report| report.crashes) > 200, "crashes");
    assert!(count(|report| report.lost_appends) > 20, "rejected appends");
    assert!(count(|report| report.snapshots) > 50, "snapshots");
    assert!(count(|report| report.parked) > 400, "parked runs");
    assert!(count(|report| u64::from(report.escalated)) > 40, "runs at the higher rate");
    assert!(count(|report| report.blocked) > 20, "blocked pages");
    assert!(count(|report| report.external) > 50, "external links");
    assert!(count(|report| report.orphans) > 50, "orphans");
    let whole = reports.iter().filter(|report| report.whole).count();
    assert!(whole > 200, "only {whole} runs finished all URLs");
    let reasons: BTreeSet<SkipReason> =
        reports.iter().flat_map(|report| report.skipped.values().copied()).collect();
    assert!(reasons.len() >= 15, "only these reasons: {reasons:?}");
    let mut ends: Vec<_> = reports.iter().map(|report| (report.status, report.error)).collect();
    ends.sort_unstable();
    ends.dedup();
    assert!(ends.len() >= 6, "only these ends: {ends:?}");
}

/// Every injected bug is detected, by the invariant that it violates.
#[test]
fn injected_bugs_are_detected() {
    for (bug, profile, words) in [
        (InjectedBug::EpochUnchecked, FaultProfile::LOST_LEASES, "a stale epoch appended"),
        (InjectedBug::NoPace, FaultProfile::CALM, "is requested before"),
        (
            InjectedBug::NothingCharged,
            FaultProfile::CALM,
            "the charge is not the units times the rate",
        ),
        (InjectedBug::DeliveredUnpaid, FaultProfile::LOW_CREDITS, "the balance is negative"),
        (
            InjectedBug::NoBoundary,
            FaultProfile::SMALL_BATCHES,
            "more units were delivered than the batch allows",
        ),
        (
            InjectedBug::LastCommitMissed,
            FaultProfile::CRASHES,
            "the replayed state differs from the committed state",
        ),
        (
            InjectedBug::UnknownTakenAsStored,
            FaultProfile::LOST_LEASES,
            "an append of the lease holder was rejected",
        ),
        (
            InjectedBug::SkippedNotTrimmed,
            FaultProfile::LOW_CREDITS,
            "the skipped URLs of the log and of the store differ",
        ),
        (
            InjectedBug::SkippedRowLost,
            FaultProfile::CALM,
            "the skipped URLs of the log and of the store differ",
        ),
        (
            InjectedBug::SitemapsTwice,
            FaultProfile::CALM,
            "xml was read twice although nothing was lost",
        ),
        (InjectedBug::ChecksReadBodies, FaultProfile::CALM, "is read although it is external"),
        (
            InjectedBug::NormalRateCharged,
            FaultProfile::ESCALATIONS,
            "the charge is not the units times the rate",
        ),
        (InjectedBug::ExtraHostSlots, FaultProfile::CALM, "are in flight, the limit is"),
    ] {
        let broken = FaultProfile { bug: Some(bug), ..profile };
        let caught: Vec<Violation> = (0..200).filter_map(|seed| run(seed, &broken).err()).collect();
        assert!(
            caught.iter().any(|violation| violation.message.contains(words)),
            "{bug:?} was not detected: {:?}",
            caught.first()
        );
    }
}
