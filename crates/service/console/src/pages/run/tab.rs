//! The tabs of the pages of a run.

use contract::Mode;
use maud::{Markup, html};

use super::RunPage;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RunTab {
    Progress,
    Results,
    Tree,
    Charts,
    Skipped,
    Changes,
    Exports,
    Events,
}

/// The tabs in their order, with the path below that of the run and the name.
const TABS: [(RunTab, &str, &str); 8] = [
    (RunTab::Progress, "", "Progress"),
    (RunTab::Results, "/results", "Results"),
    (RunTab::Tree, "/tree", "Tree"),
    (RunTab::Charts, "/charts", "Charts"),
    (RunTab::Skipped, "/skipped", "Skipped"),
    (RunTab::Changes, "/changes", "Changes"),
    (RunTab::Exports, "/exports", "Exports"),
    (RunTab::Events, "/events", "Events"),
];

impl RunTab {
    pub fn name(self) -> &'static str {
        TABS.iter().find(|(tab, ..)| *tab == self).map_or("", |(_, _, name)| *name)
    }

    /// Whether the tab applies to the mode.
    fn is_for(self, mode: Mode) -> bool {
        match self {
            Self::Tree | Self::Charts => mode.lists_urls(),
            Self::Skipped => !mode.visits_domains(),
            Self::Progress | Self::Results | Self::Changes | Self::Exports | Self::Events => true,
        }
    }
}

pub(super) fn list(run: &RunPage, here: RunTab) -> Markup {
    html! {
        nav.tabs aria-label="This run" {
            @for (tab, below, name) in TABS.into_iter().filter(|tab| tab.0.is_for(run.job.mode)) {
                a href=(run.path(below)) aria-current=[(tab == here).then_some("page")] { (name) }
            }
        }
    }
}
