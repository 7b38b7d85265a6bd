//! Executes a run: performs the requests of the engine, reads the responses, and passes its commits
//! to a [`Sink`].
//!
//! [`drive`] is the only crawl loop. The workers of the server call it with the database as the sink,
//! `trawl crawl` with a file; this crate depends on neither. A [`Fetcher`] performs requests under the
//! limits of the [`HostGate`], a [`PageReader`] reads responses off the async runtime, and a
//! [`ReaderPool`] reads pages of isolated runs in child processes first.
//!
//! To write results elsewhere, implement [`Sink`]. To fetch differently, pass an implementation of
//! `net::Fetch` to [`Fetcher::new`], [`Fetcher::with_browser`] or [`Fetcher::with_tier`].

mod cause;
mod drive;
mod fetching;
mod host_gate;
mod isolated_reader;
mod kept_page;
mod page_cache;
mod page_fetch;
mod page_reader;
mod reader_pool;
mod robots_cache;
mod run_access;

pub use drive::{CommitLimits, CommitOutcome, RunOutcome, RunSignal, Sink, drive};
pub use fetching::{Fetcher, ResponseObserver};
pub use host_gate::{HostGate, HostGateSettings, HostPermit};
pub use isolated_reader::{ReaderLimits, read_isolated};
pub use kept_page::{CLEANED_TYPE, UNKNOWN_TYPE, cleaned_html};
pub use page_cache::{PageCache, PageCacheKey};
pub use page_fetch::{PageCacheUse, PageFetch};
pub use page_reader::{PageReader, RunReadState};
pub use reader_pool::{ReadTrial, ReaderPool, ReaderPoolSettings};
pub use run_access::{LoginError, MAX_LOGINS, RunAccess, RunLogin, RunSession, SessionKeeper};
