//! What an account used, added up.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::job::words;
use crate::{Credits, Millis, Units};

words! {
    /// What usage is added up by.
    pub enum UsageGroup {
        /// The channel of the key that started the run.
        Source = "source",
        /// The mode of the run.
        Mode = "mode",
        /// The day (UTC) on which the credits were spent.
        Day = "day",
    }
}

/// The answer of `GET /v1/usage`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Usage {
    pub from: Millis,
    pub to: Millis,
    pub group_by: UsageGroup,
    pub items: Vec<UsageRow>,
    pub total: UsageRow,
}

/// One line of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UsageRow {
    /// The source, mode or day; null in the total.
    #[schema(required = true)]
    pub group: Option<String>,
    /// Runs that spent something.
    pub jobs: u64,
    pub units: Units,
    pub credits: Credits,
}
