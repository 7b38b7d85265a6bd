//! A wall of bot protection that goes up before the site: when, to whom it opens, and what
//! its owner has said of such sites in advance.

use std::collections::HashMap;

use contract::{Credits, OnProtected};
use crawl::{AnswerHead, Means};

use crate::rng::Rng;

/// What stands in place of a page.
const PAGE: &str = "<html><head><title></title></head><body>Request unsuccessful. Incapsula \
                    incident ID: 443000270064535132-1</body></html>";

/// The wall of a run.
#[derive(Debug)]
pub(crate) struct Wall {
    /// Pages that are answered before it goes up.
    open_for: u64,
    opening: Opening,
    /// How often the tier stood before each page.
    tries: HashMap<String, u64>,
}

/// How it meets the protected tier.
#[derive(Debug, Clone, Copy)]
enum Opening {
    AtOnce,
    /// After it was met so often, for each page.
    AfterTries(u64),
    /// It stays shut before one page of so many.
    NotBeforeOneIn(u64),
    Never,
}

/// What the run is told about protected sites, and what it has for them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Precaution {
    pub on_protected: Option<OnProtected>,
    pub ceiling: Option<Credits>,
    /// Whether there is a protected tier.
    pub tier: bool,
}

impl Precaution {
    /// Nobody has thought of it.
    pub const NONE: Self = Self { on_protected: None, ceiling: None, tier: true };

    pub fn draw(rng: &mut Rng) -> Self {
        let (on_protected, ceiling) = match rng.within(0, 5) {
            0 | 1 => (Some(OnProtected::Auto), Some(Credits(5))),
            // Below the rate: as good as a question.
            2 => (None, Some(Credits(3))),
            3 => (Some(OnProtected::Fail), None),
            _ => (Some(OnProtected::Pause), None),
        };
        Self { on_protected, ceiling, tier: !rng.percent(10) }
    }
}

impl Wall {
    pub fn draw(rng: &mut Rng) -> Self {
        let open_for = if rng.percent(40) { 0 } else { rng.within(1, 12) };
        let opening = match rng.within(0, 5) {
            0..=2 => Opening::AtOnce,
            3 => Opening::AfterTries(rng.within(1, 2)),
            4 => Opening::NotBeforeOneIn(rng.within(2, 6)),
            _ => Opening::Never,
        };
        Self { open_for, opening, tries: HashMap::new() }
    }

    /// Whether it stands before a page, asked for by these means.
    pub fn stands_before(&mut self, key: &str, means: Means) -> bool {
        match means {
            Means::Plain | Means::Browser => {
                let open = self.open_for > 0;
                self.open_for = self.open_for.saturating_sub(1);
                !open
            }
            Means::Tier => match self.opening {
                Opening::AtOnce => false,
                Opening::AfterTries(tries) => {
                    let so_far = self.tries.entry(key.to_owned()).or_default();
                    *so_far += 1;
                    *so_far <= tries
                }
                Opening::NotBeforeOneIn(pages) => {
                    key.bytes().map(u64::from).sum::<u64>() % pages == 0
                }
                Opening::Never => true,
            },
        }
    }

    /// What it answers.
    pub fn answer() -> (AnswerHead, Vec<u8>) {
        let content_type = Some("text/html".to_owned());
        (AnswerHead { status: 403, content_type, ..AnswerHead::default() }, PAGE.into())
    }
}
