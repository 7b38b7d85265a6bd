//! Sites with valid pages and an unusual or invalid robots.txt.

use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use contract::FetchFault;

use super::broken::{BOMB, gzip};
use crate::{ExpectedSkip, RawStep, Reply, Site, SiteTruth};

/// The defect of the robots.txt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OddRules {
    /// Longer than the maximum that is read; a rule follows after that.
    TooLong,
    Endless,
    /// A gzip bomb: a thousand times as long as on the wire.
    Bomb,
    /// Compressed with valid gzip.
    Packed,
    Noise,
    /// The start page, as sites that return it for every unknown path.
    Page,
    /// With a byte order mark, CR line ends, and a rule among invalid lines.
    Old,
    FarAway,
    TooFarAway,
    InCircles,
    /// A redirect to an address that is not public.
    Inside(SocketAddr),
    /// Missing, with this status.
    Missing(u16),
    /// Always 429 Too Many Requests.
    Busy,
    /// The body ends too early.
    CutOff,
    /// The connection is reset.
    Reset,
    /// Declared as gzip without being gzip.
    Lie,
    NotHttp,
}

/// How a run must interpret it.
enum Taken {
    /// The rules apply: `/closed` is disallowed.
    Rules,
    /// As if there were no robots.txt.
    None,
    /// Nothing may be fetched.
    Nothing(ExpectedSkip),
}

const RULES: &str = "User-agent: *\nDisallow: /closed\n";

impl OddRules {
    #[must_use]
    pub fn all(secret: SocketAddr) -> Vec<Self> {
        let mut all = vec![
            Self::TooLong,
            Self::Endless,
            Self::Bomb,
            Self::Packed,
            Self::Noise,
            Self::Page,
            Self::Old,
            Self::FarAway,
            Self::TooFarAway,
            Self::InCircles,
            Self::Inside(secret),
            Self::Busy,
            Self::CutOff,
            Self::Reset,
            Self::Lie,
            Self::NotHttp,
        ];
        all.extend([400, 401, 403, 404, 410, 451].map(Self::Missing));
        all
    }

    fn taken(self) -> Taken {
        match self {
            Self::TooLong | Self::Endless | Self::Packed | Self::Old | Self::FarAway => {
                Taken::Rules
            }
            Self::Bomb
            | Self::Noise
            | Self::Page
            | Self::TooFarAway
            | Self::InCircles
            | Self::Missing(_) => Taken::None,
            Self::Inside(_) => Taken::Nothing(ExpectedSkip::Fault(FetchFault::Dns)),
            Self::Busy => Taken::Nothing(ExpectedSkip::Fault(FetchFault::Blocked)),
            Self::CutOff | Self::Reset => Taken::Nothing(ExpectedSkip::Fault(FetchFault::Connect)),
            Self::Lie | Self::NotHttp => Taken::Nothing(ExpectedSkip::Robots),
        }
    }

    /// The robots.txt after `hops` redirects.
    fn rules(self, hops: u32) -> Reply {
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n";
        let raw = |text: String| RawStep::Bytes(Bytes::from(text));
        let moved = |far| match hops < far {
            true => Reply::redirect(301, format!("/robots.txt?{}", hops + 1)),
            false => Reply::text(RULES),
        };
        let comment = "# and another word on nothing at all\n";
        match self {
            Self::TooLong => {
                let long = comment.repeat(512 * 1024 / comment.len() + 1);
                Reply::text(format!("{RULES}{long}Disallow: /late\n"))
            }
            Self::Endless => Reply::Raw(vec![
                raw(format!("{head}\r\n{RULES}")),
                RawStep::Forever(Bytes::from(comment.repeat(1_000)), Duration::ZERO),
            ]),
            Self::Bomb => Reply::text(BOMB.clone()).with_header("content-encoding", "gzip"),
            Self::Packed => {
                Reply::text(gzip(RULES.as_bytes())).with_header("content-encoding", "gzip")
            }
            Self::Noise => Reply::text((0..=255).cycle().take(100_000).collect::<Vec<u8>>()),
            Self::Page => page("Start"),
            Self::Old => Reply::text(
                "\u{feff}Nonsense\r: \rUSER-AGENT : *\rDisallow\r\0\rdisallow:/closed # so\r",
            ),
            Self::FarAway => moved(5),
            Self::TooFarAway => moved(6),
            Self::InCircles => Reply::redirect(302, "/robots.txt"),
            Self::Inside(secret) => Reply::redirect(302, format!("http://{secret}/robots.txt")),
            Self::Missing(status) => Reply::status(status),
            Self::Busy => Reply::status(429),
            Self::CutOff => {
                Reply::Raw(vec![raw(format!("{head}content-length: 5000\r\n\r\n{RULES}"))])
            }
            Self::Reset => Reply::Raw(vec![RawStep::Reset]),
            Self::Lie => Reply::text(RULES).with_header("content-encoding", "gzip"),
            Self::NotHttp => Reply::Raw(vec![raw("220 mail.lab.test ESMTP\r\n".to_owned())]),
        }
    }
}

fn page(title: &str) -> Reply {
    Reply::html(format!(
        "<!doctype html><title>{title}</title><a href=\"/open\">Open</a>\
         <a href=\"/closed\">Closed</a><a href=\"/late\">Late</a>"
    ))
}

impl Site for OddRules {
    fn answer(&self, path_and_query: &str) -> Reply {
        if let Some(rest) = path_and_query.strip_prefix("/robots.txt") {
            return self.rules(rest.trim_start_matches('?').parse().unwrap_or(0));
        }
        match path_and_query {
            "/" => page("Start"),
            "/open" | "/closed" | "/late" => page(path_and_query),
            _ => Reply::status(404),
        }
    }

    fn truth(&self) -> SiteTruth {
        let mut truth = SiteTruth::of_pages(["/", "/open", "/closed", "/late"]);
        match self.taken() {
            Taken::None => {}
            Taken::Rules => {
                truth.delivered.remove("/closed");
                truth.skipped.insert("/closed".to_owned(), ExpectedSkip::Robots);
                truth.never.push("/closed".to_owned());
            }
            Taken::Nothing(why) => {
                truth.delivered.clear();
                truth.skipped.insert("/".to_owned(), why);
                truth.never.extend(["/open", "/closed", "/late"].map(str::to_owned));
            }
        }
        truth
    }
}
