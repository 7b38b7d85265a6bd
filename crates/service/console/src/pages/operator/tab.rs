//! The tabs of the operator pages.

use axum::response::Response;
use maud::{Markup, html};

use super::Operator;
use crate::{ConsolePage, Section};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OperatorTab {
    Accounts,
    Queue,
    Refusals,
    Audit,
}

impl OperatorTab {
    const ALL: [Self; 4] = [Self::Accounts, Self::Queue, Self::Refusals, Self::Audit];

    fn link(self) -> (&'static str, &'static str) {
        match self {
            Self::Accounts => ("/operator", "Accounts"),
            Self::Queue => ("/operator/queue", "Queue and nodes"),
            Self::Refusals => ("/operator/refusals", "Denylist and opt-outs"),
            Self::Audit => ("/operator/audit", "Audit log"),
        }
    }

    /// Renders a page of this tab.
    pub fn show(self, operator: &Operator, content: &Markup) -> Response {
        let (_, name) = self.link();
        ConsolePage::of(&operator.0, name).at(Section::Operator).show(html! {
            div.head { h1 { "Operator" } }
            nav.tabs aria-label="Operator" {
                @for tab in Self::ALL {
                    @let (path, name) = tab.link();
                    a href=(path) aria-current=[(tab == self).then_some("page")] { (name) }
                }
            }
            (content)
        })
    }
}
