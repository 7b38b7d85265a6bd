//! What a run writes down, and how it is written.
//!
//! A run is a log of [`Commit`]s; replaying them gives its frontier and its
//! knowledge back. Results stand apart, in [`Segment`]s that replay never reads,
//! with an [`Overlay`] for what is known only later. Every encoded value begins
//! with the version of its format, so that a later release can read it.

mod codec;
mod commit;
mod found;
mod later;
mod overlay;
mod product_mark;
mod segment;
mod snapshot;
mod visited;
mod waiver;

pub use codec::{JournalError, changed};
pub use commit::{Cause, Commit, Fact, Finished, Kept, Outcome, Step, Totals};
pub use found::{Found, Listed, Listing, Role, Via, Way, Ways};
pub use later::Later;
pub use overlay::{Overlay, Revision};
pub use product_mark::ProductMark;
pub use segment::Segment;
pub use snapshot::{PART_BYTES, Snapshot};
pub use visited::Visited;
