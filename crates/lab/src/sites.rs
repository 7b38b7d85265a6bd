//! The sites of the lab.

mod broken;
mod catalogue;
mod empty;
mod filler;
mod mapped;
mod mischief;
mod refusing;
mod scripted;
mod trapping;
mod walled;

pub use broken::Broken;
pub use catalogue::{Catalogue, Extras};
pub use empty::Empty;
pub use mapped::{Mapped, SitemapTruth};
pub use mischief::Mischief;
pub use refusing::Refusing;
pub use scripted::Scripted;
pub use trapping::Trapping;
pub use walled::Walled;
