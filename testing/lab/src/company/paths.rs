//! The pages of a site and where they stand.

use super::plan::{Imprint, Make, Plan, TeamAt};

/// What a page is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Page {
    Home,
    Contact,
    Imprint,
    About,
    Team,
    Press,
    Locations,
    Privacy,
    Services,
    Service(usize),
    News,
    Story(usize),
    Jobs,
}

impl Page {
    /// Link text, and the slug.
    pub(super) fn names(self, plan: &Plan) -> (&'static str, String) {
        let pages = &plan.words.pages;
        let at = plan.habit % 2;
        let (text, slug) = match self {
            Self::Home => (pages.home, ""),
            Self::Contact => pages.contact[at],
            Self::Imprint => pages.imprint[at],
            Self::About => pages.about[at],
            Self::Team => pages.team[at],
            Self::Press => pages.press,
            Self::Locations => pages.locations,
            Self::Privacy => pages.privacy,
            Self::Services | Self::Service(_) => pages.services,
            Self::News | Self::Story(_) => pages.news,
            Self::Jobs => pages.jobs,
        };
        match self {
            Self::Service(number) | Self::Story(number) => (text, format!("{slug}-{}", number + 1)),
            _ => (text, slug.to_owned()),
        }
    }

    /// Where it stands: on a site of one page most are anchors.
    pub(super) fn path(self, plan: &Plan) -> String {
        let (_, slug) = self.names(plan);
        if self == Self::Home {
            return "/".to_owned();
        }
        if plan.one_page()
            && matches!(self, Self::Contact | Self::About | Self::Team | Self::Services)
        {
            return format!("/#{slug}");
        }
        match plan.make {
            Make::Theme => format!("/{slug}/"),
            Make::Tables => format!("/{slug}.htm"),
            Make::Hand => format!("/{slug}.html"),
            Make::Component => format!("/{}/{slug}", plan.words.tag),
            Make::Soup | Make::OnePage => format!("/{slug}"),
        }
    }
}

/// Every page of a site.
pub(super) fn pages(plan: &Plan) -> Vec<Page> {
    let mut pages = vec![Page::Home, Page::Privacy];
    if !plan.one_page() {
        pages.extend([Page::Contact, Page::About, Page::Services]);
        if matches!(plan.team.at, TeamAt::Own | TeamAt::Behind) {
            pages.push(Page::Team);
        }
    }
    if plan.imprint == Imprint::Own {
        pages.push(Page::Imprint);
    }
    if plan.press {
        pages.push(Page::Press);
    }
    if plan.branches > 0 {
        pages.push(Page::Locations);
    }
    pages.extend([Page::News, Page::Jobs]);
    let services = plan.others / 2;
    pages.extend((0..services).map(Page::Service));
    pages.extend((0..plan.others - services).map(Page::Story));
    pages
}
