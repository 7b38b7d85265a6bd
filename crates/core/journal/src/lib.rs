//! The stored formats of a run: log, snapshots, results and overlay.
//!
//! A run is a log of [`Commit`]s; replaying them restores its state. A [`Snapshot`] replaces the
//! log before it. Results are in [`Segment`]s, which a replay never reads, with an [`Overlay`] for
//! values that are known only later.
//!
//! Every stored payload starts with its [`PayloadType`] and version, and its decoder has a case per
//! version. postcard stores fields and variants by position: names may change; any change of
//! fields, variants or their order needs a new version. `docs/ARCHITECTURE.md` has the rules
//! ("Stored formats"), `tests/golden` a file of every version.

mod commit;
mod discovered_url;
mod envelope;
mod error;
mod item_identity;
mod optional_tail;
mod overlay;
mod payload_type;
mod segment;
mod snapshot;
mod url_id;
mod visited;
mod waiver;

pub use commit::{Cause, Commit, Fact, Finished, Outcome, RetainedCounts, Step, Totals};
pub use discovered_url::{
    DiscoveredUrl, ListedUrl, Rediscovery, SitemapMetadata, UrlRole, Via, ViaSet,
};
pub use envelope::{StoredPayload, patch_stored};
pub use error::JournalError;
pub use item_identity::ItemIdentity;
pub use optional_tail::OptionalTail;
pub use overlay::{Overlay, Revision};
pub use payload_type::PayloadType;
pub use segment::Segment;
pub use snapshot::{PART_BYTES, Snapshot};
pub use url_id::UrlId;
pub use visited::Visited;
