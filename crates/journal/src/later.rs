//! Parts of stored values that earlier releases did not write.

use serde::{Deserialize, Deserializer, Serialize};

/// A part that was added to a stored value later: it decodes to its default where the value was
/// stored without it. Stored values have no member names, so that it works only at the very end
/// of the outermost value, where the input is used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(transparent)]
pub struct Later<T>(pub T);

impl<'de, T: Deserialize<'de> + Default> Deserialize<'de> for Later<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(T::deserialize(deserializer).unwrap_or_default()))
    }
}
