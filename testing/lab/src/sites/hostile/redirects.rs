//! Redirects in too many steps, in a loop, or to addresses that are not public.

use std::net::SocketAddr;

use bytes::Bytes;
use contract::FetchFault;

use super::bodies::forever;
use super::raw;
use crate::{ExpectedSkip, RawStep, Reply};

const LOOP: ExpectedSkip = ExpectedSkip::Fault(FetchFault::RedirectLoop);
const HTTP: ExpectedSkip = ExpectedSkip::Fault(FetchFault::Http);

/// Redirects that are followed, and the valid pages at their end.
pub(super) const INSIDE: &[(&str, &str)] = &[
    ("/chain-10/0", "/chain-10/10"),
    ("/to-latin", "/caf%C3%A9"),
    ("/with-much-to-say", "/said"),
    ("/with-a-bomb", "/defused"),
];

pub(super) const ENDS: &[&str] = &["/chain-10/10", "/caf%C3%A9", "/said", "/defused"];

/// Redirects that fail. A redirect to another site is not followed, so that a run reports only its
/// status.
const BADLY: &[(&str, ExpectedSkip)] = &[
    ("/chain-11/0", LOOP),
    ("/round-1", LOOP),
    ("/round-2/0", LOOP),
    ("/round-3/0", LOOP),
    ("/to-itself-in-other-words", LOOP),
    ("/to-nothing", LOOP),
    ("/to-script", HTTP),
    ("/to-data", HTTP),
    ("/to-a-file", HTTP),
    ("/to-mail", HTTP),
    ("/to-garbage", HTTP),
    ("/to-credentials", HTTP),
    ("/to-port-0", HTTP),
    ("/to-great-length", HTTP),
    ("/to-control", HTTP),
    ("/nowhere", ExpectedSkip::Status(302)),
    ("/not-modified", ExpectedSkip::Status(304)),
];

/// Redirects to addresses that are not public: spellings of the address of the secret, and others.
fn ways_out(secret: SocketAddr) -> [String; 12] {
    let port = secret.port();
    let octets = match secret {
        SocketAddr::V4(secret) => secret.ip().octets(),
        SocketAddr::V6(_) => [127, 0, 0, 1],
    };
    let number = u32::from_be_bytes(octets);
    let [a, b, c, d] = octets;
    [
        format!("http://{a}.{b}.{c}.{d}:{port}/secret"),
        format!("http://{number}:{port}/secret"),
        format!("http://{number:#x}:{port}/secret"),
        format!("http://{a:#o}.{b}.{c}.{d}:{port}/secret").replace("0o", "0"),
        format!("http://[::ffff:{a}.{b}.{c}.{d}]:{port}/secret"),
        format!("http://[64:ff9b::{a}.{b}.{c}.{d}]:{port}/secret"),
        format!("http://localhost:{port}/secret"),
        format!("//{a}.{b}.{c}.{d}.:{port}/secret"),
        "http://169.254.169.254/latest/meta-data/".to_owned(),
        "http://[fd00:ec2::254]/latest/meta-data/".to_owned(),
        "http://outside.test:25/".to_owned(),
        "http://0/".to_owned(),
    ]
}

/// The expected outcomes of the redirects that lead to no page.
pub(super) fn truth() -> impl Iterator<Item = (String, ExpectedSkip)> {
    let badly = BADLY.iter().map(|(path, why)| ((*path).to_owned(), why.clone()));
    badly.chain((0..12).map(|way| (format!("/way-out-{way}"), ExpectedSkip::External)))
}

pub(super) fn answer(path: &str, secret: SocketAddr) -> Option<Reply> {
    if let Some(way) = path.strip_prefix("/way-out-") {
        let way: usize = way.parse().ok()?;
        return Some(Reply::redirect(302, ways_out(secret).get(way)?));
    }
    for (prefix, length) in [("/chain-10/", 10), ("/chain-11/", 11)] {
        if let Some(step) = path.strip_prefix(prefix) {
            let step: u32 = step.parse().ok()?;
            return (step < length).then(|| further(step, &format!("{prefix}{}", step + 1)));
        }
    }
    for (prefix, length) in [("/round-2/", 2), ("/round-3/", 3)] {
        if let Some(step) = path.strip_prefix(prefix) {
            let step: u32 = step.parse().ok()?;
            return Some(further(step, &format!("{prefix}{}", (step + 1) % length)));
        }
    }
    let location = match path {
        "/round-1" => "/round-1",
        "/to-itself-in-other-words" => "./%74o-itself-in-other-words#again",
        "/to-nothing" => "",
        "/to-script" => "javascript:alert(document.domain)",
        "/to-data" => "data:text/html,<title>Data</title>",
        "/to-a-file" => "file:///etc/passwd",
        "/to-mail" => "mailto:nobody@outside.test",
        "/to-garbage" => "http://[::not an address/",
        "/to-credentials" => "http://user:pass@outside.test/",
        "/to-port-0" => "http://outside.test:0/",
        "/to-great-length" => {
            return Some(Reply::redirect(302, "/".to_owned() + &"a/".repeat(5_000)));
        }
        "/nowhere" => return Some(Reply::status(302)),
        "/not-modified" => return Some(Reply::status(304)),
        "/to-control" => return Some(located(b"/\x01\x02", Vec::new())),
        "/to-latin" => return Some(located(b"/caf\xe9", Vec::new())),
        "/with-much-to-say" => return Some(located(b"/said", vec![forever("and another thing ")])),
        "/with-a-bomb" => {
            let bomb = crate::sites::broken::BOMB.clone();
            return Some(
                Reply::Full(crate::FullReply {
                    status: 301,
                    headers: vec![("location", "/defused".to_owned())],
                    body: bomb,
                })
                .with_header("content-encoding", "gzip"),
            );
        }
        _ => return None,
    };
    Some(Reply::redirect(302, location))
}

/// One step of a chain, with every redirect status in turn.
fn further(step: u32, location: &str) -> Reply {
    let statuses = [301, 302, 303, 307, 308];
    Reply::redirect(statuses[step as usize % statuses.len()], location)
}

/// A redirect whose `Location` has invalid bytes.
fn located(location: &'static [u8], mut body: Vec<RawStep>) -> Reply {
    let mut steps = vec![
        raw("HTTP/1.1 302 Found\r\ncontent-type: text/html\r\nlocation: "),
        RawStep::Bytes(Bytes::from_static(location)),
        raw("\r\n\r\n"),
    ];
    steps.append(&mut body);
    Reply::Raw(steps)
}
