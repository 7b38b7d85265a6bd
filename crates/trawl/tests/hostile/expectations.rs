//! Compares the results of a run with the expected results of a site.

use std::collections::{BTreeMap, BTreeSet};

use contract::LinkType;
use lab::{ExpectedSkip, Lab, SiteTruth};

use crate::harness::Run;

/// Asserts that exactly the expected URLs of `host` were delivered, and no forbidden URL was
/// requested.
#[track_caller]
pub fn assert_matches_site(run: &Run, lab: &Lab, host: &str) {
    let truth = lab.truth(host).expect("a site");
    assert_same(&delivered(run), &expected(&format!("http://{host}"), &truth));
    for seen in lab.requests().iter().filter(|seen| seen.host == host) {
        let forbidden = truth.never.iter().find(|never| seen.path.starts_with(never.as_str()));
        assert_eq!(forbidden, None, "{host}{} was asked for", seen.path);
    }
}

/// The expected results of a run that includes broken URLs, in short form.
fn expected(origin: &str, truth: &SiteTruth) -> BTreeMap<String, String> {
    let delivered = truth.delivered.iter().map(|(path, status)| (path, format!("page {status}")));
    let broken = truth.skipped.iter().filter_map(|(path, why)| {
        let short = match why {
            // A redirect without a target is not a result.
            ExpectedSkip::Status(300..400) => return None,
            ExpectedSkip::Status(status) => format!("broken {status}"),
            ExpectedSkip::Fault(fault) => format!("broken {}", fault.as_str()),
            ExpectedSkip::Robots => "broken robots".to_owned(),
            ExpectedSkip::Redirect(_)
            | ExpectedSkip::Variant(_)
            | ExpectedSkip::External
            | ExpectedSkip::Image
            | ExpectedSkip::File
            | ExpectedSkip::Protected(_) => return None,
        };
        Some((path, short))
    });
    delivered.chain(broken).map(|(path, short)| (format!("{origin}{path}"), short)).collect()
}

/// Compares the results of a run with the expected results of a site.
fn delivered(run: &Run) -> BTreeMap<String, String> {
    let short = |item: &contract::LinkItem| match (item.error, item.status_code) {
        (Some(fault), _) => format!("broken {}", fault.as_str()),
        (None, Some(status @ 200..300)) if item.kind == LinkType::Page => format!("page {status}"),
        (None, Some(status)) => format!("broken {status}"),
        (None, None) => "nothing".to_owned(),
    };
    run.items.iter().map(|(url, item)| (url.clone(), short(item))).collect()
}

/// Asserts equality and prints the differences.
#[track_caller]
fn assert_same(delivered: &BTreeMap<String, String>, expected: &BTreeMap<String, String>) {
    let urls: BTreeSet<_> = delivered.keys().chain(expected.keys()).collect();
    let differ: Vec<_> = urls
        .into_iter()
        .filter(|url| delivered.get(*url) != expected.get(*url))
        .map(|url| format!("{url}: {:?}, not {:?}", delivered.get(url), expected.get(url)))
        .collect();
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}
