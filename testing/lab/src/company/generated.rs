//! Generated sites of small companies, for tests of scale.

use std::collections::BTreeMap;

use contract::ContactStatus;

use super::dead_domain::DeadDomain;
use super::truth::CompanyTruth;
use super::{Company, CompanyRecording};

/// Delay of each page of a slow site.
const SLOW_SECONDS: u64 = 5;

const FRAME: &str = include_str!("generated/frame.html");

/// Path, title and body of each page, with words in capitals for the values of the company.
const PAGES: &str = include_str!("generated/pages.tsv");

/// The domain of this number. One in ten is dead or slow: the hosts that end with 9.
pub(super) fn member(number: usize) -> Company {
    let host = format!("crowd-{number:05}.test");
    if number % 10 != 9 {
        return Company::of_site(site(number, &host, 0));
    }
    let dead = match number / 10 % 5 {
        0 => DeadDomain::Refused,
        1 => DeadDomain::Silent,
        2 => DeadDomain::Failing,
        3 => DeadDomain::Unknown,
        _ => return Company::of_site(site(number, &host, SLOW_SECONDS)),
    };
    Company::of_dead(&host, &dead)
}

/// A German site of three pages. Its truth has only its status.
fn site(number: usize, host: &str, pause_seconds: u64) -> CompanyRecording {
    const SYLLABLES: [&str; 10] =
        ["or", "tal", "vin", "hel", "mar", "kos", "bre", "lun", "dor", "fen"];
    let syllable = |place: u32| SYLLABLES[number / 10_usize.pow(place) % 10];
    let mut name = format!("{}{}{}", syllable(2), syllable(1), syllable(0));
    name[..1].make_ascii_uppercase();
    let filled = |text: &str| {
        text.replace("NAME", &name)
            .replace("EMAIL", &format!("info@{host}"))
            .replace("STREET", &format!("Lindenweg {}", number % 200 + 1))
            .replace("PHONE", &format!("{:03}", number % 1_000))
            .replace("REGISTER", &(10_000 + number).to_string())
    };
    let pages = PAGES.lines().filter_map(|line| {
        let (path, page) = line.split_once('\t')?;
        let (title, body) = page.split_once('\t')?;
        Some((path.to_owned(), filled(&FRAME.replace("TITLE", title).replace("BODY", body))))
    });
    CompanyRecording {
        pages: pages.collect(),
        files: BTreeMap::new(),
        truth: CompanyTruth::without_data(host, ContactStatus::Found),
        has_sitemap: false,
        pause_seconds,
        www_only: false,
    }
}
