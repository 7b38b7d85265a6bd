//! The sites of the lab.

mod broken;
mod catalogue;
mod copies;
mod empty;
mod filler;
mod handbook;
mod hostile;
mod hostile_scripts;
mod mapped;
mod members;
mod odd_rules;
mod page_path;
mod polyglot;
mod protected_site;
mod refusing;
mod scripted;
mod signpost;
mod trapping;

pub use broken::Broken;
pub use catalogue::{Catalogue, Extras};
pub use copies::{Copies, Group};
pub use empty::Empty;
pub use handbook::{Handbook, TextTruth};
pub use hostile::{Hostile, Tarpit};
pub use hostile_scripts::HostileScripts;
pub use mapped::{Mapped, SitemapTruth};
pub use members::{MEMBER, Members};
pub use odd_rules::OddRules;
pub use polyglot::{Marking, Polyglot};
pub use protected_site::ProtectedSite;
pub use refusing::Refusing;
pub use scripted::Scripted;
pub use signpost::{Signpost, forbidden_urls};
pub use trapping::Trapping;
