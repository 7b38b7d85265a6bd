//! A commit: what became known and what was finished since the last one.
//!
//! Steps stand in the order in which they happened, and a URL's ordinal is its
//! place in the order of discovery. So any prefix of a commit is a commit: that is
//! what makes it possible to deliver just what is paid for.

use contract::{FetchFault, Millis, SkipReason};
use serde::{Deserialize, Serialize};
use urls::{LanguageTag, Robots};

use crate::codec::{self, JournalError};
use crate::found::{Found, Listed, Way};
use crate::product_mark::ProductMark;
use crate::visited::Visited;

/// Speed matters more than size here: the log is read back only after a crash.
const LEVEL: i32 = 1;

/// One append to the log of a run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Commit {
    pub steps: Vec<Step>,
}

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Step {
    /// The run learned something about the site.
    Learned(Fact),
    /// URLs that no page brought: the start, later those of a sitemap. Each takes the
    /// next ordinal.
    Seeded(Vec<Found>),
    /// A URL is done with.
    Finished(Finished),
    /// A domain is done with, and its record is made.
    Visited(Visited),
    /// A domain turned out to be protected: it waits until the others are done.
    SetAside {
        /// The place of the domain in the list of its shard.
        place: u32,
        /// What gave it away, as `cloudflare_challenge`.
        marker: String,
    },
}

impl Step {
    /// About how many bytes of memory it takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let held = match self {
            Self::Learned(fact) => fact.bytes(),
            Self::Seeded(found) => found.iter().map(Found::bytes).sum(),
            Self::Finished(finished) => finished.bytes(),
            Self::Visited(_) => 0,
            Self::SetAside { marker, .. } => marker.len(),
        };
        size_of::<Self>() + held
    }
}

/// Something that a run learned and that replay must give back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Fact {
    /// What robots.txt of a host allows.
    Robots {
        /// The host, with its port where that is not the default.
        authority: String,
        /// The rules that concern us.
        rules: Robots,
        /// When they were read: they hold for a day.
        read_at: Millis,
    },
    /// The start URL led to another site, which is crawled in its place.
    SiteMoved {
        /// The URL that it led to.
        to: String,
    },
    /// The sitemaps of this origin have been looked for.
    SitemapsSought {
        /// The origin.
        origin: String,
    },
    /// The language of the pages whose address names none.
    DefaultLanguage {
        /// The language.
        tag: LanguageTag,
    },
    /// Bot protection answered, and the run cannot or may not pass it.
    Protected {
        /// What gave it away, as `cloudflare_challenge`.
        marker: String,
    },
    /// An address that names this language does lead to pages in it.
    LanguageMark {
        /// The language, as addresses name it.
        tag: LanguageTag,
    },
    /// The language that the run keeps, where nobody asked for one: that of its start.
    MainLanguage {
        /// The language.
        tag: LanguageTag,
    },
    /// What stands on many pages of the site: a new version, which pages are read with from
    /// here on.
    RepeatedBlocks {
        /// How many pages the run had read by then.
        pages: u32,
        /// The blocks by fingerprint, each with the share of the pages that hold it, in
        /// 255ths.
        blocks: Vec<(u64, u8)>,
    },
    /// Where the product pages of a site show what: a new version, which pages are read with
    /// from here on.
    Template {
        /// The site.
        site: String,
        /// The template as it is kept.
        template: Vec<u8>,
        /// Whether this run learned it. If not, it began with it.
        learned: bool,
    },
    /// A batch begins: its size and its fetch allowance count from here.
    BatchBegan {
        /// The number of the batch, from 1.
        number: u32,
    },
    /// A page answered and was left out, for the first time by this reason, while the run had
    /// delivered nothing: the message of an empty run names it.
    LeftOut {
        /// The reason.
        reason: SkipReason,
    },
}

impl Fact {
    fn bytes(&self) -> usize {
        match self {
            Self::Robots { authority, rules, .. } => authority.len() + rules.bytes(),
            Self::SiteMoved { to: text }
            | Self::SitemapsSought { origin: text }
            | Self::Protected { marker: text } => text.len(),
            Self::RepeatedBlocks { blocks, .. } => size_of_val(blocks.as_slice()),
            Self::Template { site, template, .. } => site.len() + template.len(),
            Self::DefaultLanguage { .. }
            | Self::LanguageMark { .. }
            | Self::MainLanguage { .. }
            | Self::BatchBegan { .. }
            | Self::LeftOut { .. } => 0,
        }
    }
}

/// A URL that is done with, and what it brought.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finished {
    pub ordinal: u32,
    pub outcome: Outcome,
    /// URLs that nobody had seen before; each takes the next ordinal.
    pub found: Vec<Found>,
    /// The URLs that the page links to, each once, by ordinal.
    pub linked: Vec<u32>,
    /// Further ways in which known URLs were found.
    pub ways: Vec<Way>,
    /// What a sitemap lists.
    pub listed: Vec<Listed>,
    /// Addresses that were not let in, by their fingerprints: each is reported once.
    pub refused: Vec<u64>,
    /// The hash of its content, by which a later page is known as a duplicate.
    pub content: Option<u64>,
    /// The page that was delivered in its place.
    pub duplicate_of: Option<u32>,
    /// Pages that it calls its translations, with their languages.
    pub translations: Vec<(u32, LanguageTag)>,
    /// What it is known by, where it sells a product.
    pub product: Option<Box<ProductMark>>,
    /// Whether an item was made of it.
    pub delivered: bool,
    /// What the item is charged as.
    pub units: u32,
    /// How many URLs are reported as left out, itself or what it brought.
    pub skipped: u32,
}

impl Finished {
    fn bytes(&self) -> usize {
        self.found.iter().map(Found::bytes).sum::<usize>()
            + size_of_val(self.linked.as_slice())
            + self.ways.iter().map(Way::bytes).sum::<usize>()
            + self.listed.iter().map(Listed::bytes).sum::<usize>()
            + size_of_val(self.refused.as_slice())
            + size_of_val(self.translations.as_slice())
            + self.product.as_ref().map_or(0, |mark| size_of_val(&**mark))
    }

    /// A URL that ended and brought nothing.
    #[must_use]
    pub fn bare(ordinal: u32, outcome: Outcome) -> Self {
        Self {
            ordinal,
            outcome,
            found: Vec::new(),
            linked: Vec::new(),
            ways: Vec::new(),
            listed: Vec::new(),
            refused: Vec::new(),
            content: None,
            duplicate_of: None,
            translations: Vec::new(),
            product: None,
            delivered: false,
            units: 0,
            skipped: 0,
        }
    }
}

/// How a URL ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outcome {
    /// It answered with this status.
    Answered(u16),
    /// It pointed elsewhere.
    Redirected {
        /// The status that said so.
        status: u16,
        /// The ordinal of the URL that it pointed to; none when that is out of scope.
        to: Option<u32>,
    },
    /// No usable answer.
    Failed(Cause),
    /// It was recorded, and not asked for: the run does not follow links.
    Unasked,
    /// It was known, and given up before it was asked for.
    Skipped(SkipReason),
}

/// Why there was no usable answer, as finely as the end of a run needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Cause {
    /// There is no such name.
    NameNotFound,
    /// The name servers did not answer.
    NameServer,
    /// An address behind the name may not be reached from here.
    AddressRefused,
    /// The operator does not crawl this domain.
    Blacklisted,
    /// No connection.
    Connect,
    /// The handshake or the certificate failed.
    Tls,
    /// Too slow.
    Timeout,
    /// Too large.
    TooLarge,
    /// Undecodable.
    BadEncoding,
    /// Redirects that lead nowhere.
    RedirectLoop,
    /// robots.txt forbids it.
    Robots,
    /// robots.txt could not be read, so that nothing may be fetched.
    RobotsUnavailable,
    /// Nothing but "too many requests", for as long as we wait.
    RateLimited,
    /// Not HTTP, or cut off.
    Protocol,
    /// Our own fault in reading it.
    Bug,
    /// Bot protection answered instead of the page.
    Protected,
    /// The provider of the protected tier cannot be reached, or does not serve.
    ProviderDown,
    /// The page is empty without JavaScript, and nobody is there to run it.
    NeedsRendering,
    /// The browser failed on it.
    Renderer,
    /// Reading it exceeded the CPU or memory budget of a page.
    TooComplex,
    /// The service's own way to the internet failed: the site was not asked.
    Egress,
    /// The node had no memory for its body in time: no fault of the site.
    Busy,
}

impl Cause {
    /// The word that the item's `error` has for it.
    #[must_use]
    pub fn fault(self) -> FetchFault {
        match self {
            Self::NameNotFound | Self::NameServer | Self::AddressRefused => FetchFault::Dns,
            Self::Connect => FetchFault::Connect,
            Self::Tls => FetchFault::Tls,
            Self::Timeout | Self::Busy => FetchFault::Timeout,
            Self::TooLarge => FetchFault::TooLarge,
            Self::BadEncoding => FetchFault::BadEncoding,
            Self::RedirectLoop => FetchFault::RedirectLoop,
            Self::Robots | Self::RobotsUnavailable => FetchFault::Robots,
            Self::Blacklisted | Self::RateLimited | Self::Protected => FetchFault::Blocked,
            Self::ProviderDown | Self::Egress => FetchFault::Connect,
            Self::TooComplex => FetchFault::TooComplex,
            Self::Protocol | Self::Bug | Self::NeedsRendering | Self::Renderer => FetchFault::Http,
        }
    }
}

/// What a commit adds up to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Totals {
    /// URLs of the site that became known. What belongs to others, and the sitemap files,
    /// are not among them.
    pub found: u64,
    pub finished: u64,
    /// Pages that sell a product, delivered or not.
    pub products: u64,
    pub delivered: u64,
    pub units: u64,
    pub skipped: u64,
}

/// What is left of a commit that was cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Kept {
    pub items: usize,
    pub skipped: usize,
}

impl Commit {
    /// Whether nothing happened.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// What it adds up to.
    #[must_use]
    pub fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        for step in &self.steps {
            let (found, finished) = match step {
                Step::Learned(_) | Step::SetAside { .. } => continue,
                Step::Visited(visited) => {
                    totals.found += u64::from(visited.pages);
                    totals.finished += 1;
                    totals.delivered += 1;
                    totals.units += u64::from(visited.units);
                    continue;
                }
                Step::Seeded(found) => (found, None),
                Step::Finished(finished) => (&finished.found, Some(finished)),
            };
            totals.found += found.iter().filter(|found| found.role.is_of_site()).count() as u64;
            let Some(finished) = finished else { continue };
            totals.finished += 1;
            totals.products += u64::from(finished.product.is_some());
            totals.delivered += u64::from(finished.delivered);
            totals.units += u64::from(finished.units);
            totals.skipped += u64::from(finished.skipped);
        }
        totals
    }

    /// Cuts it before the first step that would bring it over `units`, and tells
    /// what is left. What was cut is fetched again by whoever replays.
    pub fn trim_to(&mut self, units: u64) -> Kept {
        let mut spent = 0;
        let mut kept = Kept::default();
        let keep = self.steps.iter().position(|step| {
            let (delivered, skipped) = match step {
                Step::Learned(_) | Step::Seeded(_) | Step::SetAside { .. } => return false,
                Step::Finished(finished) => {
                    spent += u64::from(finished.units);
                    (finished.delivered, finished.skipped as usize)
                }
                Step::Visited(visited) => {
                    spent += u64::from(visited.units);
                    (true, 0)
                }
            };
            if spent <= units {
                kept.items += usize::from(delivered);
                kept.skipped += skipped;
            }
            spent > units
        });
        self.steps.truncate(keep.unwrap_or(self.steps.len()));
        kept
    }

    /// The commit, ready to be stored.
    ///
    /// # Errors
    /// [`JournalError`] when it cannot be compressed.
    pub fn encode(&self) -> Result<Vec<u8>, JournalError> {
        codec::encode(self, LEVEL)
    }

    /// The commit that was stored.
    ///
    /// # Errors
    /// [`JournalError`] when the bytes are damaged or of an unknown format.
    pub fn decode(bytes: &[u8]) -> Result<Self, JournalError> {
        codec::decode(bytes)
    }
}

#[cfg(test)]
mod tests;
