//! A tarpit: responses that do not start or do not continue.

use std::time::Duration;

use bytes::Bytes;
use contract::FetchFault;

use super::{HostileCase, LONG_PAUSE, fine, raw, titled};
use crate::{ExpectedSkip, RawStep, Reply, Site, SiteTruth};

/// A start page that links to every slow response and to fast pages. Tests need short timeouts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tarpit;

const TIMEOUT: ExpectedSkip = ExpectedSkip::Fault(FetchFault::Timeout);

const CASES: &[HostileCase] = &[
    HostileCase::skipped("/head-never", TIMEOUT, || Reply::Raw(vec![RawStep::Pause(LONG_PAUSE)])),
    HostileCase::skipped("/head-half", TIMEOUT, || {
        Reply::Raw(vec![raw("HTTP/1.1 200 OK\r\ncontent-type: te"), RawStep::Pause(LONG_PAUSE)])
    }),
    HostileCase::skipped("/head-in-drops", TIMEOUT, || {
        Reply::Raw(vec![raw("HTTP/1.1 200 OK\r\nx-slow: "), drops()])
    }),
    HostileCase::skipped("/interim-endless", TIMEOUT, || {
        let hint = Bytes::from_static(b"HTTP/1.1 102 Processing\r\n\r\n");
        Reply::Raw(vec![RawStep::Forever(hint, Duration::from_millis(20))])
    }),
    HostileCase::skipped("/body-never", TIMEOUT, || html(RawStep::Pause(LONG_PAUSE))),
    HostileCase::skipped("/body-in-drops", TIMEOUT, || html(drops())),
    HostileCase::skipped("/chunk-in-drops", TIMEOUT, || {
        Reply::Raw(vec![
            raw("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n"),
            raw("transfer-encoding: chunked\r\n\r\nffff\r\n"),
            drops(),
        ])
    }),
    HostileCase::skipped("/film-in-drops", TIMEOUT, || {
        Reply::Raw(vec![raw("HTTP/1.1 200 OK\r\ncontent-type: video/mp4\r\n\r\n"), drops()])
    }),
];

const FINE: &[&str] = &["/fine-1", "/fine-2", "/fine-3", "/fine-4"];

/// Far below one kilobyte per second.
fn drops() -> RawStep {
    RawStep::Forever(Bytes::from_static(b"."), Duration::from_millis(50))
}

fn html(then: RawStep) -> Reply {
    let head = raw("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n<title>A beginning</title>");
    Reply::Raw(vec![head, then])
}

impl Site for Tarpit {
    fn answer(&self, path_and_query: &str) -> Reply {
        let link = |path: &str| format!("<a href=\"{path}\">{path}</a>\n");
        match path_and_query {
            "/" => {
                let links: String = CASES.iter().map(|case| link(case.path)).collect();
                let fine: String = FINE.iter().map(|path| link(path)).collect();
                Reply::html(titled("Tarpit", &(links + &fine)))
            }
            "/robots.txt" => Reply::status(404),
            path if FINE.contains(&path) => fine(path),
            path => {
                let case = CASES.iter().find(|case| case.path == path);
                case.map_or_else(|| Reply::status(404), |case| (case.reply)())
            }
        }
    }

    fn truth(&self) -> SiteTruth {
        SiteTruth {
            skipped: CASES.iter().map(|case| (case.path.to_owned(), TIMEOUT)).collect(),
            ..SiteTruth::of_pages(FINE.iter().chain(&["/"]).copied())
        }
    }
}
