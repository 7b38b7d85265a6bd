//! What a run is asked for. It belongs to the seed: the calm run is asked for the same.

use contract::{Mode, Options, Scope};
use urls::TrapRule;

use crate::rng::Rng;

/// How much patience these runs have with traps.
pub(crate) fn traps() -> TrapRule {
    TrapRule { duplicates: DUPLICATES, ..TrapRule::default() }
}

/// Duplicates after which a pattern that gave nothing else is given up, in these runs.
pub(crate) const DUPLICATES: u32 = 3;

/// The mode, the switches and the limits of a run.
#[derive(Debug, Clone)]
pub(crate) struct Wish {
    pub mode: Mode,
    pub scope: Scope,
    pub options: Options,
    pub max_pages: Option<u64>,
}

impl Wish {
    /// What the run of a seed is asked for: a third of them for links alone.
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
        if rng.percent(33) { plain } else { plain.enriched(&mut rng) }
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

    /// Whether sitemaps are read: for some of the switches there is no other way.
    pub fn reads_sitemaps(&self) -> bool {
        let (scope, options) = (&self.scope, &self.options);
        let asked = scope.include_sitemap || scope.include_orphan || options.sitemap_first;
        (asked || self.mode == Mode::Sitemap) && !scope.one_page
    }
}
