//! The id of a URL within a run.

use serde::{Deserialize, Serialize};

/// The id of a URL within a run: its position in the order of discovery. It is stored as the bare number.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct UrlId(pub u32);

impl UrlId {
    /// The id of the start URL of a run.
    pub const START: Self = Self(0);

    /// The position of the URL in a table of all URLs of the run.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The id that comes `count` URLs later.
    #[must_use]
    pub fn plus(self, count: usize) -> Self {
        Self(self.0.saturating_add(u32::try_from(count).unwrap_or(u32::MAX)))
    }

    /// This id and all that follow it.
    pub fn onwards(self) -> impl Iterator<Item = Self> {
        (self.0..).map(Self)
    }

    /// This id and those that follow it, up to `end`, which is not included.
    pub fn until(self, end: Self) -> impl Iterator<Item = Self> {
        (self.0..end.0).map(Self)
    }
}

impl std::fmt::Display for UrlId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn url_id_is_stored_as_the_bare_number() {
        for id in [0, 127, 128, u32::MAX] {
            let stored = postcard::to_stdvec(&UrlId(id)).expect("it encodes");
            assert_eq!(stored, postcard::to_stdvec(&id).expect("it encodes"));
            assert_eq!(serde_json::to_string(&UrlId(id)).expect("JSON"), id.to_string());
        }
    }
}
