//! What a run delivered and what the truth says that it must, in the same short words.

use std::collections::{BTreeMap, BTreeSet};

use contract::LinkType;
use lab::{Lab, SiteTruth, Withheld};

use crate::bench::Run;

/// Exactly the truth about `host` was delivered, and nothing was asked for that must not be.
#[track_caller]
pub fn assert_true(run: &Run, lab: &Lab, host: &str) {
    let truth = lab.truth(host).expect("a site");
    assert_same(&delivered(run), &expected(&format!("http://{host}"), &truth));
    for seen in lab.requests().iter().filter(|seen| seen.host == host) {
        let forbidden = truth.never.iter().find(|never| seen.path.starts_with(never.as_str()));
        assert_eq!(forbidden, None, "{host}{} was asked for", seen.path);
    }
}

/// What the truth says that a run with the broken among its results delivers, in short.
fn expected(origin: &str, truth: &SiteTruth) -> BTreeMap<String, String> {
    let delivered = truth.delivered.iter().map(|(path, status)| (path, format!("page {status}")));
    let broken = truth.withheld.iter().filter_map(|(path, why)| {
        let short = match why {
            // A 3xx that leads nowhere is no result, broken or not.
            Withheld::Status(300..400) => return None,
            Withheld::Status(status) => format!("broken {status}"),
            Withheld::Fault(fault) => format!("broken {}", fault.as_str()),
            Withheld::Robots => "broken robots".to_owned(),
            Withheld::Redirect(_)
            | Withheld::Variant(_)
            | Withheld::External
            | Withheld::Image
            | Withheld::File
            | Withheld::Protected(_) => return None,
        };
        Some((path, short))
    });
    delivered.chain(broken).map(|(path, short)| (format!("{origin}{path}"), short)).collect()
}

/// What a run delivered, in the same short form.
fn delivered(run: &Run) -> BTreeMap<String, String> {
    let short = |item: &contract::LinkItem| match (item.error, item.status_code) {
        (Some(fault), _) => format!("broken {}", fault.as_str()),
        (None, Some(status @ 200..300)) if item.kind == LinkType::Page => format!("page {status}"),
        (None, Some(status)) => format!("broken {status}"),
        (None, None) => "nothing".to_owned(),
    };
    run.items.iter().map(|(url, item)| (url.clone(), short(item))).collect()
}

/// Equal, or the places where they are not.
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
