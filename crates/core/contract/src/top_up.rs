//! Automatic purchases of credits, and the price of credits.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{Credits, Millis};

/// The settings of automatic purchases, and the result of the last one.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct AutoTopUp {
    pub enabled: bool,
    /// Credits are bought when fewer than this are available; null until it is set.
    #[schema(required = true)]
    pub threshold: Option<Credits>,
    /// Credits per purchase; null until it is set.
    #[schema(required = true)]
    pub amount: Option<Credits>,
    /// Maximum credits that are bought automatically in one calendar month (UTC); null without a
    /// limit.
    #[serde(default)]
    #[schema(required = true)]
    pub monthly_credits: Option<Credits>,
    /// When the last purchase succeeded.
    #[schema(required = true)]
    pub last_recharge_at: Option<Millis>,
    /// Why the last purchase failed or its result is unknown; null after a success.
    #[schema(required = true)]
    pub last_error: Option<String>,
}

/// The body that sets automatic purchases. Omitted members stay unchanged.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SetAutoTopUp {
    pub enabled: bool,
    /// Buy when fewer credits than this are available.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 1000000000000_i64)]
    pub threshold: Option<Credits>,
    /// Credits per purchase: at least the threshold, so that one purchase is enough.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 1000000000000_i64)]
    pub amount: Option<Credits>,
    /// Maximum credits that are bought automatically in one calendar month (UTC), at least the
    /// amount; null removes the limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 1000000000000_i64)]
    pub monthly_credits: Option<Credits>,
}

/// The price of credits at the payment provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreditPrice {
    /// The price of a thousand credits, in the smallest unit of the currency (cents).
    pub per_thousand: i64,
    /// ISO 4217 code in lower case, as the payment provider uses it.
    pub currency: String,
}

impl CreditPrice {
    /// Maximum of one payment, in the smallest unit of the currency.
    const MAX_PAYMENT: i64 = 99_999_999;

    /// The price of these credits, rounded up; `None` if it exceeds the maximum of one payment.
    #[must_use]
    pub fn of(&self, credits: Credits) -> Option<i64> {
        let thousandths = credits.0.checked_mul(self.per_thousand)?;
        let price = thousandths.checked_add(999)?.div_euclid(1_000);
        (1..=Self::MAX_PAYMENT).contains(&price).then_some(price)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn price_is_rounded_up_and_bounded() {
        let price = CreditPrice { per_thousand: 150, currency: "eur".to_owned() };
        let of = |credits| price.of(Credits(credits));
        assert_eq!(of(1_000), Some(150));
        assert_eq!(of(1), Some(1), "a fraction is rounded up");
        assert_eq!(of(1_007), Some(152));
        assert_eq!(of(0), None);
        assert_eq!(of(1_000_000_000_000), None);
        assert_eq!(of(i64::MAX), None);
    }
}
