//! A commit: the steps of a run since the last commit.
//!
//! Steps are in the order in which they happened, and the id of a URL is its position in the order
//! of discovery. So any prefix of a commit is a valid commit, which makes it possible to store only
//! the part that is paid for.

use contract::{FailureCause, Millis, SkipReason};
use serde::{Deserialize, Serialize};
use urls::{LanguageTag, Robots};

use crate::discovered_url::{DiscoveredUrl, ListedUrl, Rediscovery};
use crate::envelope::{self, StoredPayload};
use crate::error::JournalError;
use crate::item_identity::ItemIdentity;
use crate::payload_type::PayloadType;
use crate::url_id::UrlId;
use crate::visited::Visited;

/// Fast compression: the log is read only after a crash or a pause.
const LEVEL: i32 = 1;

/// One append to the log of a run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Commit {
    pub steps: Vec<Step>,
}

/// One change of the state of a run. Variants and fields are stored by position, not by name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Step {
    /// The run learned something about the site.
    Learned(Fact),
    /// URLs that no page links to: the start URL, sitemaps, canonical targets. Each gets the next
    /// id.
    Seeded(Vec<DiscoveredUrl>),
    Finished(Finished),
    /// A domain is finished, and its record is delivered.
    Visited(Visited),
    /// A domain is protected and waits for the decision of the owner.
    SetAside {
        /// The index of the domain in the list of its shard.
        domain_index: u32,
        /// The protection, for example `cloudflare_challenge`.
        marker: String,
    },
}

impl Step {
    /// Approximate memory of the step, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let held = match self {
            Self::Learned(fact) => fact.bytes(),
            Self::Seeded(found) => found.iter().map(DiscoveredUrl::bytes).sum(),
            Self::Finished(finished) => finished.bytes(),
            Self::Visited(_) => 0,
            Self::SetAside { marker, .. } => marker.len(),
        };
        size_of::<Self>() + held
    }
}

/// Something that a run learned and that a replay must restore.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Fact {
    /// The robots.txt rules of a host.
    Robots {
        /// The host, with its port if that is not the default.
        authority: String,
        /// The rules for our user agent.
        rules: Robots,
        /// When the file was read; rules are valid for a day.
        read_at: Millis,
    },
    /// The start URL redirected to another site, which is crawled instead.
    SiteMoved { to: String },
    /// The sitemaps of this origin were searched.
    SitemapsSearched { origin: String },
    /// The language of pages whose URL names none.
    DefaultLanguage { tag: LanguageTag },
    /// Bot protection blocked a page for good.
    Protected {
        /// The protection, for example `cloudflare_challenge`.
        marker: String,
    },
    /// A page confirmed that its URL names its language.
    LanguageMark {
        /// The language, as the URL names it.
        tag: LanguageTag,
    },
    /// The language that the run keeps if the client asked for none: that of the start page.
    MainLanguage { tag: LanguageTag },
    /// A new version of the repeated blocks of the site; later pages are read with it.
    RepeatedBlocks {
        /// Number of pages read until then.
        pages: u32,
        /// The blocks by fingerprint, each with the share of pages that have it, in 255ths.
        blocks: Vec<(u64, u8)>,
    },
    /// A new version of the site's extraction template; later pages are read with it.
    Template {
        site: String,
        /// The template in its encoded form.
        template: Vec<u8>,
        /// Whether this run learned it. Otherwise the run started with it.
        learned: bool,
    },
    /// A batch started; its size and its fetch allowance count from here.
    BatchStarted {
        /// The number of the batch, from 1.
        number: u32,
    },
    /// A page was skipped, for the first time with this reason, while nothing was delivered. The
    /// message of an empty run names it.
    SkippedFor { reason: SkipReason },
}

impl Fact {
    fn bytes(&self) -> usize {
        match self {
            Self::Robots { authority, rules, .. } => authority.len() + rules.bytes(),
            Self::SiteMoved { to: text }
            | Self::SitemapsSearched { origin: text }
            | Self::Protected { marker: text } => text.len(),
            Self::RepeatedBlocks { blocks, .. } => size_of_val(blocks.as_slice()),
            Self::Template { site, template, .. } => site.len() + template.len(),
            Self::DefaultLanguage { .. }
            | Self::LanguageMark { .. }
            | Self::MainLanguage { .. }
            | Self::BatchStarted { .. }
            | Self::SkippedFor { .. } => 0,
        }
    }
}

/// A finished URL, with what its response contributed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finished {
    pub id: UrlId,
    pub outcome: Outcome,
    /// New URLs; each gets the next id.
    pub found: Vec<DiscoveredUrl>,
    /// The URLs that the page links to, each once.
    pub linked: Vec<UrlId>,
    /// Known URLs that were found again.
    pub rediscovered: Vec<Rediscovery>,
    /// The entries of a sitemap.
    pub listed: Vec<ListedUrl>,
    /// Fingerprints of rejected URLs; each is reported once per run.
    pub refused: Vec<u64>,
    /// The content hash, by which later duplicates are recognised.
    pub content: Option<u64>,
    /// The page that was delivered instead.
    pub duplicate_of: Option<UrlId>,
    /// Pages that it declares as translations, with their languages.
    pub translations: Vec<(UrlId, LanguageTag)>,
    /// The identity of the item that it has, delivered or not.
    pub identity: Option<Box<ItemIdentity>>,
    /// Whether an item was delivered for it.
    pub delivered: bool,
    /// The units that the item is charged as.
    pub units: u32,
    /// Number of skipped URLs that this step reports: the URL itself and rejected links.
    pub skipped: u32,
}

impl Finished {
    fn bytes(&self) -> usize {
        self.found.iter().map(DiscoveredUrl::bytes).sum::<usize>()
            + size_of_val(self.linked.as_slice())
            + self.rediscovered.iter().map(Rediscovery::bytes).sum::<usize>()
            + self.listed.iter().map(ListedUrl::bytes).sum::<usize>()
            + size_of_val(self.refused.as_slice())
            + size_of_val(self.translations.as_slice())
            + self.identity.as_ref().map_or(0, |identity| size_of_val(&**identity))
    }

    /// A finished URL that contributed nothing.
    #[must_use]
    pub fn bare(id: UrlId, outcome: Outcome) -> Self {
        Self {
            id,
            outcome,
            found: Vec::new(),
            linked: Vec::new(),
            rediscovered: Vec::new(),
            listed: Vec::new(),
            refused: Vec::new(),
            content: None,
            duplicate_of: None,
            translations: Vec::new(),
            identity: None,
            delivered: false,
            units: 0,
            skipped: 0,
        }
    }
}

/// How a URL ended. Variants are stored by position, not by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outcome {
    /// It answered with this status.
    Answered(u16),
    /// It redirected to another URL.
    Redirected {
        status: u16,
        /// The target; `None` if that is out of scope.
        to: Option<UrlId>,
    },
    Failed(Cause),
    /// It was recorded but not requested, because the run does not follow links.
    NotRequested,
    /// It was skipped before it was requested.
    Skipped(SkipReason),
}

impl Outcome {
    /// Whether the response has a status of 2xx.
    #[must_use]
    pub fn is_success(&self) -> bool {
        matches!(self, Self::Answered(200..300))
    }
}

/// Why there was no usable response, in the detail that the end of a run needs. Variants are stored
/// by position, not by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Cause {
    /// DNS says that the name does not exist.
    NameNotFound,
    NameServer,
    /// The name resolves to an address that may not be crawled.
    AddressRefused,
    /// The domain is on the denylist.
    Blacklisted,
    Connect,
    /// The handshake or the certificate failed.
    Tls,
    Timeout,
    TooLarge,
    /// The body could not be decoded.
    BadEncoding,
    /// A redirect loop, or too many redirects.
    RedirectLoop,
    Robots,
    /// robots.txt could not be read, so nothing may be fetched.
    RobotsUnavailable,
    /// The host answered 429 until the retries ended.
    RateLimited,
    /// Not HTTP, or truncated.
    Protocol,
    /// A panic or another bug while the page was read.
    Bug,
    /// Bot protection answered instead of the page.
    Protected,
    /// The provider of the protected tier is unavailable.
    ProviderDown,
    /// The page is empty without JavaScript, and there is no browser.
    NeedsRendering,
    /// The browser failed to render the page.
    Renderer,
    /// Reading it exceeded the CPU or memory budget of a page.
    TooComplex,
    /// The service has no connection to the internet; the site was not requested.
    Egress,
    /// The node had no memory for the body in time.
    Busy,
    /// Nothing listens on the port.
    ConnectionRefused,
    /// An action of the request could not be executed in the page.
    ActionFailed,
}

impl Cause {
    /// The cause as clients see it.
    #[must_use]
    pub fn failure(self) -> FailureCause {
        match self {
            Self::NameNotFound | Self::NameServer => FailureCause::DnsFailed,
            Self::AddressRefused => FailureCause::AddressRefused,
            Self::ConnectionRefused => FailureCause::ConnectionRefused,
            Self::Connect => FailureCause::ConnectionFailed,
            Self::Tls => FailureCause::TlsFailed,
            Self::Timeout => FailureCause::TimedOut,
            Self::TooLarge => FailureCause::TooLarge,
            Self::BadEncoding => FailureCause::BadEncoding,
            Self::RedirectLoop => FailureCause::RedirectLoop,
            Self::Robots | Self::RobotsUnavailable => FailureCause::Robots,
            Self::Blacklisted | Self::RateLimited | Self::Protected => FailureCause::Blocked,
            Self::ProviderDown | Self::Egress | Self::Busy => FailureCause::ServiceUnavailable,
            Self::TooComplex => FailureCause::TooComplex,
            Self::Protocol => FailureCause::InvalidHttp,
            Self::NeedsRendering | Self::Renderer => FailureCause::BrowserFailed,
            Self::ActionFailed => FailureCause::ActionFailed,
            Self::Bug => FailureCause::InternalError,
        }
    }
}

/// The sums over all steps of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Totals {
    /// New URLs of the site, without external URLs and sitemap files.
    pub found: u64,
    pub finished: u64,
    /// Pages whose item has an identity, delivered or not.
    pub identified: u64,
    pub delivered: u64,
    pub units: u64,
    pub skipped: u64,
}

/// Items and skipped URLs that remain after a commit was trimmed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RetainedCounts {
    pub items: usize,
    pub skipped: usize,
}

impl Commit {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

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
            totals.found += found.iter().filter(|found| found.role.is_internal()).count() as u64;
            let Some(finished) = finished else { continue };
            totals.finished += 1;
            totals.identified += u64::from(finished.identity.is_some());
            totals.delivered += u64::from(finished.delivered);
            totals.units += u64::from(finished.units);
            totals.skipped += u64::from(finished.skipped);
        }
        totals
    }

    /// Cuts the commit before the first step that would exceed `units`, and returns what remains.
    /// The URLs of the other steps are fetched again after the next replay.
    pub fn trim_to(&mut self, units: u64) -> RetainedCounts {
        let mut spent = 0;
        let mut kept = RetainedCounts::default();
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

    /// Encodes the commit for storage.
    ///
    /// # Errors
    ///
    /// [`JournalError`] when it cannot be compressed.
    pub fn encode(&self) -> Result<Vec<u8>, JournalError> {
        envelope::encode(PayloadType::Commit, self, LEVEL)
    }

    /// Decodes a stored commit.
    ///
    /// # Errors
    ///
    /// [`JournalError`] when the bytes are damaged or of an unknown version.
    pub fn decode(bytes: &[u8]) -> Result<Self, JournalError> {
        let stored = StoredPayload::open(PayloadType::Commit, bytes, bytes.len())?;
        match stored.version() {
            1 | 2 => stored.decode(),
            _ => Err(stored.unknown_version()),
        }
    }
}

#[cfg(test)]
mod tests;
