//! Buying credits by themselves: what the owner decides, and what credits cost.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{Credits, Millis};

/// Whether credits are bought by themselves.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct AutoTopUp {
    pub enabled: bool,
    /// Credits are bought when fewer than these are available; null until it was set.
    #[schema(required = true)]
    pub threshold: Option<Credits>,
    /// How many are bought at a time; null until it was set.
    #[schema(required = true)]
    pub amount: Option<Credits>,
    /// Credits that may be bought automatically in one calendar month (UTC); null without a
    /// ceiling.
    #[serde(default)]
    #[schema(required = true)]
    pub monthly_credits: Option<Credits>,
    /// When the last purchase succeeded.
    #[schema(required = true)]
    pub last_recharge_at: Option<Millis>,
    /// Why the last purchase failed, or is not known to have succeeded; null after one that did.
    #[schema(required = true)]
    pub last_error: Option<String>,
}

/// The body that sets it. What is left out stays as it is.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SetAutoTopUp {
    pub enabled: bool,
    /// Buy when fewer credits than these are available.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 1000000000000_i64)]
    pub threshold: Option<Credits>,
    /// How many to buy at a time: at least the threshold, so that one purchase is enough.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 1000000000000_i64)]
    pub amount: Option<Credits>,
    /// The most that may be bought automatically in one calendar month (UTC), at least the
    /// amount; null removes the ceiling.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 1000000000000_i64)]
    pub monthly_credits: Option<Credits>,
}

/// What credits cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreditPrice {
    /// A thousand of them, in the smallest unit of the currency (cents).
    pub per_thousand: i64,
    /// As the payment provider writes it: three lower-case letters.
    pub currency: String,
}

impl CreditPrice {
    /// The most that a payment can come to, in the smallest unit of the currency.
    const MOST: i64 = 99_999_999;

    /// What these credits cost, rounded up; `None` when no payment can be that large.
    #[must_use]
    pub fn of(&self, credits: Credits) -> Option<i64> {
        let thousandths = credits.0.checked_mul(self.per_thousand)?;
        let price = thousandths.checked_add(999)?.div_euclid(1_000);
        (1..=Self::MOST).contains(&price).then_some(price)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_is_rounded_up_and_bounded() {
        let price = CreditPrice { per_thousand: 150, currency: "eur".to_owned() };
        let of = |credits| price.of(Credits(credits));
        assert_eq!(of(1_000), Some(150));
        assert_eq!(of(1), Some(1), "nothing is given away");
        assert_eq!(of(1_007), Some(152));
        assert_eq!(of(0), None);
        assert_eq!(of(1_000_000_000_000), None);
        assert_eq!(of(i64::MAX), None);
    }
}
