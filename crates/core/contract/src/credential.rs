//! Limits of a credential, and the credential that created an object.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{ApplicationId, Credits, IdError, KeyId, Millis, Mode};

/// The limits of a key or of a connected application, and what it has spent. Without limits, the
/// credential has all rights of the account.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct CredentialLimits {
    /// The credential is rejected from this time on; null when it does not expire.
    #[serde(default)]
    #[schema(required = true)]
    pub expires_at: Option<Millis>,
    /// The networks it may be used from, in CIDR notation; empty for every network.
    #[serde(default)]
    #[schema(required = true, example = json!(["192.0.2.0/24"]))]
    pub networks: Vec<String>,
    /// The modes it may start jobs in; empty for every mode.
    #[serde(default)]
    #[schema(required = true)]
    pub modes: Vec<Mode>,
    /// Credits that its jobs may spend on one day (UTC); null without a daily budget.
    #[serde(default)]
    #[schema(required = true)]
    pub daily_credits: Option<Credits>,
    /// Credits that its jobs may spend in total; null without a total budget.
    #[serde(default)]
    #[schema(required = true)]
    pub total_credits: Option<Credits>,
    /// Credits that its jobs have spent today (UTC).
    #[serde(default)]
    #[schema(required = true)]
    pub credits_today: Credits,
    /// Credits that its jobs have spent in total.
    #[serde(default)]
    #[schema(required = true)]
    pub credits_used: Credits,
}

impl CredentialLimits {
    /// Whether jobs of this mode may be started.
    #[must_use]
    pub fn admits(&self, mode: Mode) -> bool {
        self.modes.is_empty() || self.modes.contains(&mode)
    }
}

/// A body with the given members and those that every body with limits has. Not
/// `serde(flatten)`, which cannot be combined with `deny_unknown_fields`: unknown members would be
/// allowed, in the OpenAPI document as well.
macro_rules! limits_body {
    ($(#[$about:meta])* pub struct $name:ident { $($own:tt)* }) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            $($own)*
            /// Reject the credential from this time on.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub expires_at: Option<Millis>,
            /// The networks it may be used from: addresses or CIDR networks, up to 20.
            #[serde(skip_serializing_if = "Option::is_none")]
            #[schema(max_items = 20, example = json!(["192.0.2.0/24"]))]
            pub networks: Option<Vec<String>>,
            /// The modes it may start jobs in.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub modes: Option<Vec<Mode>>,
            /// Credits that its jobs may spend on one day (UTC).
            #[serde(skip_serializing_if = "Option::is_none")]
            #[schema(minimum = 1)]
            pub daily_credits: Option<Credits>,
            /// Credits that its jobs may spend in total.
            #[serde(skip_serializing_if = "Option::is_none")]
            #[schema(minimum = 1)]
            pub total_credits: Option<Credits>,
        }
    };
}
pub(crate) use limits_body;

limits_body! {
    /// Changes the limits of a connected application. Omitted members stay unchanged; null or an
    /// empty list removes the limit.
    pub struct SetLimits {}
}

/// The credential that created an object: an API key or a connected application, by its id.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Creator {
    Key(KeyId),
    Application(ApplicationId),
}

impl Creator {
    /// The id of the key or the application.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Key(id) => id.as_str(),
            Self::Application(id) => id.as_str(),
        }
    }
}

impl fmt::Display for Creator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Creator {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        match text.parse() {
            Ok(key) => Ok(Self::Key(key)),
            Err(_) => text.parse().map(Self::Application),
        }
    }
}

impl TryFrom<String> for Creator {
    type Error = IdError;

    fn try_from(text: String) -> Result<Self, IdError> {
        text.parse()
    }
}

impl From<Creator> for String {
    fn from(creator: Creator) -> Self {
        creator.as_str().to_owned()
    }
}

impl utoipa::PartialSchema for Creator {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
        utoipa::openapi::schema::ObjectBuilder::new()
            .schema_type(utoipa::openapi::schema::Type::String)
            .description(Some("The API key (`key_…`) or application (`app_…`) that created it."))
            .pattern(Some("^(key|app)_[0-9a-f]{32}$"))
            .examples(["key_019a8671c5f87a3b9c1d2e3f40516273"])
            .into()
    }
}

impl utoipa::ToSchema for Creator {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn creator_kind_follows_from_the_id_prefix() {
        let key = KeyId::new(Millis(1), [7; 10]);
        let application = ApplicationId::new(Millis(1), [7; 10]);
        assert_eq!(key.as_str().parse(), Ok(Creator::Key(key.clone())));
        assert_eq!(application.as_str().parse(), Ok(Creator::Application(application.clone())));
        assert!("job_019a8671c5f87a3b9c1d2e3f40516273".parse::<Creator>().is_err());
    }
}
