//! The tabs of the account pages.

use axum::response::Response;
use maud::{Markup, html};

use crate::{ConsolePage, ConsoleUser, Section};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AccountTab {
    Overview,
    Ledger,
    Keys,
    Webhooks,
    Applications,
    Sessions,
    Audit,
}

impl AccountTab {
    const ALL: [Self; 7] = [
        Self::Overview,
        Self::Ledger,
        Self::Keys,
        Self::Webhooks,
        Self::Applications,
        Self::Sessions,
        Self::Audit,
    ];

    fn link(self) -> (&'static str, &'static str) {
        match self {
            Self::Overview => ("/account", "Credits and usage"),
            Self::Ledger => ("/account/ledger", "Ledger"),
            Self::Keys => ("/account/keys", "API keys"),
            Self::Webhooks => ("/account/webhooks", "Webhooks"),
            Self::Applications => ("/account/applications", "Applications"),
            Self::Sessions => ("/account/sessions", "Password and sessions"),
            Self::Audit => ("/account/audit", "Audit log"),
        }
    }

    /// An empty page with this tab selected.
    pub fn page(self, user: &ConsoleUser) -> ConsolePage<'_> {
        let (_, name) = self.link();
        ConsolePage::of(user, name).at(Section::Account)
    }

    /// The content with the tabs above it.
    pub fn show(self, page: ConsolePage<'_>, content: &Markup) -> Response {
        page.show(html! {
            div.head { h1 { "Account" } }
            nav.tabs aria-label="Account" {
                @for tab in Self::ALL {
                    @let (path, name) = tab.link();
                    a href=(path) aria-current=[(tab == self).then_some("page")] { (name) }
                }
            }
            (content)
        })
    }
}
