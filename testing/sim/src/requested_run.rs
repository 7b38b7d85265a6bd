//! What a run is requested to do. It depends on the seed only, so that the run without faults does
//! the same.

use contract::{CreditLimitAction, Mode, Options, Scope};
use urls::TrapRule;

use crate::rng::Rng;

/// The trap rules of simulated runs.
pub(crate) fn traps() -> TrapRule {
    TrapRule { duplicates: DUPLICATES, ..TrapRule::default() }
}

/// Duplicates after which a URL pattern without other results is exhausted.
pub(crate) const DUPLICATES: u32 = 3;

/// Patterns of the filters of some runs; `truth` has the same rule without patterns.
const FILTERED: &[&str] = &["/dir/**", r"re:^/(find-\d+|files/)"];

/// The mode, the options and the limits of a run.
#[derive(Debug, Clone)]
pub(crate) struct RequestedRun {
    pub mode: Mode,
    pub scope: Scope,
    pub options: Options,
    pub max_pages: Option<u64>,
}

impl RequestedRun {
    /// The run of a seed; a third of them have mode `links` without further options.
    pub fn of(seed: u64) -> Self {
        let mut rng = Rng::new(seed, 3);
        let sample_size = rng.percent(6).then(|| rng.within(1, 8));
        let max_pages = rng.percent(6).then(|| rng.within(1, 12));
        let scope = Scope {
            include_subdomains: rng.percent(25),
            include_broken: rng.percent(40),
            include_files: rng.percent(20),
            include_query_strings: rng.percent(20),
            one_page: rng.percent(3),
            ..Scope::default()
        };
        let options = Options { sample_size, ..Options::default() };
        let plain = Self { mode: Mode::Links, scope, options, max_pages };
        let run = if rng.percent(33) { plain } else { plain.enriched(&mut rng) };
        run.steered(&mut Rng::new(seed, 7))
    }

    /// The same run over a list of URLs, without the options that end it early.
    pub fn over_list(mut self) -> Self {
        self.mode = Mode::Links;
        (self.scope, self.max_pages) = (Scope::default(), None);
        let (max_credits, on_max_credits) = (self.options.max_credits, self.options.on_max_credits);
        self.options = Options { max_credits, on_max_credits, ..Options::default() };
        self
    }

    /// Adds filters by path and a budget to some runs. They have their own random numbers, so that a
    /// seed has the same web and the same other options as without them.
    fn steered(mut self, rng: &mut Rng) -> Self {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        match rng.within(1, 20) {
            1 => self.scope.include_paths = texts(FILTERED),
            2 | 3 => self.scope.exclude_paths = texts(FILTERED),
            4 => self.scope.exclude_paths = texts(&["/dir/**", "/nowhere"]),
            _ => {}
        }
        if rng.percent(8) {
            self.options.max_credits = Some(rng.within(1, 9));
            if rng.percent(50) {
                self.options.on_max_credits = CreditLimitAction::Pause;
            }
        }
        self
    }

    fn enriched(mut self, rng: &mut Rng) -> Self {
        if rng.percent(30) {
            self.mode = Mode::Sitemap;
        }
        let (scope, options) = (&mut self.scope, &mut self.options);
        scope.specific_route = rng.percent(12);
        scope.include_external = rng.percent(30);
        scope.include_images = rng.percent(30);
        scope.include_sitemap = rng.percent(30);
        scope.include_orphan = rng.percent(30);
        options.sitemap_first = rng.percent(15);
        options.discovery = !rng.percent(12);
        if rng.percent(35) {
            options.preferred_language = Some(rng.pick(&["en", "de", "de-AT", "en-GB"]).to_owned());
            options.region_aware = rng.percent(35);
            options.strict_default_language = rng.percent(35);
        }
        self
    }

    /// Whether sitemaps are read.
    pub fn reads_sitemaps(&self) -> bool {
        let (scope, options) = (&self.scope, &self.options);
        let asked = scope.include_sitemap || scope.include_orphan || options.sitemap_first;
        (asked || self.mode == Mode::Sitemap) && !scope.one_page
    }
}
