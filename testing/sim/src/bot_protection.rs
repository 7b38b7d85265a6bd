//! Bot protection of the simulated site: when it starts, how the protected tier passes it, and what
//! the job says about protected sites.

use std::collections::HashMap;

use contract::{Credits, OnProtected};
use crawl::{FetchVia, ResponseHead};

use crate::rng::Rng;

/// The page that is returned instead of the site's page.
const PAGE: &str = "<html><head><title></title></head><body>Request unsuccessful. Incapsula \
                    incident ID: 443000270064535132-1</body></html>";

/// The bot protection of a run.
#[derive(Debug)]
pub(crate) struct BotProtection {
    /// Number of pages that are answered before it starts.
    open_for: u64,
    tier_access: TierAccess,
    /// Attempts of the protected tier, by page.
    tries: HashMap<String, u64>,
}

/// How the protected tier passes.
#[derive(Debug, Clone, Copy)]
enum TierAccess {
    AtOnce,
    /// After this many attempts for each page.
    AfterTries(u64),
    /// One page in this many is never passed.
    NotBeforeOneIn(u64),
    Never,
}

/// What the job says about protected sites, and whether there is a protected tier.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProtectionPolicy {
    pub on_protected: Option<OnProtected>,
    pub ceiling: Option<Credits>,
    pub tier: bool,
}

impl ProtectionPolicy {
    pub const NONE: Self = Self { on_protected: None, ceiling: None, tier: true };

    pub fn draw(rng: &mut Rng) -> Self {
        let (on_protected, ceiling) = match rng.within(0, 5) {
            0 | 1 => (Some(OnProtected::Auto), Some(Credits(5))),
            // Below the rate, so the owner is asked.
            2 => (None, Some(Credits(3))),
            3 => (Some(OnProtected::Fail), None),
            _ => (Some(OnProtected::Pause), None),
        };
        Self { on_protected, ceiling, tier: !rng.percent(10) }
    }
}

impl BotProtection {
    pub fn draw(rng: &mut Rng) -> Self {
        let open_for = if rng.percent(40) { 0 } else { rng.within(1, 12) };
        let tier_access = match rng.within(0, 5) {
            0..=2 => TierAccess::AtOnce,
            3 => TierAccess::AfterTries(rng.within(1, 2)),
            4 => TierAccess::NotBeforeOneIn(rng.within(2, 6)),
            _ => TierAccess::Never,
        };
        Self { open_for, tier_access, tries: HashMap::new() }
    }

    /// Whether a page is blocked for this kind of request.
    pub fn blocks(&mut self, key: &str, fetch_via: FetchVia) -> bool {
        match fetch_via {
            FetchVia::Plain | FetchVia::Browser => {
                let open = self.open_for > 0;
                self.open_for = self.open_for.saturating_sub(1);
                !open
            }
            FetchVia::Tier => match self.tier_access {
                TierAccess::AtOnce => false,
                TierAccess::AfterTries(tries) => {
                    let so_far = self.tries.entry(key.to_owned()).or_default();
                    *so_far += 1;
                    *so_far <= tries
                }
                TierAccess::NotBeforeOneIn(pages) => {
                    key.bytes().map(u64::from).sum::<u64>() % pages == 0
                }
                TierAccess::Never => true,
            },
        }
    }

    pub fn answer() -> (ResponseHead, Vec<u8>) {
        let content_type = Some("text/html".to_owned());
        (ResponseHead { status: 403, content_type, ..ResponseHead::default() }, PAGE.into())
    }
}
