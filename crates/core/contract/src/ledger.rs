//! The ledger of an account: all changes of its balance.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::string_enum::string_enum;
use crate::{Credits, JobId, LedgerId, Millis, Mode, PageId, Units};

string_enum! {
    /// Why a balance changed.
    pub enum LedgerKind {
        /// Credits were granted or bought.
        Grant = "grant",
        /// Results of a job, or a page that was read at once, were charged.
        Debit = "debit",
    }
}

/// A line of the ledger: one change of the balance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LedgerLine {
    pub id: LedgerId,
    pub kind: LedgerKind,
    /// The change of the balance; negative for charges.
    pub amount: Credits,
    /// The units that were delivered.
    pub units: Units,
    /// The job that was charged; null for added credits and for pages that were read at once.
    #[schema(required = true)]
    pub job_id: Option<JobId>,
    /// The page that was read at once and charged.
    #[serde(default)]
    #[schema(required = true)]
    pub page_id: Option<PageId>,
    #[schema(required = true)]
    pub mode: Option<Mode>,
    /// The channel of the job or page.
    #[schema(required = true)]
    pub source: Option<String>,
    pub at: Millis,
    /// The start URL of the job, if it is stored; only with `group=job`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// When the first charge was made; only with `group=job`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Millis>,
    /// The balance after this line; only with `group=job`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub balance: Option<Credits>,
}

/// A page of the ledger, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LedgerPage {
    pub items: Vec<LedgerLine>,
    pub page: u64,
    pub page_size: u64,
    /// True when another page follows.
    pub has_more: bool,
}
