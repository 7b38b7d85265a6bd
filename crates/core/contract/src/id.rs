//! Identifiers: a prefix for the kind, and the digits of a UUIDv7, which sort by time.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;
use uuid::Builder;

use crate::Millis;

/// The text is not an identifier of the expected kind.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("not an identifier of the form {prefix}…")]
pub struct IdError {
    prefix: &'static str,
}

/// The part after the prefix: 32 lower-case hexadecimal digits of a UUIDv7.
fn tail(now: Millis, random: [u8; 10]) -> String {
    let millis = u64::try_from(now.0).unwrap_or(0);
    Builder::from_unix_timestamp_millis(millis, &random).into_uuid().simple().to_string()
}

fn is_tail(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

macro_rules! identifiers {
    ($($(#[doc = $about:literal])+ $name:ident = $prefix:literal;)+) => {$(
        $(#[doc = $about])+
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// The prefix of all identifiers of this kind.
            pub const PREFIX: &'static str = $prefix;

            /// A new identifier; those of later times sort later.
            #[must_use]
            pub fn new(now: Millis, random: [u8; 10]) -> Self {
                Self(format!("{}{}", Self::PREFIX, tail(now, random)))
            }

            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl FromStr for $name {
            type Err = IdError;

            fn from_str(text: &str) -> Result<Self, IdError> {
                match text.strip_prefix(Self::PREFIX) {
                    Some(rest) if is_tail(rest) => Ok(Self(text.to_owned())),
                    _ => Err(IdError { prefix: Self::PREFIX }),
                }
            }
        }

        impl TryFrom<String> for $name {
            type Error = IdError;

            fn try_from(text: String) -> Result<Self, IdError> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> String {
                id.0
            }
        }

        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
                utoipa::openapi::schema::ObjectBuilder::new()
                    .schema_type(utoipa::openapi::schema::Type::String)
                    .description(Some(concat!($($about),+).trim()))
                    .pattern(Some(concat!("^", $prefix, "[0-9a-f]{32}$")))
                    .examples([concat!($prefix, "019a8671c5f87a3b9c1d2e3f40516273")])
                    .into()
            }
        }

        impl utoipa::ToSchema for $name {}
    )+};
}

identifiers! {
    /// A job, and the run that executes it.
    JobId = "job_";
    /// An account, the owner of jobs and credits.
    AccountId = "acc_";
    /// An API key (not its secret).
    KeyId = "key_";
    /// An OAuth application; its `client_id`.
    ApplicationId = "app_";
    /// One authorization of an application: its code and tokens.
    AuthorizationId = "aut_";
    /// An endpoint that webhook events are sent to.
    WebhookId = "whk_";
    /// The delivery of an event to a webhook endpoint.
    DeliveryId = "dlv_";
    /// An event of a job or account.
    EventId = "evt_";
    /// An export of results as a file.
    ExportId = "exp_";
    /// An uploaded list of URLs.
    ListId = "lst_";
    /// A schedule that starts jobs.
    ScheduleId = "sch_";
    /// An account session (not its token).
    SessionId = "ses_";
    /// A page that was read at once, as its charge in the ledger names it.
    PageId = "pag_";
    /// A file of a page that was read at once.
    PageFileId = "pgf_";
    /// A shard, the part of a run that one worker leases.
    ShardId = "shd_";
    /// A line of the ledger of an account.
    LedgerId = "led_";
    /// A purchase of credits, and the payment provider's idempotency key for it.
    RechargeId = "rch_";
    /// An entry of the audit log.
    AuditId = "aud_";
    /// One request to the API, as in `X-Request-Id` and the log.
    RequestId = "req_";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_sort_by_time() {
        let earlier = JobId::new(Millis(1_000), [255; 10]);
        let later = JobId::new(Millis(1_001), [0; 10]);
        assert!(earlier < later);
    }

    #[test]
    fn identifiers_of_other_kinds_are_rejected() {
        let id = JobId::new(Millis(1), [7; 10]);
        assert_eq!(id.as_str().parse::<JobId>(), Ok(id.clone()));
        assert!(id.as_str().parse::<AccountId>().is_err());
        assert!("job_".parse::<JobId>().is_err());
        assert!("job_0192F3".parse::<JobId>().is_err());
    }
}
