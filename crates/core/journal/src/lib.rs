//! The stored formats of a run: log, snapshots, results and overlay.
//!
//! A run is a log of [`Commit`]s; replaying them restores its state. A [`Snapshot`] replaces the
//! log before it. Results are in [`Segment`]s, which a replay never reads, with an [`Overlay`] for
//! values that are known only later. Every stored value starts with the version of its format.
//!
//! postcard stores fields and variants by position: names may change, the order may not. A new
//! field goes into an [`OptionalTail`] at the end of the outermost value; a new enum variant goes
//! last.

mod codec;
mod commit;
mod discovered_url;
mod optional_tail;
mod overlay;
mod product_fingerprint;
mod segment;
mod snapshot;
mod url_id;
mod visited;
mod waiver;

pub use codec::{JournalError, patch_stored};
pub use commit::{Cause, Commit, Fact, Finished, Outcome, RetainedCounts, Step, Totals};
pub use discovered_url::{
    DiscoveredUrl, ListedUrl, Rediscovery, SitemapMetadata, UrlRole, Via, ViaSet,
};
pub use optional_tail::OptionalTail;
pub use overlay::{Overlay, Revision};
pub use product_fingerprint::ProductFingerprint;
pub use segment::Segment;
pub use snapshot::{PART_BYTES, Snapshot};
pub use url_id::UrlId;
pub use visited::Visited;
