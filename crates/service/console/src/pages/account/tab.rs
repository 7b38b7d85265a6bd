//! The tabs of the account pages.

use crate::{ConsolePage, ConsoleUser, Section, Tab};

const TABS: &[Tab] = &[
    ("/account", "Credits and usage"),
    ("/account/ledger", "Ledger"),
    ("/account/keys", "API keys"),
    ("/account/webhooks", "Webhooks"),
    ("/account/applications", "Applications"),
    ("/account/sessions", "Password and sessions"),
    ("/account/audit", "Audit log"),
];

/// A page of the account with the tab of this path selected.
pub(super) fn page<'u>(user: &'u ConsoleUser, path: &str) -> ConsolePage<'u> {
    ConsolePage::tab(user, Section::Account, TABS, path)
}
