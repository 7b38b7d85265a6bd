//! The tabs of the pages of a run.

use contract::Mode;
use maud::{Markup, html};

use super::RunPage;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RunTab {
    Results,
    Progress,
    Tree,
    Charts,
    Skipped,
    Log,
    Changes,
    Exports,
    Use,
    Events,
}

impl RunTab {
    const ALL: [Self; 10] = [
        Self::Results,
        Self::Progress,
        Self::Tree,
        Self::Charts,
        Self::Skipped,
        Self::Log,
        Self::Changes,
        Self::Exports,
        Self::Use,
        Self::Events,
    ];

    /// The path below that of the run, and the name.
    fn link(self) -> (&'static str, &'static str) {
        match self {
            Self::Results => ("", "Results"),
            Self::Progress => ("/progress", "Progress"),
            Self::Tree => ("/tree", "Tree"),
            Self::Charts => ("/charts", "Charts"),
            Self::Skipped => ("/skipped", "Skipped"),
            Self::Log => ("/log", "Log"),
            Self::Changes => ("/changes", "Changes"),
            Self::Exports => ("/exports", "Exports"),
            Self::Use => ("/use", "Use from…"),
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
            Self::Results
            | Self::Progress
            | Self::Log
            | Self::Changes
            | Self::Exports
            | Self::Use
            | Self::Events => true,
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
