//! Robustness: arbitrary responses, and order and case of headers.

use lab::ProtectionPage;
use page::{HeaderSigns, ProtectionEvidence, ProtectionMarker};
use proptest::prelude::*;

use super::Answer;

fn of(
    status: u16,
    headers: &[(String, String)],
    location: Option<&str>,
    body: &[u8],
) -> Option<ProtectionMarker> {
    let url = Answer::url();
    let headers = HeaderSigns::of(headers.iter().map(|(name, value)| (&**name, &**value)));
    page::detect_protection(&ProtectionEvidence {
        status,
        url: &url,
        location,
        headers,
        body,
        text_chars: None,
    })
}

/// A name with every second letter in the other case.
fn mixed(name: &str) -> String {
    let turn = |(at, letter): (usize, char)| {
        if at % 2 == 0 { letter.to_ascii_uppercase() } else { letter.to_ascii_lowercase() }
    };
    name.chars().enumerate().map(turn).collect()
}

#[test]
fn body_full_of_needles_takes_linear_time() {
    for piece in ["/TSPD/", "/_fs-ch-", "px-captcha", "h-captcha", "<iframe _Incapsula_Resource"] {
        let body = piece.repeat(1_000_000 / piece.len());
        for status in [200, 403] {
            let _ = of(status, &[], None, body.as_bytes());
        }
    }
}

proptest! {
    #[test]
    fn detection_never_panics(
        status: u16,
        headers: Vec<(String, String)>,
        location: Option<String>,
        body: Vec<u8>,
    ) {
        let _ = of(status, &headers, location.as_deref(), &body);
    }

    #[test]
    fn detection_never_panics_on_challenge_fragments(
        challenge in prop::sample::select(ProtectionPage::all()),
        status in prop::sample::select(vec![200_u16, 202, 403, 428, 429, 503]),
        from in 0..2_000_usize,
        to in 0..2_000_usize,
        noise: Vec<u8>,
    ) {
        let body = challenge.body.as_bytes();
        let piece = body.get(from.min(to)..from.max(to).min(body.len())).unwrap_or_default();
        let _ = of(status, &[], None, &[piece, &noise, piece].concat());
    }

    #[test]
    fn header_order_and_case_do_not_matter(
        challenge in prop::sample::select(ProtectionPage::all()),
        headers in Just(ProtectionPage::all().iter().flat_map(|challenge| challenge.headers.to_vec()).collect::<Vec<_>>())
            .prop_shuffle(),
        take in 0..6_usize,
        turn: bool,
    ) {
        let location = challenge.headers.iter().find(|(name, _)| *name == "location");
        let location = location.map(|(_, value)| *value);
        let chosen: Vec<_> = headers.iter().take(take).chain(challenge.headers).collect();
        let plain: Vec<_> =
            chosen.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let mut other: Vec<_> =
            plain.iter().map(|(name, value)| (mixed(name), format!(" {value} "))).collect();
        if turn {
            other.reverse();
        }
        let body = challenge.body.as_bytes();
        prop_assert_eq!(
            of(challenge.status, &plain, location, body),
            of(challenge.status, &other, location, body)
        );
    }
}
