//! The usage of an account.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::string_enum::string_enum;
use crate::{Credits, Millis, Units};

string_enum! {
    /// Grouping of the usage report.
    pub enum UsageGroup {
        /// The channel of the key that started the run.
        Source = "source",
        /// The mode of the jobs and pages in this row.
        Mode = "mode",
        /// The day (UTC) on which the credits were spent.
        Day = "day",
    }
}

/// The usage report of an account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Usage {
    pub from: Millis,
    pub to: Millis,
    pub group_by: UsageGroup,
    pub items: Vec<UsageRow>,
    pub total: UsageRow,
}

/// One group of the usage report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UsageRow {
    /// The source, mode or day; null in the total.
    #[schema(required = true)]
    pub group: Option<String>,
    /// Jobs that spent credits.
    pub jobs: u64,
    /// Pages that were read at once and charged.
    #[serde(default)]
    pub pages: u64,
    pub units: Units,
    pub credits: Credits,
}
