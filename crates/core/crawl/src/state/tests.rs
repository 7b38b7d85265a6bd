use golden::GoldenFolder;

use super::*;

/// The layout of the first release, field by field.
#[derive(Serialize)]
struct FirstReleaseState<'a> {
    frontier: &'a Frontier,
    robots: &'a BTreeMap<String, (Robots, Millis)>,
    moved_to: &'a Option<String>,
    sitemaps_searched: &'a BTreeSet<String>,
    sitemap_files: u32,
    sitemaps_open: u32,
    listed: u64,
    sitemap_metadata: &'a HashMap<UrlId, (UrlId, Arc<SitemapMetadata>)>,
    default_language: &'a Option<LanguageTag>,
    language_marks: &'a BTreeSet<LanguageTag>,
    main_language: &'a Option<LanguageTag>,
    translations: &'a HashMap<UrlId, LanguageTag>,
    repeated_blocks: &'a Vec<(u64, u8)>,
    repeated_blocks_after: u32,
    template: &'a Option<Vec<u8>>,
    product_dedup: &'a ProductDedup,
    unread: &'a HashSet<UrlId>,
    protected_by: &'a Option<String>,
    traps: &'a TrapWatch,
    refused: &'a HashSet<u64>,
    redirects: &'a HashMap<UrlId, (u16, Option<UrlId>)>,
    contents: &'a HashMap<u64, UrlId>,
    duplicates: &'a HashMap<UrlId, UrlId>,
    delivered_folders: &'a HashMap<u64, (UrlId, u64)>,
    delivered: &'a Vec<UrlId>,
    units: u64,
    /// The counts of `OutcomeCounts`, in their order.
    outcome_counts: [u64; 17],
    finished_twice: u32,
}

impl<'a> FirstReleaseState<'a> {
    fn of(state: &'a RunState, outcome_counts: [u64; 17]) -> Self {
        Self {
            frontier: &state.frontier,
            robots: &state.robots,
            moved_to: &state.moved_to,
            sitemaps_searched: &state.sitemaps_searched,
            sitemap_files: state.sitemap_files,
            sitemaps_open: state.sitemaps_open,
            listed: state.listed,
            sitemap_metadata: &state.sitemap_metadata,
            default_language: &state.default_language,
            language_marks: &state.language_marks,
            main_language: &state.main_language,
            translations: &state.translations,
            repeated_blocks: &state.repeated_blocks,
            repeated_blocks_after: state.repeated_blocks_after,
            template: &state.template,
            product_dedup: &state.product_dedup,
            unread: &state.unread,
            protected_by: &state.protected_by,
            traps: &state.traps,
            refused: &state.refused,
            redirects: &state.redirects,
            contents: &state.contents,
            duplicates: &state.duplicates,
            delivered_folders: &state.delivered_folders,
            delivered: &state.delivered,
            units: state.units,
            outcome_counts,
            finished_twice: state.finished_twice,
        }
    }
}

fn state() -> RunState {
    let mut state = RunState::new(TrapRule::default());
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

/// A run may wait for a confirmation for days, so an upgrade may happen in between.
#[test]
fn snapshot_of_the_first_release_is_decoded() {
    let state = state();
    let mut outcome_counts = [0; 17];
    (outcome_counts[0], outcome_counts[1], outcome_counts[16]) = (5, 4, 1);
    let stored = Snapshot::of(&FirstReleaseState::of(&state, outcome_counts)).expect("it encodes");
    let stored = golden("site_snapshot.v1-first-release.bin", &stored);
    assert_eq!(RunState::restore(&stored).expect("it decodes"), state);
    assert!(state.tail.0.robots_bytes > 0, "byte counts are computed again");
}

#[test]
fn snapshot_restores_the_whole_state() {
    let mut state = state();
    state.apply(&Step::Learned(Fact::BatchStarted { number: 3 }));
    state.tail.0.fetch_points = 90;
    state.tail.0.failures.too_complex = 2;
    let stored = Snapshot::of(&state).expect("it encodes");
    assert_eq!(RunState::restore(&stored).expect("it decodes"), state);
}

/// A golden snapshot of this crate.
fn golden(name: &str, present: &Snapshot) -> Snapshot {
    let present: Vec<u8> = present.parts().flatten().copied().collect();
    let folder = GoldenFolder::of(env!("CARGO_MANIFEST_DIR"));
    Snapshot::join(vec![folder.read_or_write(name, &present)])
}

/// The golden commit of the journal, which has every kind of step.
fn golden_commit() -> Commit {
    let folder = GoldenFolder::of(concat!(env!("CARGO_MANIFEST_DIR"), "/../journal"));
    serde_json::from_slice(&folder.read("commit.v1.json")).expect("a commit")
}

#[test]
fn golden_snapshots_are_the_replay_of_the_golden_commit() {
    let mut state = RunState::new(TrapRule::in_year(2026));
    state.replay(&golden_commit());
    let present = Snapshot::of(&state).expect("it encodes");
    let stored = golden("site_snapshot.v1.bin", &present);
    assert_eq!(RunState::restore(&stored).expect("it decodes"), state);
    let mut state = crate::DomainCrawlState::default();
    state.replay(&golden_commit());
    let present = Snapshot::of(&state).expect("it encodes");
    let stored = golden("domain_snapshot.v1.bin", &present);
    assert_eq!(stored.state::<crate::DomainCrawlState>().expect("it decodes"), state);
}
