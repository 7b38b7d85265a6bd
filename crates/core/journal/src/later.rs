//! Parts of stored values that earlier releases did not write.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Error as _, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The byte before a part that was stored.
const PRESENT: u8 = 1;

/// A part that was added to a stored value later: it decodes to its default where the value was
/// stored without it. Stored values have no member names, so that it works only at the very end
/// of the outermost value, where the input is used up; a further one may stand behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Later<T>(pub T);

impl<T: Serialize> Serialize for Later<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (PRESENT, &self.0).serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de> + Default> Deserialize<'de> for Later<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_tuple(2, Marked(PhantomData))
    }
}

struct Marked<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de> + Default> Visitor<'de> for Marked<T> {
    type Value = Later<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the byte 1 and a value, or the end of the input")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Later<T>, A::Error> {
        // Reading one byte fails only at the end of the input. Any later failure is damage.
        match parts.next_element::<u8>() {
            Ok(Some(PRESENT)) => {}
            Ok(Some(other)) => {
                return Err(A::Error::invalid_value(Unexpected::Unsigned(other.into()), &self));
            }
            Ok(None) | Err(_) => return Ok(Later::default()),
        }
        match parts.next_element()? {
            Some(value) => Ok(Later(value)),
            None => Err(A::Error::invalid_length(1, &self)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Stored {
        first: u8,
        second: Later<(bool, u8)>,
        third: Later<u8>,
    }

    #[test]
    fn missing_parts_are_defaults_and_damaged_parts_are_errors() {
        let stored = Stored { first: 9, second: Later((true, 5)), third: Later(4) };
        let bytes = postcard::to_stdvec(&stored).expect("it encodes");
        assert_eq!(bytes, [9, 1, 1, 5, 1, 4]);
        assert_eq!(postcard::from_bytes::<Stored>(&bytes).expect("it is read"), stored);
        let second = Stored { third: Later(0), ..stored };
        assert_eq!(postcard::from_bytes::<Stored>(&bytes[..4]).expect("it is read"), second);
        let first = Stored { second: Later((false, 0)), ..second };
        assert_eq!(postcard::from_bytes::<Stored>(&bytes[..1]).expect("it is read"), first);
        for damaged in [&[9, 1][..], &[9, 1, 7, 5], &[9, 1, 1], &[9, 2, 1, 5], &[9, 1, 1, 5, 1]] {
            assert!(postcard::from_bytes::<Stored>(damaged).is_err(), "{damaged:?}");
        }
    }
}
