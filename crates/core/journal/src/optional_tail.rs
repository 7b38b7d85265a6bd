//! Fields at the end of a stored value that earlier releases did not write.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Error as _, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The byte before a stored tail.
const PRESENT: u8 = 1;

/// A field that was added to a payload of version 1 without a new version. It decodes to its default
/// if the value was stored without it. This works only at the very end of the outermost value, where
/// the input ends; another tail may follow it. New fields need a new version instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OptionalTail<T>(pub T);

impl<T: Serialize> Serialize for OptionalTail<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (PRESENT, &self.0).serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de> + Default> Deserialize<'de> for OptionalTail<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_tuple(2, TailVisitor(PhantomData))
    }
}

struct TailVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de> + Default> Visitor<'de> for TailVisitor<T> {
    type Value = OptionalTail<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the byte 1 and a value, or the end of the input")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<OptionalTail<T>, A::Error> {
        // Reading one byte fails only at the end of the input. Any later failure is damage.
        match parts.next_element::<u8>() {
            Ok(Some(PRESENT)) => {}
            Ok(Some(other)) => {
                return Err(A::Error::invalid_value(Unexpected::Unsigned(other.into()), &self));
            }
            Ok(None) | Err(_) => return Ok(OptionalTail::default()),
        }
        match parts.next_element()? {
            Some(value) => Ok(OptionalTail(value)),
            None => Err(A::Error::invalid_length(1, &self)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct TailExample {
        first: u8,
        second: OptionalTail<(bool, u8)>,
        third: OptionalTail<u8>,
    }

    #[test]
    fn missing_parts_are_defaults_and_damaged_parts_are_errors() {
        let stored =
            TailExample { first: 9, second: OptionalTail((true, 5)), third: OptionalTail(4) };
        let bytes = postcard::to_stdvec(&stored).expect("it encodes");
        assert_eq!(bytes, [9, 1, 1, 5, 1, 4]);
        assert_eq!(postcard::from_bytes::<TailExample>(&bytes).expect("it is read"), stored);
        let second = TailExample { third: OptionalTail(0), ..stored };
        assert_eq!(postcard::from_bytes::<TailExample>(&bytes[..4]).expect("it is read"), second);
        let first = TailExample { second: OptionalTail((false, 0)), ..second };
        assert_eq!(postcard::from_bytes::<TailExample>(&bytes[..1]).expect("it is read"), first);
        for damaged in [&[9, 1][..], &[9, 1, 7, 5], &[9, 1, 1], &[9, 2, 1, 5], &[9, 1, 1, 5, 1]] {
            assert!(postcard::from_bytes::<TailExample>(damaged).is_err(), "{damaged:?}");
        }
    }
}
