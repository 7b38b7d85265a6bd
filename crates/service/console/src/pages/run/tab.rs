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

impl RunTab {
    const ALL: [Self; 8] = [
        Self::Progress,
        Self::Results,
        Self::Tree,
        Self::Charts,
        Self::Skipped,
        Self::Changes,
        Self::Exports,
        Self::Events,
    ];

    /// The path below that of the run, and the name.
    fn link(self) -> (&'static str, &'static str) {
        match self {
            Self::Progress => ("", "Progress"),
            Self::Results => ("/results", "Results"),
            Self::Tree => ("/tree", "Tree"),
            Self::Charts => ("/charts", "Charts"),
            Self::Skipped => ("/skipped", "Skipped"),
            Self::Changes => ("/changes", "Changes"),
            Self::Exports => ("/exports", "Exports"),
            Self::Events => ("/events", "Events"),
        }
    }

    pub fn name(self) -> &'static str {
        self.link().1
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
            @for tab in RunTab::ALL.into_iter().filter(|tab| tab.is_for(run.job.mode)) {
                @let (below, name) = tab.link();
                a href=(run.path(below)) aria-current=[(tab == here).then_some("page")] { (name) }
            }
        }
    }
}
