//! The tabs of the operator pages.

use super::Operator;
use crate::{ConsolePage, Section, Tab};

const TABS: &[Tab] = &[
    ("/operator", "Accounts"),
    ("/operator/queue", "Queue and nodes"),
    ("/operator/refusals", "Blocklist and opt-outs"),
    ("/operator/audit", "Audit log"),
    ("/operator/settings", "Settings"),
];

/// A page of the operator with the tab of this path selected.
pub(super) fn page<'o>(operator: &'o Operator, path: &str) -> ConsolePage<'o> {
    ConsolePage::tab(&operator.0, Section::Operator, TABS, path)
}
