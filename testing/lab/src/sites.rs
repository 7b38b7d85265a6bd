//! The sites of the lab.

mod broken;
mod catalogue;
mod copies;
mod empty;
mod filler;
mod handbook;
mod hostile;
mod mapped;
mod mischief;
mod odd_rules;
mod polyglot;
mod refusing;
mod scripted;
mod trapping;
mod walled;

pub use broken::Broken;
pub use catalogue::{Catalogue, Extras};
pub use copies::{Copies, Group};
pub use empty::Empty;
pub use handbook::{Handbook, TextTruth};
pub use hostile::{Hostile, Tarpit};
pub use mapped::{Mapped, SitemapTruth};
pub use mischief::Mischief;
pub use odd_rules::OddRules;
pub use polyglot::{Marking, Polyglot};
pub use refusing::Refusing;
pub use scripted::Scripted;
pub use trapping::Trapping;
pub use walled::Walled;
