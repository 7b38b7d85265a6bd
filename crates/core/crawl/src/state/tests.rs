use golden::GoldenFolder;
use journal::{OptionalTail, PayloadType, Snapshot};

use super::*;
use crate::DomainCrawlState;

/// The state of all modes, as runs of the first release stored it: the repeated blocks and the number
/// of pages read for them, the template, and the known products.
type AllModes = (Vec<(u64, u8)>, u32, Option<Vec<u8>>, KnownProducts);

/// Pages, identities, numbers, languages, merged and unmatched translations.
type KnownProducts = (
    u64,
    HashMap<u64, UrlId>,
    HashMap<u64, (UrlId, bool)>,
    HashMap<UrlId, LanguageTag>,
    HashMap<UrlId, Vec<(UrlId, LanguageTag)>>,
    HashMap<u64, Vec<(UrlId, LanguageTag)>>,
);

/// The state of all modes after the golden commit.
fn all_modes() -> AllModes {
    let home = UrlId(0);
    let products = (
        2,
        [(6, home), (70_000, home)].into(),
        [(5, (home, false))].into(),
        [(home, LanguageTag::parse("de-AT").expect("a tag"))].into(),
        HashMap::new(),
        HashMap::new(),
    );
    (vec![(u64::MAX, 255), (7, 128)], 12, Some(b"TPL2\x08\0\0\0".to_vec()), products)
}

/// The limits when the golden files were written.
fn traps(last_year: u16) -> TrapRule {
    TrapRule {
        depth: 32,
        same_segment: 3,
        url_bytes: 2_048,
        years: (1800, last_year),
        calendar_pages: 400,
        archive_pages: 20_000,
        facets: 50,
        duplicates: 25,
        folder_duplicates: 200,
        patterns: 10_000,
    }
}

fn state() -> RunState {
    let mut state = RunState::new(traps(2100));
    let page = |url: &str| DiscoveredUrl::page(url.to_owned(), Via::Start, Some("text".into()));
    let found = vec![page("https://a.test/"), page("https://a.test/b")];
    state.apply(&Step::Seeded(found));
    let rules = Robots::parse(b"User-agent: *\nDisallow: /private\n", "Trawl");
    let authority = "a.test".to_owned();
    state.apply(&Step::Learned(Fact::Robots { authority, rules, read_at: Millis(7) }));
    let metadata =
        SitemapMetadata { lastmod: Some("2026-01-01".into()), ..SitemapMetadata::default() };
    state.tail.0.sitemap_metadata_bytes = metadata.bytes();
    state.sitemap_metadata.insert(UrlId(1), (UrlId(0), Arc::new(metadata)));
    state.units = 300;
    state.delivered = vec![UrlId(0)];
    state.outcome_counts =
        OutcomeCounts { requested: 5, success: 4, other: 1, ..OutcomeCounts::default() };
    state
}

/// A golden snapshot of this crate; that of the newest version is written if it is missing.
fn golden(name: &str, payload: PayloadType, version: u8, present: &Snapshot) -> Snapshot {
    let folder = GoldenFolder::of(env!("CARGO_MANIFEST_DIR"));
    let name = format!("{name}.v{version}.bin");
    Snapshot::join(vec![if version == payload.version() {
        let present: Vec<u8> = present.parts().flatten().copied().collect();
        folder.read_or_write(&name, &present)
    } else {
        folder.read(&name)
    }])
}

/// The golden commit of the journal, which has every kind of step.
fn golden_commit() -> Commit {
    let folder = GoldenFolder::of(concat!(env!("CARGO_MANIFEST_DIR"), "/../journal"));
    serde_json::from_slice(&folder.read("commit.v1.json")).expect("a commit")
}

/// A run may wait for a confirmation for days, so an upgrade may happen in between.
#[test]
fn golden_snapshots_of_every_version_are_the_replay_of_the_golden_commit() {
    let mut state = RunState::new(traps(2029));
    state.replay(&golden_commit());
    let payload = PayloadType::SiteSnapshot;
    let present = state.snapshot(&all_modes()).expect("it encodes");
    for version in 1..=payload.version() {
        let stored = golden("site_snapshot", payload, version, &present);
        let restored: (RunState, AllModes) = RunState::restore(&stored).expect("it decodes");
        // The files were written before the causes of failures were counted.
        let mut expected = state.clone();
        expected.tail.0.failures.unreachable = OptionalTail::default();
        assert_eq!(restored, (expected, all_modes()), "{version}");
    }
    assert!(!state.tail.0.failures.unreachable.0.is_empty(), "the commit has such failures");
    assert_eq!(RunState::restore(&present).expect("it decodes"), (state, all_modes()));
    let mut state = DomainCrawlState::default();
    state.replay(&golden_commit());
    let payload = PayloadType::DomainSnapshot;
    let present = Snapshot::of(payload, &state).expect("it encodes");
    for version in 1..=payload.version() {
        let stored = golden("domain_snapshot", payload, version, &present);
        assert_eq!(DomainCrawlState::restore(&stored).expect("it decodes"), state, "{version}");
    }
}

#[test]
fn golden_snapshot_of_the_first_release_is_decoded() {
    let folder = GoldenFolder::of(env!("CARGO_MANIFEST_DIR"));
    let stored = Snapshot::join(vec![folder.read("site_snapshot.v1-first-release.bin")]);
    let state = state();
    let restored: (RunState, [u8; 9]) = RunState::restore(&stored).expect("it decodes");
    assert_eq!(restored, (state.clone(), NO_MODE_STATE));
    assert!(state.tail.0.robots_bytes > 0, "byte counts are computed again");
}

#[test]
fn snapshot_restores_the_whole_state() {
    let mut state = state();
    state.apply(&Step::Learned(Fact::BatchStarted { number: 3 }));
    state.tail.0.fetch_points = 90;
    state.tail.0.failures.too_complex = 2;
    let stored = state.snapshot(&NO_MODE_STATE).expect("it encodes");
    assert_eq!(RunState::restore(&stored).expect("it decodes"), (state, NO_MODE_STATE));
}
