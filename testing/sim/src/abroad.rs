//! Other people's hosts: what a site's links lead to outside of it.

use journal::Cause;

use crate::page::Page;
use crate::place::{Fault, Kind, Passing, Place, Trouble};
use crate::rules::Rules;

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

/// The rules of these hosts.
pub(crate) const RULES: &[(&str, Rules)] = &[
    ("far.test", Rules::Folder),
    ("shy.test", Rules::Closed),
    ("stiff.test", Rules::Absent),
    ("hop.test", Rules::Away(1)),
    ("tired.test", Rules::Late { status: 503, failures: 1 }),
];

/// Why a host cannot be reached at all.
pub(crate) fn out_of_reach(host: &str) -> Option<Cause> {
    match host {
        "dead.test" => Some(Cause::NameNotFound),
        "mute.test" => Some(Cause::Connect),
        _ => None,
    }
}

/// What stands there.
pub(crate) fn places() -> Vec<Place> {
    let mut page = Page { text: 5_000, ..Page::default() };
    page.tie(crate::page::TieKind::Anchor, "/never-read");
    let leads = |to: &str| Kind::Redirect { status: 302, to: to.to_owned() };
    let refused = Kind::Broken(Trouble::Says { status: 403, retry_after: None });
    let tired = Fault {
        trouble: Trouble::Says { status: 503, retry_after: None },
        passing: Passing::After(1),
    };
    let place = |key: &str, kind| Place { key: key.to_owned(), kind, trouble: None };
    let file = |takes_head| Kind::File { content_type: "application/pdf", takes_head };
    vec![
        place("far.test/a", Kind::Page(page.clone())),
        place("far.test/report.pdf", file(true)),
        place("stiff.test/a", file(false)),
        place("stern.test/a", refused),
        place("hop.test/a", leads("https://far.test/a")),
        place("hop.test/b", leads("https://hop.test/a")),
        place("hop.test/back", leads("https://site.test/")),
        place("hop.test/round", leads("/round2")),
        place("hop.test/round2", leads("/round")),
        Place { trouble: Some(tired), ..place("tired.test/a", Kind::Page(page)) },
    ]
}
