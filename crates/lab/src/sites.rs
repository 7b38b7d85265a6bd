//! The sites of the lab.

mod broken;
mod catalogue;
mod empty;
mod filler;
mod hostile;
mod mapped;
mod mischief;
mod odd_rules;
mod refusing;
mod scripted;
mod trapping;
mod walled;

pub use broken::Broken;
pub use catalogue::{Catalogue, Extras};
pub use empty::Empty;
pub use hostile::{Hostile, Tarpit};
pub use mapped::{Mapped, SitemapTruth};
pub use mischief::Mischief;
pub use odd_rules::OddRules;
pub use refusing::Refusing;
pub use scripted::Scripted;
pub use trapping::Trapping;
pub use walled::Walled;
