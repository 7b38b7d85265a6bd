//! External hosts: the targets of external links.

use journal::Cause;

use crate::resource::{Recovery, Resource, ResourceKind, SimFailure, TransientFault};
use crate::robots_behaviour::RobotsBehaviour;
use crate::sim_page::SimPage;

/// Links that leave the site.
pub(crate) const LINKS: &[&str] = &[
    "https://far.test/a",
    "https://far.test/a",
    "https://far.test/report.pdf",
    "https://far.test/gone",
    "https://dead.test/a",
    "https://dead.test/b",
    "https://dead.test/c",
    "https://mute.test/a",
    "https://mute.test/b",
    "https://shy.test/a",
    "https://stiff.test/a",
    "https://stern.test/a",
    "https://hop.test/a",
    "https://hop.test/b",
    "https://hop.test/back",
    "https://hop.test/round",
    "https://tired.test/a",
];

/// The robots.txt behaviour of these hosts.
pub(crate) const RULES: &[(&str, RobotsBehaviour)] = &[
    ("far.test", RobotsBehaviour::Folder),
    ("shy.test", RobotsBehaviour::Closed),
    ("stiff.test", RobotsBehaviour::Absent),
    ("hop.test", RobotsBehaviour::Away(1)),
    ("tired.test", RobotsBehaviour::Late { status: 503, failures: 1 }),
];

/// Why a host is unreachable.
pub(crate) fn out_of_reach(host: &str) -> Option<Cause> {
    match host {
        "dead.test" => Some(Cause::NameNotFound),
        "mute.test" => Some(Cause::Connect),
        _ => None,
    }
}

/// The resources of these hosts.
pub(crate) fn resources() -> Vec<Resource> {
    let mut page = SimPage { text: 5_000, ..SimPage::default() };
    page.add_link(crate::sim_page::SimLinkKind::Anchor, "/never-read");
    let leads = |to: &str| ResourceKind::Redirect { status: 302, to: to.to_owned() };
    let refused = ResourceKind::Broken(SimFailure::Status { status: 403, retry_after: None });
    let tired = TransientFault {
        failure: SimFailure::Status { status: 503, retry_after: None },
        recovery: Recovery::After(1),
    };
    let resource = |key: &str, kind| Resource { key: key.to_owned(), kind, failure: None };
    let file = |takes_head| ResourceKind::File { content_type: "application/pdf", takes_head };
    vec![
        resource("far.test/a", ResourceKind::Page(page.clone())),
        resource("far.test/report.pdf", file(true)),
        resource("stiff.test/a", file(false)),
        resource("stern.test/a", refused),
        resource("hop.test/a", leads("https://far.test/a")),
        resource("hop.test/b", leads("https://hop.test/a")),
        resource("hop.test/back", leads("https://site.test/")),
        resource("hop.test/round", leads("/round2")),
        resource("hop.test/round2", leads("/round")),
        Resource { failure: Some(tired), ..resource("tired.test/a", ResourceKind::Page(page)) },
    ]
}
