//! Credits with checked arithmetic, and the units that they pay for.

use std::fmt;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// An amount of credits. Arithmetic is checked and never wraps.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Default,
    Serialize,
    Deserialize,
    ToSchema,
)]
#[serde(transparent)]
#[schema(value_type = i64)]
pub struct Credits(pub i64);

/// A number of charged units: URLs, pages, products or domains.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Default,
    Serialize,
    Deserialize,
    ToSchema,
)]
#[serde(transparent)]
#[schema(value_type = i64)]
pub struct Units(pub u64);

impl Credits {
    pub const ZERO: Self = Self(0);

    /// The sum; `None` on overflow.
    #[must_use]
    pub fn plus(self, other: Self) -> Option<Self> {
        self.0.checked_add(other.0).map(Self)
    }

    /// The difference, which may be negative; `None` on overflow.
    #[must_use]
    pub fn minus(self, other: Self) -> Option<Self> {
        self.0.checked_sub(other.0).map(Self)
    }

    /// The price of `units` at this rate; `None` on overflow.
    #[must_use]
    pub fn times(self, units: Units) -> Option<Self> {
        i64::try_from(units.0).ok().and_then(|units| self.0.checked_mul(units)).map(Self)
    }

    /// How many units this amount pays for at `rate`.
    #[must_use]
    pub fn covers(self, rate: Self) -> Units {
        if self.0 <= 0 {
            return Units(0);
        }
        if rate.0 <= 0 {
            return Units(u64::MAX);
        }
        Units(u64::try_from(self.0 / rate.0).unwrap_or(0))
    }
}

impl fmt::Display for Credits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for Units {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overflow_is_none() {
        assert_eq!(Credits(i64::MAX).plus(Credits(1)), None);
        assert_eq!(Credits(2).times(Units(u64::MAX)), None);
    }

    #[test]
    fn balance_covers_whole_units_only() {
        assert_eq!(Credits(14).covers(Credits(5)), Units(2));
        assert_eq!(Credits(-3).covers(Credits(5)), Units(0));
        assert_eq!(Credits(0).covers(Credits(0)), Units(0));
    }
}
