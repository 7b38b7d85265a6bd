//! The sites of the lab.

mod broken;
mod catalogue;
mod empty;
mod filler;
mod refusing;

pub use broken::Broken;
pub use catalogue::{Catalogue, Extras};
pub use empty::Empty;
pub use refusing::Refusing;
