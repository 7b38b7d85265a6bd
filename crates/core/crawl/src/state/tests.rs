use super::*;

/// The layout of the first release, member by member.
#[derive(Serialize)]
struct Former<'a> {
    frontier: &'a Frontier,
    robots: &'a BTreeMap<String, (Robots, Millis)>,
    moved_to: &'a Option<String>,
    sought: &'a BTreeSet<String>,
    sitemap_files: u32,
    sitemaps_open: u32,
    listed: u64,
    listings: &'a HashMap<u32, (u32, Arc<Listing>)>,
    default_language: &'a Option<LanguageTag>,
    language_marks: &'a BTreeSet<LanguageTag>,
    main_language: &'a Option<LanguageTag>,
    translations: &'a HashMap<u32, LanguageTag>,
    repeated: &'a Vec<(u64, u8)>,
    repeated_after: u32,
    template: &'a Option<Vec<u8>>,
    twins: &'a Twins,
    unread: &'a HashSet<u32>,
    protected_by: &'a Option<String>,
    traps: &'a TrapWatch,
    refused: &'a HashSet<u64>,
    redirects: &'a HashMap<u32, (u16, Option<u32>)>,
    contents: &'a HashMap<u64, u32>,
    duplicates: &'a HashMap<u32, u32>,
    doors: &'a HashMap<u64, (u32, u64)>,
    delivered: &'a Vec<u32>,
    units: u64,
    /// The counts of `Tally`, in their order.
    tally: [u64; 17],
    finished_twice: u32,
}

impl<'a> Former<'a> {
    fn of(state: &'a RunState, tally: [u64; 17]) -> Self {
        Self {
            frontier: &state.frontier,
            robots: &state.robots,
            moved_to: &state.moved_to,
            sought: &state.sought,
            sitemap_files: state.sitemap_files,
            sitemaps_open: state.sitemaps_open,
            listed: state.listed,
            listings: &state.listings,
            default_language: &state.default_language,
            language_marks: &state.language_marks,
            main_language: &state.main_language,
            translations: &state.translations,
            repeated: &state.repeated,
            repeated_after: state.repeated_after,
            template: &state.template,
            twins: &state.twins,
            unread: &state.unread,
            protected_by: &state.protected_by,
            traps: &state.traps,
            refused: &state.refused,
            redirects: &state.redirects,
            contents: &state.contents,
            duplicates: &state.duplicates,
            doors: &state.doors,
            delivered: &state.delivered,
            units: state.units,
            tally,
            finished_twice: state.finished_twice,
        }
    }
}

fn state() -> RunState {
    let mut state = RunState::new(TrapRule::default());
    let page = |url: &str| Found::page(url.to_owned(), Via::Start, Some("text".into()));
    let found = vec![page("https://a.test/"), page("https://a.test/b")];
    state.take(&Step::Seeded(found));
    let rules = Robots::parse(b"User-agent: *\nDisallow: /private\n", "Trawl");
    let authority = "a.test".to_owned();
    state.take(&Step::Learned(Fact::Robots { authority, rules, read_at: Millis(7) }));
    let listing = Listing { lastmod: Some("2026-01-01".into()), ..Listing::default() };
    state.later.0.listing_bytes = listing.bytes();
    state.listings.insert(1, (0, Arc::new(listing)));
    state.units = 300;
    state.delivered = vec![0];
    state.tally = Tally { asked: 5, success: 4, other: 1, ..Tally::default() };
    state
}

/// A run may wait for a confirmation for days, and a release may come in between.
#[test]
fn a_snapshot_of_the_first_release_is_read() {
    let state = state();
    let mut tally = [0; 17];
    (tally[0], tally[1], tally[16]) = (5, 4, 1);
    let stored = Snapshot::of(&Former::of(&state, tally)).expect("it encodes");
    assert_eq!(RunState::restore(&stored).expect("it is read"), state);
    assert!(state.later.0.robots_bytes > 0, "byte counts are made anew");
}

#[test]
fn a_snapshot_holds_all_of_the_state() {
    let mut state = state();
    state.take(&Step::Learned(Fact::BatchBegan { number: 3 }));
    state.later.0.fetch_points = 90;
    state.later.0.ends.too_complex = 2;
    let stored = Snapshot::of(&state).expect("it encodes");
    assert_eq!(RunState::restore(&stored).expect("it is read"), state);
}
