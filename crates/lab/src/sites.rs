//! The sites of the lab.

mod broken;
mod catalogue;
mod empty;
mod filler;
mod hostile;
mod mapped;
mod odd_rules;
mod refusing;
mod trapping;

pub use broken::Broken;
pub use catalogue::{Catalogue, Extras};
pub use empty::Empty;
pub use hostile::{Hostile, Tarpit};
pub use mapped::{Mapped, SitemapTruth};
pub use odd_rules::OddRules;
pub use refusing::Refusing;
pub use trapping::Trapping;
